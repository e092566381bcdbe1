import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/actions/action-state.ts';
import { type AlsoNeeds, alsoNeededKinds } from '../../../src/core/also-needs.ts';
import type { Remedy } from '../../../src/limits/remedy-change.ts';
import { renderAlert } from '../../../templates/alerts/alert.ts';
import { explainDecline } from '../../../templates/alerts/explain-decline.ts';
import { renderHolderAlert } from '../../../templates/holders/holder-alert.ts';
import { alsoNeeded, nextInSlack, stillNeeded } from '../../../templates/limits/also-needed-words.ts';
import { limitRaise, remedyOf } from '../../support/limit-goals.ts';
import { declined, outcome } from '../fixtures.ts';
import { buttonIds, shown } from '../shown.ts';

const tooSmall = 'A limit is too small, too.';
const rulesetToo = 'A limit of the ruleset is too small, too: only the card program’s portal can change it.';
const balanceToo = 'The card’s balance did not cover this purchase either.';
const abroadToo = 'Purchases abroad are not allowed either.';

it('is one sentence for each', () => {
  expect(alsoNeeded([])).toBeNull();
  expect(alsoNeeded(['raise_limit', 'allow_international'])).toBe(`${tooSmall} ${abroadToo}`);
  for (const kind of alsoNeededKinds) expect(alsoNeeded([kind])).toMatch(/^[A-Z].*\.$/);
});

it('is over with the next change, and nothing is asked for twice', () => {
  const allowed = outcome({ verb: 'allow', text: 'Done.', alsoNeeds: ['raise_limit'] });
  const limit = (state: 'done' | 'waiting' | 'failed') => outcome({ verb: 'limit', state, text: '' });
  const remedy: Remedy = { kind: 'allow_international', alsoNeeds: ['balance'] };
  const after = (...outcomes: Outcome[]) => [stillNeeded({ remedy, outcomes }), nextInSlack(outcomes)];

  expect(after()).toEqual([['balance'], undefined]);
  expect(after(limit('waiting'))).toEqual([['balance'], undefined]);
  expect(after(allowed)).toEqual([['raise_limit'], 'raise_limit']);
  expect(after(allowed, limit('done'))).toEqual([[], undefined]);
  expect(after(allowed, limit('waiting'))).toEqual([['raise_limit'], undefined]);
  expect(after(allowed, limit('failed'))).toEqual([['raise_limit'], 'raise_limit']);
  expect(after(allowed, outcome({ verb: 'restore' }))).toEqual([['balance'], undefined]);
});

describe.each([true, false])('a decline that one change does not let pass (long: %s)', (isLong) => {
  const remedy: Remedy = { kind: 'allow_international' };
  const text = 'Purchases abroad not allowed → allowed.';
  const allowed = (alsoNeeds: AlsoNeeds = []) => {
    const made = outcome({ verb: 'allow', text: [text, alsoNeeded(alsoNeeds)].join(' ').trim(), alsoNeeds });
    return declined('decline.rule.location', 'no', { remedy, outcomes: [made] });
  };
  const team = (alert: ReturnType<typeof declined>) => renderAlert(alert, { place: 'private', isLong })?.blocks ?? [];
  const holder = (alert: ReturnType<typeof declined>) =>
    renderHolderAlert(alert, { place: 'direct', isLong })?.blocks ?? [];

  it('says what else it needs, as far as its alert knows, until a rule is changed', () => {
    const alsoNeeds: AlsoNeeds = ['allow_card_not_present'];
    const alert = declined('decline.rule.location', 'no', { remedy: { ...remedy, alsoNeeds } });
    const done = { ...alert, outcomes: allowed().outcomes };

    for (const read of [team, holder]) {
      expect(shown(read(alert))).toContain('Online purchases are not allowed either.');
      expect(shown(read(done))).not.toContain('Online purchases');
    }
  });

  it('tells its holder to ask for the rest, not to try again', () => {
    expect(shown(holder(allowed(['raise_limit'])))).toContain(`${tooSmall} Ask for that as well.`);
    expect(shown(holder(allowed(['raise_limit'])))).not.toMatch(/try again/i);
    expect(buttonIds(holder(allowed(['raise_limit'])))).toContain('request_increase');
    expect(shown(holder(allowed()))).toContain('You can try again now.');
    expect(buttonIds(holder(allowed()))).not.toContain('request_increase');
  });

  it('keeps the button that opens the form, named after the rest', () => {
    const needed = JSON.stringify(team(allowed(['raise_limit'])));

    expect(needed).toContain('Raise a limit…');
    expect(needed).toContain(tooSmall);
    expect(needed).not.toMatch(/Have the purchase tried again/);
    expect(JSON.stringify(team(allowed()))).not.toMatch(/Raise a limit|Allow purchases/);
    expect(JSON.stringify(team(allowed(['allow_card_not_present'])))).toContain('Allow online purchases…');
  });

  it('names in its explanation who can do the rest', () => {
    const whoMay = { approver: ['U0ZOE'], operator: [] };
    const explained = [{ alert: allowed(['raise_limit']), eventLog: null, whoMay }];
    const read = JSON.stringify(explainDecline(explained, { place: 'private', more: 0 }));

    expect(read).toContain('Approvers can change the limit: <@U0ZOE>.');
    expect(read).toContain('Admin: Change what still stops it, then have the purchase tried again.');
  });

  it('tells its holder what else to ask for, whoever can change it', () => {
    const words = shown(holder(allowed(['raise_limit', 'balance'])));

    expect(words).toContain(`${tooSmall} Ask for that as well. ${balanceToo} Ask for money to be added to the card.`);
    expect(words).not.toMatch(/try again/i);
  });

  it.each([
    [
      'balance',
      balanceToo,
      'Add money to the card in the card program’s portal.',
      'Ask for money to be added to the card.',
    ],
    [
      'ruleset_limit',
      rulesetToo,
      'Check the ruleset in the card program’s portal.',
      'Ask whoever administers the card program.',
    ],
  ] as const)('has no button for what only the card program’s portal can change: %s', (kind, also, admin, ask) => {
    const alert = allowed([kind]);
    const explained = explainDecline([{ alert, eventLog: null, whoMay: { approver: ['U0ZOE'], operator: [] } }], {
      place: 'private',
      more: 0,
    });

    expect(shown(team(alert))).toContain(admin);
    expect(JSON.stringify(team(alert))).not.toMatch(/tried again|Raise a limit|Allow purchases/);
    expect(JSON.stringify(explained)).toContain('Nobody can change this in Slack.');
    expect(shown(holder(alert))).toContain(`${also} ${ask}`);
    expect(buttonIds(holder(alert))).not.toContain('request_increase');
  });
});

