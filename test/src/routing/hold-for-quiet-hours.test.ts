import { expect, it } from 'vitest';
import { blockedRule, createAggregationGroups } from '../../../src/alerts/aggregation-group-store.ts';
import { createAlerts } from '../../../src/alerts/alert-store.ts';
import { createOutbox } from '../../../src/outbox/outbox-store.ts';
import { createQuietHours, type QuietWindow } from '../../../src/routing/channel-rules-store.ts';
import { createHeldUntil, holdAsQuiet } from '../../../src/routing/held-until.ts';
import { heldIn } from '../../support/held-entries.ts';
import { useRedis } from '../../support/on-redis.ts';
import { transactionAlert } from '../../templates/fixtures.ts';

const redis = useRedis();
const everyDay = [0, 1, 2, 3, 4, 5, 6];
/** Further ahead than any test runs, because the outbox uses the clock of Redis. */
const now = new Date('2099-11-20T23:00:00Z');
const later = (hours: number): number => Date.parse('2099-11-21T00:00:00Z') + hours * 3_600_000;

const idOf = (number: number): string => `evt_${String(number).padStart(16, '0')}`;

function world() {
  const outbox = createOutbox(redis());
  const quietHours = createQuietHours(redis());
  const alerts = createAlerts(redis(), () => now);
  const deps = { outbox, quietHours, alerts, now: () => now };
  const hold = async (channel: string, untilHours: readonly number[]): Promise<void> => {
    for (const hours of untilHours) {
      const id = idOf(hours);
      await outbox.put(channel, { kind: 'tracked', id, subject: { kind: 'alert', id }, notBefore: later(hours) });
    }
  };
  const quiet = (channel: string, window: Partial<QuietWindow>, except: string | null = null, at = now) =>
    quietHours.set({
      channel,
      window: { from: '22:00', to: '07:00', zone: 'UTC', days: everyDay, ...window },
      except,
      by: 'U0ANA',
      at: at.toISOString(),
    });
  const held = async (channel: string) =>
    (await heldIn(redis(), channel)).map(({ entry, untilMs }) => [
      entry.id,
      new Date(untilMs).toISOString().slice(0, 16),
    ]);
  return { deps, outbox, alerts, hold, quiet, held };
}

it('releases what a channel holds when its quiet hours are removed, and in no other channel', async () => {
  const { deps, outbox, hold, quiet } = world();
  await quiet('C0QUIET', {});
  for (const channel of ['C0QUIET', 'C0LOUD']) {
    await hold(channel, [1]);
    await holdAsQuiet(channel, deps);
  }

  expect(await outbox.waiting('C0LOUD')).toBe(1);
  expect(await outbox.waiting('C0QUIET')).toBe(0);
});

it('releases everything if the quiet hours are over now', async () => {
  const { deps, outbox, hold, quiet } = world();
  await hold('C1', [1, 2]);
  await quiet('C1', { from: '01:00', to: '05:00' });

  expect(await holdAsQuiet('C1', deps)).toBe(2);
  expect(await outbox.waiting('C1')).toBe(2);
});

it.each([
  ['earlier', '04:00', '2099-11-21T04:00'],
  ['later', '10:30', '2099-11-21T10:30'],
])('hours that end %s than the previous ones hold until then', async (_when, to, until) => {
  const { deps, hold, quiet, held } = world();
  await hold('C1', [7, 8]);
  await quiet('C1', { to });

  expect(await holdAsQuiet('C1', deps)).toBe(0);

  expect(await held('C1')).toEqual([
    [idOf(7), until],
    [idOf(8), until],
  ]);
});

it('releases what new hours exempt, and not a second time', async () => {
  const { deps, outbox, alerts, hold, quiet, held } = world();
  await alerts.save(transactionAlert({ id: idOf(7) }));
  await alerts.save(transactionAlert({ id: idOf(8), kind: 'authorization', decline: null }));
  await outbox.put('C1', { kind: 'notice', id: 'n1', message: { text: '', blocks: [] }, notBefore: later(7) });
  await hold('C1', [7, 8]);
  await quiet('C1', { to: '07:00' }, 'declines');

  expect(await holdAsQuiet('C1', deps)).toBe(1);
  expect(await holdAsQuiet('C1', deps)).toBe(0);

  expect(await outbox.waiting('C1')).toBe(1);
  expect((await held('C1')).map(([id]) => id)).toEqual([idOf(8), 'n1']);
});

it.each([
  ['an amount', 'declines over 500'],
  ['a smaller amount', 'declines under 5'],
  ['the last of several', 'declines merchant bakery'],
])('releases a held message that counts an exempt repeat: %s', async (_what, except) => {
  const { deps, outbox, alerts, hold, quiet } = world();
  const groups = createAggregationGroups(redis());
  const declines = [1000, 60_000, 100, 1000].map((amountCents, index) => {
    const { event, ...alert } = transactionAlert({ id: idOf(7 + index), amountCents });
    return { ...alert, event: { ...event, merchant: { ...event.merchant, name: index === 3 ? 'BAKERY' : 'DINER' } } };
  });
  for (const { event, ...alert } of declines) {
    await alerts.save({ ...alert, event });
    for (const channel of ['C1', 'C2']) await groups.join(channel, event, blockedRule(event, null), false);
  }
  await hold('C1', [7]);
  await quiet('C1', {}, 'declines over 900');
  expect(await holdAsQuiet('C1', deps)).toBe(0);
  expect(await createHeldUntil(deps)('C1', idOf(7))).toBe(later(7));

  await quiet('C1', {}, except);

  expect(await createHeldUntil(deps)('C1', idOf(7))).toBeNull();
  expect(await holdAsQuiet('C1', deps)).toBe(1);
  expect(await outbox.waiting('C1')).toBe(1);
});

it('does not release a held message for a repeat that another channel counts', async () => {
  const { deps, alerts, hold, quiet } = world();
  const groups = createAggregationGroups(redis());
  for (const [hours, amountCents] of [
    [7, 1000],
    [8, 60_000],
  ] as const) {
    const alert = transactionAlert({ id: idOf(hours), amountCents });
    await alerts.save(alert);
    await groups.join('C2', alert.event, blockedRule(alert.event, null), false);
  }
  await hold('C1', [7]);
  await quiet('C1', {}, 'declines over 500');

  expect(await holdAsQuiet('C1', deps)).toBe(0);
});

it('looks through what a channel holds only shortly after its hours were set', async () => {
  const { deps, alerts, hold, quiet } = world();
  await alerts.save(transactionAlert({ id: idOf(7) }));
  await hold('C1', [7]);
  await quiet('C1', {}, 'declines', new Date(now.getTime() - 15 * 60_000));

  expect(await holdAsQuiet('C1', deps)).toBe(0);
});

it('holds what came under the previous hours while they were changed until the end of the new ones', async () => {
  const { deps, hold, quiet, held } = world();
  await hold('C1', [10]);
  await quiet('C1', { to: '10:00' });
  await holdAsQuiet('C1', deps);
  await hold('C1', [7]);

  await holdAsQuiet('C1', deps);

  expect((await held('C1')).map(([, until]) => until)).toEqual(['2099-11-21T10:00', '2099-11-21T10:00']);
});
