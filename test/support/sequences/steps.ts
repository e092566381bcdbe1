import fc from 'fast-check';
import type { Lost } from './card-service.ts';

/** Hugo only holds a card, Eve has no role. Ana and Bob hold cards and approve. */
export const everybody = ['ana', 'bob', 'cem', 'olga', 'hugo', 'eve'] as const;
export type Name = (typeof everybody)[number];

/** Ana is linked to `ana` and Hugo to `hugo`. `bob` has Bob’s email address and is not linked. */
export const cards = ['hugo', 'ana', 'bob'] as const;
export type Card = (typeof cards)[number];

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Mostly the main card of the sequence. */
export const card = fc.oneof(
  { arbitrary: fc.constant('main' as const), weight: 8 },
  { arbitrary: fc.constantFrom(...cards), weight: 1 },
);
const period = fc.oneof(
  { arbitrary: fc.constant('daily' as const), weight: 6 },
  {
    arbitrary: fc.constantFrom('weekly' as const, 'monthly' as const, 'yearly' as const, 'lifetime' as const),
    weight: 1,
  },
);
/** In dollars: a fixed amount, an increase of the current amount, or no limit. */
export const amount = fc.oneof(
  { arbitrary: fc.record({ to: ofNumbers(100, 1000, 4000, 5000, 5068, 5999, 6000, 6500) }), weight: 5 },
  { arbitrary: fc.record({ more: ofNumbers(1, 68, 499, 999, 1000, 1001, 1500, 2500) }), weight: 5 },
  { arbitrary: fc.constant({ to: null }), weight: 1 },
);
export type Amount = { readonly to: number | null } | { readonly more: number };
export const term = fc.oneof(
  { arbitrary: fc.constant({ kind: 'permanent' as const }), weight: 4 },
  {
    arbitrary: fc.record({
      kind: fc.constant('duration' as const),
      ms: fc.constantFrom(HOUR, 4 * HOUR, 7 * DAY, 300 * DAY),
    }),
    weight: 3,
  },
  { arbitrary: fc.constant({ kind: 'purchase' as const }), weight: 1 },
);
export const one = <K extends string>(...kinds: K[]) => fc.constantFrom(...kinds);

/** Number of verbs that are in every sequence. */
const COMMON = 3;

/** Among several open ones, mostly the newest. */
export const which = fc.oneof({ arbitrary: fc.constant(0), weight: 5 }, { arbitrary: fc.nat(2), weight: 1 });

/** Actions of people. Holders request raises. */
const asks = [
  { arbitrary: fc.record({ does: one('limit'), card, period, amount, term }), weight: 12 },
  { arbitrary: fc.record({ does: one('approve', 'approve', 'break the glass'), which }), weight: 8 },
  { arbitrary: fc.record({ does: one('take back', 'put back', 'leave it'), which }), weight: 5 },
  {
    arbitrary: fc.record({
      does: one('allow'),
      card,
      what: one('abroad', 'online', 'category'),
      term,
      isFromAlert: fc.boolean(),
    }),
    weight: 1,
  },
  { arbitrary: fc.record({ does: one('ask for more'), card, amount, term }), weight: 3 },
  { arbitrary: fc.record({ does: one('change and approve'), which, amount, term }), weight: 3 },
  { arbitrary: fc.record({ does: one('deny', 'withdraw'), which }), weight: 1 },
  { arbitrary: fc.record({ does: one('block', 'unblock', 'activate'), card }), weight: 4 },
  { arbitrary: fc.record({ does: one('undo a block') }), weight: 1 },
  { arbitrary: fc.record({ does: one('order'), dollars: ofNumbers(1, 400, 500, 600, 1000, 1001) }), weight: 2 },
  { arbitrary: fc.record({ does: one('link'), card, subject: one(...everybody) }), weight: 1 },
  { arbitrary: fc.record({ does: one('claim', 'unlink', 'unmute'), card }), weight: 1 },
  { arbitrary: fc.record({ does: one('confirm a claim'), which }), weight: 1 },
  { arbitrary: fc.record({ does: one('mute', 'travel-mute'), card, hours: ofNumbers(1, 24, 25, 24 * 90) }), weight: 1 },
] as const;
export function ofNumbers(...values: number[]) {
  return fc.constantFrom(...values);
}
type Asks = (typeof asks)[number]['arbitrary'];

