import { describe, expect, it } from 'vitest';
import { type Result, stateOf } from '../../../src/actions/action-state.ts';
import { blockedBy, blockIdOf, createBlockAll } from '../../../src/approvals/block-all.ts';
import type { ApprovalRequest } from '../../../src/approvals/request.ts';
import { AccountDetails } from '../../../src/card-api/schema-account.ts';
import { noCard } from '../../../src/core/card-facts.ts';
import { CardApiError } from '../../../src/core/errors.ts';
import { toCardFacts } from '../../../src/directory/account.ts';
import { REQUEST_MS } from '../../../src/policy/decide-action.ts';
import { approvalRequest } from '../../../templates/approvals/approval-request.ts';
import { unanswered } from '../../support/card-api-errors.ts';
import { accountOf, directoryOf } from '../../support/directories.ts';
import { killEverywhere } from '../../support/kill-everywhere.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask, createActionWorld, performAction, verbsOf, type WorldDeps } from '../../support/perform-world.ts';
import { transactionAlert } from '../../templates/fixtures.ts';

const redis = useRedis();
const acctIds = [11, 12, 13, 14, 15, 16];
const operator = { actor: { userId: 'U0OLGA', teamId: 'T1' }, roles: ['operator' as const] };
const approver = { actor: { userId: 'U0ANA', teamId: 'T1' }, roles: ['approver' as const] };
const request = { target: { kind: 'request', requestId: 'req_blockall1' }, approve: true } as const;

async function createWorld(over: (deps: WorldDeps, blocked: number[]) => Partial<WorldDeps> = () => ({})) {
  const world = await createActionWorld(redis());
  const blocked: number[] = [];
  const card = {
    ...world.deps.card,
    setCardStatus: async (acctId: number) => void blocked.push(acctId),
  };
  const deps = { ...world.deps, card, ...over({ ...world.deps, card }, blocked) };
  const names = acctIds.map((acctId) => `Holder ${acctId} · card ${acctId}`);
  const blockAll = (by: object) => performAction(ask('block-all', { acctIds, names, ...by }), deps);
  const approve = (by: object) => performAction(ask('decide', { ...request, ...by }), deps);
  return { world, deps, blocked, blockAll, approve };
}

it('blocks no card before someone else approves, and then each card once', async () => {
  const { world, deps, blocked, blockAll, approve } = await createWorld();

  await blockAll(operator);

  expect(blocked).toEqual([]);
  const [open] = await deps.requests.open();
  expect(open).toMatchObject({ needed: 1, approvals: [], action: { verb: 'block-all', acctIds } });
  expect(world.answers.at(-1)?.text).toContain('Blocking more than 5 cards needs a second person');
  const { text } = open === undefined ? { text: '' } : approvalRequest(open);
  expect(text).toMatch(
    /^Approval needed: <@U0OLGA> asks to block 6 cards: Holder 11 · card 11; .* and 1 more\. Needs one/,
  );

  await approve(approver);
  await approve(approver);

  expect(blocked).toEqual(acctIds);
  expect(await deps.requests.get('req_blockall1')).toMatchObject({ state: 'approved' });
});

