import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { afterAll, describe, expect, it } from 'vitest';
import {
  AGGREGATION_GAP_MS,
  AGGREGATION_SPAN_MS,
  aggregationRule,
  blockedRule,
  createAggregationGroups,
} from '../../../src/alerts/aggregation-group-store.ts';
import type { TransactionAlert } from '../../../src/alerts/alert.ts';
import { createAlerts } from '../../../src/alerts/alert-store.ts';
import { useRedis } from '../../support/on-redis.ts';
import { outcome, transactionAlert } from '../../templates/fixtures.ts';

const redis = useRedis();
const others: Redis[] = [];
afterAll(() => {
  for (const other of others) other.disconnect();
});

const START = Date.parse('2026-11-20T14:00:00Z');
const idOf = (index: number): string => `evt_${String(index).padStart(16, '0')}`;

/** The nth attempt at a terminal, the given minutes after the first. */
function tried(index: number, minutes: number, over: Record<string, unknown> = {}): TransactionAlert {
  const at = new Date(START + minutes * 60_000).toISOString();
  return transactionAlert({ id: idOf(index), occurredAt: at, callbackAt: at, amountCents: 1000, ...over });
}

async function join({ event, late }: TransactionAlert, channel = 'C1'): Promise<string> {
  return await createAggregationGroups(redis()).join(channel, event, aggregationRule(event), late);
}

async function newestOf(leader: TransactionAlert): Promise<string | undefined> {
  const stored = await createAlerts(redis(), () => new Date()).get(leader.event.id);
  return stored?.kind === 'transaction' ? stored.newest?.['C1'] : undefined;
}

async function repeatsOf(alert: TransactionAlert, channel = 'C1') {
  const alerts = createAlerts(redis(), () => new Date());
  await alerts.save(alert);
  const stored = await alerts.get(alert.event.id);
  return stored?.kind === 'transaction' ? stored.repeats[channel] : undefined;
}

it('declines without any merchant are no repeats: nobody knows whether it was the same', async () => {
  const merchant = { ...transactionAlert().event.merchant, id: '', name: ' ' };

  for (const index of [1, 2]) {
    const alert = tried(index, index, { merchant, networkTransactionId: `${index}` });
    expect(await join(alert)).toBe(idOf(index));
    expect(await join(alert), 'again').toBe(idOf(index));
  }
});

