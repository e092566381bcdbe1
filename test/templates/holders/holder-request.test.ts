import { describe, expect, it } from 'vitest';
import { noFacts } from '../../../src/approvals/request-facts.ts';
import { goalsOf, type RuleChange } from '../../../src/card-api/rule-change.ts';
import {
  raiseLost,
  requestDecided,
  requestUnconfirmed,
  sameRequestEnded,
} from '../../../templates/holders/holder-request.ts';
import { limitChange, limitGoal } from '../../support/limit-goals.ts';
import { askedAt, inFlight, openRequestOf, raiseDaily } from '../../support/limit-requests.ts';
import { ask } from '../../support/perform-world.ts';
import { temporaryChangeOf } from '../../support/temporary-changes.ts';
import { card } from '../fixtures.ts';

const decision = { actionId: 'act_1', by: 'U0OLGA', at: askedAt };

describe('a denied request', () => {
  const denied = (changes: readonly RuleChange[]) =>
    requestDecided({ ...openRequestOf({ changes }), state: 'denied', decision }).text;

  it.each<[string, readonly RuleChange[], string]>([
    ['purchases abroad', [{ rule: { kind: 'international' }, from: false, to: true }], 'purchases abroad allowed'],
    ['a limit', [raiseDaily], 'daily limit $900.00'],
    [
      'two limits',
      [raiseDaily, limitChange('weekly', 200_000, 250_000)],
      'daily limit $900.00; weekly limit $2,500.00',
    ],
  ])('about %s says what was asked for, as no limit is that high', (_what, changes, about) => {
    expect(denied(changes)).toBe(
      `Your request was denied by <@U0OLGA>: $900.00 · your card 1212. You asked for: ${about}. Nothing changed. If you disagree, talk to <@U0OLGA>.`,
    );
  });
});

describe('a request for a limit that somebody set even higher meanwhile', () => {
  const goals = goalsOf([raiseDaily]);
  const changes = [{ ...raiseDaily, from: 100_000 }];

  it.each(['denied', 'expired', 'withdrawn'] as const)(
    'names the limit that was asked for when it is %s, not a lower limit that nobody wanted',
    (state) => {
      for (const asked of [openRequestOf(), openRequestOf({ action: ask('limit') })]) {
        const { text } = requestDecided({ ...asked, goals, changes, state, decision });
        expect(text).toMatch(/daily limit \$900\.00(\.| ·)/i);
        expect(text).not.toContain('$1,000.00');
      }
    },
  );
});

describe('a request for a declined purchase', () => {
  const purchase = { amountCents: 8410, merchant: 'Corner Diner', kind: null, link: null };
  const request = openRequestOf({ facts: { ...noFacts, purchase } });

  it.each([
    ['denied', /^Your request was denied by <@U0OLGA>: /],
    ['expired', /^Your request expired: /],
    ['withdrawn', /^You withdrew your request: /],
  ] as const)('says when it is %s which purchase it was', (state, end) => {
    const { text } = requestDecided({ ...request, state, decision });

    expect(text).toMatch(end);
    expect(text).toContain(': $900.00 at Corner Diner · your card 1212. ');
  });

  it('says when it is approved to try the purchase again, and otherwise what can be paid', () => {
    const approved = { ...request, state: 'approved', decision, temporaryChangeId: null } as const;
    const endsAt = '2026-11-20T16:00:00.000Z';

    expect(requestDecided(approved).text).toMatch(/^Approved by <@U0OLGA>: try again now\. /);
    expect(requestDecided(approved, { isConfirmed: true, endsAt }).text).toMatch(/: try again before <!date/);
    const ofNone = { ...approved, facts: noFacts };
    expect(requestDecided(ofNone).text).toMatch(/^Approved by <@U0OLGA>: you can pay \$900\.00 now\. /);
    expect(requestDecided(ofNone, { isConfirmed: true, endsAt }).text).toMatch(/: you can pay \$900\.00 until <!date/);
    for (const facts of [approved.facts, noFacts]) {
      const tooLittle = requestDecided({ ...approved, facts: { ...facts, isTooLittle: true } });
      expect(tooLittle.text).toMatch(/^Approved by <@U0OLGA>\. .* no longer enough for \$900\.00\. The Home tab shows/);
    }
    const usedUp = { ...ofNone, facts: { ...noFacts, isUsedUp: true } };
    expect(requestDecided(usedUp).text).toMatch(
      /^Approved by <@U0OLGA>\. .* may not be enough for \$900\.00\. The Home/,
    );
    const lower = { ...ofNone, changes: [{ ...raiseDaily, to: 60_000 }] };
    expect(requestDecided(lower).text).toMatch(/^Approved by <@U0OLGA>\. Your card 1212: daily limit .* not exactly/);
  });
});

