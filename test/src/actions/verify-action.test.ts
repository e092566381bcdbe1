import { describe, expect, it } from 'vitest';
import { toCardFacts } from '../../../src/directory/account.ts';
import { refusal, unanswered } from '../../support/card-api-errors.ts';
import { accountOf, directoryOf } from '../../support/directories.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  createActionWorld,
  type PerformWorld,
  performAction,
  verifyAction,
} from '../../support/perform-world.ts';

const event = (id: string, ofAccount: number) => ({
  acctId: ofAccount,
  id,
  callbackAt: '2026-11-20T15:00:00.0000000Z',
});

const redis = useRedis();

/** Runs the job until it no longer reschedules itself. @returns how long it took by the action's clock. */
async function confirm(world: PerformWorld, actionId: string): Promise<number> {
  let tookMs = 0;
  for (;;) {
    const again = await verifyAction(actionId, world.deps);
    if (again === null) return tookMs;
    world.advance(again);
    tookMs += again;
  }
}

async function unreadable(): Promise<never> {
  throw unanswered();
}

describe('a change that was sent', () => {
  it('shows at once who did what, and that it is not confirmed yet', async () => {
    const world = await createActionWorld(redis());

    await performAction(ask('block'), world.deps);

    expect(world.shown).toEqual([{ state: 'done', confirmation: 'sent' }]);
    expect(await world.stations()).toEqual(['asked', 'sent', 'done']);
  });

  it('is confirmed by its webhook without calling the card service', async () => {
    const world = await createActionWorld(redis());
    await performAction(ask('block'), world.deps);
    const { getAccount: _unused, ...card } = world.deps.card;

    await world.deps.history.expectedAction(event('evt_status1', acctId), 'BLOCKED');
    const tookMs = await confirm({ ...world, deps: { ...world.deps, card: card as never } }, 'act_block1');

    expect(tookMs).toBe(0);
    expect(world.shown.at(-1)).toEqual({ state: 'done', confirmation: 'confirmed' });
    const records = [];
    for await (const { record } of world.deps.audit.read()) records.push(record);
    expect(records.at(-1)).toMatchObject({ event: 'confirmed', confirmedBy: 'webhook', eventId: 'evt_status1' });
  });

  it('is not reported as confirmed before it is reported as sent', async () => {
    const world = await createActionWorld(redis());
    await performAction(ask('block'), world.deps);
    await world.deps.history.expectedAction(event('evt_status1', acctId), 'BLOCKED');
    const sent = await world.deps.progress.read('act_block1');
    if (sent === null || !('isNotified' in sent)) throw new Error('the block was not sent');
    const progress = { ...world.deps.progress, read: async () => ({ ...sent, isNotified: false }) };

    expect(await verifyAction('act_block1', { ...world.deps, progress })).toBeGreaterThan(0);
    expect(world.shown).toEqual([{ state: 'done', confirmation: 'sent' }]);
  });

  it.each(['block', 'limit'] as const)('is confirmed by reading the card service (%s)', async (verb) => {
    const world = await createActionWorld(redis());
    await performAction(ask(verb), world.deps);

    const tookMs = await confirm(world, `act_${verb}1`);

    expect(tookMs).toBeLessThan(8000);
    expect(world.shown.at(-1)).toEqual({ state: 'done', confirmation: 'confirmed' });
    expect(await world.deps.progress.awaited()).toEqual([]);
    expect(world.answers).toEqual([]);
  });

  it.each([
    ['shows something else', undefined],
    ['cannot be read', unreadable],
  ])(
    'is reported to the requester, ops and the audit channel if the card service %s for two minutes',
    async (_how, away) => {
      const world = await createActionWorld(redis());
      await performAction(ask('block', byCommand), world.deps);
      world.service.status = 'ACTIVE';
      const card = away === undefined ? world.deps.card : { ...world.deps.card, getAccount: away };

      const tookMs = await confirm({ ...world, deps: { ...world.deps, card } }, 'act_block1');

      expect(tookMs).toBe(120_000);
      expect(world.answers.map(({ text }) => text)).toEqual([expect.stringMatching(/^Blocked: Jane Doe/)]);
      expect(world.direct.map(({ text }) => text)).toEqual([expect.stringMatching(/^Not confirmed: block Jane Doe/)]);
      expect(world.opsIssues).toEqual([expect.stringMatching(/^unconfirmed:/)]);
      expect(await world.stations()).toEqual(['asked', 'sent', 'done', 'unconfirmed']);
    },
  );

  it.each([
    ['the alert is changed', ask('block')],
    ['the person is notified', ask('block', byCommand)],
  ])('is on record before %s', async (_what, action) => {
    const world = await createActionWorld(redis());
    await performAction(action, world.deps);
    world.service.status = 'ACTIVE';
    const lastOnRecord: unknown[] = [];
    const look = async (): Promise<void> => void lastOnRecord.push((await world.stations()).at(-1));

    await confirm({ ...world, deps: { ...world.deps, updateAlert: look, notifyDirectly: look } }, action.id);

    expect(lastOnRecord).toEqual(['unconfirmed']);
  });

  it.each([
    ['a form on a copy of the alert that only the requester saw', null, 1],
    ['the alert, which shows it', '1.1', 0],
  ])('is reported to the requester as promised, after %s', async (_where, messageTs, count) => {
    const world = await createActionWorld(redis());
    const origin = { kind: 'form', channel: 'C1', messageTs, reply: null, replace: false } as const;
    await performAction(ask('block', { origin }), world.deps);
    world.service.status = 'ACTIVE';

    await confirm(world, 'act_block1');

    expect(world.answers.map(({ text }) => text)).toEqual(
      [expect.stringContaining('I’ll message you if it isn’t confirmed')].slice(0, count),
    );
    expect(world.direct.map(({ text }) => text)).toEqual(
      [expect.stringMatching(/^Not confirmed: block Jane Doe/)].slice(0, count),
    );
    const alert = await world.deps.alerts.get('evt_0123456789abcdef');
    expect(alert?.outcomes).toMatchObject([{ verb: 'block', confirmation: 'unconfirmed' }]);
  });

  const inDirectMessage = { kind: 'button', channel: 'D1', messageTs: '1.1', reply: null, replace: false } as const;

  it('is a message to whoever pressed the button of an alert in a direct message: Slack notifies nobody of an edit', async () => {
    const world = await createActionWorld(redis());
    await performAction(ask('block', { origin: inDirectMessage }), world.deps);
    world.service.status = 'ACTIVE';

    await confirm(world, 'act_block1');

    expect(world.answers).toEqual([]);
    expect(world.direct.map(({ text }) => text)).toEqual([expect.stringMatching(/^Not confirmed: block Jane Doe/)]);
    const alert = await world.deps.alerts.get('evt_0123456789abcdef');
    expect(alert?.outcomes).toMatchObject([{ verb: 'block', confirmation: 'unconfirmed' }]);
  });

  it('is a message, like the answer before, to whoever pressed the button where another company reads', async () => {
    const world = await createActionWorld(redis(), { visibilityOf: async () => 'shared' });
    await performAction(ask('block'), world.deps);
    expect(world.answers.map(({ text }) => text)).toEqual([expect.stringMatching(/^Blocked: Jane Doe/)]);
    world.service.status = 'ACTIVE';

    await confirm(world, 'act_block1');

    expect(world.direct.map(({ text }) => text)).toEqual([expect.stringMatching(/^Not confirmed: block Jane Doe/)]);
  });

  it('is only shown there if it is confirmed', async () => {
    const world = await createActionWorld(redis());
    await performAction(ask('block', { origin: inDirectMessage }), world.deps);

    await confirm(world, 'act_block1');

    expect([...world.answers, ...world.direct]).toEqual([]);
    expect(world.shown.at(-1)).toEqual({ state: 'done', confirmation: 'confirmed' });
  });

  it('is also a message if the answer replaced a question', async () => {
    const world = await createActionWorld(redis());
    const origin = { kind: 'button', channel: 'C1', messageTs: null, reply: 'sealed', replace: true } as const;
    await performAction(ask('block', { origin }), world.deps);
    world.service.status = 'ACTIVE';

    await confirm(world, 'act_block1');

    const said = expect.stringMatching(/^Not confirmed: block Jane Doe/);
    expect([world.answers.at(-1)?.text, ...world.direct.map(({ text }) => text)]).toEqual([said, said]);
  });

  it('is one message if the answer that replaces a question comes too late to be only there', async () => {
    const ids: string[] = [];
    const world = await createActionWorld(redis(), {
      answer: async ({ id }) => void ids.push(id),
      notifyDirectly: async (_userId, id) => void ids.push(id),
    });
    const origin = { kind: 'button', channel: 'C1', messageTs: null, reply: 'sealed', replace: true } as const;
    await performAction(ask('block', { origin }), world.deps);
    world.service.status = 'ACTIVE';

    await confirm(world, 'act_block1');

    expect(ids).toEqual(['act_block1', 'act_block1-unconfirmed', 'act_block1-unconfirmed']);
  });

  it('is reported once, even if its jobs run again', async () => {
    const world = await createActionWorld(redis());
    await performAction(ask('block', byCommand), world.deps);
    await confirm(world, 'act_block1');
    const before = { answers: world.answers.length, direct: world.direct.length, stations: await world.stations() };

    await confirm(world, 'act_block1');
    await performAction(ask('block', byCommand), world.deps);

    expect({ answers: world.answers.length, direct: world.direct.length, stations: await world.stations() }).toEqual(
      before,
    );
  });

  it('raises no alarm if the next action undoes it before it is verified', async () => {
    const world = await createActionWorld(redis());
    await performAction(ask('block'), world.deps);
    await performAction(ask('unblock', { id: 'act_unblock1' }), world.deps);

    await confirm(world, 'act_block1');
    await confirm(world, 'act_unblock1');

    expect(world.opsIssues).toEqual([]);
    expect(await world.stations()).toEqual([
      'asked',
      'sent',
      'done',
      'asked',
      'sent',
      'done',
      'superseded',
      'confirmed',
    ]);
  });
});

