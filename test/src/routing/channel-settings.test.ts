import { expect, it } from 'vitest';
import { createLock } from '../../../src/core/lock.ts';
import { createOutbox } from '../../../src/outbox/outbox-store.ts';
import { holdAsQuiet } from '../../../src/routing/held-until.ts';
import { heldIn } from '../../support/held-entries.ts';
import { killEverywhere } from '../../support/kill-everywhere.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  ask,
  byCommand,
  createActionWorld,
  type PerformWorld,
  performAction,
  type WorldDeps,
} from '../../support/perform-world.ts';
import { transactionAlert } from '../../templates/fixtures.ts';

const redis = useRedis();
const typed = (text: string) =>
  ask('quiet', {
    target: { kind: 'channel', text },
    origin: { kind: 'command', channel: 'C1', messageTs: null, reply: null, replace: false },
  });

const nothing = { kind: 'channel', text: '' } as const;
const daily = { kind: 'at', weekday: null, isMonthly: false, hour: 9, minute: 0, zone: null } as const;

/** A channel with quiet hours at night. */
async function nightly({ deps }: PerformWorld): Promise<WorldDeps> {
  const window = { from: '22:00', to: '07:00', zone: 'UTC', days: [0, 1, 2, 3, 4, 5, 6] };
  await deps.quietHours.set({ channel: 'C1', window, except: null, by: 'U0ANA', at: deps.now().toISOString() });
  return { ...deps, zone: 'UTC' };
}

it.each([
  ['over 500 under 400', /No amount is/, 0],
  ['category 5812 and category 5411', /No alert is both/, 0],
  ['code card.pin', /^Not done\. .*wrong PIN/, 0],
  ['declines in group Feild', /Posted immediately.*No card is in a group “Feild”\./, 1],
])('quiet hours except %s are read like a subscription', async (except, told, kept) => {
  const { deps, answers } = await createActionWorld(redis());

  await performAction(typed(`22:00-07:00 except ${except}`), deps);

  expect(answers.at(-1)?.text).toMatch(told);
  expect(await deps.quietHours.all()).toHaveLength(kept);
});

it('quiet hours that are set long after somebody asked release what they exempt', async () => {
  const { deps, answers } = await createActionWorld(redis());
  // Further ahead than any test runs, because the outbox uses the clock of Redis.
  const now = () => new Date('2099-11-20T15:00:00Z');
  const outbox = createOutbox(redis());
  const id = 'evt_0123456789abcdef';
  await deps.alerts.save(transactionAlert({ id }));
  const notBefore = Date.parse('2099-11-21T07:00:00Z');
  await outbox.put('C1', { kind: 'tracked', id, subject: { kind: 'alert', id }, notBefore });
  const asked = { ...typed('12:00-18:00 UTC except declines'), askedAt: '2099-11-20T14:00:00.000Z' };

  await performAction(asked, {
    ...deps,
    now,
    holdAsQuiet: (channel) => holdAsQuiet(channel, { ...deps, now, outbox }),
  });

  expect(await heldIn(redis(), 'C1')).toEqual([]);
  expect(answers.at(-1)?.text).toContain('Quiet hours of this channel');
});

it.each([
  ['ended', 'off', [], /no longer has quiet hours/],
  ['changed', '21:00-06:00 UTC', ['21:00'], /Quiet hours of this channel/],
])(
  'quiet hours %s by a worker that is killed at any step: the audit log has the person and the previous value',
  async (_what, text, from, told) => {
    const steps = await killEverywhere(typed(text), nightly, async (world, diedAt) => {
      const kept = await world.deps.quietHours.all();
      expect(
        kept.map(({ window }) => window.from),
        diedAt,
      ).toEqual(from);
      const records = [];
      for await (const { record } of world.deps.audit.read()) records.push(record);
      expect(records, diedAt).toMatchObject([
        { event: 'done', actor: { userId: 'U0OLGA' }, before: expect.stringContaining('22:00') },
      ]);
      expect(world.auditLines, diedAt).toEqual(['audit-act_quiet1-done']);
      expect(world.answers.at(-1)?.text, diedAt).toMatch(told);
    });

    expect(steps).toBeGreaterThan(5);
  },
);

