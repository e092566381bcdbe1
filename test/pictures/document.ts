import { DEMO_PICTURES } from './demo-pictures.ts';
import { EXAMPLE_PICTURES } from './example-pictures.ts';
import type { PictureSection } from './picture.ts';

/** Every section of the page, in its order. */
export const PICTURES: readonly PictureSection[] = [...DEMO_PICTURES, ...EXAMPLE_PICTURES];

/** `docs/what-people-see.md`, as Markdown. */
export function pictureDocument(): string {
  const parts = PICTURES.flatMap(({ title, pictures }) => [
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
    `\`npm run pictures\` takes these pictures and writes this page. To change it, edit the files in \`test/pictures\`. The local
workspace renders Slack’s blocks by Slack’s rules. The first six sections come from one demo; the others show templates with example
data. For the wording, see [templates/STYLE.md](../templates/STYLE.md).`,
    ...parts,
    `Charts use Slack’s own block. A workspace that refuses it gets the same numbers as text bars, which every client
shows and screen readers skip to read the number.`,
  ].join('\n\n')}\n`;
}
