import { expect, it } from 'vitest';
import { SlackError } from '../../../src/core/errors.ts';
import { createLog } from '../../../src/core/log.ts';
import type { Link } from '../../../src/holders/link-store.ts';
import {
  createDirectChannels,
  createIsOfHolder,
  createNotifyHolder,
  createNotifyPerson,
} from '../../../src/holders/notify-holder.ts';
import { OutboxEntry } from '../../../src/outbox/entry.ts';
import { useRedis } from '../../support/on-redis.ts';
import { change, declined, statusAlert } from '../../templates/fixtures.ts';

const redis = useRedis();
const link = {
  acctId: 1,
  userId: 'U0HUGO',
  provedBy: 'approver',
  by: 'U0ANA',
  at: '2026-11-20T14:00:00.000Z',
} as const;
const all = { isOn: async () => true };
const entry = OutboxEntry.parse({
  kind: 'notice',
  id: 'linked-act_1',
  audience: 'holder',
  message: { text: 'Your card is linked to you.', blocks: [] },
});

it('notifies the holder of a declined purchase, and nobody if the card has no holder', async () => {
  const told: string[] = [];
  const notifyPerson = async (userId: string) => void told.push(userId);
  const alert = declined('decline.rule.velocity', 'over');

  await createNotifyHolder({ links: { ofAccount: async () => link }, preferences: all, notifyPerson })(alert);
  await createNotifyHolder({ links: { ofAccount: async () => null }, preferences: all, notifyPerson })(alert);

  expect(told).toEqual(['U0HUGO']);
});

it('does not show a holder a purchase that was declined before the card was linked to them', async () => {
  const alert = declined('decline.card.pin', 'Invalid PIN');
  const second = 1000;
  const told: string[] = [];
  const notify = (at: number) =>
    createNotifyHolder({
      links: { ofAccount: async () => ({ ...link, at: new Date(at).toISOString() }) },
      preferences: all,
      notifyPerson: async () => void told.push(new Date(at).toISOString()),
    })(alert);
  const declinedAt = Date.parse(alert.event.occurredAt);

  await notify(declinedAt + second);
  expect(told).toEqual([]);

  // The card service's times have no fractions, so a purchase in the same second counts.
  await notify(declinedAt + second - 1);
  expect(told).toHaveLength(1);
});

it('does not notify a holder who has switched off messages about declines', async () => {
  const asked: string[] = [];
  const preferences = {
    async isOn(userId: string, kind: string) {
      asked.push(`${userId} ${kind}`);
      return false;
    },
  };
  const notifyPerson = async () => expect.fail('the holder was notified');

  await createNotifyHolder({ links: { ofAccount: async () => link }, preferences, notifyPerson })(
    declined('decline.rule.velocity', 'over'),
  );

  expect(asked).toEqual(['U0HUGO declines']);
});

it('notifies the holder of suspected fraud, whatever they have switched off', async () => {
  const told: string[] = [];
  const none = { isOn: async () => false };
  const notifyPerson = async (userId: string) => void told.push(userId);

  await createNotifyHolder({ links: { ofAccount: async () => link }, preferences: none, notifyPerson })(
    declined('decline.card.pin', 'Invalid PIN'),
  );

  expect(told).toEqual(['U0HUGO']);
});

it('does not notify a holder of a status that arrived after a newer one', async () => {
  const told: string[] = [];
  const notifyPerson = async (userId: string) => void told.push(userId);
  const notify = createNotifyHolder({ links: { ofAccount: async () => link }, preferences: all, notifyPerson });

  await notify(statusAlert([change({ supersededBy: 'ACTIVE' })]));
  expect(told).toEqual([]);

  await notify(statusAlert([change({ supersededBy: 'ACTIVE' }), change({ cardId: 2 })]));
  expect(told).toEqual(['U0HUGO']);
});

function setUp(directChannel: () => Promise<string>) {
  const put: string[] = [];
  const issues: string[] = [];
  const notifyPerson = createNotifyPerson({
    directChannel,
    alerts: { get: async () => null },
    groupAlert: async () => {
      throw new Error('only alerts are grouped');
    },
    heldUntil: async () => 1_900_000_000_000,
    outbox: {
      async put(channel) {
        put.push(channel);
        return true;
      },
    },
    updateAlert: async () => {},
    notifyOps: async ({ cause }) => void issues.push(cause),
    log: createLog({ level: 'silent', process: 'test' }),
  });
  return { notify: () => notifyPerson({ userId: 'U0HUGO', entry }), put, issues };
}

it('sends a direct message to the conversation, and looks it up in Slack only once', async () => {
  let opened = 0;
  const open = async (): Promise<string> => {
    opened += 1;
    return 'D0HUGO';
  };
  const { directChannel, personOf } = createDirectChannels(redis(), open, 'xoxb-1');
  const world = setUp(() => directChannel('U0HUGO'));

  await world.notify();
  await world.notify();

  expect(world.put).toEqual(['D0HUGO', 'D0HUGO']);
  expect(opened).toBe(1);
  expect(await personOf('D0HUGO')).toBe('U0HUGO');
});