it('notifies the person who typed a change if someone else changes it before it is confirmed', async () => {
  const world = await createActionWorld(redis());
  const actor = { userId: 'U2', teamId: 'T1' };
  await performAction(ask('block', byCommand), world.deps);
  await performAction(ask('unblock', { ...byCommand, actor, id: 'act_unblock1' }), world.deps);

  await confirm(world, 'act_block1');

  expect(world.direct.at(-1)?.text).toMatch(/^Blocked: Jane Doe.*changed again before the card service confirmed it/);
});

it('reports only the later change to a person who changes the same setting twice', async () => {
  const world = await createActionWorld(redis());
  await performAction(ask('block', byCommand), world.deps);
  await performAction(ask('unblock', { ...byCommand, id: 'act_unblock1' }), world.deps);
  const before = world.answers.length;

  await confirm(world, 'act_block1');

  expect(world.answers.slice(before)).toEqual([]);
});

it.each([
  ['active', 'unconfirmed', { isOnlyThere: false }],
  ['blocked', 'confirmed', { isOnlyThere: true }],
] as const)(
  'a block in place of a question is a message as well only if that is news: %s',
  async (is, found, options) => {
    const said: unknown[] = [];
    const world = await createActionWorld(redis(), {
      answer: async ({ id }, _message, given) => void said.push([id, given]),
    });
    const origin = { kind: 'button', channel: 'C1', messageTs: null, reply: 'sealed', replace: true } as const;
    await performAction(ask('block', { origin }), world.deps);
    if (is === 'active') world.service.status = 'ACTIVE';

    await confirm(world, 'act_block1');

    expect(said.at(-1)).toEqual([`act_block1-${found}`, options]);
  },
);

