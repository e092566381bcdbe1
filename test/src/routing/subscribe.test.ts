import { expect, it } from 'vitest';
import { createSubscriptions } from '../../../src/routing/channel-rules-store.ts';
import type { Message } from '../../../src/slack/message.ts';
import { killEverywhere } from '../../support/kill-everywhere.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask, createActionWorld, type PerformWorld, performAction } from '../../support/perform-world.ts';
import { shown } from '../../templates/shown.ts';

const redis = useRedis();
const later = { askedAt: '2026-11-20T15:01:00.000Z' };
const setSince = /^This has been changed again since you asked\. The newer setting stays\.$/;
const typedIn = (channel: string, text: string) =>
  ask('unsubscribe', {
    id: `act_${channel.toLowerCase()}`,
    target: { kind: 'channel', text },
    origin: { kind: 'command', channel, messageTs: null, reply: null, replace: false },
  });

it('a subscription is ended by its number in any channel, because nobody can type in an archived one', async () => {
  const world = await createActionWorld(redis());
  const { deps, answers, records } = world;
  const lines: string[] = [];
  const postAuditLine = async (_id: string, { text }: Message) => void lines.push(text);
  for (const channel of ['C1', 'C2']) {
    await deps.subscriptions.add({ channel, filter: 'declines', by: 'U0ANA', at: '' });
  }

  await performAction(typedIn('C1', '2'), { ...deps, postAuditLine });

  expect(answers.at(-1)?.text).toBe('This subscription has ended. 2 of <#C2>: declines.');
  expect(await deps.subscriptions.all()).toMatchObject([{ number: 1, channel: 'C1' }]);
  expect(lines).toEqual([expect.stringContaining('ended subscriptions of <#C2>')]);
  expect(await records()).toMatchObject([{ event: 'done', channel: 'C1', detail: 'channel C2' }]);

  await performAction({ ...typedIn('C1', '9'), id: 'act_9' }, deps);
  expect(answers.at(-1)?.text).toMatch(/Which subscription\? This channel has 1 \(declines\)/);
});

it.each([
  ['declines', 1],
  ['from declines', 1],
  ['#1', 1],
])('unsubscribe %j names the other subscriptions that may select some of the same', async (text, number) => {
  const { deps, answers } = await createActionWorld(redis());
  for (const filter of ['declines over $500', 'shipping', 'declines, shipping'])
    await deps.subscriptions.add({ channel: 'C1', filter, by: 'U0ANA', at: '' });
  await deps.subscriptions.add({ channel: 'C2', filter: 'declines', by: 'U0ANA', at: '' });

  await performAction(typedIn('C1', text), deps);

  expect(answers.at(-1)?.text).toMatch(new RegExp(`^This subscription has ended\\. ${number} of `));
  expect(answers.at(-1)?.text).toMatch(
    /\. That channel also gets 3 \(declines, shipping\), which may select some of the same alerts\.$/,
  );
});

it.each([
  ['all', ['declines', 'shipping'], []],
  ['declines', ['declines', 'shipping'], ['shipping']],
  ['', ['declines'], []],
])(
  'unsubscribe %j by a worker that is killed at any step: they are gone, and on record once',
  async (text, had, left) => {
    const prepare = async ({ deps }: PerformWorld) => {
      for (const filter of had) await deps.subscriptions.add({ channel: 'C1', filter, by: 'U0ANA', at: '' });
      return deps;
    };
    const steps = await killEverywhere(typedIn('C1', text), prepare, async (world, diedAt) => {
      expect(
        (await world.deps.subscriptions.all()).map(({ filter }) => filter),
        diedAt,
      ).toEqual(left);
      const records = await world.records();
      expect(records, diedAt).toMatchObject([{ event: 'done', actor: { userId: 'U0OLGA' } }]);
      for (const filter of had.filter((each) => !left.some((one) => one === each)))
        expect(records[0]?.before, diedAt).toContain(filter);
      expect(world.answers.at(-1)?.text, diedAt).toMatch(/ended\.|have ended/);
    });

    expect(steps).toBeGreaterThan(3);
  },
);

const subscribeTo = (id: string, text: string) =>
  ask('subscribe', {
    id,
    target: { kind: 'channel', text },
    origin: { kind: 'command', channel: 'C1', messageTs: null, reply: null, replace: false },
  });

it('subscribes a channel to all alerts, and says what it would have posted', async () => {
  const { deps, answers } = await createActionWorld(redis());

  await performAction(subscribeTo('act_1', 'all'), deps);

  expect(answers.at(-1)?.text).toMatch(
    /^This channel now also gets: everything\. In the last 30 days this would have posted 1 alert\./,
  );
  expect(await createSubscriptions(redis()).all()).toHaveLength(1);
});