describe.each([true, false])('a decline by a limit that must not only be raised (long: %s)', (isLong) => {
  const raise = remedyOf(limitRaise('daily', 40_000, 44_900, { remainingCents: 3_510 }));
  const remedy: Remedy = { ...raise, alsoNeeds: ['allow_international'] };
  const alert = declined('decline.rule.velocity', 'Transaction exceeded daily spend limit', { remedy });
  const whoMay = { approver: ['U0ZOE'], operator: [] };
  const at = (now: string) => {
    const view = { place: 'direct', isLong, now: new Date(now) } as const;
    return {
      team: shown(renderAlert(alert, view)?.blocks ?? []),
      holder: shown(renderHolderAlert(alert, view)?.blocks ?? []),
      explained: JSON.stringify(explainDecline([{ alert, eventLog: null, whoMay }], { ...view, more: 0 })),
    };
  };

  it('offers neither less, nor to wait, nor to try again', () => {
    const { team, holder, explained } = at('2026-11-20T14:20:00Z');

    for (const words of [team, holder, explained]) {
      expect(words).toContain(abroadToo);
      expect(words).not.toMatch(/or less|or wait|smaller amount|tried again|try again/i);
    }
    expect(holder).toContain('Ask for a higher limit.');
    expect(explained).toContain('Admin: Raise the daily limit to at least $449.00 if the purchase is legitimate.');
  });

  it('asks for the rest once the limit has reset', () => {
    const { team, holder, explained } = at('2026-11-21T14:20:00Z');

    for (const words of [team, holder, explained]) {
      expect(words.split(abroadToo)).toHaveLength(2);
      expect(words).not.toMatch(/[Tt]ry again|can try/);
    }
    expect(holder).toContain('Ask for that as well.');
    expect(explained).toContain('Admin: Change what still stops it, then have the purchase tried again.');
    expect(explained).toContain('Approvers can allow purchases abroad: <@U0ZOE>.');
  });
});

it('says what is set aside if the balance has to cover that as well, since it may cover the purchase alone', () => {
  const setAside = 'the $16.82 that the card service sets aside';
  const money = { amountCents: 8410, availableCents: 9000, paddingCents: 0, balancePaddingCents: 1682 };
  const texts = (remedy: Remedy) => {
    const made = declined('decline.rule.location', 'no', { remedy });
    const alert = { ...made, event: { ...made.event, ...money } };
    return [true, false].flatMap((isLong) => [
      shown(renderAlert(alert, { place: 'private', isLong }).blocks),
      shown(renderHolderAlert(alert, { place: 'direct', isLong })?.blocks ?? []),
    ]);
  };

  for (const text of texts({ kind: 'allow_international', alsoNeeds: ['balance'] }))
    expect(text).toContain(`With ${setAside}, the card’s balance ($90.00) did not cover this purchase either.`);
  for (const text of texts({ kind: 'portal', why: 'balance' }))
    expect(text).toContain(`but the card’s balance did not cover it and ${setAside}.`);
});

it('names no balance that covered the purchase then: it is that of now which does not', () => {
  const money = { amountCents: 8410, availableCents: 100_000, paddingCents: 0 };

  expect(alsoNeeded(['balance'], money)).toBe(balanceToo);
  expect(alsoNeeded(['balance'], { ...money, availableCents: 8409 })).toContain('balance ($84.09) did');
});
