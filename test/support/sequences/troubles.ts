import fc from 'fast-check';
import {
  type Ask,
  type Asking,
  amount,
  card,
  everybody,
  LONGEST,
  type Name,
  ofNumbers,
  one,
  type Sequence,
  type Step,
  sequence,
  term,
  which,
} from './steps.ts';

/** Steps that happen one after another, with other steps around them. */
type Trouble = readonly Step[];

const person = fc.constantFrom(...everybody);
const approver = fc.constantFrom<Name>('ana', 'bob', 'cem');
const asking = (who: Name, asks: Ask): Asking => ({ who, asks, diesAt: null });
const single = (arbitrary: fc.Arbitrary<Step>): fc.Arbitrary<Trouble> => arbitrary.map((step) => [step]);

/** What delegates can do in someone’s place. */
const byDelegate = fc
  .record({
    who: person,
    asks: fc.oneof(
      { arbitrary: fc.record({ does: one('limit'), card, period: one('daily'), amount, term }), weight: 4 },
      { arbitrary: fc.record({ does: one('approve', 'break the glass'), which }), weight: 4 },
      { arbitrary: fc.record({ does: one('take back', 'put back', 'leave it'), which }), weight: 1 },
      { arbitrary: fc.record({ does: one('block', 'unblock'), card }), weight: 1 },
      { arbitrary: fc.record({ does: one('order'), dollars: ofNumbers(400, 600, 1000) }), weight: 1 },
      { arbitrary: fc.record({ does: one('link'), card, subject: person }), weight: 1 },
      { arbitrary: fc.record({ does: one('claim', 'unlink'), card }), weight: 1 },
      { arbitrary: fc.record({ does: one('confirm a claim'), which }), weight: 1 },
      { arbitrary: fc.record({ does: one('mute'), card, hours: ofNumbers(1, 25) }), weight: 1 },
      { arbitrary: fc.record({ does: one('change and approve'), which, amount, term }), weight: 1 },
    ),
  })
  .map(({ who, asks }): Step => asking(who, asks));

const delegation: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ does: one('the policy names a delegate'), for: approver, to: person, days: ofNumbers(0, 1, 30) }),
  fc
    .record({ who: person, to: fc.option(person), days: ofNumbers(0, 1, 30) })
    .map(({ who, ...rest }) => asking(who, { does: 'name a delegate', ...rest })),
);

/** A raise, and an approval or another raise by someone who stands in for the first person. */
const inPlaceOf: fc.Arbitrary<Trouble> = fc
  .record({
    whom: approver,
    to: person,
    again: person,
    raise: fc.record({ does: one('limit'), card, period: one('daily'), amount, term }),
    next: fc.oneof(
      fc.record({ does: one('limit'), card, period: one('daily'), amount, term }),
      fc.record({ does: one('approve'), which }),
    ),
  })
  .map(({ whom, to, again, raise, next }) => [
    { does: 'the policy names a delegate', for: whom, to, days: 30 },
    asking(whom, raise),
    asking(to, next),
    asking(again, next),
  ]);

const delegates: fc.Arbitrary<Trouble> = fc.oneof(
  { arbitrary: single(delegation), weight: 3 },
  { arbitrary: single(byDelegate), weight: 6 },
  { arbitrary: inPlaceOf, weight: 2 },
  { arbitrary: single(fc.record({ does: one('the policy names no delegates') })), weight: 1 },
);

const groups: fc.Arbitrary<Trouble> = fc.oneof(
  {
    arbitrary: single(fc.record({ does: one('the board gets rules of its own', 'the board follows the rest') })),
    weight: 1,
  },
  {
    arbitrary: single(byDelegate.map((step) => ('asks' in step ? { ...step, asks: onBoard(step.asks) } : step))),
    weight: 3,
  },
);

/** The same on the card of the board. */
function onBoard(asks: Ask): Ask {
  return 'card' in asks ? { ...asks, card: 'bob' } : asks;
}

/** A raise is asked for, the card is replaced or blocked, and the raise is approved. */
const approvedMeanwhile: fc.Arbitrary<Trouble> = fc
  .record({ card, who: approver, by: approver, closes: fc.boolean(), is: one('replaced', 'blocked') })
  .map(({ card, who, by, closes, is }) => [
    asking(who, { does: 'limit', card, period: 'daily', amount: { more: 1500 }, term: { kind: 'permanent' } }),
    ...(is === 'blocked'
      ? [asking(who, { does: 'block', card })]
      : [{ does: 'the portal replaces the card', card, closes } as const, asking(by, { does: 'activate', card })]),
    asking(by, { does: 'approve', which: 0 }),
  ]);