it('never blocks another card than the one that the request shows', async () => {
  const last4s = acctIds.map((acctId) => (acctId === 16 ? null : `00${acctId}`));
  const replaced = new Set([11, 16]);
  const cardsOf = (acctId: number) => {
    const shown = { cardId: acctId, last4: `00${acctId}`, status: replaced.has(acctId) ? 'CLOSED' : 'ACTIVE' } as const;
    const newer = { cardId: 1000 + acctId, last4: `10${acctId}`, status: 'ACTIVE' } as const;
    return replaced.has(acctId) ? [shown, newer] : [shown];
  };
  const direct: string[] = [];
  const { world, deps, blocked, approve } = await createWorld(({ card }, done) => ({
    notifyDirectly: async (_userId, _id, { text }) => void direct.push(text),
    toFacts: toCardFacts,
    directory: directoryOf({
      account: async (acctId) =>
        accountOf({ acctId, cards: cardsOf(acctId).map((one) => ({ ...one, seenAt: '2026-11-20T15:00:00.000Z' })) }),
    }),
    card: {
      ...card,
      getAccount: async (acctId) =>
        AccountDetails.parse({
          AccountId: acctId,
          AccountStatus: 'OPEN',
          CardList: cardsOf(acctId).map(({ cardId, last4, status }) => ({
            CardId: cardId,
            Last4CardNumber: last4,
            CardStatus: status,
          })),
        }),
      setCardStatus: async (acctId) => void done.push(acctId),
    },
  }));
  const names = acctIds.map((acctId) => `Holder ${acctId} · card 00${acctId}`);
  await performAction(ask('block-all', { ...operator, acctIds, names, last4s }), deps);

  await approve(approver);

  // The digits of one card are not known, so the card in use is meant.
  expect(blocked).toEqual([12, 13, 14, 15, 16]);
  expect(await deps.requests.get('req_blockall1')).toMatchObject({ state: 'approved' });
  expect(world.answers.map(({ text }) => text)).toContainEqual(
    expect.stringContaining('The card is closed for good. The account’s card in use is 1011.'),
  );
  expect(direct).toEqual([expect.stringContaining('Closed for good: Holder 11 · card 0011.')]);
});

it('never blocks another card either if the directory does not know the id of the one that the request shows', async () => {
  // Of 11 to 13, the directory knows another card, the shown one from a purchase, and the same. 14 cannot be read.
  const newer = (acctId: number) => ({ CardId: 1000 + acctId, Last4CardNumber: `10${acctId}`, CardStatus: 'ACTIVE' });
  const shownAs = (acctId: number, status: string) => ({
    CardId: acctId,
    Last4CardNumber: `00${acctId}`,
    CardStatus: status,
  });
  const listed = (acctId: number) => {
    if (acctId === 11) return [newer(11)];
    return acctId === 12 ? [shownAs(12, 'CLOSED'), newer(12)] : [shownAs(acctId, 'ACTIVE')];
  };
  const seen = { status: null, seenAt: '2026-11-20T14:00:00.000Z' } as const;
  const { world, deps, blocked, approve } = await createWorld(({ card }, done) => ({
    toFacts: toCardFacts,
    directory: directoryOf({
      account: async (acctId) => {
        const known = acctId === 11 ? { cardId: 1011, last4: '1011' } : { cardId: null, last4: `00${acctId}` };
        return accountOf({ acctId, cards: [{ ...known, ...seen }] });
      },
    }),
    card: {
      ...card,
      getAccount: async (acctId) => {
        if (acctId === 14) throw unanswered();
        return AccountDetails.parse({ AccountId: acctId, AccountStatus: 'OPEN', CardList: listed(acctId) });
      },
      setCardStatus: async (acctId) => void done.push(acctId),
    },
  }));
  const shown = [11, 12, 13, 14];
  const names = shown.map((acctId) => `Holder ${acctId} · card 00${acctId}`);
  const last4s = shown.map((acctId) => `00${acctId}`);
  await performAction(ask('block-all', { ...operator, acctIds: shown, names, last4s }), deps);

  await approve(approver);

  expect(blocked).toEqual([13, 14]);
  const told = world.answers.map(({ text }) => text).join('\n');
  expect(told).toContain('The card service does not list this card.');
  expect(told).toContain('The card is closed for good. The account’s card in use is 1012.');
});

it('offers no undo to whoever asked, because a second person wants the cards blocked', async () => {
  const { world, deps, blockAll, approve } = await createWorld();
  await blockAll(operator);
  await approve(approver);

  expect(await deps.blocks.get(blockIdOf('act_decide1', 11))).toBeNull();
  expect(JSON.stringify(world.answers)).not.toContain('Undo');
});

it('keeps an earlier block of one of its cards from being undone alone', async () => {
  const { world, deps, blocked, blockAll, approve } = await createWorld();
  const cardTarget = { kind: 'card', acctId: 11, cardId: null, alertId: null } as const;
  await performAction(ask('block', { ...operator, id: 'act_block', target: cardTarget }), deps);
  expect(JSON.stringify(world.answers)).toContain('Undo');
  await blockAll(operator);
  await approve(approver);

  await performAction(ask('undo-block', { ...operator, target: { kind: 'action', actionId: 'act_block' } }), deps);

  expect(blocked).toEqual([11, ...acctIds]);
  expect(world.answers.at(-1)?.text).toContain('<@U0ANA>');
});