describe.each([
  ['a declined purchase', { amountCents: 8410, merchant: 'Corner Diner', kind: null, link: null }],
  ['any purchase', null],
])('a request for %s', (_what, purchase) => {
  const made = { ...openRequestOf({ facts: { ...noFacts, purchase } }), decision, temporaryChangeId: null };

  it.each([
    ['an emergency override', 'overridden', '<@U0OLGA> used the emergency override'],
    ['an approver', 'approved', 'Approved by <@U0OLGA>'],
  ] as const)('says that it is too low if %s allowed less, and promises nothing', (_who, state, head) => {
    const { text } = requestDecided({ ...made, state, changes: [{ ...raiseDaily, to: 89_999 }] });

    expect(text).toMatch(new RegExp(`^${head}\\. .*\\. This is too low for \\$900\\.00\\. The Home tab shows`));
    expect(text).not.toMatch(/try again|you can pay/);
  });
});

it('says to try a declined purchase again if an approver allowed enough for it, but for less time', () => {
  const purchase = { amountCents: 8410, merchant: 'Corner Diner', kind: null, link: null };
  const approved = { ...openRequestOf({ facts: { ...noFacts, purchase } }), decision, temporaryChangeId: null };
  const term = { kind: 'duration', ms: 600_000 } as const;
  const more = { ...raiseDaily, to: 95_000 };

  for (const given of [{ term }, { term, changes: [more] }, { changes: [{ ...more, to: null }] }]) {
    const { text } = requestDecided({ ...approved, state: 'approved', ...given });
    expect(text).toMatch(/^Approved by <@U0OLGA>: try again now\. .* not exactly what you asked for/);
    expect(text).not.toContain('too low');
  }
});

it('asks for money instead of another try if the balance of the card did not cover the purchase either', () => {
  const purchase = { amountCents: 8410, merchant: 'Corner Diner', kind: null, link: null };
  const facts = { ...noFacts, purchase, alsoNeeds: ['balance'] as const };
  const approved = { ...openRequestOf({ facts }), state: 'approved', decision, temporaryChangeId: null } as const;

  const { text } = requestDecided(approved);

  expect(text).toMatch(
    /^Approved by <@U0OLGA>\. Your card .*\. The card’s balance did not cover this purchase either\. Ask for money to be added/,
  );
  expect(text).not.toContain('try again');
  expect(requestDecided(approved, { isConfirmed: false, endsAt: null }).text).toMatch(/not confirmed.* Ask for money/);
});

it('says what else to ask for instead of to try again if the purchase needs more', () => {
  const purchase = { amountCents: 8410, merchant: 'Corner Diner', kind: null, link: null };
  const facts = { ...noFacts, purchase, alsoNeeds: ['raise_limit'] as const };
  const approved = { ...openRequestOf({ facts }), state: 'approved', decision, temporaryChangeId: null } as const;

  const { text } = requestDecided(approved);

  expect(text).toMatch(/^Approved by <@U0OLGA>\. .*A limit is too small, too\. Ask for that as well\./);
  expect(text).not.toContain('try again');
});

describe('an approved request for two limits', () => {
  const weekly = { rule: { kind: 'limit', period: 'weekly', category: null }, to: 250_000 } as const;
  const goals = [...goalsOf([raiseDaily]), weekly];
  const approved = { ...openRequestOf({ goals }), state: 'approved', decision, temporaryChangeId: null } as const;

  it('of which one was raised further meanwhile is what its holder asked for', () => {
    expect(requestDecided(approved).text).not.toContain('not exactly');
  });

  it.each([
    ['a lower limit', { changes: [{ ...raiseDaily, to: 60_000 }] }],
    ['a shorter time', { term: { kind: 'duration', ms: 600_000 } }],
  ] as const)('that got %s says that it is something else', (_what, given) => {
    expect(requestDecided({ ...approved, ...given }).text).toContain('This is not exactly what you asked for: ');
  });
});

describe('a request that an operator decided by emergency override', () => {
  const overridden = { ...openRequestOf(), state: 'overridden', decision, temporaryChangeId: null } as const;
  const unconfirmed = { isConfirmed: false, endsAt: null };

  it.each([
    ['made', requestDecided(overridden), /^<@U0OLGA> used the emergency override: you can pay \$900\.00 now\. /],
    [
      'made on a blocked card',
      requestDecided({ ...overridden, isBlocked: true }),
      /^<@U0OLGA> used the emergency override, but your card 1212 is blocked\. /,
    ],
    [
      'not confirmed',
      requestDecided(overridden, unconfirmed),
      /^<@U0OLGA> used the emergency override, but the card service has not confirmed it\. /,
    ],
    [
      'uncertain',
      requestUnconfirmed(openRequestOf(), { ...inFlight('sent'), kind: 'override', by: 'U0OLGA' }),
      /^<@U0OLGA> used the emergency override, but the card service has not confirmed it\. /,
    ],
  ])('and that is %s does not call that an approval', (_what, { text }, expected) => {
    expect(text).toMatch(expected);
    expect(text).not.toMatch(/approved/i);
  });

  it('without a known outcome, and was denied later, does not speak of an earlier approval', () => {
    const earlier = { ...inFlight('unconfirmed'), kind: 'override' } as const;

    const { text } = requestDecided({ ...openRequestOf({ inFlight: [earlier] }), state: 'denied', decision });

    expect(text).toContain('Whether an earlier emergency override changed anything is not certain.');
  });
});

