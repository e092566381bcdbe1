import type { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { createActionCheck } from '../src/actions/action-check.ts';
import { createLatestChanges, createProgress } from '../src/actions/progress-store.ts';
import { createAudit } from '../src/audit/audit.ts';
import { createTallies } from '../src/digests/tally-store.ts';
import { createEdits } from '../src/outbox/edit-store.ts';
import { createOutbox } from '../src/outbox/outbox-store.ts';
import { createBackfilled } from '../src/recovery/recover-statuses.ts';
import { createAwaitedOrders } from '../src/virtual-cards/order.ts';
import { signer as recordSigner, statement } from './support/audit-records.ts';
import { countedDecline } from './support/counted-decline.ts';
import { useRedis } from './support/on-redis.ts';
import { alertEntry, claimed } from './support/outbox-entries.ts';
import { ask, byCommand, virtualOrder } from './support/perform-world.ts';
import { storeSigner } from './support/store-signer.ts';

const redis = useRedis();
const DAY = 86_400;
const action = ask('block');
const order = ask('order-virtual', { ...byCommand, id: 'act_order1', target: virtualOrder });
const at = new Date().toISOString();
const asked = { action: order, at };
const decline = countedDecline('evt_1', at);
const status = { kind: 'status', status: 'BLOCKED', cardId: null } as const;

/**
 * What is remembered so that nothing is done twice or forgotten, and how long it has to be known. A failed job is kept
 * for 14 days, and an action is performed for up to 7 days.
 */
const memories: readonly [key: string, days: number, remember: (redis: Redis) => Promise<unknown>][] = [
  [
    'performed:',
    7,
    (redis) => createActionCheck({ redis, signer: storeSigner, now: () => new Date() }).performed(action),
  ],
  ['progress:', 14, (redis) => createProgress(redis).write('act_1', { state: 'asked' })],
  ['changed:', 14, (redis) => createLatestChanges(redis).alreadyInEffect(7, status, action)],
  [
    'recorded:',
    14,
    (redis) =>
      createAudit({ redis, sign: recordSigner.sign, inForce: () => ({ twoPersonAboveCents: 0 }) }).append(
        statement('act_1'),
      ),
  ],
  [
    'sent:',
    14,
    async (redis) => {
      const outbox = createOutbox(redis);
      await outbox.put('C1', alertEntry('a'));
      await outbox.markSent('C1', await claimed(outbox, ['a']), '1.0');
    },
  ],
  ['tally:*:events', 14, (redis) => createTallies(redis, () => new Date()).count(decline)],
  ['backfilled:', 2, (redis) => createBackfilled(redis).remember(7, { status: 'BLOCKED', after: at, until: at })],
  // Over a long weekend with a token that Slack no longer accepts.
  ['asked:', 6, (redis) => createEdits(redis).ask({ channel: 'C1', ts: '1.0' }, { kind: 'alert', id: 'evt_1' })],
  ['virtual-order:', 7, (redis) => createAwaitedOrders(redis).expect({ kind: 'order', orderId: 1 }, asked)],
  ['virtual-resend:', 7, (redis) => createAwaitedOrders(redis).expect({ kind: 'resend', acctId: 1 }, asked)],
  ['virtual-awaited', 7, (redis) => createAwaitedOrders(redis).expect({ kind: 'order', orderId: 1 }, asked)],
  ['virtual-name:', 7, (redis) => createAwaitedOrders(redis).expect({ kind: 'name', name: 'Vera Nova' }, asked)],
];

it.each(memories)('%s… outlives %i days', async (key, days, remember) => {
  await remember(redis());

  const [found = '', ...others] = await redis().keys(`*}:${key}*`);
  expect(others).toEqual([]);
  expect(await redis().ttl(found)).toBeGreaterThan(days * DAY);
});
