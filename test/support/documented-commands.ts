import { readdirSync, readFileSync } from 'node:fs';

/** The pages that people read, as paths from the root. */
export const pages: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'workspace/README.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => `docs/${name}`),
];

export interface DocumentedCommand {
  readonly page: string;
  /** One command, without comments and without the part after `&&`. */
  readonly text: string;
}

/** Every command of the docs: each line of a shell block, and each `npm …` and `cardbell …` in a sentence. */
export function documentedCommands(): DocumentedCommand[] {
  return pages.flatMap((page) => {
    const text = readFileSync(page, 'utf8');
    const lines = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) =>
      block.replaceAll(/\\\n\s*/g, '').split('\n'),
    );
    const inline = [
      ...text
        .replaceAll(/^```[\s\S]*?^```/gm, '')
        .matchAll(/`(?:\(umask 077; )?((?:npm|node|cardbell|docker|kubectl|helm|systemctl|sudo|curl|heroku) [^`]+)`/g),
    ];
    return [...lines, ...inline.map(([, command = '']) => command.replaceAll(/\s+/g, ' '))]
      .flatMap((line) => line.replace(/(^|\s+)#.*$/, '').split(/ && /))
      .map((command) => ({ page, text: command.trim() }))
      .filter((command) => command.text !== '');
  });
}
