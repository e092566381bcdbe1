import type { PictureSection } from './pictures.ts';

/** `docs/what-people-see.md`, as Markdown. */
export function pictureDocument(sections: readonly PictureSection[]): string {
  const parts = sections.flatMap(({ title, pictures }) => [
    `## ${title}`,
    ...pictures.flatMap(({ name, words, alt, templates }) => [
      words,
      `![${alt}](pictures/${name}.png)`,
      ...(templates.length === 0
        ? []
        : [`<sub>${templates.map((each) => `\`templates/${each}.ts\``).join(' · ')}</sub>`]),
    ]),
  ]);
  return `${[
    '# What people see',
    `Taken from the demo by \`npm run pictures\`, which also writes this page: change \`local/pictures.ts\`. The local workspace
draws Slack’s blocks by Slack’s rules. How the words are chosen: [templates/STYLE.md](../templates/STYLE.md).`,
    ...parts,
    `A chart is Slack’s own block. A workspace that refuses it gets the same numbers as bars made of text, which every client
shows and a screen reader passes over to the number.`,
  ].join('\n\n')}\n`;
}