it('leaves the answer to an undo in place when the block that it undid is confirmed after it', async () => {
  const world = await createActionWorld(redis());
  const origin = { kind: 'button', channel: 'C1', messageTs: null, reply: 'sealed', replace: true } as const;
  await performAction(ask('block', { ...byCommand, origin }), world.deps);
  const undone = { kind: 'action', actionId: 'act_block1' } as const;
  await performAction(ask('undo-block', { id: 'act_undo1', origin, target: undone }), world.deps);
  for (const [id, status] of [['evt_b', 'BLOCKED'] as const, ['evt_a', 'ACTIVE'] as const])
    await world.deps.history.expectedAction({ acctId, id, callbackAt: '2026-11-20T15:00:00.500Z' }, status);

  await confirm(world, 'act_undo1');
  const before = world.answers.length;
  await confirm(world, 'act_block1');

  expect(world.answers.slice(before)).toEqual([]);
  expect(world.answers.at(-1)?.text).toMatch(/^Unblocked: Jane Doe.*onfirmed/);
  expect(world.direct).toEqual([]);
  expect((await world.stations()).slice(-2), 'both are on record').toEqual(['confirmed', 'confirmed']);
});

it.each(['fails', 'is refused'])('leaves the answer to an undo in place that %s', async (how) => {
  const world = await createActionWorld(redis());
  const origin = { kind: 'button', channel: 'C1', messageTs: null, reply: 'sealed', replace: true } as const;
  await performAction(ask('block', { ...byCommand, origin }), world.deps);
  const undone = { kind: 'action', actionId: 'act_block1' } as const;
  const undo = ask('undo-block', { id: 'act_undo1', origin, target: undone });
  const cannot = async (): Promise<never> => {
    throw refusal('Card cannot be changed');
  };
  if (how === 'fails')
    await performAction(undo, { ...world.deps, card: { ...world.deps.card, setCardStatus: cannot } });
  else {
    await performAction(
      ask('block', { ...byCommand, id: 'act_block2', actor: { userId: 'U2', teamId: 'T1' } }),
      world.deps,
    );
    await performAction(undo, world.deps);
  }
  const before = world.answers.length;
  await world.deps.history.expectedAction({ acctId, id: 'evt_b', callbackAt: '2026-11-20T15:00:00.500Z' }, 'BLOCKED');

  await confirm(world, 'act_block1');

  expect(world.answers.slice(before)).toEqual([]);
  expect((await world.stations()).at(-1)).toBe('confirmed');
});