it('says how many cards it is about, to whoever asks, asks again or may not, and in the audit', async () => {
  const lines: string[] = [];
  const { world, blockAll, approve } = await createWorld(() => ({
    postAuditLine: async (_id, { text }) => void lines.push(text),
  }));
  await blockAll(operator);
  expect(world.answers.at(-1)?.text).toMatch(/^Waiting for approval: block 6 cards\. Blocking more than 5 cards/);
  await blockAll({ ...operator, id: 'act_again', actor: { userId: 'U0GUS', teamId: 'T1' } });
  expect(world.answers.at(-1)?.text).toMatch(/^Nothing changed: 6 cards\. Somebody has asked for that already/);
  await approve({ ...approver, approve: false });

  expect(lines).toEqual([expect.stringMatching(/^<@U0ANA> denied blocking 6 cards: nothing changed/)]);
});

it('is refused to others with a sentence about the cards', async () => {
  const lines: string[] = [];
  const { deps, blockAll } = await createWorld(() => ({
    postAuditLine: async (_id, { text }) => void lines.push(text),
  }));
  await deps.alerts.save(transactionAlert({ id: 'evt_0123456789abcdef' }));

  await blockAll({ actor: { userId: 'U0OTTO', teamId: 'T1' }, roles: [] });

  expect(lines).toEqual([
    expect.stringMatching(
      /^<@U0OTTO> was not allowed to block all cards declined together with Jane Doe · card of account \d+: /,
    ),
  ]);
});

it('needs two approvers if an approver asks, because one approval is their own', async () => {
  const { deps, blocked, blockAll, approve } = await createWorld();
  await blockAll(approver);

  expect((await deps.requests.open())[0]).toMatchObject({ needed: 2, approvals: [{ by: 'U0ANA' }] });
  await approve(approver);
  expect(blocked).toEqual([]);

  await approve({ ...approver, id: 'act_ben', actor: { userId: 'U0BEN', teamId: 'T1' } });
  expect(blocked).toEqual(acctIds);
});

it('waits, once approved, neither for Slack nor for a second click after ten minutes', async () => {
  const { world, deps, blocked, blockAll } = await createWorld();
  await blockAll(approver);
  world.advance(11 * 60_000);
  const rolesOf: WorldDeps['rolesOf'] = async () => ({ roles: [], isComplete: false });
  const ben = { ...approver, actor: { userId: 'U0BEN', teamId: 'T1' } };

  await performAction(ask('decide', { ...request, ...ben }), { ...deps, rolesOf });

  expect(blocked).toEqual(acctIds);
  expect(await deps.requests.get('req_blockall1')).toMatchObject({ state: 'approved' });
});

it('counts as requested at its approval, so that changes of a card since the request do not overtake it', async () => {
  const askedAt: string[] = [];
  const { world, blocked, blockAll } = await createWorld();
  await blockAll(operator);
  world.advance(60_000);
  const approvedAt = world.deps.now().toISOString();
  await performAction(ask('decide', { ...request, ...approver, askedAt: approvedAt }), {
    ...world.deps,
    card: { ...world.deps.card, setCardStatus: async (acctId: number) => void blocked.push(acctId) },
    latestChanges: {
      ...world.deps.latestChanges,
      changed: async (acctId, expected, action) => {
        askedAt.push(action.askedAt);
        return await world.deps.latestChanges.changed(acctId, expected, action);
      },
    },
  });

  expect(new Set(askedAt)).toEqual(new Set([approvedAt]));
  expect(blocked).toEqual(acctIds);
});

it('is not said to be unchanged if it was approved before its job ran again', async () => {
  const { world, blockAll, approve } = await createWorld();
  await blockAll(operator);
  await approve(approver);
  const [answers, stations] = [world.answers.length, await world.stations()];

  await blockAll(operator);

  expect(world.answers).toHaveLength(answers);
  expect(await world.stations()).toEqual(stations);
});