describe('declines of the same card, merchant, reason and amount', () => {
  it('form one group, led by the first to arrive, even if another was attempted earlier', async () => {
    const [late, early, later] = [tried(5, 10), tried(1, 0), tried(9, 20)];

    expect(await join(late)).toBe(idOf(5));
    expect(await join(early)).toBe(idOf(5));
    expect(await join(later)).toBe(idOf(5));

    expect(await repeatsOf(late)).toEqual({
      count: 3,
      firstAt: early.event.occurredAt,
      lastAt: later.event.occurredAt,
      minCents: 1000,
      maxCents: 1000,
    });
  });

  it('count each event once, however often its job runs', async () => {
    for (const alert of [tried(1, 0), tried(2, 1), tried(2, 1), tried(1, 0), tried(2, 1)])
      expect(await join(alert)).toBe(idOf(1));

    expect(await repeatsOf(tried(1, 0))).toMatchObject({ count: 2 });
  });

  it.each([
    ['another card', { acctId: 99 }],
    ['another merchant', { merchant: { name: 'Other', city: '', state: '', country: '', id: 'M1' } }],
    [
      'another shop of the same name',
      { merchant: { name: 'Blue Bottle Coffee', city: '', state: '', country: '', id: 'M2' } },
    ],
    [
      'the same merchant in another city',
      { merchant: { name: 'Blue Bottle Coffee', city: 'Reno', state: 'NV', country: 'US', id: 'M1' } },
    ],
    [
      'the same merchant in a city of the same name in another country',
      { merchant: { name: 'Blue Bottle Coffee', city: 'Austin', state: 'TX', country: 'CA', id: 'M1' } },
    ],
    ['another amount', { amountCents: 999 }],
    ['another reason', { decline: { code: 'decline', message: 'Do not honor' } }],
  ])('do not group with %s', async (_what, over) => {
    await join(tried(1, 0));

    expect(await join(tried(2, 1, over))).toBe(idOf(2));
  });

  it('match regardless of case and spaces in the merchant and reason', async () => {
    await join(tried(1, 0));
    const merchant = { name: ' BLUE  BOTTLE coffee', city: ' AUSTIN', state: 'tx', country: '840', id: 'M1' };

    expect(await join(tried(2, 1, { merchant, decline: { code: 'DECLINE.rule.velocity ', message: '' } }))).toBe(
      idOf(1),
    );
  });

  it('match regardless of the spelling of the merchant’s name', async () => {
    const at = (name: string) => ({ merchant: { name, city: '', state: '', country: 'US', id: 'M9' } });
    await join(tried(1, 0, at('AMZN Mktp US*2K3')));

    expect(await join(tried(2, 1, at('Amazon.com')))).toBe(idOf(1));
    expect(await join(tried(3, 2, at('Amazon Web Services')))).toBe(idOf(3));
  });

  it('are counted separately in each channel', async () => {
    await join(tried(1, 0), 'C1');
    await join(tried(2, 1), 'C2');
    await join(tried(3, 2), 'C1');
    await join(tried(3, 2), 'C2');

    expect(await repeatsOf(tried(1, 0), 'C1')).toMatchObject({ count: 2 });
    expect(await repeatsOf(tried(2, 1), 'C2')).toMatchObject({ count: 2 });
  });

  const gap = AGGREGATION_GAP_MS / 60_000;
  const span = AGGREGATION_SPAN_MS / 60_000;

  it.each([
    ['exactly the maximum gap apart', gap, idOf(1)],
    ['a second further apart', gap + 1 / 60, idOf(2)],
    ['exactly the maximum gap apart, in reverse order', -gap, idOf(1)],
    ['a second further apart, in reverse order', -gap - 1 / 60, idOf(2)],
  ])('are grouped by time: %s', async (_what, minutes, leader) => {
    await join(tried(1, 0));

    expect(await join(tried(2, minutes))).toBe(leader);
  });

  it('are announced again after ten quiet minutes, not earlier', async () => {
    await join(tried(1, 0));

    expect(await join(tried(2, 9.9))).toBe(idOf(1));
    expect(await join(tried(3, 9.9 + 10.1))).toBe(idOf(3));
  });

  it('get a new message after a day, however steadily they arrive', async () => {
    const steps = span / gap;
    for (let index = 1; index <= steps + 1; index += 1)
      expect(await join(tried(index, (index - 1) * gap))).toBe(idOf(1));

    expect(await join(tried(990, span + 1 / 60))).toBe(idOf(990));
    expect(await join(tried(991, span + gap))).toBe(idOf(990));
  });

  it('start a new group once someone has acted on the first', async () => {
    const alerts = createAlerts(redis(), () => new Date());
    await join(tried(1, 0));
    const at = (minutes: number): string => new Date(START + minutes * 60_000).toISOString();
    await alerts.setOutcome(idOf(1), 'act_1', outcome({ verb: 'acknowledge', at: at(1) }));
    await alerts.setOutcome(idOf(1), 'act_2', outcome({ verb: 'limit', state: 'failed', at: at(1) }));
    expect(await join(tried(2, 2))).toBe(idOf(1));
    await alerts.setOutcome(idOf(1), 'act_3', outcome({ verb: 'limit', state: 'done', at: at(3) }));

    expect(await join(tried(3, 2.5))).toBe(idOf(1));
    expect(await join(tried(4, 4))).toBe(idOf(4));
    expect(await join(tried(5, 5))).toBe(idOf(4));
  });

  it('start a new group if the first was backfilled', async () => {
    const [missed, live] = [{ ...tried(1, 0), late: true }, tried(2, 1)];
    await createAlerts(redis(), () => new Date()).save(missed);
    await createAlerts(redis(), () => new Date()).save(live);
    await join(missed);

    expect(await join(live)).toBe(idOf(2));
    expect(await join(tried(3, 2))).toBe(idOf(2));
    expect(await join({ ...tried(4, 0.1), late: true })).toBe(idOf(1));
  });

  it('are counted the same in any order of arrival, with several workers', async () => {
    const servers = [redis(), redis().duplicate(), redis().duplicate()];
    others.push(...servers.slice(1));
    const workers = servers.map((server) => createAggregationGroups(server));
    const alerts = Array.from({ length: 9 }, (_, index) => tried(index, index * 20));
    let run = 0;

    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([...alerts, ...alerts], { minLength: 18 }), async (arrivals) => {
        run += 1;
        const channel = `C${run}`;
        const leaders = await Promise.all(
          arrivals.map(({ event }, index) =>
            workers[index % workers.length]?.join(
              channel,
              event,
              { ...aggregationRule(event), gapMs: AGGREGATION_SPAN_MS },
              false,
            ),
          ),
        );
        expect(new Set(leaders).size).toBe(1);
        const leader = alerts.find(({ event }) => event.id === leaders[0]);
        if (leader === undefined) throw new Error('no such leader');
        expect(await repeatsOf(leader, channel)).toEqual({
          count: 9,
          firstAt: alerts[0]?.event.occurredAt,
          lastAt: alerts[8]?.event.occurredAt,
          minCents: 1000,
          maxCents: 1000,
        });
      }),
      { numRuns: 40 },
    );
  });

  it('of a blocked card have the range of their amounts, in any order of arrival', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 99_999 }), { minLength: 1, maxLength: 6 }),
        async (amounts) => {
          run += 1;
          const channel = `B${run}`;
          const declines = amounts.map((amountCents, index) => tried(index, index, { amountCents }));
          const groups = createAggregationGroups(redis());
          const leaders = await Promise.all(
            declines.map(({ event }) => groups.join(channel, event, blockedRule(event, 'block-1'), false)),
          );

          const leader = declines.find(({ event }) => event.id === leaders[0]);
          if (leader === undefined) throw new Error('no such leader');
          expect(await repeatsOf(leader, channel)).toMatchObject({
            count: amounts.length,
            minCents: Math.min(...amounts),
            maxCents: Math.max(...amounts),
          });
        },
      ),
      { numRuns: 40 },
    );
  });

  it('that arrive late between others are each counted in exactly one group', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 12 }),
        async (minutes) => {
          run += 1;
          const channel = `D${run}`;
          const alerts = minutes.map((minute, index) => tried(index, minute));
          const leaders = new Set<string>();
          for (const alert of alerts) leaders.add(await join(alert, channel));
          let counted = 0;
          for (const alert of alerts) {
            if (!leaders.has(alert.event.id)) continue;
            counted += (await repeatsOf(alert, channel))?.count ?? 0;
          }
          expect(counted).toBe(alerts.length);
        },
      ),
      { numRuns: 60 },
    );
  });
});

it('knows the alert of the last try, in any order of arrival, and which alert shows a repeat', async () => {
  const alerts = createAlerts(redis(), () => new Date());
  for (const one of [tried(1, 0), tried(2, 2), tried(3, 5), tried(4, 3)]) {
    await alerts.save(one);
    await join(one);
  }

  expect(await newestOf(tried(1, 0))).toBe(idOf(3));
  expect(await alerts.get(idOf(4))).toMatchObject({ leaders: { C1: idOf(1) } });
  expect(await alerts.get(idOf(1))).not.toHaveProperty('leaders');
});
