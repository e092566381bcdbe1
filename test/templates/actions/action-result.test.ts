import { describe, expect, it } from 'vitest';
import type { ActionVerb } from '../../../src/actions/action-state.ts';
import { changedSince } from '../../../src/actions/send-change.ts';
import { type ActionResult, actionResult } from '../../../templates/actions/action-result.ts';
import { limitChange } from '../../support/limit-goals.ts';
import { answer } from '../answer-fixtures.ts';

const said = (over: Partial<ActionResult>): string => actionResult({ ...answer.result, note: null, ...over }).text;

describe('a change whose answer was lost', () => {
  const unknown = { state: 'unknown' } as const;
  const expects = { kind: 'rule', changes: [limitChange('daily', 40_000, 45_000)] } as const;
  const head = 'Not sure: tried to change the limit of Jane Doe · card 1212. Daily limit $400.00 → $450.00.';
  const lost = 'The card service gave no clear answer, so it may or may not have happened.';

  it('names both values, and says that Cardbell checks and where the result will be', () => {
    expect(said({ ...unknown, expects })).toBe(`${head} ${lost} I’m checking, and will message you within 2 minutes.`);
    expect(said({ ...unknown, expects, shownOn: 'alert' })).toBe(
      `${head} ${lost} I’m checking: the alert shows the result within 2 minutes.`,
    );
    expect(said({ ...unknown, expects, shownOn: 'request' })).toBe(
      `${head} ${lost} I’m checking: the request shows the result within 2 minutes.`,
    );
  });

  it('says that the check has ended, once it has', () => {
    expect(said({ ...unknown, confirmation: 'unconfirmed' })).toBe(
      `${head} Still not confirmed after 2 minutes. Check the card before you try again.`,
    );
    expect(said({ ...unknown, confirmation: 'superseded' })).toBe(
      `${head} The card was changed again before the card service confirmed it. Check the card.`,
    );
  });

  it('does not say twice that this is uncertain', () => {
    expect(said({ ...unknown, note: changedSince })).toBe(`${head} ${changedSince}`);
    expect(said(unknown)).toBe(`${head} ${lost} Check the card before you try again.`);
  });

  it('names no status that it could not read', () => {
    expect(said({ ...unknown, verb: 'block', before: 'Active', after: null })).not.toContain('Active');
    const wasSo = said({ ...unknown, verb: 'block', before: 'blocked', after: 'blocked' });
    expect(wasSo).not.toMatch(/\bBlocked\./);
  });
});

it.each([
  ['says that a permanent change is permanent', { kind: 'permanent' }, / \$450\.00\. Duration: permanent\. /],
  ['does not say so of a change with an end', { kind: 'duration', ms: 1000 }, /^(?!.*Duration)/],
] as const)('%s', (_what, term, words) => {
  const expects = { kind: 'rule', changes: [limitChange('daily', 40_000, 45_000)], term } as const;

  expect(said({ confirmation: 'sent', expects })).toMatch(words);
});

it.each<[ActionVerb, string]>([
  ['block', 'Block sent.'],
  ['unblock', 'Unblock sent.'],
  ['activate', 'Activation sent.'],
  ['limit', 'Change sent.'],
  ['allow', 'Change sent.'],
])('a %s that is not confirmed yet says what was sent', (verb, sent) => {
  expect(said({ verb, confirmation: 'sent' })).toContain(
    ` ${sent} I’ll message you if it isn’t confirmed within 2 minutes.`,
  );
});