it('opens one request, however often it is asked for, and blocks nothing if denied', async () => {
  const { deps, blocked, blockAll, approve } = await createWorld();
  await blockAll(operator);
  await blockAll(operator);
  await blockAll({ ...operator, id: 'act_again', actor: { userId: 'U0GUS', teamId: 'T1' } });

  expect(await deps.requests.open()).toHaveLength(1);
  await approve({ ...approver, approve: false });

  expect(blocked).toEqual([]);
  expect(await deps.requests.get('req_blockall1')).toMatchObject({ state: 'denied' });
});

it('opens a request for each alert, and no second one for the same alert', async () => {
  const { deps, blockAll } = await createWorld();
  await blockAll({ ...operator, id: 'act_first', target: { kind: 'alert', alertId: 'evt_one' } });

  await blockAll({ ...operator, id: 'act_other', target: { kind: 'alert', alertId: 'evt_two' } });
  await blockAll({ ...operator, id: 'act_same', target: { kind: 'alert', alertId: 'evt_two' } });

  expect((await deps.requests.open()).map(({ id }) => id).sort()).toEqual(['req_first', 'req_other']);
});

it('opens another request for the same alert once more cards were declined together', async () => {
  const { world, deps, blockAll } = await createWorld();
  await blockAll({ ...operator, id: 'act_first' });

  const gus = { ...operator, actor: { userId: 'U0GUS', teamId: 'T1' } };
  await blockAll({ ...gus, id: 'act_more', acctIds: [...acctIds, 17], names: [...acctIds, 17].map(String) });

  expect(world.answers.at(-1)?.text).toMatch(/^Waiting for approval: block 7 cards/);
  await blockAll({ ...gus, id: 'act_fewer', acctIds: acctIds.slice(1), names: acctIds.slice(1).map(String) });
  expect((await deps.requests.open()).map(({ id }) => id).sort()).toEqual(['req_first', 'req_more']);
});

it('opens another request for the same alert once an account has another card', async () => {
  const { deps, blockAll } = await createWorld();
  const gus = { ...operator, actor: { userId: 'U0GUS', teamId: 'T1' } };
  const last4s = acctIds.map((acctId) => `00${acctId}`);
  await blockAll({ ...operator, id: 'act_first', last4s });

  await blockAll({ ...gus, id: 'act_same', last4s });
  await blockAll({ ...gus, id: 'act_other', last4s: ['1011', ...last4s.slice(1)] });

  expect((await deps.requests.open()).map(({ id }) => id).sort()).toEqual(['req_first', 'req_other']);
});

/** The card service fails with this code for these accounts. */
const failing = (code: 'refused' | 'unavailable', which: readonly number[]) =>
  createWorld(({ card }, done) => ({
    card: {
      ...card,
      async getAccount(acctId, options) {
        if (which.includes(acctId) && code === 'refused') throw failed(code);
        return await card.getAccount(acctId, options);
      },
      async setCardStatus(acctId) {
        if (which.includes(acctId)) throw failed(code);
        done.push(acctId);
      },
    },
  }));

const failed = (code: 'refused' | 'unavailable') =>
  new CardApiError(`card API: ${code}`, {
    code,
    operation: 'getAccount',
    status: code === 'refused' ? 404 : 503,
    outcome: 'refused',
    apiMessage: null,
  });

it('blocks the other cards if one cannot be read, names it, and retries it when approved again', async () => {
  const broken = [12];
  const { world, deps, blocked, blockAll, approve } = await failing('refused', broken);
  await blockAll(operator);

  await approve(approver);

  expect(blocked).toEqual([11, 13, 14, 15, 16]);
  expect(world.answers.at(-1)?.text).toBe(
    'Not done. 1 of 6 cards could not be blocked: Holder 12 · card 12. The request is still open: approve it again to try these again. Whoever asked was told, and the alert shows what became of each card.',
  );
  expect(await deps.requests.open()).toEqual([expect.objectContaining({ inFlight: [] })]);

  broken.pop();
  await approve({ ...approver, id: 'act_again' });

  expect(blocked).toContain(12);
  expect(await deps.requests.get('req_blockall1')).toMatchObject({ state: 'approved' });
});

