import { expect, it } from 'vitest';
import { createAnnouncements, createOpenRequest } from '../../../src/approvals/open-request.ts';
import type { ApprovalRequest } from '../../../src/approvals/request.ts';
import { noFacts } from '../../../src/approvals/request-facts.ts';
import { createRequests } from '../../../src/approvals/request-store.ts';
import type { Term } from '../../../src/card-api/rule-change.ts';
import type { CardStatus } from '../../../src/core/event.ts';
import type { CountedRaise } from '../../../src/policy/approval-policy.ts';
import { askedAt, raiseDaily } from '../../support/limit-requests.ts';
import { useRedis } from '../../support/on-redis.ts';
import { acctId, ask } from '../../support/perform-world.ts';
import { storeSigner } from '../../support/store-signer.ts';
import { card } from '../../templates/fixtures.ts';

const redis = useRedis();
const counted: CountedRaise = {
  rule: raiseDaily.rule,
  ownCents: 100_001,
  earlier: [],
  aboveCents: 100_000,
  cap: null,
};

function setUp(holder: string | null = null, status: CardStatus | null = 'ACTIVE') {
  const requests = createRequests(redis(), storeSigner);
  const posted: string[] = [];
  const isOwnCard = async (userId: string) => userId === holder;
  const record = async () => {};
  const openRequest = createOpenRequest({
    requests,
    links: {
      ofAccount: async () => (holder === null ? null : { userId: holder }),
    },
    rights: { isOwnCard, rolesNow: async ({ roles }) => [...roles] },
    record,
    gatherFacts: async () => ({ isBlocked: status === 'BLOCKED', facts: noFacts }),
    raises: { changesFromBase: async (changes) => [...changes], temporaryValues: async () => [] },
    ...createAnnouncements({
      requests,
      rights: { isOwnCard },
      record,
      postRequest: async ({ id }) => void posted.push(id),
      scheduleAgeRequest: async () => {},
    }),
    now: () => new Date(askedAt),
  });
  const open = async (action: ApprovalRequest['action'], term: Term = { kind: 'permanent' }) =>
    (await openRequest({ action, acctId, card, changes: [raiseDaily], term, others: 1, counted })).note;
  return { open, requests, posted };
}

it('counts an approver who asks for someone else’s card as the first approval', async () => {
  const world = setUp();

  expect(await world.open(ask('limit'))).toMatch(/A raise of more than \$1,000.00 .* needs a second approver/);

  expect(await world.requests.open()).toMatchObject([
    { id: 'req_limit1', needed: 2, approvals: [{ by: 'U0OLGA', actionId: null }], state: 'open' },
  ]);
});

it.each([
  ['BLOCKED', true],
  ['ACTIVE', false],
  [null, false],
] as const)('stores whether the card is blocked when the request opens: %s, %s', async (status, isBlocked) => {
  const world = setUp(null, status);

  await world.open(ask('limit'));

  expect(await world.requests.open()).toMatchObject([{ isBlocked }]);
});

it('does not count the approver who holds the card', async () => {
  const world = setUp('U0OLGA');

  expect(await world.open(ask('limit'))).toContain('It is your own card');

  expect(await world.requests.open()).toMatchObject([{ needed: 1, approvals: [], holder: 'U0OLGA' }]);
});

it('finds its request again after a crash, with the changes made meanwhile', async () => {
  const world = setUp();
  await world.open(ask('limit'));
  const [request] = await world.requests.open();
  if (request !== undefined) await world.requests.save({ ...request, remindedAt: askedAt });

  await world.open(ask('limit'));

  expect(await world.requests.open()).toMatchObject([{ id: 'req_limit1', remindedAt: askedAt }]);
  expect(world.posted).toEqual(['req_limit1', 'req_limit1']);
});