it('shows the end of a change in the reader’s zone, not in that of the card service', () => {
  const term = { kind: 'until', at: '2026-11-20T23:00:00.000Z' } as const;

  const { text } = requestUnconfirmed(openRequestOf({ term }), { ...inFlight('sent'), term });

  expect(text).toMatch(
    /\$900\.00 <!date\^1795215600\^until \{date_short_pretty\} at \{time\}\|until Nov 20, 2026, 6:00 PM ET>/,
  );
});

it('tells whoever asked for the same that nobody decided in time', () => {
  const { text } = sameRequestEnded({ ...openRequestOf({ action: ask('limit', {}) }), state: 'expired' });

  expect(text).toBe(
    'Somebody else’s request, which you had asked for as well, expired: daily limit $900.00 · Jane Doe · card 1212. Nobody decided within 24 hours. Nothing changed. Ask again if you still want it.',
  );
});

describe('an approved change of a card that follows a ruleset', () => {
  const open = openRequestOf();
  const card = { ...open.card, ruleset: { id: 2, name: 'Travel', mayOverrule: true } };
  const told = (asked: Partial<typeof open>, isConfirmed = true) =>
    requestDecided(
      { ...open, card, ...asked, state: 'approved', decision, temporaryChangeId: null },
      { isConfirmed, endsAt: null },
    ).text;

  it('tells its holder whom to ask', () => {
    expect(told({})).toContain('Your card follows the spending ruleset “Travel”');
    expect(told({}, false)).toContain('ask an approver to check the card.');
  });

  it('tells the approver who asked that it is somebody else’s card, and what they can do', () => {
    const action = ask('limit');

    expect(told({ action })).toMatch(
      / The card follows the spending ruleset “Travel”, .* You can change the ruleset in /,
    );
    expect(told({ action }, false)).toContain('It may not work yet. If it does not, check the card.');
    expect(told({ action }) + told({ action }, false)).not.toMatch(/your card|ask an approver/i);
  });
});

it('does not say that nobody decided if somebody had approved', () => {
  const { text } = requestDecided({
    ...openRequestOf({ needed: 2, approvals: [{ by: 'U0ANA', at: askedAt, actionId: 'act_ana' }] }),
    state: 'expired',
  });

  expect(text).toContain('It was not decided within 24 hours. You asked for: daily limit $900.00. Nothing changed.');
});

describe('a raise that is over before its end', () => {
  const raise = temporaryChangeOf();
  const people = { holder: 'U0HUGO', isHeld: true, approvers: ['U0ANA'] };
  const lost = { raise, card, ...people, payCents: 60_000, goals: [limitGoal('daily', 40_000)] };

  it('tells the holder who did it, what the limit is, and that it may be declined now', () => {
    expect(raiseLost({ ...lost, by: 'U0OTTO', term: null }, 'holder').text).toBe(
      '<@U0OTTO> took back what <@U0ANA> approved: daily limit $400.00 again · your card 1212. If you have not paid $600.00 yet, it may be declined now. Ask again, or talk to <@U0OTTO>.',
    );
    const term = { kind: 'duration', ms: 600_000 } as const;
    expect(raiseLost({ ...lost, by: 'U0OTTO', term }, 'holder').text).toMatch(
      /^<@U0OTTO> changed what <@U0ANA> approved: daily limit \$400\.00 for 10 minutes · your card 1212\./,
    );
  });

  it('tells the approver that the holder knows it, unless the holder did it', () => {
    const said = (by: string) => raiseLost({ ...lost, by, term: null }, 'approver').text;

    expect(said('U0OTTO')).toMatch(/ again · Jane Doe · card 1212\. The cardholder, <@U0HUGO>, has been told\.$/);
    expect(said('U0HUGO')).toMatch(/ again · Jane Doe · card 1212\.$/);
  });

  it('tells the approver if nobody was told because the holder no longer holds the card', () => {
    expect(raiseLost({ ...lost, isHeld: false, by: 'U0OTTO', term: null }, 'approver').text).toMatch(
      / card 1212\. <@U0HUGO> no longer holds this card\.$/,
    );
  });

  it('names everybody who approved it', () => {
    expect(raiseLost({ ...lost, approvers: ['U0ANA', 'U0BEN'], by: 'U0OTTO', term: null }, 'holder').text).toMatch(
      /^<@U0OTTO> took back what <@U0ANA> and <@U0BEN> approved: /,
    );
  });

  it('does not say that it may be declined now if it only ends sooner', () => {
    const term = { kind: 'duration', ms: 600_000 } as const;
    const goals = raise.changes.map(({ rule, to }) => ({ rule, to }));

    expect(raiseLost({ ...lost, goals, by: 'U0OTTO', term }, 'holder').text).toMatch(
      / for 10 minutes · your card 1212\. If you have not paid \$600\.00 yet, pay before that ends\.$/,
    );
  });
});
