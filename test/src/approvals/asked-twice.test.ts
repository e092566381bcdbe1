import { describe, expect, it } from 'vitest';
import type { VerbAction } from '../../../src/dispatch/verbs.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask, createActionWorld, type PerformWorld, performAction, verifyAction } from '../../support/perform-world.ts';

const redis = useRedis();

const alertId = 'evt_0123456789abcdef';
const by = (userId: string) => ({ actor: { userId, teamId: 'T1' } });
const changeTo = (cents: number) => ({ goals: [limitGoal('daily', cents)], term: { kind: 'permanent' } }) as const;
const raiseBy = (userId: string) =>
  ask('limit', { id: `act_${userId.toLowerCase()}`, ...by(userId), changeRequest: changeTo(150_000) });

async function requestId({ deps }: PerformWorld): Promise<string> {
  const [request] = await deps.requests.open();
  return request?.id ?? '';
}

it('does not leave a duplicate of someone else’s request waiting on its alert forever', async () => {
  const world = await createActionWorld(redis());
  await performAction(raiseBy('U0OLGA'), world.deps);
  await performAction(raiseBy('U0ZOE'), world.deps);
  expect(world.answers.at(-1)?.text).toContain('Somebody has asked for that already');

  const target = { kind: 'request', requestId: await requestId(world) } as const;
  await performAction(ask('decide', { id: 'act_ben', ...by('U0BEN'), approve: true, target }), world.deps);

  const outcomes = (await world.deps.alerts.get(alertId))?.outcomes;
  expect(outcomes?.map(({ by: who, state }) => `${who}: ${state}`)).toEqual(['U0OLGA: done']);
  const ends = (await world.records()).filter(({ actionId }) => actionId === 'act_u0zoe').map(({ event }) => event);
  expect(ends).toEqual(['asked', 'unchanged']);
});

it.each<[string, string, (requestId: string) => VerbAction]>([
  [
    'is withdrawn',
    'Somebody else’s request, which you had asked for as well, was withdrawn',
    (id) => ask('withdraw', { id: 'act_end', ...by('U0OLGA'), target: { kind: 'request', requestId: id } }),
  ],
  [
    'is denied',
    'Somebody else’s request, which you had asked for as well, was denied by <@U0BEN>',
    (id) =>
      ask('decide', { id: 'act_end', ...by('U0BEN'), approve: false, target: { kind: 'request', requestId: id } }),
  ],
])('tells whoever asked for the same, once, that the request %s', async (_what, words, end) => {
  const told: string[] = [];
  const world = await createActionWorld(redis(), {
    notifyDirectly: async (userId, _id, { text }) => void told.push(`${userId}: ${text}`),
  });
  await performAction(raiseBy('U0OLGA'), world.deps);
  for (const userId of ['U0ZOE', 'U0ZOE', 'U0EVE', 'U0BEN', 'U0OLGA'])
    await performAction({ ...raiseBy(userId), id: `act_${userId.toLowerCase()}_too` }, world.deps);

  await performAction(end(await requestId(world)), world.deps);

  expect(told.map((text) => text.slice(0, 7)).toSorted()).toEqual(
    [words.endsWith('by <@U0BEN>') ? [] : ['U0BEN: '], 'U0EVE: ', 'U0OLGA:', 'U0ZOE: '].flat(),
  );
  expect(told).toContainEqual(
    `U0ZOE: ${words}: daily limit $1,500.00 · Jane Doe · card of account 7378. Nothing changed. Ask again if you still want it.`,
  );
});

it('does not leave a holder’s duplicate request waiting on its alert forever', async () => {
  const world = await createActionWorld(redis());
  const checkPurchase = async () =>
    ({
      state: 'stopped',
      remedy: {
        kind: 'raise_limit',
        limits: [{ ...limitGoal('daily', 50_000), from: 40_000, remainingCents: 0, isAdjustedToo: false }],
      },
    }) as never;
  const deps = { ...world.deps, checkPurchase };
  await world.deps.links.link({ acctId: 7378, userId: 'U0HUGO', provedBy: 'approver', by: 'U0BEN', at: '' });
  const wish = (id: string) => ask('ask', { id, ...by('U0HUGO'), roles: ['holder'] });
  await performAction(wish('act_one'), deps);
  await performAction(wish('act_two'), deps);
  expect(world.answers.at(-1)?.text).toMatch(/^Already asked: you want to pay .* To withdraw it, open the Home tab\.$/);
  const detail = 'the same request is open';
  expect((await world.records()).at(-1)).toMatchObject({ actionId: 'act_two', event: 'unchanged', detail });

  const target = { kind: 'request', requestId: await requestId(world) } as const;
  await performAction(ask('decide', { id: 'act_ben', ...by('U0BEN'), approve: true, target }), deps);

  const outcomes = (await world.deps.alerts.get(alertId))?.outcomes;
  expect(outcomes?.map(({ state }) => state)).toEqual(['done']);
});

it('lets an approver approve a larger version of their own request, because their first approval is void', async () => {
  const world = await createActionWorld(redis());
  await performAction(raiseBy('U0OLGA'), world.deps);
  const target = { kind: 'request', requestId: await requestId(world) } as const;
  const more = { approve: true, target, changeRequest: changeTo(180_000) };
  await performAction(ask('decide', { id: 'act_ben', ...by('U0BEN'), ...more }), world.deps);
  expect(await world.deps.requests.open()).toMatchObject([
    { approvals: [{ by: 'U0BEN' }], voided: [{ by: 'U0OLGA' }] },
  ]);

  const seen = { ...target, revision: 1 };
  await performAction(ask('decide', { id: 'act_olga', approve: true, target: seen }), world.deps);

  expect(world.service.rules).toMatchObject({ DailySpendLimit: 1800 });
});

