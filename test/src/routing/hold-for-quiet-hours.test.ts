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
/** Further ahead than any test runs, because the outbox uses the clock of Redis. */
const now = new Date('2099-11-20T23:00:00Z');
const later = (hours: number): number => Date.parse('2099-11-21T00:00:00Z') + hours * 3_600_000;

const idOf = (cents: number): string => `evt_${String(cents).padStart(16, '0')}`;

function world() {
  const outbox = createOutbox(redis());
  const quietHours = createQuietHours(redis());
  const alerts = createAlerts(redis());
  const eventLog = createEventLog(redis(), () => new Date());
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

it("releases held alerts when their channel's quiet hours are removed, and in no other channel", async () => {
  const { deps, outbox, hold, quiet } = world();
  await quiet('C0QUIET', {});
  for (const channel of ['C0QUIET', 'C0LOUD']) await hold(channel, [500]);

  await holdAllAsQuiet(deps);

  expect(await outbox.waiting('C0LOUD')).toBe(1);
  expect(await outbox.waiting('C0QUIET')).toBe(0);
});

it('releases everything if the quiet hours are over now', async () => {
  const { deps, outbox, hold, quiet } = world();
  await hold('C1', [500, 900]);
  await quiet('C1', { from: '01:00', to: '05:00' });

  expect(await holdAsQuiet('C1', deps)).toBe(2);
  expect(await outbox.waiting('C1')).toBe(2);
});

it.each([
  ['earlier', '04:00', '2099-11-21T04:00'],
  ['later', '10:30', '2099-11-21T10:30'],
])('hours that end %s than the previous ones hold until then', async (_when, to, until) => {
  const { deps, hold, quiet, held, eventLog } = world();
  await hold('C1', [500]);
  await quiet('C1', { to });

  await holdAsQuiet('C1', deps);

  expect(await held('C1')).toEqual([[idOf(500), until]]);
  expect((await eventLog.read(idOf(500))).map(({ text }) => text)).toEqual([
    `Until ${until}:00.000Z: the quiet hours of this channel were changed by <@U0ANA>.`,
  ]);
});

it('releases alerts that are exempt from the new quiet hours, and holds the rest', async () => {
  const { deps, outbox, hold, quiet, held, eventLog } = world();
  await hold('C1', [500, 90_000]);
  await quiet('C1', {}, { except: 'declines over 500' });

  expect(await holdAsQuiet('C1', deps)).toBe(1);

  expect(await held('C1')).toContainEqual([idOf(500), '2099-11-21T07:00']);
  const { waiting } = await outbox.look('C1', 9);
  expect(waiting.map(({ entry }) => entry.id)).toContain(idOf(90_000));
  expect((await eventLog.read(idOf(90_000))).at(-1)?.text).toMatch(/^No longer: the quiet hours .* changed/);
});

it('releases the same alerts if a command runs long after it was typed', async () => {
  const { deps, hold, quiet, held } = world();
  await hold('C1', [500, 90_000]);
  await quiet('C1', {}, { except: 'declines over 500', at: '2099-11-20T12:00:00Z' });

  expect(await holdAsQuiet('C1', deps)).toBe(1);
  expect(await held('C1')).toContainEqual([idOf(500), '2099-11-21T07:00']);
});

it('the sweep finds an alert that was held under the previous hours while they changed', async () => {
  const { deps, hold, quiet, held, outbox } = world();
  await quiet('C1', {}, { except: 'declines over 500' });
  await holdAsQuiet('C1', deps);
  await hold('C1', [500, 90_000]);

  await holdAllAsQuiet(deps);

  expect(await held('C1')).toContainEqual([idOf(500), '2099-11-21T07:00']);
  expect((await outbox.look('C1', 9)).waiting.map(({ entry }) => entry.id)).toContain(idOf(90_000));
});

it('does not search channels again whose hours have not changed for a while', async () => {
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
    throw new Error('not needed');
  };

  await expect(holdAllAsQuiet({ ...deps, alerts: { get } })).resolves.toBeUndefined();
});