it('opens no second request for the same change', async () => {
  const world = setUp();
  await world.open(ask('limit'));

  const note = await world.open(ask('limit', { id: 'act_second', actor: { userId: 'U0ZOE', teamId: 'T1' } }));

  expect(note).toContain('Somebody has asked for that already');
  expect((await world.requests.open()).map(({ id }) => id)).toEqual(['req_limit1']);
});

it('opens a request of its own if the same one is decided while somebody asks for it, too', async () => {
  const world = setUp();
  await world.open(ask('limit'));
  const { open } = world.requests;
  world.requests.open = async () => {
    const found = await open();
    const decision = { actionId: 'act_ben', by: 'U0BEN', at: askedAt };
    for (const request of found) await world.requests.save({ ...request, state: 'denied', decision });
    return found;
  };

  const note = await world.open(ask('limit', { id: 'act_second', actor: { userId: 'U0ZOE', teamId: 'T1' } }));

  expect(note).toContain('I asked in the approvals channel.');
  expect(world.posted).toEqual(['req_limit1', 'req_second']);
});

const askedBefore =
  'I’ll message you when the approvers have decided, or when the request expires. To withdraw it, open the Home tab.';

it('opens a request of the card’s new holder beside the same of the former holder', async () => {
  const world = setUp('U0JO');
  const asks = (id: string, userId: string) => ask('ask', { id, actor: { userId, teamId: 'T1' }, roles: ['holder'] });
  await world.open(asks('act_sam', 'U0SAM'));

  expect(await world.open(asks('act_jo', 'U0JO'))).toContain('I’ll message you when the approvers have decided');
  expect(await world.open(asks('act_jo2', 'U0JO'))).toBe(askedBefore);

  expect(world.posted).toEqual(['req_sam', 'req_jo']);
});

it('opens a separate request of a holder for another purchase or amount, but not for one that is not named', async () => {
  const world = setUp('U0JO');
  const of = { actor: { userId: 'U0JO', teamId: 'T1' }, roles: ['holder' as const] };
  const on = (alertId: string) => ({ target: { kind: 'alert', alertId } as const });
  const hour = { kind: 'duration', ms: 3_600_000 } as const;
  const ofNone = { target: { kind: 'card', acctId, cardId: 6231, alertId: null } as const };
  const asks = (id: string, where: Partial<ReturnType<typeof on> | typeof ofNone>, amountCents: number) =>
    world.open(ask('ask', { id, ...of, ...where, ask: { amountCents, term: hour } }));

  await asks('act_one', on('evt_1'), 9000);
  await asks('act_shop', on('evt_2'), 9000);
  await asks('act_more', on('evt_2'), 9100);
  expect(await asks('act_again', on('evt_2'), 9100)).toBe(askedBefore);
  expect(await asks('act_typed', ofNone, 9000)).toBe(askedBefore);

  expect(world.posted).toEqual(['req_one', 'req_shop', 'req_more']);
});

it('opens a separate request for the same change with another duration', async () => {
  const world = setUp();
  await world.open(ask('limit'));

  await world.open(ask('limit', { id: 'act_second' }), { kind: 'duration', ms: 3_600_000 });

  expect((await world.requests.open()).map(({ term }) => term.kind)).toEqual(['permanent', 'duration']);
});

it('opens a separate request of an approver for another declined purchase, if the change ends with the purchase', async () => {
  const world = setUp();
  const asks = (id: string, alertId: string, term?: Term) =>
    world.open(ask('limit', { id, target: { kind: 'alert', alertId } }), term);
  const once = { kind: 'purchase' } as const;

  await asks('act_one', 'evt_1', once);
  await asks('act_shop', 'evt_2', once);
  expect(await asks('act_again', 'evt_2', once)).toContain('You have asked for that already');
  await asks('act_longer', 'evt_1');
  expect(await asks('act_same', 'evt_2')).toContain('You have asked for that already');

  expect(world.posted).toEqual(['req_one', 'req_shop', 'req_longer']);
});