it('opens other conversations for another Slack app, because those of the former one cannot be posted to', async () => {
  const former = createDirectChannels(redis(), async () => 'D0FORMER', 'xoxb-former');
  const current = createDirectChannels(redis(), async () => 'D0HUGO', 'xoxb-current');
  expect(await former.directChannel('U0HUGO')).toBe('D0FORMER');

  expect(await current.directChannel('U0HUGO')).toBe('D0HUGO');
  expect(await current.personOf('D0FORMER')).toBeNull();
  expect((await redis().keys('*')).join()).not.toMatch(/xoxb/);
});

it('notifies ops when a person cannot receive messages', async () => {
  const world = setUp(async () => {
    throw new SlackError('conversations.open', 'channel_unusable', 'cannot_dm_bot');
  });

  await world.notify();

  expect(world.issues).toHaveLength(1);
  expect(world.put).toEqual([]);
});

it('retries when Slack is unavailable', async () => {
  const world = setUp(async () => {
    throw new SlackError('conversations.open', 'unknown', 'internal_error');
  });

  await expect(world.notify()).rejects.toThrow('internal_error');
});

it('retries when the token is dead, and blames no person', async () => {
  const world = setUp(async () => {
    throw new SlackError('conversations.open', 'app_refused', 'token_revoked');
  });

  await expect(world.notify()).rejects.toThrow('token_revoked');
  expect(world.issues).toEqual([]);
});

const tracked = { kind: 'tracked', id: 'evt_1-holder', subject: { kind: 'alert', id: 'evt_1' } };

it.each([
  ['a decline', { ...tracked, priority: 'decline' }, 1_900_000_000_000],
  ['suspected fraud', { ...tracked, priority: 'fraud' }, null],
  ['an answer that the person waits for', { ...entry, priority: 'request' }, null],
  ['a warning, which nobody waits for', { ...entry, priority: 'record' }, 1_900_000_000_000],
] as const)('waits for the person’s quiet hours only if nobody waits for it: %s', async (_what, sent, until) => {
  const held: (number | null | undefined)[] = [];
  const notifyPerson = createNotifyPerson({
    directChannel: async () => 'D0HUGO',
    alerts: { get: async () => null },
    groupAlert: async () => expect.fail('there is no such alert'),
    heldUntil: async () => 1_900_000_000_000,
    outbox: { put: async (_channel, { notBefore }) => held.push(notBefore) > 0 },
    updateAlert: async () => {},
    notifyOps: async () => {},
    log: createLog({ level: 'silent', process: 'test' }),
  });

  await notifyPerson({ userId: 'U0HUGO', entry: OutboxEntry.parse(sent) });

  expect(held).toEqual([until]);
});

it.each([
  ['suspected fraud', '6051', false, [['evt_first-holder', null]]],
  ['an ordinary purchase', '5812', false, []],
  ['suspected fraud that is reported hours later', '6051', true, []],
])('does not leave %s inside a message that quiet hours hold', async (_what, mcc, late, sent) => {
  const put: unknown[] = [];
  const updated: string[] = [];
  const alert = declined('decline.card.status', 'blocked', { late });
  const notifyPerson = createNotifyPerson({
    directChannel: async () => 'D0HUGO',
    alerts: { get: async () => ({ ...alert, event: { ...alert.event, mcc } }) },
    groupAlert: async () => ({
      shownBy: 'evt_first',
      threadId: null,
      broadcast: false,
      warning: null,
      changes: ['evt_first'],
    }),
    heldUntil: async () => expect.fail('the message is held already'),
    outbox: { put: async (_channel, { id, notBefore }) => put.push([id, notBefore]) > 0 },
    updateAlert: async (id) => void updated.push(id),
    notifyOps: async () => {},
    log: createLog({ level: 'silent', process: 'test' }),
  });

  await notifyPerson({ userId: 'U0HUGO', entry: OutboxEntry.parse({ ...tracked, priority: 'decline' }) });

  expect(put).toEqual(sent);
  expect(updated).toEqual(['evt_first']);
});

it.each<[string, Link | null, () => Promise<string>, boolean]>([
  ['the holder', link, async () => 'D0HUGO', true],
  ['a former holder, once the card is someone else’s', { ...link, userId: 'U0LENA' }, async () => 'D0LENA', false],
  ['a former holder, once the card is nobody’s', null, async () => 'D0HUGO', false],
  [
    'the holder, while Slack does not answer',
    link,
    async () => {
      throw new SlackError('conversations.open', 'unknown', 'internal_error');
    },
    true,
  ],
])('tells whether a conversation is that of %s', async (_who, current, directChannel, isShown) => {
  const isOfHolder = createIsOfHolder({ links: { ofAccount: async () => current }, directChannel });

  expect(await isOfHolder('D0HUGO', 1)).toBe(isShown);
});

it('does not hide that Redis is away', async () => {
  const directChannel = async () => {
    throw new Error('no connection');
  };

  await expect(
    createIsOfHolder({ links: { ofAccount: async () => link }, directChannel })('D0HUGO', 1),
  ).rejects.toThrow('no connection');
});
