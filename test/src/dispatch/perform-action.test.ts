import { expect, it } from 'vitest';
import { CardApiError } from '../../../src/core/errors.ts';
import type { CardMatch } from '../../../src/directory/index-entries.ts';
import type { Role } from '../../../src/policy/decide-action.ts';
import { unanswered } from '../../support/card-api-errors.ts';
import { directoryOf } from '../../support/directories.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  cardId,
  createActionWorld,
  performAction,
  verbsOf,
  type WorldDeps,
} from '../../support/perform-world.ts';

const redis = useRedis();
const limited = new CardApiError('too many requests', {
  operation: 'setCardStatus',
  status: 429,
  outcome: 'refused',
  code: 'rate_limited',
  apiMessage: null,
});

it('promises to tell how it ends where the message with the button shows nothing: another company reads it', async () => {
  const world = await createActionWorld(redis(), { visibilityOf: async () => 'shared' });
  const card = { ...world.deps.card, setCardStatus: () => Promise.reject(limited) };

  await expect(performAction(ask('block'), { ...world.deps, card })).rejects.toThrow(CardApiError);

  expect(world.answers.map(({ text }) => text)).toEqual([
    expect.stringMatching(/for a few minutes and tell you how it ends\./),
  ]);
});

it('says once that a change takes longer while the card service limits requests, and how it ended', async () => {
  const world = await createActionWorld(redis());
  const texts = () => world.answers.map(({ text }) => text);
  const attempt = async (over: Partial<WorldDeps>, card: Partial<WorldDeps['card']>) =>
    await performAction(ask('block'), { ...world.deps, ...over, card: { ...world.deps.card, ...card } });
  const rejects = { setCardStatus: () => Promise.reject(limited) };

  await expect(attempt({}, rejects)).rejects.toThrow(CardApiError);
  expect(texts()).toEqual([
    'Still trying to block Jane Doe · card of account 7378. The card service is rate limiting Cardbell. I’ll keep trying for a few minutes; the message with the button shows how it ends. If it is urgent, block the card in the card program’s portal.',
  ]);

  await expect(attempt({}, rejects)).rejects.toThrow(CardApiError);
  expect(texts()).toHaveLength(1);

  await attempt({ isLastAttempt: true }, rejects);
  expect(texts()).toHaveLength(2);
  expect(texts()[1]).toContain('The card service was rate limiting Cardbell. Try again in a few minutes.');
});

it.each(['show', 'track'] as const)('gives up a %s at once if the card service cannot be asked', async (verb) => {
  const world = await createActionWorld(redis());
  const card = { ...world.deps.card, getAccount: () => Promise.reject(limited) };

  await performAction(ask(verb, byCommand), { ...world.deps, card });

  const texts = world.answers.map(({ text }) => text);
  expect(texts).toEqual([
    expect.stringContaining('The card service was rate limiting Cardbell. Try again in a few minutes.'),
  ]);
});

it.each(['show', 'track', 'declines'] as const)('a %s waits no minute for the card service', async (verb) => {
  const world = await createActionWorld(redis());
  const deadlines: unknown[] = [];
  const card = { ...world.deps.card };
  for (const name of ['getAccount', 'getSpendRules', 'getRemainingLimits', 'listAccountNetworkTransactions'] as const)
    card[name] = async (...args: unknown[]) => {
      deadlines.push((args.at(-1) as { readonly deadlineMs?: number }).deadlineMs);
      throw limited;
    };

  await performAction(ask(verb, byCommand), { ...world.deps, card }).catch(() => {});

  expect(deadlines.length).toBeGreaterThan(0);
  for (const deadlineMs of deadlines) expect(deadlineMs).toBeLessThanOrEqual(20_000);
});

it('says nothing in between when the first attempt is also the last one', async () => {
  const world = await createActionWorld(redis());
  const card = { ...world.deps.card, setCardStatus: () => Promise.reject(limited) };
  await performAction(ask('block'), { ...world.deps, isLastAttempt: true, card });
  expect(world.answers.map(({ text }) => text)).toEqual([expect.stringContaining('was rate limiting Cardbell')]);
});

it('says that a typed change may have been made if its answer was lost and the person has lost the role since', async () => {
  let roles: Role[] = ['approver'];
  const card = { cardId, last4: '1212', status: 'BLOCKED' as const, seenAt: '2026-11-20T15:00:00.000Z' };
  const match = { acctId, matchedBy: 'last4', cards: [card] } as unknown as CardMatch;
  const find = async (_text: string, may?: (one: CardMatch) => Promise<boolean>) =>
    (await may?.(match)) === false ? [] : [match];
  const world = await createActionWorld(redis(), {
    rolesOf: async () => ({ roles, isComplete: true }),
    directory: directoryOf({ find, findKnown: async () => [match] }),
  });
  world.service.status = 'BLOCKED';
  const loses = { ...world.deps.card, setCardStatus: () => Promise.reject(unanswered()) };
  const { performAction: perform } = verbsOf({ ...world.deps, card: loses });
  const unblock = ask('unblock', { ...byCommand, target: { kind: 'words', words: ['1212'] } });

  await expect(perform(unblock, { isLast: false })).rejects.toThrow('unavailable');
  roles = [];
  await perform(unblock, { isLast: false });

  expect(world.answers.at(-1)?.text).toMatch(/^Not sure: tried to unblock .* Only approvers may unblock cards\./);
  expect(await world.stations()).toEqual(['asked', 'sent', 'unknown']);
});