it('does not block again what somebody has unblocked since, when it is approved again for the others', async () => {
  const broken = [12];
  const { deps, blocked, blockAll, approve } = await failing('refused', broken);
  await blockAll(operator);
  await approve(approver);
  const [open] = await deps.requests.open();
  const { text } = open === undefined ? { text: '' } : approvalRequest(open);
  expect(text).toContain('An earlier approval blocked 5 of 6 cards. Left: Holder 12 · card 12.');
  const card13 = { kind: 'card', acctId: 13, cardId: null, alertId: null } as const;
  const ben = { actor: { userId: 'U0BEN', teamId: 'T1' }, roles: ['approver' as const] };
  await performAction(ask('unblock', { ...ben, target: card13 }), deps);

  broken.pop();
  blocked.splice(0);
  await approve({ ...approver, id: 'act_again' });

  expect(blocked).toEqual([12]);
  expect(await deps.requests.get('req_blockall1')).toMatchObject({ state: 'approved' });
});

/** What the card service answers about an account with one card. */
const withOneCard = (acctId: number, status = 'ACTIVE') =>
  AccountDetails.parse({
    AccountId: acctId,
    AccountStatus: 'OPEN',
    CardList: [{ CardId: acctId, Last4CardNumber: `00${acctId}`, CardStatus: status }],
  });

it('leaves alone and does not name as left what was blocked already, or is closed', async () => {
  const broken = [12];
  const statuses = new Map([
    [13, 'BLOCKED'],
    [14, 'CLOSED'],
  ]);
  const { deps, blocked, blockAll, approve } = await createWorld(({ card }, done) => ({
    card: {
      ...card,
      getAccount: async (acctId) => withOneCard(acctId, statuses.get(acctId)),
      async setCardStatus(acctId) {
        if (broken.includes(acctId)) throw failed('refused');
        done.push(acctId);
      },
    },
  }));
  await blockAll(operator);
  await approve(approver);
  expect(blocked).toEqual([11, 15, 16]);
  const [open] = await deps.requests.open();
  expect(open === undefined ? '' : approvalRequest(open).text).toContain(
    'An earlier approval blocked 3 of 6 cards. Left: Holder 12 · card 12. Needs',
  );

  broken.pop();
  statuses.clear();
  await approve({ ...approver, id: 'act_again' });

  expect(blocked).toEqual([11, 15, 16, 12]);
  const ended = await deps.requests.get('req_blockall1');
  expect(ended === null ? '' : approvalRequest(ended).text).toContain('Closed for good: Holder 14 · card 14.');
});

it.each([
  ['found blocked', 'BLOCKED', false],
  ['not found blocked', 'ACTIVE', true],
])(
  'names a card without an answer, to the approver and on the request, until it is %s',
  async (_how, found, isNamed) => {
    const statuses = new Map<number, string>();
    const { world, deps, blockAll, approve } = await createWorld(({ card }) => ({
      isLastAttempt: true,
      card: {
        ...card,
        getAccount: async (acctId) => withOneCard(acctId, statuses.get(acctId)),
        async setCardStatus(acctId, status) {
          if (acctId === 12) throw unanswered();
          statuses.set(acctId, status);
        },
      },
    }));
    const text = async () => {
      const request = await deps.requests.get('req_blockall1');
      return request === null ? '' : approvalRequest(request).text;
    };
    const notConfirmed = 'Not confirmed by the card service: Holder 12 · card 12. Check these cards.';
    await blockAll(operator);

    await approve(approver);

    expect(await text()).toMatch(/^Approved: .*/);
    expect(await text()).toContain(notConfirmed);
    expect(world.answers.at(-1)?.text).toBe(
      'Approved: block 6 cards. No answer came for 1 card: Holder 12 · card 12. The alert shows what became of each card.',
    );
    statuses.set(12, found);
    world.advance(3 * 60_000);
    await verbsOf(deps).verifyAction(blockIdOf('act_decide1', 12));
    expect((await text()).includes(notConfirmed)).toBe(isNamed);
  },
);