/** Actions of people that only the troubled sequences contain. */
type RareAsk =
  /** For this many days. Null: ends the delegation. */
  | { readonly does: 'name a delegate'; readonly to: Name | null; readonly days: number }
  /** By the holder of the alert's card, whoever that is. */
  | { readonly does: 'report fraud' }
  | { readonly does: 'close the fraud case' };
export type Ask = (Asks extends fc.Arbitrary<infer A> ? A : never) | RareAsk;

/** Other events. */
const happening = fc.oneof(
  {
    arbitrary: fc.record({
      does: one('wait'),
      ms: ofNumbers(1, 5 * MINUTE, 11 * MINUTE, 16 * MINUTE, 65 * MINUTE, 5 * HOUR, 25 * HOUR, 8 * DAY, 31 * DAY),
    }),
    weight: 6,
  },
  { arbitrary: fc.record({ does: one('the portal sets'), card, period, amount }), weight: 5 },
  { arbitrary: fc.record({ does: one('the portal makes it'), card, status: one('ACTIVE', 'BLOCKED') }), weight: 1 },
  {
    arbitrary: fc.record({ does: one('loses', 'gets'), whom: fc.nat(4), role: one('approver', 'operator') }),
    weight: 3,
  },
  { arbitrary: fc.record({ does: one('the policy becomes'), number: fc.nat(2) }), weight: 1 },
  { arbitrary: fc.record({ does: one('the worker stops', 'the worker starts') }), weight: 2 },
);

/** Events that only the troubled sequences contain. */
type RareHappening =
  | { readonly does: 'the policy names a delegate'; readonly for: Name; readonly to: Name; readonly days: number }
  | { readonly does: 'the policy names no delegates' }
  /** @property closes the old card, because it was lost. */
  | { readonly does: 'the portal replaces the card'; readonly card: Card | 'main'; readonly closes: boolean }
  | { readonly does: 'the board gets rules of its own' | 'the board follows the rest' };
export type Happening = (typeof happening extends fc.Arbitrary<infer H> ? H : never) | RareHappening;

export interface Asking {
  /** By name, or one of the cast. */
  readonly who: number | Name;
  readonly asks: Ask;
  /** The worker dies at this step, and starts again. */
  readonly diesAt: number | null;
  /** Its first write gets no answer. */
  readonly lost?: LostAnswer;
  /** The job runs again after this many steps. */
  readonly again?: number;
  /** Happens while the card service answers a read of the job. */
  readonly meanwhile?: Meanwhile;
  /** Somebody else asks at the same moment. */
  readonly also?: { readonly who: Name; readonly asks: Ask /** How much later. */; readonly turns: number };
}
export type LostAnswer = Lost & {
  /** The job is tried again after this many steps. */
  readonly retryIn: number;
};
export interface Meanwhile {
  readonly atRead: number;
  readonly whom: Name;
  /** The person is no approver any more, or gets the main card. */
  readonly does: 'loses the role' | 'is linked';
}
export type Step = Asking | Happening;

const step = (some: readonly (typeof asks)[number][]): fc.Arbitrary<Step> =>
  fc.oneof(
    {
      arbitrary: fc.record({
        who: fc.nat(4),
        asks: fc.oneof(...some),
        diesAt: fc.oneof({ arbitrary: fc.constant(null), weight: 9 }, { arbitrary: fc.nat(90), weight: 1 }),
      }),
      weight: 3,
    },
    { arbitrary: happening, weight: 1 },
  );

