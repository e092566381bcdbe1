import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CardTestingAlert, type TransactionAlert } from '../../../src/alerts/alert.ts';
import { createAlerts } from '../../../src/alerts/alert-store.ts';
import {
  CARD_TESTING_GAP_MS,
  CARD_TESTING_WINDOW_MS,
  createCardTesting,
  mayBeCardTesting,
} from '../../../src/alerts/card-testing-store.ts';
import { stateKey } from '../../../src/core/keys.ts';
import { useRedis } from '../../support/on-redis.ts';
import { declined, transactionAlert } from '../../templates/fixtures.ts';

const redis = useRedis();
const START = Date.parse('2026-11-20T14:00:00Z');
const idOf = (index: number): string => `evt_${String(index).padStart(16, '0')}`;

/** The nth decline, on the card of account `acctId`, the given minutes after the first. */
function tried(index: number, acctId: number, minutes: number, over: Record<string, unknown> = {}): TransactionAlert {
  const at = new Date(START + minutes * 60_000).toISOString();
  const card = { ...transactionAlert().card, acctId, holder: `Holder ${acctId}`, last4: String(acctId) };
  return transactionAlert({ id: idOf(index), acctId, occurredAt: at, amountCents: 100 + index, ...over }, { card });
}

async function join({ event, card }: TransactionAlert, channel = 'C1') {
  return await createCardTesting(redis()).join(channel, event, card);
}

async function cardsOf(warningId: string, { event, card }: TransactionAlert) {
  const alerts = createAlerts(redis(), () => new Date());
  await alerts.save(
    CardTestingAlert.parse({
      kind: 'card-testing',
      event: { ...event, id: warningId },
      card,
      outcomes: [],
      late: false,
      tried: [],
    }),
  );
  const stored = await alerts.get(warningId);
  return stored?.kind === 'card-testing' ? stored.tried : [];
}

const window = CARD_TESTING_WINDOW_MS / 60_000;
const gap = CARD_TESTING_GAP_MS / 60_000;