/** The holder reports a purchase as fraud, and somebody asks for another status while the case is open, or after. */
const fraud: fc.Arbitrary<Trouble> = fc
  .record({
    who: person,
    by: approver,
    last: fc.oneof(
      fc.record({ does: one('unblock', 'activate'), card: fc.constant('hugo' as const) }),
      fc.record({ does: one('undo a block') }),
    ),
    how: one('at once', 'while the worker stops', 'after the case is closed', 'for the new card'),
    closes: fc.boolean(),
  })
  .map(({ who, by, last, how, closes }) => {
    const report = asking(who, { does: 'report fraud' });
    const between: Record<typeof how, Trouble> = {
      'at once': [],
      'while the worker stops': [],
      'after the case is closed': [asking(by, { does: 'close the fraud case' })],
      'for the new card': [{ does: 'the portal replaces the card', card: 'hugo', closes }],
    };
    const steps = [report, ...between[how], asking(by, last)];
    if (how !== 'while the worker stops') return steps;
    return [{ does: 'the worker stops' }, ...steps, { does: 'the worker starts' }];
  });

/**
 * An approver blocks a card, and somebody, perhaps its holder, activates the new one. The card may be unblocked before that
 * is performed.
 */
const newCard: fc.Arbitrary<Trouble> = fc
  .record({ who: person, card, by: approver, closes: fc.boolean(), is: one('blocked', 'blocked', 'unblocked') })
  .map(({ who, card, by, closes, is }) => {
    const replaced: Trouble = [
      asking(by, { does: 'block', card }),
      { does: 'the portal replaces the card', card, closes: closes && is === 'blocked' },
    ];
    const activate = asking(who, { does: 'activate', card });
    if (is === 'blocked') return [...replaced, activate];
    const unblocked: Trouble[number] = { does: 'the portal makes it', card, status: 'ACTIVE' };
    return [...replaced, { does: 'the worker stops' }, activate, unblocked, { does: 'the worker starts' }];
  });

/** Statuses of cards, and a card that is replaced. */
const status: fc.Arbitrary<Trouble> = fc.oneof(
  {
    arbitrary: single(
      fc.record({
        who: person,
        asks: fc.oneof(
          { arbitrary: fc.record({ does: one('block', 'block', 'unblock', 'activate'), card }), weight: 4 },
          { arbitrary: fc.record({ does: one('undo a block') }), weight: 2 },
        ),
        diesAt: fc.constant(null),
      }),
    ),
    weight: 6,
  },
  {
    arbitrary: single(fc.record({ does: one('the portal replaces the card'), card, closes: fc.boolean() })),
    weight: 2,
  },
  {
    arbitrary: single(fc.record({ does: one('the portal makes it'), card, status: one('ACTIVE', 'BLOCKED') })),
    weight: 1,
  },
  { arbitrary: approvedMeanwhile, weight: 2 },
  { arbitrary: fraud, weight: 3 },
  { arbitrary: newCard, weight: 2 },
);

const atOnce: fc.Arbitrary<Ask> = fc.oneof(
  { arbitrary: fc.record({ does: one('limit'), card, period: one('daily'), amount, term }), weight: 4 },
  { arbitrary: fc.record({ does: one('approve', 'approve', 'break the glass'), which }), weight: 4 },
  { arbitrary: fc.record({ does: one('take back', 'put back', 'leave it'), which }), weight: 2 },
  { arbitrary: fc.record({ does: one('deny', 'change and approve'), which, amount, term }), weight: 1 },
  { arbitrary: fc.record({ does: one('block', 'unblock'), card }), weight: 2 },
);

/** Two people ask at the same moment. */
const twoAtOnce: fc.Arbitrary<Trouble> = single(
  fc
    .record({ who: approver, asks: atOnce, by: person, also: atOnce, turns: ofNumbers(0, 1, 5, 20, 60, 150, 400) })
    .map(({ who, asks, by, also, turns }) => ({ ...asking(who, asks), also: { who: by, asks: also, turns } })),
);

type Limit = Extract<Ask, { does: 'limit' }>;

const permanently = { kind: 'permanent' } as const;
const limit = (who: Name, amount: Limit['amount'], term: Limit['term']): Asking =>
  asking(who, { does: 'limit', card: 'main', period: 'daily', amount, term });
const forMs = (ms: number) => ({ kind: 'duration', ms }) as const;
const DAY = 24 * 3_600_000;

/** A limit is lowered for a time, and somebody has that end sooner. */
const endedSooner: fc.Arbitrary<Trouble> = fc
  .record({
    by: approver,
    who: approver,
    lower: ofNumbers(100, 4000),
    more: ofNumbers(0, 0, 1),
    ms: ofNumbers(60_000, 300 * DAY),
    how: one('types it', 'takes it back', 'both'),
  })
  .map(({ by, who, lower, more, ms, how }) => [
    limit(by, { to: lower }, forMs(7 * DAY)),
    ...(how === 'takes it back' ? [] : [limit(who, { to: lower + more }, forMs(ms))]),
    ...(how === 'types it' ? [] : [asking(who, { does: 'take back', which: 0 })]),
  ]);

/** Somebody raises a limit together with another approver, and then raises it alone. */
const raisedAgain: fc.Arbitrary<Trouble> = fc
  .record({ who: approver, by: approver, more: ofNumbers(499, 999) })
  .map(({ who, by, more }) => [
    limit(who, { more: 1001 }, permanently),
    asking(by, { does: 'approve', which: 0 }),
    limit(who, { more }, permanently),
  ]);