it('checks a card again later while others are being blocked, instead of waiting for their end', async () => {
  const checks: unknown[] = [];
  const { world, deps, blockAll, approve } = await createWorld(({ card }) => ({
    card: {
      ...card,
      async setCardStatus(acctId) {
        if (acctId !== 13) return;
        world.service.status = 'BLOCKED';
        world.advance(10_000);
        checks.push(await verify(11), (await deps.progress.read(blockIdOf('act_decide1', 11)))?.state);
      },
    },
  }));
  const verify = (acctId: number) => verbsOf(deps).verifyAction(blockIdOf('act_decide1', acctId));
  await blockAll(operator);

  await approve(approver);

  expect(checks).toEqual([expect.any(Number), 'sent']);
  expect(await verify(11)).toBeNull();
  expect(await deps.progress.read(blockIdOf('act_decide1', 11))).toMatchObject({ state: 'confirmed' });
});

it('blocks again what nothing has shown to be blocked, when it is approved again', async () => {
  const broken = [12];
  const { world, deps, blocked, blockAll, approve } = await failing('refused', broken);
  await blockAll(operator);
  await approve(approver);
  world.advance(3 * 60_000);
  await verbsOf(deps).verifyAction(blockIdOf('act_decide1', 13));

  broken.pop();
  blocked.splice(0);
  await approve({ ...approver, id: 'act_again' });

  expect(blocked).toEqual([12, 13]);
});

it('can be denied after its approval failed', async () => {
  const { deps, blockAll, approve } = await createWorld();
  await blockAll(operator);
  const fault = new Error('a fault of ours');
  const broken = { ...deps, latestChanges: { ...deps.latestChanges, changed: async () => Promise.reject(fault) } };
  const last = { ...broken, isLastAttempt: true };

  await expect(performAction(ask('decide', { ...request, ...approver }), last)).rejects.toThrow('a fault of ours');
  expect(await deps.requests.open()).toEqual([expect.objectContaining({ inFlight: [] })]);
  await approve({ ...approver, id: 'act_deny', approve: false });

  expect(await deps.requests.get('req_blockall1')).toMatchObject({ state: 'denied' });
});

/** What everybody reads and what is on record about a request. */
async function told({ deps, world }: Pick<World, 'deps' | 'world'>) {
  const request = await deps.requests.get('req_blockall1');
  return { message: request === null ? '' : approvalRequest(request).text, answer: world.answers.at(-1)?.text };
}
type World = Awaited<ReturnType<typeof createWorld>>;

it('nobody decides against it between two tries, once a card is blocked', async () => {
  const broken = [15, 16];
  const world = await failing('unavailable', broken);
  const { deps, blocked, blockAll, approve } = world;
  await blockAll(operator);
  await expect(approve(approver)).rejects.toThrow('unavailable');

  await approve({ ...approver, id: 'act_cem', actor: { userId: 'U0CEM', teamId: 'T1' }, approve: false });
  expect((await told(world)).answer).toContain('Somebody approved it just now');
  await performAction(ask('withdraw', { ...operator, target: request.target }), deps);
  expect((await told(world)).answer).toContain('Somebody approved it just now');
  world.world.advance(REQUEST_MS + 1);
  await verbsOf(deps).ageRequest('req_blockall1');
  expect(await deps.requests.get('req_blockall1')).toMatchObject({ state: 'open' });

  broken.splice(0);
  await approve(approver);
  expect(blocked.toSorted((a, b) => a - b)).toEqual(acctIds);
  expect(await deps.requests.get('req_blockall1')).toMatchObject({ state: 'approved' });
});

it('can be denied between two tries while no card is blocked, and then the job blocks none', async () => {
  const broken = [...acctIds];
  const world = await failing('unavailable', broken);
  const { deps, blocked, blockAll, approve } = world;
  await blockAll(operator);
  await expect(approve(approver)).rejects.toThrow('unavailable');
  await approve({ ...approver, id: 'act_cem', actor: { userId: 'U0CEM', teamId: 'T1' }, approve: false });
  expect(await deps.requests.get('req_blockall1')).toMatchObject({ state: 'denied' });

  broken.splice(0);
  await approve(approver);

  expect(blocked).toEqual([]);
  expect(await told(world)).toEqual({
    message: expect.stringContaining('Nothing changed.'),
    answer: 'Not done. The request ended before anything was sent. Look at the request. Nothing changed.',
  });
});