it('that were ended in vain do not end the hours that somebody has set since', async () => {
  const { deps, answers } = await createActionWorld(redis());
  const ends = { ...typed('off'), id: 'act_1', askedAt: '2026-11-20T15:00:00.000Z' };
  const sets = { ...typed('21:00-06:00 UTC'), id: 'act_2', askedAt: '2026-11-20T15:01:00.000Z' };

  await performAction(ends, deps);
  await performAction(sets, deps);
  // Again, after a crash.
  await performAction(ends, deps);

  expect((await deps.quietHours.all()).map(({ window }) => window.from)).toEqual(['21:00']);
  expect(answers.at(-1)?.text).toBe('This has been changed again since you asked. The newer setting stays.');
});

it.each<[string, (id: string) => Parameters<typeof performAction>[0], string]>([
  [
    'quiet hours',
    (id) => ({ ...typed('22:00-07:00 UTC except declines over 500'), id }),
    'except declines over $500.00',
  ],
  ['no quiet hours', (id) => ({ ...typed('off'), id }), ''],
  ['the length of its alerts', (id) => ask('alerts', { id, target: nothing, isLong: true }), 'long alerts'],
  ['its digest', (id) => ask('digest', { id, target: nothing, wanted: daily }), 'digest daily at 09:00'],
  [
    'no warnings',
    (id) => ask('warnings', { id, target: nothing, kinds: ['low-balance'], isOn: false }),
    'low-balance off',
  ],
])(
  'a channel’s setting is on record as unchanged, without a line, if it was so already: %s',
  async (_what, set, words) => {
    const { deps, records, auditLines } = await createActionWorld(redis());

    for (const id of ['act_1', 'act_1', 'act_2']) await performAction(set(id), deps);

    const again = (await records()).at(-1);
    expect(again).toMatchObject({ actionId: 'act_2', event: 'unchanged' });
    expect(again?.before ?? '').toContain(words);
    expect(again?.before).toBe(again?.after);
    expect(auditLines).not.toContain('audit-act_2-unchanged');
  },
);

const subscribes = { kind: 'channel', text: 'declines over 500' } as const;
const everything = { kind: 'channel', text: 'all' } as const;

it.each<[string, (id: string) => Parameters<typeof performAction>[0], (world: PerformWorld) => Promise<unknown>]>([
  ['subscribe', (id) => ask('subscribe', { id, target: subscribes }), async () => {}],
  [
    'unsubscribe',
    (id) => ask('unsubscribe', { id, target: everything }),
    ({ deps }) => deps.subscriptions.add({ channel: 'C1', filter: 'declines', by: 'U0ANA', at: '' }),
  ],
  ['quiet', (id) => ({ ...typed('22:00-07:00 UTC'), id }), async () => {}],
  ['quiet off', (id) => ({ ...typed('off'), id }), nightly],
  ['alerts long', (id) => ask('alerts', { id, target: nothing, isLong: true }), async () => {}],
  [
    'warnings off',
    (id) => ask('warnings', { id, target: nothing, kinds: ['low-balance'], isOn: false }),
    async () => {},
  ],
  [
    'unmute',
    (id) => ask('unmute', { ...byCommand, id }),
    ({ deps }) => performAction(ask('mute', { ...byCommand, id: 'act_mute', details: '8h' }), deps),
  ],
])('what two people change in the same way at once, is done by one of them: %s', async (what, change, prepare) => {
  const world = await createActionWorld(redis());
  await prepare(world);
  const before = (await world.records()).length;

  const people = ['U0OLGA', 'U0ANA'].map((userId, index) => ({
    ...change(`act_${index}`),
    actor: { userId, teamId: 'T1' },
  }));
  const deps = { ...world.deps, withLock: createLock(redis()) };
  await Promise.all(people.map((action) => performAction(action, deps)));

  const events = (await world.records()).slice(before).map(({ event }) => event);
  expect(events.filter((event) => event === 'done')).toHaveLength(1);
  expect(await world.deps.subscriptions.all()).toHaveLength(what === 'subscribe' ? 1 : 0);
});