describe('declines at one merchant', () => {
  it('of three different cards within the window trigger a warning', async () => {
    const [one, two, three] = [tried(1, 1001, 0), tried(2, 1002, 4), tried(3, 1003, window)];
    expect(await join(one)).toBeNull();
    expect(await join(two)).toBeNull();

    const warning = await join(three);

    expect(warning).toMatchObject({ isCause: true });
    const cards = await cardsOf(warning?.warningId ?? '', three);
    expect(cards.map(({ acctId, alertId, holder, last4, count }) => [acctId, alertId, holder, last4, count])).toEqual([
      [1001, idOf(1), 'Holder 1001', '1001', 1],
      [1002, idOf(2), 'Holder 1002', '1002', 1],
      [1003, idOf(3), 'Holder 1003', '1003', 1],
    ]);
  });

  it('do not trigger one if no merchant was sent', async () => {
    const merchant = { ...transactionAlert().event.merchant, id: '', name: '' };
    for (const [index, acctId] of [1001, 1002, 1003, 1004].entries())
      expect(await join(tried(index, acctId, index, { merchant, networkTransactionId: `${index}` }))).toBeNull();
  });

  it('know which of the cards was closed when it was tried', async () => {
    const [one, two, three] = [tried(1, 1001, 0), tried(2, 1002, 1), tried(3, 1003, 2)];
    await join(one);
    await join({ ...two, card: { ...two.card, status: 'CLOSED' } });
    const warning = await join({ ...three, card: { ...three.card, status: 'ACTIVE' } });

    const cards = await cardsOf(warning?.warningId ?? '', three);

    expect(cards.map(({ acctId, isClosed }) => [acctId, isClosed])).toEqual([
      [1001, undefined],
      [1002, true],
      [1003, undefined],
    ]);
  });

  it.each([
    [
      'two cards, any number of times',
      [
        [1, 0],
        [2, 1],
        [1, 2],
        [2, 3],
        [1, 4],
      ],
    ],
    [
      'three cards, a second outside the window',
      [
        [1, 0],
        [2, 5],
        [3, window + 1 / 60],
      ],
    ],
    [
      'three cards, but never three within the window',
      [
        [1, 0],
        [2, window],
        [3, 2 * window],
        [1, 3 * window],
      ],
    ],
  ] as const)('of %s trigger no warning', async (_what, declines) => {
    for (const [index, [acctId, minutes]] of declines.entries())
      expect(await join(tried(index, acctId, minutes))).toBeNull();
  });

  it('add later cards and attempts to the same warning, and earlier ones that arrive late', async () => {
    await join(tried(1, 1001, 10));
    await join(tried(2, 1002, 11));
    const warning = await join(tried(3, 1003, 12));

    for (const late of [tried(4, 1004, 12 + gap), tried(5, 1001, 0), tried(6, 1003, 13)])
      expect(await join(late)).toEqual({ warningId: warning?.warningId, isCause: false });

    const cards = await cardsOf(warning?.warningId ?? '', tried(3, 1003, 12));
    expect(cards.map(({ acctId, count }) => [acctId, count])).toEqual([
      [1001, 2],
      [1002, 1],
      [1003, 2],
      [1004, 1],
    ]);
    expect(cards[0]).toMatchObject({ alertId: idOf(1), minCents: 101, maxCents: 105 });
  });

  it('in several cities are listed with the cities of each card, in any order of arrival', async () => {
    const { merchant } = transactionAlert().event;
    const reno = { merchant: { ...merchant, city: 'Reno', state: 'NV' } };
    const alerts = [tried(1, 1001, 0), tried(2, 1001, 1, reno), tried(3, 1002, 2, reno), tried(4, 1003, 3)];
    for (const [index, arrivals] of [alerts, alerts.toReversed()].entries()) {
      const channel = `C${index}`;
      for (const alert of arrivals) await join(alert, channel);
      const { warningId = '' } = (await join(alerts[0] as TransactionAlert, channel)) ?? {};

      const cards = await cardsOf(warningId, alerts[3] as TransactionAlert);
      expect(cards.map(({ acctId, places }) => [acctId, places])).toEqual([
        [1001, ['Austin, TX', 'Reno, NV']],
        [1002, ['Reno, NV']],
        [1003, ['Austin, TX']],
      ]);
    }
  });

  it('of amounts that are neither small nor similar trigger no warning and join none', async () => {
    for (const [index, amountCents] of [8000, 20_000, 50_000].entries())
      expect(await join(tried(index, 1001 + index, index, { amountCents }))).toBeNull();
    await join(tried(4, 2001, 3, { amountCents: 20_500 }));
    const warning = await join(tried(5, 2002, 4, { amountCents: 19_000 }));

    expect(warning).toMatchObject({ isCause: true });
    expect(await join(tried(6, 2003, 5, { amountCents: 500 }))).toBeNull();
    const cards = await cardsOf(warning?.warningId ?? '', tried(5, 2002, 4));
    expect(cards.map(({ acctId }) => acctId)).toEqual([1002, 2001, 2002]);
  });

  it('require three cards again after a long pause', async () => {
    for (const index of [1, 2, 3]) await join(tried(index, 1000 + index, 0));

    expect(await join(tried(4, 1004, gap + 1 / 60))).toBeNull();
  });

  it('are counted once per event and get the same result again', async () => {
    const all = [tried(1, 1001, 0), tried(2, 1002, 1), tried(3, 1003, 2), tried(4, 1004, 3)];
    for (const alert of all) await join(alert);
    const again = [];
    for (const alert of all) again.push(await join(alert));

    expect(new Set(again.map((one) => one?.warningId)).size).toBe(1);
    expect(again.map((one) => one?.isCause)).toEqual([false, false, true, false]);
    const cards = await cardsOf(again[0]?.warningId ?? '', all[0] as TransactionAlert);
    expect(cards.map(({ count }) => count)).toEqual([1, 1, 1, 1]);
  });

  it('give the same cards and counts in any order of concurrent arrival', async () => {
    const minutes = [0, 25, 50, 52, 55, 58, 70, 95];
    const alerts = minutes.map((minute, index) => tried(index, 1000 + (index % 5), minute));
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([...alerts, ...alerts], { minLength: 16 }), async (arrivals) => {
        run += 1;
        const channel = `C${run}`;
        const answers = await Promise.all(arrivals.map((alert) => join(alert, channel)));
        const ids = new Set(answers.flatMap((answer) => answer?.warningId ?? []));
        expect(ids.size).toBe(1);
        const [warningId = ''] = ids;
        const cards = await cardsOf(warningId, alerts[0] as TransactionAlert);
        expect(Object.fromEntries(cards.map(({ acctId, count }) => [acctId, count]))).toEqual({
          1000: 2,
          1001: 2,
          1002: 2,
          1003: 1,
          1004: 1,
        });
      }),
      { numRuns: 40 },
    );
  });
});

it('a warning whose cards Redis has lost does not exist until its declines are recorded again', async () => {
  const declines = [tried(1, 1001, 0), tried(2, 1002, 1), tried(3, 1003, 2)] as const;
  for (const decline of declines) await join(decline);
  const { warningId = '' } = (await join(declines[2])) ?? {};
  expect(await cardsOf(warningId, declines[2])).toHaveLength(3);

  // The worker that remembers the warning writes it again, but no worker remembers its cards.
  await redis().flushall();
  expect(await cardsOf(warningId, declines[2])).toEqual([]);
  expect(await createAlerts(redis(), () => new Date()).get(warningId)).toBeNull();

  for (const decline of declines) await join(decline);
  expect(await cardsOf(warningId, declines[2])).toHaveLength(3);
});

