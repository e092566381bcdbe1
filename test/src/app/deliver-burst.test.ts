import { expect, it } from 'vitest';
import { createDeliverBurst } from '../../../src/app/deliver-burst.ts';
import type { StoredEvent } from '../../../src/core/event.ts';
import { createLog } from '../../../src/core/log.ts';
import { burstOf } from '../../../src/intake/burst.ts';
import { read } from '../webhooks/read.ts';

const decline = (id: number, acctId: number): StoredEvent =>
  read('decline', { NetworkTransactionId: id, AcctId: acctId });
const burst = (...events: readonly StoredEvent[]) => burstOf(events.map((event) => ({ type: 'event', event })));
const nextTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

function createWorld(
  deliver: (event: StoredEvent, isLate: boolean) => Promise<number | null>,
  {
    beginWithinMs = 60_000,
    handOn = async () => {},
  }: { beginWithinMs?: number; handOn?: (event: { readonly id: string }) => Promise<void> } = {},
) {
  const own: string[] = [];
  const measured: string[] = [];
  return {
    own,
    measured,
    deliverBurst: createDeliverBurst({
      deliver,
      async handOn(event) {
        await handOn(event);
        own.push(event.id);
      },
      measure: (outcome) => void measured.push(outcome),
      log: createLog({ level: 'silent', process: 'test' }),
      beginWithinMs,
    }),
  };
}

it('delivers each event, and late ones as late', async () => {
  const [one, two] = [decline(1, 1), decline(2, 2)];
  const delivered: [string, boolean][] = [];
  const { deliverBurst, own, measured } = createWorld(async ({ id }, isLate) => {
    delivered.push([id, isLate]);
    return null;
  });

  await deliverBurst(
    burstOf([
      { type: 'event', event: one },
      { type: 'event', event: two, isLate: true },
    ]),
  );

  expect(delivered).toEqual([
    [one.id, false],
    [two.id, true],
  ]);
  expect(own).toEqual([]);
  expect(measured).toEqual(['done', 'done']);
});

it('enqueues a separate job for an event that fails, and delivers the others', async () => {
  const events = [decline(1, 1), decline(2, 1), decline(3, 2)];
  const delivered: string[] = [];
  const { deliverBurst, own, measured } = createWorld(async ({ id }) => {
    if (id === events[0]?.id) throw new Error('a fault of ours');
    delivered.push(id);
    return null;
  });

  await deliverBurst(burst(...events));

  expect(own).toEqual([events[0]?.id]);
  expect(delivered.toSorted()).toEqual([events[1]?.id, events[2]?.id].toSorted());
  expect(measured.toSorted()).toEqual(['done', 'done', 'failed']);
});

it('enqueues a separate, delayed job for an event that must run again later', async () => {
  const event = decline(1, 1);
  const { deliverBurst, own, measured } = createWorld(async () => 1200);

  await deliverBurst(burst(event));

  expect([own, measured]).toEqual([[event.id], ['later']]);
});

it('enqueues a separate job for an event that this version cannot read, and delivers the others', async () => {
  const [newer, known] = [{ ...decline(1, 1), kind: 'forecast' } as unknown as StoredEvent, decline(2, 2)];
  const delivered: string[] = [];
  const { deliverBurst, own } = createWorld(async ({ id }) => {
    delivered.push(id);
    return null;
  });

  await deliverBurst(burst(newer, known));

  expect([own, delivered]).toEqual([[newer.id], [known.id]]);
});

it('delivers the events of one card sequentially in order of arrival, and those of other cards in parallel', async () => {
  const events = [decline(1, 1), decline(2, 1), decline(3, 1), decline(4, 2)];
  const steps: string[] = [];
  const { deliverBurst } = createWorld(async ({ id }) => {
    const name = String(events.findIndex((event) => event.id === id) + 1);
    steps.push(`${name} begins`);
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
    steps.push(`${name} ends`);
    return null;
  });

  await deliverBurst(burst(...events));

  const ofOne = steps.filter((step) => !step.startsWith('4'));
  expect(ofOne).toEqual(['1 begins', '1 ends', '2 begins', '2 ends', '3 begins', '3 ends']);
  expect(steps.indexOf('4 begins')).toBeLessThan(steps.indexOf('1 ends'));
});

it('enqueues separate jobs for events stuck behind slow ones, so that any worker may take them', async () => {
  const slow = Array.from({ length: 100 }, (_, card) => decline(card, card + 1));
  const behind = [decline(100, 100), decline(101, 1)];
  const { deliverBurst, own } = createWorld(
    async () => {
      await new Promise((resolve) => setTimeout(resolve, 1200));
      return null;
    },
    { beginWithinMs: 600 },
  );

  await deliverBurst(burst(...slow, ...behind));

  expect(own.toSorted()).toEqual(behind.map(({ id }) => id).toSorted());
});

it('fails, once the other events have ended, if a separate job could not be enqueued', async () => {
  const events = [decline(1, 1), decline(2, 2)];
  let isEnded = false;
  const { deliverBurst } = createWorld(
    async ({ id }) => {
      if (id === events[0]?.id) throw new Error('a fault of ours');
      await nextTurn();
      isEnded = true;
      return null;
    },
    {
      handOn: async () => {
        throw new Error("OOM command not allowed when used memory > 'maxmemory'.");
      },
    },
  );

  await expect(deliverBurst(burst(...events))).rejects.toThrow('OOM');
  expect(isEnded).toBe(true);
});