/** Attack patterns that independently drawn steps rarely form. Other steps may still happen around them. */
const together: fc.Arbitrary<readonly Step[]> = fc
  .record({
    who: fc.nat(1),
    lower: fc.constantFrom(100, 1000, 4000),
    more: fc.constantFrom(1001, 1500),
    period,
    ms: fc.constantFrom(HOUR, 4 * HOUR, 7 * DAY),
    what: one('abroad', 'online', 'category'),
    ends: one('take back', 'wait'),
    role: one('approver', 'operator'),
    late: fc.constantFrom('limit' as const, 'unblock' as const),
    kind: fc.nat(7),
  })
  .map(({ who, lower, more, period: of, ms, what, ends, role, late, kind }): readonly Step[] => {
    const does = (given: Ask, by = who): Step => ({ who: by, asks: given, diesAt: null });
    const main = { card: 'main', period: of } as const;
    const term = { kind: 'duration', ms } as const;
    const raise = does({ does: 'limit', ...main, amount: { more }, term: { kind: 'permanent' } });
    const loses: Step = { does: 'loses', whom: who, role };
    switch (kind) {
      case 0:
        return [
          does({ does: 'limit', ...main, amount: { to: lower }, term }),
          { does: 'the portal sets', ...main, amount: { to: 100 } },
          ends === 'wait' ? { does: 'wait', ms: 8 * DAY } : does({ does: 'take back', which: 0 }),
          does({ does: 'put back', which: 0 }),
        ];
      case 1:
        return [raise, { ...loses, role: 'approver' }, does({ does: 'approve', which: 0 }, who + 1)];
      case 2: {
        const asked = late === 'limit' ? raise : does({ does: 'unblock', card: 'main' });
        const blocked: Step = { does: 'the portal makes it', card: 'main', status: 'BLOCKED' };
        return [blocked, { does: 'the worker stops' }, asked, loses, { does: 'the worker starts' }];
      }
      case 3:
        return [does({ does: 'allow', card: 'hugo', what, term, isFromAlert: true })];
      case 4:
        return [
          raise,
          does({ does: 'limit', ...main, amount: { more: 2500 }, term: { kind: 'permanent' } }),
          does({ does: 'approve', which: 0 }, who + 1),
          does({ does: 'approve', which: 0 }, who + 1),
        ];
      case 5:
        return [does({ does: 'order', dollars: 600 }), does({ does: 'order', dollars: 1000 })];
      case 6:
        return [
          does({ does: 'ask for more', card: 'main', amount: { more: 68 }, term: { kind: 'permanent' } }),
          { does: 'the portal sets', card: 'main', period: 'daily', amount: { to: 100 } },
          ...(role === 'approver' ? [] : ([{ does: 'wait', ms: 16 * MINUTE }] as const)),
          does({ does: role === 'approver' ? 'approve' : 'break the glass', which: 0 }),
        ];
      default:
        return [
          does({ does: 'limit', card: 'ana', period: of, amount: { to: lower }, term }, who + 1),
          does({ does: 'limit', card: 'ana', period: of, amount: { to: 5000 }, term: { kind: 'permanent' } }),
        ];
    }
  });

export const LONGEST = 20;

/** Limits and a few other verbs. With all verbs in one sequence, few steps would interact. */
const steps = fc
  .subarray(asks.slice(COMMON), { maxLength: 2 })
  .chain((some) => {
    const single = step([...asks.slice(0, COMMON), ...some]).map((one): readonly Step[] => [one]);
    const several = fc.oneof({ arbitrary: single, weight: 10 }, { arbitrary: together, weight: 1 });
    return fc.array(several, { minLength: 2, maxLength: LONGEST, size: 'max' });
  })
  .map((parts) => parts.flat().slice(0, LONGEST));

/** The acting people: one, two of whom one may lose a role, a holder and an approver, or all. */
const cast = fc.oneof(
  { arbitrary: fc.constantFrom<readonly Name[]>(['ana'], ['bob'], ['cem']), weight: 3 },
  { arbitrary: fc.constantFrom<readonly Name[]>(['olga'], ['hugo'], ['eve']), weight: 1 },
  { arbitrary: fc.constantFrom<readonly Name[]>(['ana', 'cem'], ['bob', 'cem'], ['cem', 'olga']), weight: 5 },
  { arbitrary: fc.constantFrom<readonly Name[]>(['hugo', 'cem'], ['hugo', 'olga'], ['ana', 'hugo']), weight: 3 },
  { arbitrary: fc.constant<readonly Name[]>(['ana', 'bob', 'cem', 'olga', 'hugo']), weight: 2 },
);

/**
 * What `npm test` tries: with the seed, these are enough to find each of the holes that the self-test opens. With the other
 * one, each kind of loosening occurs in the troubled sequences.
 */
export const tried = { seed: 32, troubledSeed: 34, count: 150 } as const;

export interface Sequence {
  readonly cast: readonly Name[];
  readonly card: Card;
  /** Index of the initial policy. */
  readonly policy: number;
  readonly steps: readonly Step[];
}

export const sequence: fc.Arbitrary<Sequence> = fc.record({
  cast,
  card: fc.constantFrom('hugo', 'hugo', 'ana', 'bob'),
  policy: fc.constantFrom(0, 0, 0, 1, 2),
  steps,
});