it('is approved with all its cards, or denied with none, wherever the worker of the approval is killed', async () => {
  const ends = new Set<string>();
  let blocked: number[] = [];
  const names = acctIds.map(String);
  const yes = ask('decide', { ...request, ...approver });
  const no = { ...yes, id: 'act_cem', actor: { userId: 'U0CEM', teamId: 'T1' }, approve: false };

  await killEverywhere(
    yes,
    async ({ deps }) => {
      blocked = [];
      await performAction(ask('block-all', { ...operator, acctIds, names }), deps);
      return { ...deps, card: { ...deps.card, setCardStatus: async (acctId) => void blocked.push(acctId) } };
    },
    async ({ deps }, diedAt) => {
      const ended = await deps.requests.get('req_blockall1');
      expect(new Set(blocked), diedAt).toEqual(new Set(ended?.state === 'denied' ? [] : acctIds));
      ends.add(ended?.state ?? '');
    },
    async (_world, deps) => await performAction(no, deps),
  );

  expect([...ends].toSorted()).toEqual(['approved', 'denied']);
});

it('is finished although the approver lost the role between two tries', async () => {
  const broken = [15, 16];
  const roles = new Map([['U0ANA', ['approver' as const]]]);
  const { deps, blocked, blockAll } = await failing('unavailable', broken);
  const rolesOf: WorldDeps['rolesOf'] = async (userId) => ({ roles: roles.get(userId) ?? [], isComplete: true });
  const approve = () => performAction(ask('decide', { ...request, ...approver }), { ...deps, rolesOf });
  await blockAll(operator);
  await expect(approve()).rejects.toThrow('unavailable');

  roles.clear();
  broken.splice(0);
  await approve();

  expect(blocked.toSorted((a, b) => a - b)).toEqual(acctIds);
  expect(await deps.requests.get('req_blockall1')).toMatchObject({ state: 'approved' });
});

const endings: readonly [ApprovalRequest['state'], (world: World) => Promise<unknown>][] = [
  ['denied', ({ approve }) => approve({ ...approver, id: 'act_deny', approve: false })],
  ['withdrawn', ({ deps }) => performAction(ask('withdraw', { ...operator, target: request.target }), deps)],
  [
    'expired',
    async ({ deps, world }) => {
      world.advance(REQUEST_MS + 1);
      await verbsOf(deps).ageRequest('req_blockall1');
    },
  ],
];

it.each(endings)('says what an approval blocked, while it is open and once it is %s', async (state, end) => {
  const direct: string[] = [];
  const lines: string[] = [];
  const updated: string[] = [];
  const made = await failing('refused', [12]);
  const deps: WorldDeps = {
    ...made.deps,
    notifyDirectly: async (_userId, _id, { text }) => void direct.push(text),
    postAuditLine: async (_id, { text }) => void lines.push(text),
    updateRequest: async (id) => void updated.push(id),
  };
  const approve = (by: object) => performAction(ask('decide', { ...request, ...by }), deps);
  const world = { ...made, deps, approve };
  await made.blockAll(operator);
  await approve(approver);
  expect(updated).toEqual(['req_blockall1']);
  const earlier = 'An earlier approval blocked 5 of 6 cards.';
  expect((await told(world)).message).toContain(earlier);

  await end(world);

  expect(await deps.requests.get('req_blockall1')).toMatchObject({ state });
  const { message } = await told(world);
  const asker = direct.at(-1);
  expect([message, asker]).toEqual([expect.stringContaining(earlier), expect.stringContaining(earlier)]);
  expect([message, asker].join(' ')).not.toContain('Nothing changed');
  if (state !== 'expired') expect(lines.at(-1)).toContain(': an earlier approval blocked 5 of 6 cards');
});

/** Of a card. */
const result = { card: noCard, before: null, after: null, apiWords: null, note: null } as const;
const blockOf12 = blockIdOf('act_early', 12);

