import { describe, expect, it } from 'vitest';
import type { CardFacts } from '../../../src/core/card-facts.ts';
import type { Remedy } from '../../../src/limits/remedy-change.ts';
import { renderAlert } from '../../../templates/alerts/alert.ts';
import { decline } from '../../../templates/alerts/decline.ts';
import { explainDecline } from '../../../templates/alerts/explain-decline.ts';
import { type DecidePurpose, decideForm } from '../../../templates/approvals/decide-form.ts';
import { cardShow } from '../../../templates/directory/card-show.ts';
import { renderHolderAlert } from '../../../templates/holders/holder-alert.ts';
import { limitCardForm } from '../../../templates/limits/limit-card-form.ts';
import { remedyForm } from '../../../templates/limits/remedy-form.ts';
import { mayBeOverruled } from '../../../templates/limits/ruleset-words.ts';
import { limitRaise, remedyOf } from '../../support/limit-goals.ts';
import { openRequestOf } from '../../support/limit-requests.ts';
import { answer } from '../answer-fixtures.ts';
import { card, declined } from '../fixtures.ts';
import { expectFit } from '../judge.ts';

const shown = (blocks: unknown): string => JSON.stringify(blocks);
const travel: CardFacts = { ...card, ruleset: { id: 2, name: 'Travel & more', mayOverrule: true } };
const view = { place: 'private', channel: 'C1' } as const;
const alertOf = (code: string, message: string, of = travel) => ({ ...declined(code, message), card: of });

it('a decline by a rule says which ruleset the card follows, and what that means', () => {
  const message = decline(alertOf('decline.rule.location', 'International transactions not allowed'), view);

  expectFit(message);
  expect(shown(message.blocks)).toContain(
    'The card follows the spending ruleset “Travel &amp; more”, which may overrule the card’s own rules.',
  );
});

it('attributes a merchant category that is not allowed to the ruleset', () => {
  const text = shown(decline(alertOf('decline.rule.mcc', 'Unauthorized merchant category: (Bars)'), view).blocks);

  expect(text).toContain('The spending ruleset “Travel &amp; more” does not allow this merchant category.');
  expect(text).not.toContain('The card’s spending rules do not allow');
});

it('names the ruleset, once, also if a limit is too small as well or is all that stops the purchase now', () => {
  const bars = alertOf('decline.rule.mcc', 'Unauthorized merchant category: (Bars)');
  const texts = (remedy: Remedy) =>
    [true, false].map((isLong) =>
      shown(renderAlert({ ...bars, remedy }, { place: 'private', isLong }).blocks).replaceAll('*', ''),
    );

  for (const text of texts({ kind: 'portal', why: 'ruleset', alsoNeeds: ['raise_limit'] })) {
    expect(text).toMatch(
      /“Travel &amp; more” does not allow this merchant category\.(?: |\\n)A limit is too small, too\./,
    );
    expect(text.match(/Travel/g)).toHaveLength(1);
    expect(text).toContain('It may overrule the card’s own rules.');
  }
  for (const text of texts(remedyOf(limitRaise('daily', 10_000, 13_410, { remainingCents: 5_000 })))) {
    expect(text).toContain('The card follows the spending ruleset “Travel &amp; more”, which may overrule');
    expect(text).not.toMatch(/\bIt may overrule|does not allow/);
  }
});

it.each([
  ['a decline due to insufficient funds', 'decline.balance.card', travel],
  ['a card with its own rules', 'decline.rule.location', card],
])('%s does not mention a ruleset', (_what, code, of) => {
  expect(shown(decline(alertOf(code, 'No', of), view).blocks)).not.toContain('ruleset');
});

it('uses the number if there is no name, and mentions no overruling unless that is assumed', () => {
  const own: CardFacts = { ...card, ruleset: { id: 7, name: null, mayOverrule: false } };
  const text = shown(decline(alertOf('decline.rule.location', 'No', own), view).blocks);

  expect(text).toContain('The card follows the spending ruleset 7.');
  expect(mayBeOverruled(own)).toBeNull();
});