it('tells a person whose answer was replaced since that the confirmed limit took the card off its ruleset', async () => {
  let ruleset: { id: number; name: null; mayOverrule: boolean } | null = { id: 2, name: null, mayOverrule: true };
  const world = await createActionWorld(redis(), {
    directory: directoryOf({ reload: async () => accountOf({ rulesetId: null }) }),
    toFacts: (id, account, which) => ({ ...toCardFacts(id, account, which), ruleset }),
    nameRuleset: async (card) => card,
  });
  const origin = { kind: 'button', channel: 'C1', messageTs: null, reply: 'sealed', replace: true } as const;
  await performAction(ask('limit', { ...byCommand, origin }), world.deps);
  ruleset = null;
  const before = world.answers.length;
  await world.deps.progress.answerReplaced('act_limit1');

  await confirm(world, 'act_limit1');

  expect(world.answers.slice(before)).toEqual([]);
  expect(world.direct.map(({ text }) => text)).toEqual([expect.stringMatching(/ruleset/)]);
});

it('reports an unanswered change of a limit that nothing shows: first that it checks, then that it has ended', async () => {
  const world = await createActionWorld(redis());
  const deps = {
    ...world.deps,
    isLastAttempt: true,
    card: { ...world.deps.card, putSpendRules: unreadable },
  };
  const limit = { changeRequest: { goals: [limitGoal('daily', 45_000)], term: { kind: 'permanent' } } } as const;
  await performAction(ask('limit', { ...byCommand, ...limit }), deps);
  world.advance(2 * 60_000);

  await confirm(world, 'act_limit1');

  const change = 'Daily limit $400.00 → $450.00. ';
  expect(world.answers.map(({ text }) => text)).toEqual([
    expect.stringMatching(
      /Daily limit \$400\.00 → \$450\.00\. .*I’m checking, and will message you within 2 minutes\.$/,
    ),
  ]);
  expect(world.direct.map(({ text }) => text)).toEqual([
    expect.stringContaining(`${change}Still not confirmed after 2 minutes. Check the card before you try again.`),
  ]);
});