it('says that nothing changes if the configuration sends the channel all of it anyway', async () => {
  const { deps, answers } = await createActionWorld(redis());
  const defaultChannel = (kind: string) => (kind === 'decline' ? 'C1' : 'C2');

  await performAction(subscribeTo('act_1', 'declines over 500'), { ...deps, defaultChannel });
  const nothing =
    'Nothing changes: this channel gets all declines by configuration, and a subscription only adds alerts.';
  expect(answers.at(-1)?.text).toBe(`${nothing} Subscription 1.`);
  expect(shown(answers.at(-1)?.blocks ?? [])).toMatch(/^\*Nothing changes: this channel gets all declines/);
  expect(shown(answers.at(-1)?.blocks ?? [])).not.toMatch(/also gets|would have posted/);

  await performAction(subscribeTo('act_2', 'declines, shipping'), { ...deps, defaultChannel });
  expect(answers.at(-1)?.text).toMatch(/^This channel now also gets: declines, shipping\..* would have posted/);
  expect(answers.at(-1)?.text).toContain('By configuration, all declines go to <#C1> anyway');
});

it.each([
  ['over 500', 'everything over $500.00'],
  ['country US declines', 'declines in "United States"'],
  ['declines over 500 and not country US', 'declines not country US over $500'],
  ['not not merchant "Blue Bottle"', 'merchant "BLUE BOTTLE"'],
])('%s is the same subscription as %s', async (typed, again) => {
  const { deps, answers } = await createActionWorld(redis());
  const store = createSubscriptions(redis());
  await performAction(subscribeTo('act_1', typed), deps);

  await performAction({ ...subscribeTo('act_2', again), askedAt: '2026-11-20T15:20:00.000Z' }, deps);
  expect(answers.at(-1)?.text).toMatch(/^This channel already gets: /);
  expect(await store.all()).toHaveLength(1);

  const lines: string[] = [];
  const postAuditLine = async (_id: string, { text }: Message) => void lines.push(text);
  const askedAt = '2026-11-20T15:30:00.000Z';
  await performAction({ ...typedIn('C1', again), askedAt }, { ...deps, postAuditLine });
  expect(answers.at(-1)?.text).toMatch(/^This subscription has ended\./);
  expect(lines).toEqual([expect.stringContaining('ended subscriptions of <#C1>')]);
  expect(await store.all()).toEqual([]);
});

it('keeps nobody else waiting while it reads alerts and answers', async () => {
  const { deps } = await createActionWorld(redis());
  let isAlone = false;
  const did: string[] = [];
  const note = (what: string) => void did.push(`${what}${isAlone ? ' alone' : ''}`);
  const watched: typeof deps = {
    ...deps,
    async withLock(name, work, ...rest) {
      return await deps.withLock(
        name,
        async (lease) => {
          isAlone = name === 'subscriptions';
          return await work(lease).finally(() => {
            isAlone = false;
          });
        },
        ...rest,
      );
    },
    async answer(...given) {
      note('answer');
      await deps.answer(...given);
    },
    alerts: {
      ...deps.alerts,
      async *kept() {
        note('preview');
        yield* deps.alerts.kept();
      },
    },
  };

  await performAction(subscribeTo('act_1', 'all'), watched);
  await performAction(typedIn('C1', 'all'), watched);

  expect(did).toEqual(['preview', 'answer', 'answer']);
});

it('reads no alerts for a preview if the channel may get none', async () => {
  const { deps, answers } = await createActionWorld(redis(), {
    channelInfo: async () => ({
      name: 'cards',
      isArchived: false,
      isPrivate: false,
      isExtShared: true,
      isMember: true,
    }),
  });
  const kept = () => expect.fail('the alerts of 30 days were read');

  await performAction(subscribeTo('act_4', 'declines'), { ...deps, alerts: { ...deps.alerts, kept } });

  expect(answers.at(-1)?.text).toMatch(/shared with another company/);
});

it('rejects a filter that can never match, and reports a group without cards', async () => {
  const { deps, answers } = await createActionWorld(redis());

  await performAction(subscribeTo('act_2', 'declines over 500 and under 100'), deps);
  expect(answers.at(-1)?.text).toMatch(/No amount is \$500\.01 or more and \$99\.99 or less/);
  expect(await createSubscriptions(redis()).all()).toEqual([]);

  await performAction(subscribeTo('act_3', 'declines group Nowhere'), deps);
  expect(answers.at(-1)?.text).toMatch(/No card is in a group “Nowhere”/);
  expect(await createSubscriptions(redis()).all()).toHaveLength(1);
});