describe.each<[string, Result['state'], string]>([
  ['is found blocked', 'done', 'An earlier approval blocked 1 of 6 cards.'],
  ['is not known', 'unknown', 'An earlier approval may have blocked 1 of 6 cards.'],
  ['is found not blocked', 'failed', 'Nothing changed.'],
])('a card whose block got no answer, and that %s before the request ends', (_how, found, said) => {
  it.each(endings)('is told of as such once it is %s', async (state, end) => {
    const direct: string[] = [];
    const made = await createWorld(() => ({
      notifyDirectly: async (_userId, _id, { text }) => void direct.push(text),
    }));
    const { deps, blockAll } = made;
    await blockAll(operator);
    const [open] = await deps.requests.open();
    const blocked = [{ acctId: 12, isCertain: false, actionId: 'act_early' }];
    if (open !== undefined) await deps.requests.save({ ...open, blocked });
    expect((await told(made)).message).toContain('An earlier approval may have blocked 1 of 6 cards.');
    await deps.progress.write(blockOf12, stateOf({ ...result, state: found }, deps.now().toISOString()));

    await end(made);

    expect(await deps.requests.get('req_blockall1')).toMatchObject({ state });
    expect([(await told(made)).message, direct.at(-1)]).toEqual([
      expect.stringContaining(said),
      expect.stringContaining(said),
    ]);
  });
});

it.each<[string, Result['state'], string | null]>([
  ['could not be blocked', 'failed', '1 of 6 cards could not be blocked: Holder 11 · card 11. '],
  ['was blocked', 'done', ''],
])('names a card without an answer if another one %s', async (_what, other, said) => {
  const { deps } = (await createWorld()).world;
  const names = acctIds.map((acctId) => `Holder ${acctId} · card ${acctId}`);
  const states = new Map<number, Result['state']>([
    [11, other],
    [12, 'unknown'],
  ]);
  const blockAll = createBlockAll({
    ...deps,
    factsOf: async () => noCard,
    failures: { failAction: async () => {} },
    async block({ action, acctId }) {
      const state = states.get(acctId) ?? 'done';
      await deps.progress.write(action.id, stateOf({ ...result, state }, deps.now().toISOString()));
    },
  });

  const ended = await blockAll(ask('block-all', { id: 'act_early', acctIds, names }), [], { isLast: true });

  expect(ended).toMatchObject({
    state: other,
    note: `${said}No answer came for 1 card: Holder 12 · card 12.`,
  });
  expect(await blockedBy('act_early', [11, 12], deps.progress)).toContainEqual({
    acctId: 12,
    isCertain: false,
    actionId: 'act_early',
  });
});

it('has one final state if a card cannot be read and the request is denied, even if its job runs again', async () => {
  const { world, blockAll, approve } = await failing('refused', [12]);
  await blockAll(operator);
  await approve(approver);
  await approve({ ...approver, id: 'act_deny', approve: false });
  const [before, told] = [await world.stations(), world.answers.length];

  await approve(approver);

  expect(await world.stations()).toEqual(before);
  expect(world.answers).toHaveLength(told);
});

it('blocks every other card before it retries a card without a response', async () => {
  const { blocked, blockAll, approve } = await failing('unavailable', [11]);
  await blockAll(operator);

  await expect(approve(approver)).rejects.toThrow('unavailable');

  expect(blocked).toEqual([12, 13, 14, 15, 16]);
});

it('resumes where it stopped when the card service was down', async () => {
  let calls = 0;
  const { blocked, blockAll, approve } = await createWorld(({ card }, done) => ({
    card: {
      ...card,
      setCardStatus: async (acctId: number) => {
        calls += 1;
        if (calls === 3)
          throw new CardApiError('card API answered 503', {
            code: 'unavailable',
            operation: 'setCardStatus',
            status: 503,
            outcome: 'refused',
            apiMessage: null,
          });
        done.push(acctId);
      },
    },
  }));
  await blockAll(operator);

  await expect(approve(approver)).rejects.toThrow('503');
  await approve(approver);

  expect(blocked.toSorted((a, b) => a - b)).toEqual(acctIds);
});
