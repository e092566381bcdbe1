import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PICTURES } from '../../local/pictures.ts';

const pictures = PICTURES.flatMap((section) => section.pictures);
const pictured = new Set(pictures.flatMap(({ templates }) => templates));
const templates = readdirSync('templates', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.slice(0, -'.ts'.length));

/** Words and blocks that other templates are made of: seen in every picture. */
const parts = /^core\/|-words$|-lines?$|-csv$|^approvals\/request-words$|^limits\/(counted|ruleset)-words$/;

/** What the demo does not come to yet. The list may only shrink. */
const notPictured: readonly string[] = [
  'actions/ask-again',
  'alerts/activation-reminder',
  'alerts/card-shipping',
  'alerts/decline-blocked',
  'alerts/decline-paid',
  'alerts/fraud-case',
  'alerts/pin',
  'alerts/reversal',
  'alerts/seen',
  'alerts/settlement',
  'alerts/virtual-card',
  'app-home/delegate',
  'app-home/own-digest',
  'app-home/preferences',
  'approvals/permission-asked',
  'digests/digest-set',
  'dispatch/command-form',
  'dispatch/unknown',
  'holders/claim-answers',
  'holders/claim-request',
  'holders/fraud-notice',
  'holders/holder-outcomes',
  'holders/holder-request',
  'holders/holder-shipping',
  'holders/holder-virtual-card',
  'holders/link-result',
  'limits/limit-card-form',
  'ops/ops-notice',
  'policy/not-permitted',
  'policy/refusal',
  'recovery/recovery-started',
  'routing/alert-length',
  'routing/shared-channel',
  'virtual-cards/order',
  'warnings/expiry-warning',
  'warnings/limit-warning',
  'warnings/subscription-warning',
  'warnings/warnings-set',
];

it('every template has a picture', () => {
  const without = templates.filter((name) => !pictured.has(name) && !parts.test(name));

  expect(without.toSorted()).toEqual([...notPictured].toSorted());
});

it('every picture is there, with the template that it shows, and the page shows it', () => {
  const page = readFileSync('docs/what-people-see.md', 'utf8');
  for (const { name } of pictures) {
    expect(existsSync(`docs/pictures/${name}.png`), `docs/pictures/${name}.png: run npm run pictures`).toBe(true);
    expect(page, name).toContain(`pictures/${name}.png`);
  }
  expect([...pictured].filter((name) => !templates.includes(name))).toEqual([]);
});
