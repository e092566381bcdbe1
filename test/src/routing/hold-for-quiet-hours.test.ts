import { expect, it } from 'vitest';
import { createAlerts } from '../../../src/alerts/alert-store.ts';
import { createEventLog } from '../../../src/alerts/event-log.ts';
import { createOutbox } from '../../../src/outbox/outbox-store.ts';
import { createQuietHours, type QuietWindow } from '../../../src/routing/channel-rules-store.ts';
import { holdAllAsQuiet, holdAsQuiet } from '../../../src/routing/channel-settings.ts';
import { useRedis } from '../../support/on-redis.ts';
import { transactionAlert } from '../../templates/fixtures.ts';

const redis = useRedis();
const everyDay = [0, 1, 2, 3, 4, 5, 6];
/** As far ahead as no test runs for: the outbox goes by the clock of Redis. */
const now = new Date('2099-11-20T23:00:00Z');
const later = (hours: number): number => Date.parse('2099-11-21T00:00:00Z') + hours * 3_600_000;

const idOf = (cents: number): string => `evt_${String(cents).padStart(16, '0')}`;

function world() {
  const outbox = createOutbox(redis());
  const quietHours = createQuietHours(redis());
  const alerts = createAlerts(redis());
  const eventLog = createEventLog(redis());
  const deps = { outbox, quietHours, alerts, eventLog, now: () => now };
  const hold = async (channel: string, amounts: readonly number[]): Promise<void> => {
    for (const cents of amounts) {
      const id = idOf(cents);
      await alerts.save(transactionAlert({ id, amountCents: cents }));
      await outbox.put(channel, { kind: 'tracked', id, subject: { kind: 'alert', id }, notBefore: later(0) });
    }
  };
  const quiet = (channel: string, window: Partial<QuietWindow>, over: { except?: string; at?: string } = {}) =>
    quietHours.set({
      channel,
      window: { from: '22:00', to: '07:00', zone: 'UTC', days: everyDay, ...window },
      except: over.except ?? null,
      by: 'U0ANA',
      at: over.at ?? now.toISOString(),
    });
  const held = async (channel: string) =>
    (await outbox.held(channel)).map(({ entry, untilMs }) => [entry.id, new Date(untilMs).toISOString().slice(0, 16)]);
  return { deps, outbox, eventLog, hold, quiet, held };
}

it('held alerts are released when the quiet hours of their channel are removed, and in no other channel', async () => {
  const { deps, outbox, hold, quiet } = world();
  await quiet('C0QUIET', {});
  for (const channel of ['C0QUIET', 'C0LOUD']) await hold(channel, [500]);

  await holdAllAsQuiet(deps);

  expect(await outbox.waiting('C0LOUD')).toBe(1);
  expect(await outbox.waiting('C0QUIET')).toBe(0);
});

it('quiet hours that are over now release everything', async () => {
  const { deps, outbox, hold, quiet } = world();
  await hold('C1', [500, 900]);
  await quiet('C1', { from: '01:00', to: '05:00' });

  expect(await holdAsQuiet('C1', deps)).toBe(2);
  expect(await outbox.waiting('C1')).toBe(2);
});

it.each([
  ['earlier', '04:00', '2099-11-21T04:00'],
  ['later', '10:30', '2099-11-21T10:30'],
])('hours that end %s than those before hold until then', async (_when, to, until) => {
  const { deps, hold, quiet, held, eventLog } = world();
  await hold('C1', [500]);
  await quiet('C1', { to });

  await holdAsQuiet('C1', deps);

  expect(await held('C1')).toEqual([[idOf(500), until]]);
  expect((await eventLog.read(idOf(500))).map(({ text }) => text)).toEqual([
    `Until ${until}:00.000Z: the quiet hours of this channel were changed by <@U0ANA>.`,
  ]);
});

it('alerts that are exempt from the new quiet hours are released, the rest waits', async () => {
  const { deps, outbox, hold, quiet, held, eventLog } = world();
  await hold('C1', [500, 90_000]);
  await quiet('C1', {}, { except: 'declines over 500' });

  expect(await holdAsQuiet('C1', deps)).toBe(1);

  expect(await held('C1')).toContainEqual([idOf(500), '2099-11-21T07:00']);
  const { waiting } = await outbox.look('C1', 9);
  expect(waiting.map(({ entry }) => entry.id)).toContain(idOf(90_000));
  expect((await eventLog.read(idOf(90_000))).at(-1)?.text).toMatch(/^No longer: the quiet hours .* changed/);
});

it('a command that runs long after it was typed releases the same alerts', async () => {
  const { deps, hold, quiet, held } = world();
  await hold('C1', [500, 90_000]);
  await quiet('C1', {}, { except: 'declines over 500', at: '2099-11-20T12:00:00Z' });

  expect(await holdAsQuiet('C1', deps)).toBe(1);
  expect(await held('C1')).toContainEqual([idOf(500), '2099-11-21T07:00']);
});

it('an alert that was held under the previous hours while they were changed is found by the sweep', async () => {
  const { deps, hold, quiet, held, outbox } = world();
  await quiet('C1', {}, { except: 'declines over 500' });
  await holdAsQuiet('C1', deps);
  await hold('C1', [500, 90_000]);

  await holdAllAsQuiet(deps);

  expect(await held('C1')).toContainEqual([idOf(500), '2099-11-21T07:00']);
  expect((await outbox.look('C1', 9)).waiting.map(({ entry }) => entry.id)).toContain(idOf(90_000));
});

it('channels whose hours did not change for a while are not searched again and again', async () => {
  const { deps, outbox, quiet } = world();
  await quiet('C1', {}, { at: '2099-11-20T12:00:00Z' });
  await outbox.put('C1', {
    kind: 'tracked',
    id: idOf(1),
    subject: { kind: 'alert', id: idOf(1) },
    notBefore: later(0),
  });
  await holdAllAsQuiet(deps);
  const get = async () => {
    throw new Error('nobody needs to read it');
  };

  await expect(holdAllAsQuiet({ ...deps, alerts: { get } })).resolves.toBeUndefined();
});
