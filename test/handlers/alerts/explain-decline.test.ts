import { expect, it, vi } from 'vitest';
import { explainDecline } from '../../../handlers/alerts/explain-decline.ts';
import type { ListenerDeps } from '../../../src/app/compose-web.ts';
import type { Ask } from '../../../src/dispatch/request-action.ts';
import { declined, raise } from '../../templates/fixtures.ts';

const overDaily = { code: 'decline.rule.velocity', message: 'Transaction exceeded daily spend limit' };
const decline = declined('decline.card.pin', 'Incorrect PIN');
const declines = [1, 2, 3, 4].map((number) => {
  const id = `evt_000000000000000${number}`;
  return { ...decline, event: { ...decline.event, id, acctId: number }, card: { ...decline.card, acctId: number } };
});

/** The section of the field team has approvers of its own. */
const policyWhoMay = async (role: string, group?: string | null): Promise<string[]> => {
  const people = { main: `U0${role.toUpperCase()}`, field: 'U0CARA' };
  if (group === undefined) return Object.values(people);
  return group === 'Field team' ? [people.field] : [people.main];
};

interface Given {
  readonly shown?: typeof declines;
  /** How often the message is looked up in vain, because which declines it shows is not stored yet. */
  readonly inVain?: number;
  readonly ts?: string;
  readonly whoMay?: typeof policyWhoMay;
}

/** @param channel where the message is. */
async function explain(
  channel: string,
  { shown = declines, inVain = 0, ts = '1700000000.000100', whoMay = policyWhoMay }: Given = {},
) {
  let looks = 0;
  const asked: Ask[] = [];
  const views: unknown[] = [];
  const deps = {
    alerts: {
      get: async (id: string) => shown.find(({ event }) => event.id === id) ?? null,
      getAll: async (ids: readonly string[]) => shown.filter(({ event }) => ids.includes(event.id)),
    },
    trackedMessages: {
      async alertsAt() {
        looks += 1;
        return looks <= inVain ? [] : shown.map(({ event }) => event.id);
      },
    },
    eventLog: { read: async () => [] },
    visibilityOf: async () => 'private',
    rights: { rolesOf: async () => ({ roles: ['operator'], isComplete: true }), whoMay },
    // The person never held the second card.
    rolesForCard: async (_userId: string, acctId: number) => ({ roles: acctId === 2 ? [] : ['holder'] }),
    openView: async (_trigger: string, view: unknown) => void views.push(view),
    seals: { reply: { seal: () => 'sealed' } },
    respond: async () => {},
    now: () => new Date('2026-11-23T12:00:00Z'),
    postEphemeral: async () => {},
    requestAction: async (ask: Ask) => {
      const prepared = typeof ask.input === 'function' ? await ask.input() : { kind: 'input' };
      if (prepared.kind === 'input') asked.push(ask);
    },
  };
  const shortcut = {
    channel: { id: channel },
    message: { ts },
    user: { id: 'U0OLGA' },
    team: { id: 'T1' },
    trigger_id: '1.2',
    response_url: 'https://hooks.slack.com/1',
  };
  const listener = explainDecline(deps as unknown as ListenerDeps);
  await listener({ ack: async () => {}, shortcut } as unknown as Parameters<typeof listener>[0]);
  return { asked, views, looks };
}

it('records a look at each decline that it shows, because they may be of several cards', async () => {
  const { asked } = await explain('C1');

  expect(asked.map(({ verb, target }) => [verb, target])).toEqual(
    declines.slice(0, 3).map(({ event }) => ['look', { kind: 'alert', alertId: event.id }]),
  );
  expect(new Set(asked.map(({ id }) => id)).size, 'each is stored').toBe(3);
  expect(
    asked.map(({ id }) => id),
    'the same after a repeated delivery',
  ).toEqual((await explain('C1')).asked.map(({ id }) => id));
});

it('records no look at what it did not show', async () => {
  expect((await explain('D1')).asked).toEqual([]);
});

it('names, for each card, those who may do it for the cards of its group', async () => {
  const abroad = declined('decline.rule.location', 'International transactions not allowed');
  const ofGroup = (number: number, group: string | null) => ({
    ...abroad,
    event: { ...abroad.event, id: `evt_000000000000000${number}`, acctId: 7 },
    card: { ...abroad.card, acctId: 7, group },
  });
  const people = async (...groups: (string | null)[]) => {
    const { views } = await explain('C1', { shown: groups.map((group, index) => ofGroup(index + 1, group)) });
    return JSON.stringify(views).match(/<@U0[A-Z]+>/g);
  };

  expect(await people('Field team')).toEqual(['<@U0CARA>']);
  expect(await people('Sales', 'Field team', null)).toEqual(['<@U0APPROVER>', '<@U0CARA>', '<@U0APPROVER>']);
});

it('asks at once who may do it, because Slack waits three seconds only', async () => {
  const asked: string[] = [];
  const whoMay = async (role: string) => {
    asked.push(role);
    await vi.waitFor(() => expect(new Set(asked)).toEqual(new Set(['approver', 'operator'])));
    return [];
  };

  expect((await explain('C1', { whoMay })).views).toHaveLength(1);
});

it('explains it as of now: a limit that has reset since is not to be raised', async () => {
  const raised = declines.map((one) => ({ ...one, remedy: raise, event: { ...one.event, decline: overDaily } }));
  const { views } = await explain('C1', { shown: raised });

  expect(JSON.stringify(views)).toContain('Try again: the limit has reset since.');
});

it('finds the declines of a message that Slack shows just before it is stored which ones it shows', async () => {
  const ts = `${Date.parse('2026-11-23T11:59:58Z') / 1000}.000100`;

  const justPosted = await explain('C1', { ts, inVain: 2 });
  const old = await explain('C1', { inVain: 1 });

  expect(justPosted.looks).toBe(3);
  expect(justPosted.asked).toHaveLength(3);
  expect(JSON.stringify(justPosted.views)).not.toContain('There is no decline to explain here');
  expect(old.looks, 'nothing more is stored about an old message').toBe(1);
  expect(JSON.stringify(old.views)).toContain('There is no decline to explain here');
});