it('allows 500 subscribed channels and at most 100 subscriptions per channel', async () => {
  const { deps, answers } = await createActionWorld(redis());
  const store = createSubscriptions(redis());
  const kept = [
    ...Array.from({ length: 400 }, (_, n) => ({ channel: `C0TEAM${n}`, filter: 'declines' })),
    ...Array.from({ length: 99 }, (_, n) => ({ channel: 'C1', filter: `declines and over $${n + 1}.00` })),
  ];
  for (const each of kept) await store.add({ ...each, by: 'U0ANA', at: '' });

  await performAction(subscribeTo('act_500', 'shipping'), deps);
  expect(await store.all()).toHaveLength(500);

  await performAction(subscribeTo('act_500', 'shipping'), deps);
  expect(answers.at(-1)?.text, 'rerun after a crash').toMatch(/^This channel now also gets: /);

  await performAction(subscribeTo('act_501', 'settlements'), deps);
  expect(answers.at(-1)?.text).toContain('This channel has 100 subscriptions already');
  expect(await store.all()).toHaveLength(500);
});

it('a subscription that somebody has ended is not made again when its job runs again', async () => {
  const { deps, answers, stations } = await createActionWorld(redis());
  await performAction(subscribeTo('act_1', 'shipping'), deps);
  await performAction({ ...typedIn('C1', 'all'), ...later }, deps);

  await performAction(subscribeTo('act_1', 'shipping'), deps);

  expect(await deps.subscriptions.all()).toEqual([]);
  expect(answers.at(-1)?.text).toMatch(setSince);
  expect(await stations()).toEqual(['done', 'done', 'superseded']);
});

it.each([
  ['all', [], false],
  ['all', ['declines'], false],
  ['shipping', ['shipping'], false],
  ['shipping', [], false],
  ['from shipping', [], false],
  ['declines', [], true],
  ['', [], true],
  ['declines', ['declines'], true],
])(
  'a subscription that waited is not added if somebody has ended it since: %j, with %j',
  async (text, had, isAdded) => {
    const { deps, answers } = await createActionWorld(redis());
    for (const filter of had) await deps.subscriptions.add({ channel: 'C1', filter, by: 'U0ANA', at: '' });
    await performAction({ ...typedIn('C1', text), ...later }, deps);

    await performAction(subscribeTo('act_1', 'shipping'), deps);

    expect(await deps.subscriptions.all()).toHaveLength(isAdded ? 1 : 0);
    expect(answers.at(-1)?.text).toMatch(isAdded ? /^This channel now also gets/ : setSince);
  },
);

it.each(['all', 'shipping'])('unsubscribe %j that waited leaves what was subscribed to again since', async (text) => {
  const { deps, answers } = await createActionWorld(redis());
  await deps.subscriptions.add({ channel: 'C1', filter: 'shipping', by: 'U0ANA', at: '' });
  await performAction({ ...subscribeTo('act_1', 'shipping'), ...later }, deps);

  await performAction(typedIn('C1', text), deps);

  expect(await deps.subscriptions.all()).toHaveLength(1);
  expect(answers.at(-1)?.text).toMatch(setSince);
});

it('a subscription is added once it is on record, also if its worker dies between the two', async () => {
  const { deps, answers, stations } = await createActionWorld(redis());
  const killed = () => Promise.reject(new Error('killed'));
  const unrecorded = { ...deps, audit: { ...deps.audit, append: killed } };
  await expect(performAction(subscribeTo('act_1', 'shipping'), unrecorded)).rejects.toThrow('killed');
  expect(await deps.subscriptions.all()).toEqual([]);

  const unstored = { ...deps, subscriptions: { ...deps.subscriptions, add: killed } };
  await expect(performAction(subscribeTo('act_1', 'shipping'), unstored)).rejects.toThrow('killed');
  expect(await stations()).toEqual(['done']);
  await performAction(subscribeTo('act_1', 'shipping'), deps);

  expect(await deps.subscriptions.all()).toHaveLength(1);
  expect(answers.at(-1)?.text).toMatch(/^This channel now also gets/);
  expect(await stations()).toEqual(['done']);
});

it.each(['all', 'shipping', ''])('unsubscribe %j that runs again leaves what was subscribed to since', async (text) => {
  const { deps, answers, stations } = await createActionWorld(redis());
  await performAction(subscribeTo('act_1', 'shipping'), deps);
  await performAction(typedIn('C1', text), deps);
  await performAction({ ...subscribeTo('act_2', 'shipping'), askedAt: '2026-11-20T15:00:01.000Z' }, deps);

  await performAction(typedIn('C1', text), deps);

  expect(await deps.subscriptions.all()).toHaveLength(1);
  expect(answers.at(-1)?.text).toMatch(/has ended/);
  expect(await stations()).toEqual(['done', 'done', 'done']);
});
