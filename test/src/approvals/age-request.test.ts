import { expect, it } from 'vitest';
import type { ApprovalRequest, OpenRequest } from '../../../src/approvals/request.ts';
import {
  createAgeRequest,
  createExpireRequest,
  createRemindApprovers,
} from '../../../src/approvals/resolve-request.ts';
import { held, withoutLock } from '../../support/held.ts';
import { openRequestOf, raiseDaily } from '../../support/limit-requests.ts';
import { ask } from '../../support/perform-world.ts';
import { card } from '../../templates/fixtures.ts';

const MINUTE_MS = 60_000;

interface Given {
  readonly request?: ApprovalRequest;
  readonly isInFlight?: boolean;
  readonly others?: OpenRequest[];
  readonly whoMay?: () => Promise<readonly string[]>;
}

function setUp(minutes: number, given: Given = {}) {
  let request: ApprovalRequest = given.request ?? openRequestOf();
  const posted: string[] = [];
  const texts: string[] = [];
  const groups: (string | null)[] = [];
  const reminded: string[] = [];
  const expired: OpenRequest[] = [];
  const updated: string[] = [];
  const deps = {
    requests: {
      get: async () => request,
      save: async (changed: ApprovalRequest) => {
        request = changed;
      },
      open: async () => [openRequestOf(), ...(given.others ?? [])],
      remind: async (id: string) => {
        reminded.push(id);
        return openRequestOf();
      },
    },
    updateRequest: async (id: string) => void updated.push(id),
    now: () => new Date(Date.parse('2026-11-20T15:00:00.000Z') + minutes * MINUTE_MS),
  };
  const ageRequest = createAgeRequest({
    ...deps,
    cardChanged: async () => expect.fail('no amendment is over'),
    resolve: async () => {},
    endRequest: async (open) => {
      if (given.isInFlight === true) return false;
      expired.push(open);
      return true;
    },
    remind: createRemindApprovers({
      ...deps,
      rights: {
        whoMay: given.whoMay ?? (async (_role, group) => [group === 'Sales' ? 'U0BEN' : 'U0ANA']),
      },
      postToApprovals: async (id, { text }, group) => {
        posted.push(id);
        texts.push(text);
        groups.push(group);
      },
      requestLink: async (id) => `https://example.slack.com/${id}`,
    }),
    postRequest: async () => {},
    withLock: withoutLock,
  });
  return {
    age: () => ageRequest('req_ask1'),
    posted,
    texts,
    groups,
    reminded,
    expired,
    updated,
    request: () => request,
  };
}

it('waits a quarter of an hour before reminding the approvers', async () => {
  const world = setUp(5);

  expect(await world.age()).toBe(10 * MINUTE_MS + 1);
  expect(world.posted).toEqual([]);
});

it('reminds the approvers once, and checks again every hour and at the expiry', async () => {
  const world = setUp(15);

  expect(await world.age()).toBe(60 * MINUTE_MS);
  expect(await world.age()).toBe(60 * MINUTE_MS);
  expect(world.posted).toEqual(['req_ask1-reminder']);
  expect(await setUp(23 * 60 + 30, { request: world.request() }).age()).toBe(30 * MINUTE_MS + 1);
});

it.each([
  ['2026-11-20T15:10:00.000Z', 9, MINUTE_MS],
  ['2026-11-20T15:10:00.000Z', 10, null],
  // The day that every request has is over first.
  ['2026-11-21T15:10:00.000Z', 23 * 60 + 59, MINUTE_MS + 1],
])('asked to last until %s, after %d minutes it waits %s ms', async (at, minutes, wait) => {
  const term = { kind: 'until', at } as const;
  const action = ask('ask', { ...openRequestOf().action, ask: { amountCents: 90_000, term } });
  const world = setUp(minutes, { request: openRequestOf({ action, term }) });

  expect(await world.age()).toBe(wait);
  expect(world.expired).toHaveLength(wait === null ? 1 : 0);
});

it('reminds nobody who asked for or approved all that waits, or holds the card', async () => {
  const byAna = { ...openRequestOf().action, actor: { userId: 'U0ANA', teamId: 'T1' } };
  const approvals = [{ by: 'U0ZOE', at: '2026-11-20T15:01:00.000Z', actionId: 'act_zoe' }];
  const request = openRequestOf({ action: byAna, needed: 2, approvals });
  const others = [openRequestOf({ id: 'req_2', holder: 'U0BEN' })];
  const whoMay = async () => ['U0ANA', 'U0ZOE', 'U0HUGO', 'U0BEN'];
  const alone = setUp(15, { request, whoMay });
  const both = setUp(15, { request, others, whoMay });
  const isVoid = setUp(15, {
    request: { ...request, voided: [{ by: 'U0ANA', why: 'rights', standsInFor: null }] },
    whoMay,
  });

  await Promise.all([alone.age(), both.age(), isVoid.age()]);

  expect(alone.texts[0]).toMatch(/\. <@U0BEN>$/);
  expect(both.texts[0]).toMatch(/\. <@U0ANA>, <@U0ZOE>, <@U0BEN>$/);
  expect(isVoid.texts[0], 'she may approve again').toMatch(/\. <@U0ANA>, <@U0BEN>$/);
});