it('treats only declines that a thief with just the card number would get as card testing', () => {
  const is = (code: string): boolean => mayBeCardTesting(declined(code, '').event);

  const own = [
    'decline.balance.business',
    'Decline.Remote ',
    'decline.mcc',
    'decline.rule.velocity',
    'decline.card.status',
  ];
  expect(own.filter(is)).toEqual([]);
  const others = [
    'decline',
    'decline.card.pin',
    'decline.card.pin.locked',
    'decline.rule.cardnotpresent',
    'decline.suspected.fraud',
  ];
  expect(others.filter(is)).toEqual(others);
});

/** A Redis that was rewound: it knows the first declines, the others' jobs run again, and what they had decided is repeated. */
it('shows all cards in a warning whose first declines Redis still knows after it came back older', async () => {
  const lost = fc.record({
    /** Seconds after the first decline. */
    times: fc.array(fc.nat({ max: 60 }), { minLength: 3, maxLength: 6 }),
    known: fc.nat({ max: 5 }),
    order: fc.array(fc.nat(), { minLength: 6, maxLength: 6 }),
  });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(lost, async ({ times, known, order }) => {
      run += 1;
      const merchant = { ...transactionAlert().event.merchant, name: `Shop ${run}` };
      const declines = times.map((seconds, index) =>
        tried(1000 * run + index, 1001 + index, seconds / 60, { merchant }),
      );
      const before: (string | null)[] = [];
      for (const one of declines) before.push((await join(one))?.warningId ?? null);
      await redis().flushall();
      const isKnown = (index: number): boolean => index < Math.min(known, declines.length - 1);
      for (const [index, one] of declines.entries()) if (isKnown(index)) await join(one);
      const warningId = before.at(-1) ?? '';
      const wasLost = !(await redis().exists(stateKey(`alert:${warningId}`)));

      const again = declines
        .map((decline, index) => ({ decline, index }))
        .filter(({ index }) => !isKnown(index))
        .toSorted((a, b) => (order[a.index] ?? 0) - (order[b.index] ?? 0));
      for (const { decline, index } of again)
        if (before[index] !== null) await createCardTesting(redis()).restoring(warningId, 'C1', decline.event)();
      for (const { decline } of again) await join(decline);

      const [first] = declines;
      if (first === undefined || !wasLost) return;
      const cards = await cardsOf(warningId, first);
      expect(new Set(cards.map(({ acctId }) => acctId))).toEqual(new Set(declines.map(({ event }) => event.acctId)));
      expect(cards.every(({ count }) => count === 1)).toBe(true);
    }),
    { numRuns: 60 },
  );
});

describe('what is remembered of a merchant', () => {
  const remembered = async (): Promise<number[]> => {
    const keys = await redis().keys(stateKey('testing*'));
    const sizes = keys.map(async (key) => {
      const type = await redis().type(key);
      return type === 'zset' ? await redis().zcard(key) : type === 'hash' ? await redis().hlen(key) : null;
    });
    return (await Promise.all(sizes)).filter((size) => size !== null);
  };

  it('ends with each decline’s own time, however often others are declined there', async () => {
    for (const day of [0, 1, 2, 3, 4]) await join(tried(day, 1001 + day, day * 24 * 60 + day * 31));

    expect(await remembered(), 'declines and their facts').toEqual([1, 1]);
  });

  it('ends for each warning by itself, however often cards are tested there', async () => {
    const warned: (string | undefined)[] = [];
    for (const day of [0, 1, 2, 3]) {
      const minutes = day * (24 * 60 + 31);
      const declines = [1, 2, 3].map((index) => tried(10 * day + index, 1000 + index, minutes));
      for (const one of declines) warned[day] = (await join(one))?.warningId;
    }

    const [key = ''] = await redis().keys(stateKey('testing-warnings*'));
    expect(new Set(warned).size, 'each day has a warning of its own').toBe(4);
    expect((await redis().get(key))?.trim().split('\n')).toEqual([expect.stringContaining(warned[3] ?? '')]);
  });

  it('is at most a thousand declines, also while they join a warning', async () => {
    for (const index of [1, 2, 3]) await join(tried(index, 1000 + index, 0));
    const more = Array.from({ length: 1010 }, (_, index) => tried(10 + index, 1001 + (index % 5), index / 60));
    await Promise.all(more.map(async (alert) => await join(alert)));

    expect(await remembered(), 'declines and their facts').toEqual([1000, 1000]);
  });
});