it.each([
  ['what was asked for', 150_000],
  ['what it was changed to', 180_000],
])('opens no second request for %s after an approver has changed the first', async (_what, cents) => {
  const world = await createActionWorld(redis());
  await performAction(raiseBy('U0OLGA'), world.deps);
  const target = { kind: 'request', requestId: await requestId(world) } as const;
  const more = { approve: true, target, changeRequest: changeTo(180_000) };
  await performAction(ask('decide', { id: 'act_ben', ...by('U0BEN'), ...more }), world.deps);

  const again = { id: 'act_again', ...by('U0OLGA'), changeRequest: changeTo(cents) };
  await performAction(ask('limit', again), world.deps);

  expect(await world.deps.requests.open()).toMatchObject([{ id: 'req_u0olga', changes: [{ to: 180_000 }] }]);
  expect(world.answers.at(-1)?.text).toContain('You have asked for that already');
});

it.each([
  ['what the first was before an approver changed it', 150_000],
  ['what an approver has changed the first to, which may be changed back', 180_000],
])('opens a request of their own for somebody else who asks for %s', async (_what, cents) => {
  const world = await createActionWorld(redis());
  await performAction(raiseBy('U0OLGA'), world.deps);
  const target = { kind: 'request', requestId: await requestId(world) } as const;
  const more = { approve: true, target, changeRequest: changeTo(180_000) };
  await performAction(ask('decide', { id: 'act_ben', ...by('U0BEN'), ...more }), world.deps);

  await performAction({ ...raiseBy('U0ZOE'), changeRequest: changeTo(cents) }, world.deps);

  expect((await world.deps.requests.open()).map(({ id }) => id).sort()).toEqual(['req_u0olga', 'req_u0zoe']);
  expect(world.answers.at(-1)?.text).not.toContain('asked for that already');
});

it('opens no second request for somebody who had asked for the same before an approver changed it', async () => {
  const world = await createActionWorld(redis());
  await performAction(raiseBy('U0OLGA'), world.deps);
  await performAction(raiseBy('U0ZOE'), world.deps);
  const target = { kind: 'request', requestId: await requestId(world) } as const;
  const more = { approve: true, target, changeRequest: changeTo(180_000) };
  await performAction(ask('decide', { id: 'act_ben', ...by('U0BEN'), ...more }), world.deps);

  await performAction({ ...raiseBy('U0ZOE'), id: 'act_zoe_again' }, world.deps);

  expect((await world.deps.requests.open()).map(({ id }) => id)).toEqual(['req_u0olga']);
  expect(world.answers.at(-1)?.text).toContain('Somebody has asked for that already');
});

describe('an approver’s request that another approver changes and approves', () => {
  const hour = { kind: 'duration', ms: 3_600_000 } as const;

  /** Olga asks, then Zoe for the same, and Ben approves. @returns what each is told. */
  async function approved(by: Partial<Extract<VerbAction, { verb: 'decide' }>>) {
    const told: string[] = [];
    const world = await createActionWorld(redis(), {
      notifyDirectly: async (userId, _id, { text }) => void told.push(`${userId}: ${text}`),
    });
    await performAction(raiseBy('U0OLGA'), world.deps);
    await performAction(raiseBy('U0ZOE'), world.deps);
    const target = { kind: 'request', requestId: await requestId(world) } as const;
    const ben = { actor: { userId: 'U0BEN', teamId: 'T1' }, id: 'act_ben' };
    await performAction(ask('decide', { ...ben, approve: true, target, ...by }), world.deps);
    for (let again: number | null = 0; again !== null; ) {
      world.advance(again);
      again = await verifyAction('act_ben', world.deps);
    }
    const done = (await world.records()).find(({ event, actionId }) => event === 'done' && actionId === 'act_ben');
    return { told, doneBy: done?.actor?.userId };
  }

  it('is on record as theirs, and whoever asked reads what they changed and their note', async () => {
    const changeRequest = { goals: [limitGoal('daily', 90_000)], term: hour };

    expect(await approved({ changeRequest, reason: 'Ask Cleo for the rest' })).toEqual({
      doneBy: 'U0BEN',
      told: [
        'U0OLGA: Approved by <@U0BEN>. Jane Doe · card of account 7378: daily limit $400.00 → $900.00 for 1 hour. This is not exactly what you asked for: daily limit $1,500.00 permanently. Note: “Ask Cleo for the rest”',
        'U0ZOE: Somebody else’s request, which you had asked for as well, was changed and approved by <@U0BEN>: daily limit $400.00 → $900.00 for 1 hour · Jane Doe · card of account 7378. Ask again if you want something else.',
      ],
    });
  });

  it('is told to whoever asked with the note if nothing was changed', async () => {
    const { told, doneBy } = await approved({ changeRequest: changeTo(150_000), reason: 'Keep the receipts' });

    expect(doneBy).toBe('U0OLGA');
    expect(told).toEqual([
      'U0OLGA: Approved by <@U0BEN>. Jane Doe · card of account 7378: daily limit $400.00 → $1,500.00 permanently. Note: “Keep the receipts”',
    ]);
  });

  it('is reported by the change alone if it is as asked for, without a note', async () => {
    expect(await approved({})).toEqual({ doneBy: 'U0OLGA', told: [] });
  });
});
