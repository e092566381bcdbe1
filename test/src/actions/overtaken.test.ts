import { expect, it } from 'vitest';
import { whyOvertaken } from '../../../src/actions/send-status.ts';
import type { StatusRecord } from '../../../src/core/event.ts';
import { unanswered } from '../../support/card-api-errors.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  cardId,
  createActionWorld,
  type Over,
  performAction,
} from '../../support/perform-world.ts';

const earlier = '2026-11-20T14:00:00.000Z';
const later = '2026-11-20T15:00:01.000Z';
const told = (status: StatusRecord['status'], over: Partial<StatusRecord> = {}): StatusRecord => ({
  eventId: `evt_${status}`,
  status,
  callbackAt: earlier,
  receivedAt: earlier,
  ...over,
});
const now = { callbackAt: later, receivedAt: later };
const blocked = told('BLOCKED');

interface Given {
  readonly told?: readonly StatusRecord[];
  /** The verb that someone asked for later and that was performed first. */
  readonly later?: string;
  /** Who asked for it. */
  readonly by?: string;
  /** The last event belongs to one of our own actions. */
  readonly isOurs?: boolean;
}

function why(verb: 'block' | 'unblock', { told: known = [], later: done, by, isOurs = false }: Given) {
  return whyOvertaken(
    verb,
    { action: ask(verb), acctId, cardId },
    {
      latestChanges: {
        isOvertaken: async (_acctId, _expects, _action, counts) => done !== undefined && counts?.(done, by) !== false,
      },
      history: { statuses: async () => known, isExpected: async () => isOurs },
    },
  );
}

it.each<[string, 'block' | 'unblock', Given, RegExp]>([
  ['a block gives way to a later unblock', 'block', { later: 'unblock' }, /Somebody asked/],
  [
    'a block gives way to the undo of one by the same person',
    'block',
    { later: 'undo-block', by: 'U0OLGA' },
    /Somebody asked/,
  ],
  ['an unblock gives way to a later block', 'unblock', { later: 'block' }, /Somebody asked/],
  [
    'a block gives way to a later unblock outside Slack',
    'block',
    { told: [blocked, told('ACTIVE', now)] },
    /outside Slack/,
  ],
  ['an unblock gives way to a later block outside Slack', 'unblock', { told: [told('BLOCKED', now)] }, /outside Slack/],
])('%s', async (_what, verb, given, expected) => {
  expect(await why(verb, given)).toMatch(expected);
});

it.each<[string, 'block' | 'unblock', Given]>([
  ['no known status events', 'block', {}],
  ['an activation that someone asked for later', 'block', { later: 'activate' }],
  ['another block that someone asked for later', 'block', { later: 'block' }],
  ['the undo of somebody else’s block', 'block', { later: 'undo-block', by: 'U0OTTO' }],
  ['an unblock that we sent for an earlier request', 'block', { told: [blocked, told('ACTIVE', now)], isOurs: true }],
  [
    'an unblock reported before the block was requested, although the card service’s clock is ahead',
    'block',
    { told: [blocked, told('ACTIVE', { callbackAt: later })] },
  ],
  [
    'an unblock made before the block was requested, although its webhook arrived late',
    'block',
    { told: [blocked, told('ACTIVE', { receivedAt: later })] },
  ],
  [
    'an activation, because the person who found the card may not be its holder',
    'block',
    { told: [told('INACTIVE'), told('ACTIVE', now)] },
  ],
  ['a block outside Slack, which has the same effect', 'block', { told: [told('ACTIVE'), told('BLOCKED', now)] }],
])('a block still goes ahead with %s', async (_what, verb, given) => {
  expect(await why(verb, given)).toBeNull();
});

const redis = useRedis();

/** The card service loses the first write, and something happens before the action is tried again. */
async function triedAgain(verb: 'unblock' | 'limit', over: Over, meanwhile: (world: World) => Promise<void>) {
  const world = await createActionWorld(redis());
  const { card, history } = world.deps;
  world.service.status = 'BLOCKED';
  await history.addStatus(cardId, told('BLOCKED'));
  let isLost = false;
  const losing =
    <Args extends unknown[]>(write: (...args: Args) => Promise<void>) =>
    async (...args: Args): Promise<void> => {
      if (isLost) return await write(...args);
      isLost = true;
      throw unanswered();
    };
  const deps = {
    ...world.deps,
    card: { ...card, setCardStatus: losing(card.setCardStatus), putSpendRules: losing(card.putSpendRules) },
  };
  const action = ask(verb, { ...byCommand, ...over });
  await expect(performAction(action, deps)).rejects.toThrow('unavailable');
  world.advance(5000);
  await meanwhile({ ...world, deps });
  world.advance(5000);
  await performAction(action, deps);
  return { writes: world.writes, answers: world.answers.map(({ text }) => text) };
}
type World = Awaited<ReturnType<typeof createActionWorld>>;

const later5 = '2026-11-20T15:00:05.000Z';
const byCem = { ...byCommand, id: 'act_2', actor: { userId: 'U0CEM', teamId: 'T1' }, askedAt: later5 } as const;

it.each<[string, (world: World) => Promise<void>, readonly string[]]>([
  [
    'somebody asked to block the card, which was blocked still',
    ({ deps }) => performAction(ask('block', byCem), deps),
    ['status BLOCKED'],
  ],
  [
    'the card was blocked outside Slack, and only that webhook has come',
    async ({ deps }) => void (await deps.history.addStatus(cardId, told('BLOCKED', { ...now, eventId: 'evt_theirs' }))),
    [],
  ],
])('an unblock without an answer is not sent again if since then %s', async (_what, meanwhile, others) => {
  const { writes, answers } = await triedAgain('unblock', {}, meanwhile);

  expect(writes).toEqual(others);
  expect(answers.at(-1)).toMatch(/^Not sure: tried to unblock .* I did not repeat it\./);
});

it('a raise without an answer is not sent again if somebody has asked for the limit as it was', async () => {
  const change = (dollars: number) => ({
    changeRequest: { goals: [limitGoal('daily', dollars * 100)], term: { kind: 'permanent' as const } },
  });
  const { writes, answers } = await triedAgain('limit', change(900), ({ deps }) =>
    performAction(ask('limit', { ...byCem, ...change(400) }), deps),
  );

  expect(writes).toEqual([]);
  expect(answers[0]).toMatch(/^Still trying to change a limit of Jane Doe/);
  expect(answers[1]).toContain('The daily limit is $400.00 already.');
  expect(answers.at(-1)).toContain('so I did not send yours again');
});
