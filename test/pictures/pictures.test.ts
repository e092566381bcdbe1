import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PICTURES } from './document.ts';

const pictures = PICTURES.flatMap((section) => section.pictures);
const pictured = new Set(pictures.flatMap(({ templates }) => templates));
const templates = readdirSync('templates', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.slice(0, -'.ts'.length));

/** Words and blocks used by other templates, visible in every picture. */
const parts = /^core\/|-words$|-lines?$|-csv$|^approvals\/why-approvals$/;

it('every template has a picture', () => {
  const without = templates.filter((name) => !pictured.has(name) && !parts.test(name));

  expect(without).toEqual([]);
});

it('every picture exists, shows an existing template, and is on the page', () => {
  const page = readFileSync('docs/what-people-see.md', 'utf8');
  for (const { name } of pictures) {
    expect(existsSync(`docs/pictures/${name}.png`), `docs/pictures/${name}.png: run npm run pictures`).toBe(true);
    expect(page, name).toContain(`pictures/${name}.png`);
  }
  expect([...pictured].filter((name) => !templates.includes(name))).toEqual([]);
});
