import { expect, it } from 'vitest';
import { createReceiveEvent, createReceiveStatus } from '../../../src/alerts/receive-event.ts';
import { createResolveDeclines } from '../../../src/alerts/resolve-declines.ts';
import { createLog } from '../../../src/core/log.ts';
import { createDeliveryWorld, declineOf } from '../../support/delivery-world.ts';
import { held } from '../../support/held.ts';
import { useRedis } from '../../support/on-redis.ts';
import { read } from '../webhooks/read.ts';

const redis = useRedis();
const first = { hasWaited: false, isLate: false, isLast: false };

/** Everything that events can trigger, and what they did. */
function createWorld({
  isBackfilled = false,
  waitMs = 500 as number | null,
  hasPaymentSince = false,
  more = {} as Partial<Parameters<typeof createReceiveEvent>[0]>,
} = {}) {
  const did: string[] = [];
  const noted: string[] = [];
  const receiveStatus = createReceiveStatus({
    isBackfilled: async () => isBackfilled,
    async withLock(name, work) {
      did.push(`lock ${name}`);
      return await work(held);
    },
    async deliverStatus({ kind }, { isLate }) {
      did.push(`deliver ${kind}${isLate ? ' late' : ''}`);
      return waitMs;
    },
    cardChanged: async () => void did.push('card changed'),
    log: createLog({ level: 'silent', process: 'test' }),
  });
  const receive = createReceiveEvent({
    receiveStatus,
    warnAfter: async () => {},
    async deliverAlert({ kind }, { isLate }) {
      did.push(`deliver ${kind}${isLate ? ' late' : ''}`);
      return hasPaymentSince;
    },
    noteArrival: async ({ kind }) => void noted.push(kind),
    virtualCardArrived: async (_event, { isLast }) =>
      void did.push(`virtual card arrived${isLast ? ', last try' : ''}`),
    resolveDeclines: async () => void did.push('resolve declines'),
    endPurchaseChanges: async () => void did.push('end changes'),
    ...more,
  });
  return { receive, did, noted };
}

it('delivers the status changes of one account one at a time', async () => {
  const { receive, did } = createWorld();
  const event = read('card-status');

  expect(await receive(event, first)).toBe(500);

  expect(did).toEqual([`lock account:${event.acctId}:status`, 'deliver card-status']);
});

it('updates what waits for a decision about a card once its status change is delivered', async () => {
  const { receive, did } = createWorld({ waitMs: null });

  expect(await receive(read('card-status'), first)).toBeNull();

  expect(did.at(-1)).toBe('card changed');
});

it('ignores a webhook whose change was already reported', async () => {
  const { receive, did } = createWorld({ isBackfilled: true });

  expect(await receive(read('card-status'), first)).toBeNull();

  expect(did).toEqual([]);
});

it('delivers the backfilled event itself', async () => {
  const { receive, did } = createWorld({ isBackfilled: true });

  await receive(read('card-status'), { ...first, isLate: true });

  expect(did).toContain('deliver card-status late');
});

it('notes that webhooks of a kind arrive, but not for what a recovery has fetched', async () => {
  const { receive, noted } = createWorld();

  await receive(read('settlement'), { ...first, isLate: true });
  await receive(read('reversal'), first);

  expect(noted).toEqual(['reversal']);
});

it('notifies the person who ordered a virtual card, after its alert', async () => {
  const { receive, did } = createWorld();

  await receive(read('virtual-card'), { ...first, isLast: true });

  expect(did).toEqual(['deliver virtual-card', 'virtual card arrived, last try', 'resolve declines', 'end changes']);
});

it('ends the changes for a purchase after its alert', async () => {
  const { receive, did } = createWorld();

  expect(await receive(read('authorization'), first)).toBeNull();

  expect(did).toEqual(['deliver authorization', 'resolve declines', 'end changes']);
});

it.each([
  ['nothing else', false, ['deliver decline', 'end changes']],
  ['an earlier delivered retry', true, ['deliver decline', 'resolve declines', 'end changes']],
])(
  'looks for the retry of a decline that arrives after %s only if payments followed it',
  async (_what, hasPaymentSince, all) => {
    const { receive, did } = createWorld({ hasPaymentSince });

    expect(await receive(read('decline'), first)).toBeNull();

    expect(did).toEqual(all);
  },
);

it.each(['decline first', 'payment first'])('shows on a decline that its retry was paid: %s', async (order) => {
  const { deliverAlert, history, alerts } = createDeliveryWorld(redis());
  const resolveDeclines = createResolveDeclines({
    history,
    alerts,
    withLock: async (_name, work) => await work(held),
    approversOf: async () => [],
    updateAlert: async () => {},
    notifyDirectly: async () => {},
    cardChanged: async () => {},
  });
  const { receive } = createWorld({ more: { deliverAlert, resolveDeclines } });
  const [declined, paid] = [declineOf(1), declineOf(2, { kind: 'authorization', decline: null })];

  for (const event of order === 'decline first' ? [declined, paid] : [paid, declined]) await receive(event, first);

  expect((await alerts.get(declined.id))?.outcomes).toMatchObject([{ verb: 'paid', state: 'done' }]);
});