/** The card service takes its time, and meanwhile somebody loses the role or gets the card. */
const slowRead: fc.Arbitrary<Trouble> = fc
  .record({
    who: approver,
    by: approver,
    meanwhile: fc.record({ whom: approver, does: one('loses the role', 'is linked'), atRead: ofNumbers(1, 2, 3, 4) }),
    last: fc.record({ does: one('approve', 'approve', 'take back'), which: fc.constant(0) }),
  })
  .map(({ who, by, meanwhile, last }) => {
    const slow: Step = { ...asking(by, last), meanwhile };
    if (last.does === 'approve') return [limit(who, { more: 1500 }, permanently), slow];
    return [limit(by, { to: 4000 }, forMs(DAY)), slow];
  });

/** A longer limit is raised for a time, and a shorter one is set above what that goes back to. */
const keptFromEnding: fc.Arbitrary<Trouble> = fc
  .record({
    who: approver,
    by: approver,
    alone: approver,
    shorter: one('daily', 'weekly'),
    to: ofNumbers(19_000, 20_500),
    first: fc.option(fc.constant(forMs(3_600_000)), { freq: 1 }),
    last: fc.constantFrom<Limit['term']>(permanently, forMs(2 * DAY)),
  })
  .map(({ who, by, alone, shorter, to, first, last }) => {
    const set = (asker: Name, period: Limit['period'], amount: Limit['amount'], given: Limit['term']) =>
      asking(asker, { does: 'limit', card: 'main', period, amount, term: given });
    return [
      set(who, 'monthly', { more: 1001 }, forMs(DAY)),
      asking(by, { does: 'approve', which: 0 }),
      ...(first === null ? [] : [set(alone, shorter, { to }, first)]),
      set(alone, shorter, { to }, last),
      { does: 'wait', ms: 25 * 3_600_000 },
    ];
  });

/** A raise is made again before it ends, where the policy allows seven days. */
const renewed: fc.Arbitrary<Trouble> = fc
  .record({ who: approver, again: approver, more: ofNumbers(0, 1), waits: ofNumbers(5 * 3_600_000, 5 * DAY) })
  .map(({ who, again, more, waits }) => [
    { does: 'the policy becomes', number: 2 },
    limit(who, { more: 499 }, forMs(7 * DAY)),
    { does: 'wait', ms: waits },
    limit(again, { more }, forMs(7 * DAY)),
  ]);

const themes = [delegates, groups, status, twoAtOnce, endedSooner, raisedAgain, slowRead, keptFromEnding, renewed];

/** The answer of a job’s first write is lost, and the job runs once more. */
const lostAnswer = fc.record({
  how: one('made', 'not made', 'made later'),
  afterMs: ofNumbers(1000, 20_000, 90_000, 180_000, 480_000),
  reads: fc.oneof({ arbitrary: fc.constant(0), weight: 4 }, { arbitrary: ofNumbers(1, 2, 5), weight: 1 }),
  retryIn: fc.nat(3),
});
const disturbance = fc.record({
  at: fc.nat(LONGEST),
  what: fc.oneof(
    { arbitrary: fc.record({ lost: lostAnswer }), weight: 3 },
    { arbitrary: fc.record({ again: fc.nat(3) }), weight: 1 },
  ),
});
const disturbances = fc.oneof(
  { arbitrary: fc.constant([]), weight: 1 },
  { arbitrary: fc.array(disturbance, { minLength: 1, maxLength: 8, size: 'max' }), weight: 1 },
);

/** Whether it may write to the card service. */
function mayWrite(step: Step): step is Asking {
  const others: readonly Ask['does'][] = [
    'link',
    'claim',
    'unlink',
    'unmute',
    'confirm a claim',
    'mute',
    'travel-mute',
    'close the fraud case',
  ];
  return 'asks' in step && !others.includes(step.asks.does);
}

const inserted = fc.subarray(themes, { minLength: 1, maxLength: 2 }).chain((chosen) =>
  fc.array(fc.record({ at: fc.nat(LONGEST), steps: fc.oneof(...chosen) }), {
    minLength: 1,
    maxLength: 8,
    size: 'max',
  }),
);

/** A sequence with what goes wrong or is rare around its steps. Without it, the sequence is the one of the self-test. */
export const troubledSequence: fc.Arbitrary<Sequence> = fc
  .tuple(
    sequence,
    fc.oneof({ arbitrary: fc.constant([]), weight: 1 }, { arbitrary: inserted, weight: 2 }),
    disturbances,
  )
  .map(([given, troubles, disturbed]) => {
    const parts = given.steps.map((step): Trouble => [step]);
    for (const { at, steps: some } of troubles) parts.splice(at % (parts.length + 1), 0, some);
    const steps = parts.flat();
    const writing = steps.flatMap((step, index) => (mayWrite(step) ? [{ step, index }] : []));
    for (const { at, what } of disturbed) {
      const chosen = writing[at % writing.length];
      if (chosen !== undefined) steps[chosen.index] = { ...chosen.step, ...what };
    }
    return { ...given, steps };
  });