it.each<[string, 'checked' | 'ruleset', Remedy, RegExp]>([
  ['a rule', 'ruleset', { kind: 'allow_international' }, /own rules allow this, .* Check the ruleset/],
  [
    'a limit',
    'checked',
    remedyOf(limitRaise('daily', 10_000, null, { remainingCents: 5_000, isOfRuleset: true })),
    /The ruleset’s daily limit of \$100\.00 stops it: change it in the card program’s portal\./,
  ],
])(
  '%s that the ruleset may have cannot be changed in the form, which names the ruleset',
  (_what, state, remedy, why) => {
    const alert = { ...answer.form.alert, card: travel };
    const form = remedyForm({ ...answer.form, alert, state, remedy });

    expect([form.submit, form.close?.text]).toEqual([undefined, 'Close']);
    expect(shown(form.blocks)).toMatch(why);
    expect(shown(form.blocks)).toContain(
      'The card follows the spending ruleset “Travel &amp; more”, which may overrule',
    );
  },
);

it('a limit of the ruleset is not offered to be raised: neither to approvers nor by its holder', () => {
  const remedy = remedyOf(limitRaise('daily', 10_000, null, { remainingCents: 5_000, isOfRuleset: true }));
  const alert = { ...declined('decline.rule.velocity', ''), card: travel, remedy };
  const explained = { alert, eventLog: null, whoMay: { approver: ['U1'], operator: ['U2'] } };
  const team = [true, false].map((isLong) => shown(renderAlert(alert, { place: 'private', isLong }).blocks));

  for (const text of team) {
    expect(text).toMatch(/daily limit of \$100\.00|daily limit:\* \$34\.10 more than the \$50\.00 left/);
    expect(text).toContain('The ruleset’s daily limit of $100.00 stops it: change it in the card program’s portal.');
    expect(text).not.toMatch(/approve_remedy|Raise/);
  }
  for (const isLong of [true, false]) {
    const holders = shown(renderHolderAlert(alert, { place: 'direct', isLong })?.blocks);
    expect(holders).toContain('Ask whoever administers the card program for a higher limit, ');
    expect(holders).not.toMatch(/request_increase|sk for a higher limit/);
  }
  expect(shown(explainDecline([explained], { place: 'private', more: 0 }).blocks)).toContain('Nobody can change this');
});

describe('before a rule change, warns that it may take the card off its ruleset', () => {
  const words = 'This change may take it off that ruleset.';
  const request = openRequestOf({ card: travel });
  const decide = (purpose: DecidePurpose) =>
    shown(decideForm({ privateMetadata: 'p_1', purpose, request, capCents: 1000, today: '2026-11-20' }).blocks);

  it('in the form of a decline, unless it only unblocks', () => {
    const alert = { ...answer.form.alert, card: travel };

    expect(shown(remedyForm({ ...answer.form, alert }).blocks)).toContain(words);
    expect(shown(remedyForm({ ...answer.form, alert, remedy: { kind: 'unblock' } }).blocks)).not.toContain(words);
  });

  it('in the form of a chosen card, with its name', () => {
    expect(shown(limitCardForm('p_1', travel).blocks)).toContain(words);
    expect(shown(limitCardForm('p_1', card).blocks)).not.toContain(words);
    expect(shown(limitCardForm('p_1', card).blocks)).toContain('Jane Doe · card 1212');
  });

  it('in the forms of a request that make the change, but not in the one that denies it', () => {
    expect([decide('change'), decide('override')].every((read) => read.includes(words))).toBe(true);
    expect(decide('deny')).not.toContain(words);
  });
});

it('a shown card names its ruleset', () => {
  const { blocks } = cardShow({ ...answer.show, card: travel }, { place: 'direct' });

  expect(shown(blocks)).toContain('The spending ruleset “Travel &amp; more”');
  expect(shown(blocks)).toContain('may overrule the card’s own rules');
});