it('reports an unanswered write as soon as the card can be read again', async () => {
  const world = await createActionWorld(redis());
  const card = {
    ...world.deps.card,
    getAccount: unreadable,
    setCardStatus: async (id: number, status: 'ACTIVE' | 'BLOCKED') => {
      await world.deps.card.setCardStatus(id, status);
      await unreadable();
    },
  };
  await performAction(ask('block', byCommand), { ...world.deps, card, isLastAttempt: true });

  await confirm(world, 'act_block1');

  expect(world.answers.map(({ text }) => text)).toEqual([expect.stringMatching(/^Not sure: tried to block Jane Doe/)]);
  expect(world.direct.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^Blocked: Jane Doe.*Confirmed by the card service/),
  ]);
  expect(await world.stations()).toEqual(['asked', 'sent', 'unknown', 'confirmed']);
});

describe('a block without an answer, after an earlier block of the card', () => {
  const earlierAt = '2026-11-20T15:00:00.5000000Z';
  /** Blocks and unblocks the card. Then nothing comes of another block. */
  async function blockedAgain(laterMs: number): Promise<PerformWorld> {
    const world = await createActionWorld(redis());
    const { deps } = world;
    await performAction(ask('block', { ...byCommand, id: 'act_earlier' }), deps);
    world.advance(laterMs);
    const over = () => ({ ...byCommand, askedAt: deps.now().toISOString() });
    await performAction(ask('unblock', over()), deps);
    world.advance(laterMs);
    const card = { ...deps.card, setCardStatus: unreadable };
    await performAction(ask('block', { ...over(), id: 'act_later' }), { ...deps, card, isLastAttempt: true });
    return world;
  }
  const tell = ({ deps }: PerformWorld) =>
    deps.history.expectedAction({ acctId, id: 'evt_earlier', callbackAt: earlierAt }, 'BLOCKED');

  it('is not confirmed by the delayed webhook of that one', async () => {
    const world = await blockedAgain(60_000);

    expect(await tell(world)).toBeNull();
    await confirm(world, 'act_later');

    expect((await world.stations()).at(-1)).toBe('unconfirmed');
  });

  it('is not confirmed by it either if both were requested within a minute, but the card decides', async () => {
    const world = await blockedAgain(10_000);

    expect(await tell(world)).not.toBeNull();
    await confirm(world, 'act_later');

    expect((await world.stations()).at(-1)).toBe('unconfirmed');
  });

  it.each([
    ['shows it', async ({ service }: PerformWorld) => void Object.assign(service, { status: 'BLOCKED' }), 0],
    [
      'cannot be read',
      async ({ deps }: PerformWorld) => void Object.assign(deps.card, { getAccount: unreadable }),
      120_000,
    ],
  ])('is confirmed by its webhook if the card %s', async (_what, prepare, afterMs) => {
    const world = await blockedAgain(60_000);
    await prepare(world);
    const callbackAt = world.deps.now().toISOString();
    await world.deps.history.expectedAction({ acctId, id: 'evt_later', callbackAt }, 'BLOCKED');

    expect(await confirm(world, 'act_later')).toBe(afterMs);

    expect((await world.records()).at(-1)).toMatchObject({ event: 'confirmed', confirmedBy: 'webhook' });
  });
});