it('lists all open requests with amounts in one reminder, and reminds again only of those that have just begun to wait', async () => {
  const due = openRequestOf({ id: 'req_due' });
  const openedAt = (id: string, at: string) => openRequestOf({ id, expiresAt: `2026-11-21T${at}.000Z` });
  const others = [due, openedAt('req_half', '15:07:30'), openedAt('req_young', '15:07:31')];
  const world = setUp(15, { others });

  await world.age();

  expect(world.posted).toEqual(['req_ask1-reminder']);
  expect(world.texts[0]?.match(/wants to pay \$900\.00/g)).toHaveLength(4);
  expect(world.reminded).toEqual(['req_due', 'req_half']);
  // Only operators of the one that is overdue get the emergency override.
  expect(world.updated).toEqual(['req_ask1', 'req_due']);
});

it('offers the emergency override after 15 minutes for a request that an earlier reminder listed, without a reminder', async () => {
  const request = openRequestOf({ remindedAt: '2026-11-20T15:05:00.000Z' });
  const before = setUp(14, { request });
  const after = setUp(15, { request });

  expect(await before.age()).toBe(MINUTE_MS + 1);
  expect(await after.age()).toBe(60 * MINUTE_MS);

  expect([before.updated, after.updated]).toEqual([[], ['req_ask1']]);
  expect(after.request()).toMatchObject({ remindedAt: '2026-11-20T15:15:00.000Z' });
  expect([before.posted, after.posted]).toEqual([[], []]);
});

it('shows that a request is overdue even if a crash came between storing that and showing it', async () => {
  const world = setUp(20, { request: openRequestOf({ remindedAt: '2026-11-20T15:16:00.000Z' }) });

  expect(await world.age()).toBe(60 * MINUTE_MS);

  expect([world.posted, world.updated]).toEqual([[], ['req_ask1']]);
});

it.each<[string | null, string | null]>([
  ['Sales', 'Field'],
  ['Sales', null],
  [null, 'Sales'],
])('reminds the approvers of group %s in their channel, and lists nothing of group %s', async (group, other) => {
  const ofGroup = (id: string, name: string | null, dollars: number) =>
    openRequestOf({ id, card: { ...card, group: name }, changes: [{ ...raiseDaily, to: dollars * 100 }] });
  const world = setUp(15, {
    request: ofGroup('req_ask1', group, 1000),
    others: [ofGroup('req_same', group, 1100), ofGroup('req_other', other, 1200)],
  });

  await world.age();

  expect(world.groups).toEqual([group]);
  expect(world.texts[0]).toMatch(/\$1,000\.00.*\$1,100\.00/);
  expect(world.texts[0]).not.toContain('$1,200.00');
  expect(world.texts[0]).toContain(group === 'Sales' ? '<@U0BEN>' : '<@U0ANA>');
  expect(world.reminded).toEqual(['req_same']);
});

it('expires after a day', async () => {
  const world = setUp(24 * 60 + 1);

  expect(await world.age()).toBeNull();
  expect(world.expired).toHaveLength(1);
});

it('does not expire while an approval may reach the card', async () => {
  const world = setUp(24 * 60 + 1, { isInFlight: true });

  expect(await world.age()).toBe(3 * MINUTE_MS);
  expect(world.expired).toEqual([]);
});

it('leaves a decided request alone', async () => {
  const decision = { actionId: 'act_1', by: 'U0ANA', at: '2026-11-20T15:01:00.000Z' };
  const world = setUp(24 * 60 + 1, { request: { ...openRequestOf(), state: 'denied', decision } });

  expect(await world.age()).toBeNull();
  expect(world.expired).toEqual([]);
});

it('is audited as automatic before it ends', async () => {
  const steps: string[] = [];
  const expire = createExpireRequest({
    progress: { read: async () => null },
    record: async (_action, { event, isByItself }) => void steps.push(`${event} ${isByItself}`),
    resolve: async ({ state }) => void steps.push(state),
  });

  await expire(openRequestOf(), held);

  expect(steps).toEqual(['ended true', 'expired']);
});

it.each<[string, Partial<OpenRequest>, number | null]>([
  ['with the account of its card', {}, openRequestOf().acctId],
  [
    'without an account if it was to block several cards',
    { action: ask('block-all', { acctIds: [1, 2], names: ['One', 'Two'] }), acctId: 0 },
    null,
  ],
])('is audited %s', async (_what, over, acctId) => {
  const recorded: unknown[] = [];
  const expire = createExpireRequest({
    progress: { read: async () => null },
    record: async (_action, entry) => void recorded.push(entry.acctId),
    resolve: async () => {},
  });

  await expire(openRequestOf(over), held);

  expect(recorded).toEqual([acctId]);
});
