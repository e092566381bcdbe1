import { expect, it } from 'vitest';
import { AccountDetails } from '../../../src/card-api/schema-account.ts';
import type { DirectoryAccount } from '../../../src/directory/account.ts';
import { refusal, unanswered } from '../../support/card-api-errors.ts';
import { accountOf, directoryOf } from '../../support/directories.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  createActionWorld,
  performAction,
  type WorldDeps,
} from '../../support/perform-world.ts';
import { withReplacement } from '../../support/with-replacement.ts';
import { declined } from '../../templates/fixtures.ts';

const event = (id: string, ofAccount: number) => ({
  acctId: ofAccount,
  id,
  callbackAt: '2026-11-20T15:00:00.0000000Z',
});

const redis = useRedis();

/** The account with these cards, oldest first; their ids are their digits. */
function accountWith(...cards: readonly (readonly [last4: string, status: string])[]) {
  const list = cards.map(([last4, status]) => ({ CardId: Number(last4), Last4CardNumber: last4, CardStatus: status }));
  return AccountDetails.parse({ AccountId: acctId, AccountStatus: 'OPEN', CardList: list });
}

it('activates no other card than the one asked for, because that would close it for good', async () => {
  const world = await createActionWorld(redis());
  const account = accountWith(['0008', 'INACTIVE']);
  const card = { ...world.deps.card, getAccount: async () => account };
  const activate = (id: string, cardId: number) =>
    ask('activate', { id, target: { kind: 'card', acctId, cardId, alertId: null } });

  await performAction(activate('act_9', 9), { ...world.deps, card });
  expect(world.writes).toEqual([]);
  expect(world.answers.at(-1)?.text).toContain('does not list this card');

  await performAction(activate('act_8', 8), { ...world.deps, card });
  expect(world.writes).toEqual(['activate']);
});

it.each(['block', 'unblock', 'activate'] as const)(
  'does not %s a card that has other digits than those by which it was named',
  async (verb) => {
    const world = await createActionWorld(redis());
    const now = verb === 'block' ? 'ACTIVE' : verb === 'unblock' ? 'BLOCKED' : 'INACTIVE';
    const card = { ...world.deps.card, getAccount: async () => accountWith(['0008', now]) };
    const seen = (id: string, last4: string) =>
      ask(verb, { id, target: { kind: 'card', acctId, cardId: 8, last4, alertId: null } });

    await performAction(seen('act_other', '4242'), { ...world.deps, card });
    expect(world.writes).toEqual([]);
    expect(world.answers.at(-1)?.text).toContain('does not list this card');

    await performAction(seen('act_same', '0008'), { ...world.deps, card });
    expect(world.writes).toHaveLength(1);
  },
);

it('names no other card of the account when the service does not list the one asked for', async () => {
  const world = await createActionWorld(redis());
  const cards: DirectoryAccount['cards'] = [{ cardId: 8, last4: '0008', status: 'ACTIVE', seenAt: '' }];
  const account = accountWith(['0008', 'ACTIVE']);
  const deps: WorldDeps = {
    ...world.deps,
    card: { ...world.deps.card, getAccount: async () => account },
    directory: directoryOf({ account: async () => accountOf({ acctId, cards }) }),
  };

  await performAction(ask('unblock', { target: { kind: 'card', acctId, cardId: 9, alertId: null } }), deps);

  expect(world.answers.at(-1)?.text).toContain('does not list this card');
  expect(world.answers.at(-1)?.text).not.toContain('0008');
  expect((await world.records()).at(-1)).toMatchObject({ event: 'failed', cardId: 9 });
});

it('activates no replacement of the card that an alert is about, and says that this card is closed', async () => {
  const world = await createActionWorld(redis());
  const { cardId } = byCommand.target;
  const account = AccountDetails.parse({
    AccountId: acctId,
    AccountStatus: 'OPEN',
    CardList: [
      { CardId: cardId, Last4CardNumber: '1212', CardStatus: 'CLOSED' },
      { CardId: 8, Last4CardNumber: '0008', CardStatus: 'INACTIVE' },
    ],
  });
  const card = { ...world.deps.card, getAccount: async () => account };
  await world.deps.alerts.save(declined('decline.card.status', 'New Card Pending Activation'));

  await performAction(ask('activate'), { ...world.deps, card });

  expect(world.writes).toEqual([]);
  expect(world.answers.at(-1)?.text).toContain(
    'The card is closed for good. The account’s card 0008 is not activated yet.',
  );
});

it('blocks a card at once if an end was typed, and says that a block has none', async () => {
  const world = await createActionWorld(redis());
  const target = { kind: 'card', acctId, cardId: byCommand.target.cardId, alertId: null } as const;

  await performAction(ask('block', { target, reason: 'for 2 hours' }), world.deps);

  expect(world.writes).toEqual(['status BLOCKED']);
  expect(world.answers.at(-1)?.text).toContain('A block has no end: the card stays blocked until it is unblocked.');
});

it('blocks a card whose account the card service answers for without its cards', async () => {
  const world = await createActionWorld(redis());
  const getAccount = () => Promise.reject(refusal(null, { code: 'bad_answer', status: 200 }));

  await performAction(ask('block', byCommand), { ...world.deps, card: { ...world.deps.card, getAccount } });

  expect(world.writes).toEqual(['status BLOCKED']);
});

it('blocks no active card when its replacement, which is not activated, was meant', async () => {
  const world = await createActionWorld(redis());
  const blockNew = (id: string, before: string) => {
    const account = withReplacement(before);
    const card = { ...world.deps.card, getAccount: async () => account };
    const target = { kind: 'card', acctId, cardId: 8, alertId: null } as const;
    return performAction(ask('block', { id, target }), { ...world.deps, card });
  };

  await blockNew('act_1', 'Active');
  expect(world.writes).toEqual([]);
  expect(world.answers.at(-1)?.text).toContain('A block would stop card 0007 instead.');
  await blockNew('act_2', 'Blocked');
  expect(world.writes).toEqual([]);
  expect(world.answers.at(-1)?.text).toContain('A block would stop card 0007 instead, which is blocked already.');

  await blockNew('act_3', 'Closed');
  expect(world.writes).toEqual(['status BLOCKED']);
});

it('blocks no newer card when an older one was meant, and neither is activated', async () => {
  const world = await createActionWorld(redis());
  const account = accountWith(['0007', 'INACTIVE'], ['0008', 'INACTIVE']);
  const card = { ...world.deps.card, getAccount: async () => account };
  const block = (id: string, of: number) => {
    const target = { kind: 'card', acctId, cardId: of, alertId: null } as const;
    return performAction(ask('block', { id, target }), { ...world.deps, card });
  };

  await block('act_older', 7);
  expect(world.writes).toEqual([]);
  expect(world.answers.at(-1)?.text).toContain('A block would stop card 0008 instead, which is not activated either.');

  await block('act_newer', 8);
  expect(world.writes).toEqual(['status BLOCKED']);
});

it.each(['block', 'unblock'] as const)('does not %s the card in use when a closed card was named', async (verb) => {
  const world = await createActionWorld(redis());
  const account = accountWith(['0007', 'CLOSED'], ['0008', verb === 'block' ? 'ACTIVE' : 'BLOCKED']);
  const card = { ...world.deps.card, getAccount: async () => account };
  const name = (id: string, cardId: number) =>
    performAction(ask(verb, { id, target: { kind: 'card', acctId, cardId, alertId: null } }), { ...world.deps, card });

  await name('act_1', 7);
  expect(world.answers.at(-1)?.text).toContain('The card is closed for good. The account’s card in use is 0008.');
  await name('act_2', 6);
  expect(world.answers.at(-1)?.text).toContain('does not list this card');
  expect(world.writes).toEqual([]);
});

it('does not block the card in use when another was named by its digits, on a warning that may be days old', async () => {
  const world = await createActionWorld(redis());
  const account = accountWith(['0007', 'CLOSED'], ['0008', 'ACTIVE']);
  const card = { ...world.deps.card, getAccount: async () => account };
  const block = (id: string, last4: string) => {
    const target = { kind: 'card', acctId, cardId: null, last4, alertId: null } as const;
    return performAction(ask('block', { id, target }), { ...world.deps, card });
  };

  await block('act_old', '0007');
  expect(world.writes).toEqual([]);
  expect(world.answers.at(-1)?.text).toContain('The card is closed for good. The account’s card in use is 0008.');

  await block('act_new', '0008');
  expect(world.writes).toEqual(['status BLOCKED']);
});

it('records and attributes what an activation closes for good', async () => {
  const world = await createActionWorld(redis());
  const cards = (old: string, fresh: string) => ({
    AccountId: acctId,
    AccountStatus: 'OPEN',
    CardList: [
      { CardId: 5, Last4CardNumber: '0005', CardStatus: 'CLOSED' },
      { CardId: 6, Last4CardNumber: '0006', CardStatus: old },
      { CardId: 7, Last4CardNumber: '0007', CardStatus: old },
      { CardId: 8, Last4CardNumber: '0008', CardStatus: fresh },
    ],
  });
  const card = { ...world.deps.card, getAccount: async () => AccountDetails.parse(cards('ACTIVE', 'INACTIVE')) };
  const target = { kind: 'card', acctId, cardId: 8, alertId: null } as const;
  const activate = ask('activate', { target, closes: [6, 7], closesActive: [6, 7] });

  const lines: string[] = [];
  const postAuditLine: WorldDeps['postAuditLine'] = async (_id, { text }) => void lines.push(text);
  await performAction(activate, { ...world.deps, card, postAuditLine });

  const both = 'card 0006 and card 0007';
  const closed = `Closed for good by this: ${both}.`;
  expect(world.answers.at(-1)?.text).toContain(closed);
  expect(lines.at(-1)).toContain(`closed for good by this: ${both}`);
  const records = await world.records();
  expect(records.filter(({ event }) => event !== 'asked')).toMatchObject([
    { event: 'sent', cardId: 8, detail: `This closes for good: ${both}.` },
    { event: 'done', cardId: 8, detail: closed },
  ]);
  const { history } = world.deps;
  const by = activate.actor.userId;
  expect((await history.expectedAction(event('evt_1', acctId), 'CLOSED', 6))?.userId).toBe(by);
  expect((await history.expectedAction(event('evt_2', acctId), 'CLOSED', 7))?.userId).toBe(by);
  expect(await history.expectedAction(event('evt_3', acctId), 'CLOSED', 5)).toBeNull();
});

it.each<[string, boolean]>([
  ['is tried again', false],
  ['is given up', true],
])(
  'says of an active card that a block may still come, while one without an answer %s',
  async (_how, isLastAttempt) => {
    const world = await createActionWorld(redis());
    const setCardStatus = async (): Promise<never> => {
      throw unanswered();
    };
    const silent = { ...world.deps, card: { ...world.deps.card, setCardStatus }, isLastAttempt };
    await performAction(ask('block', byCommand), silent).catch(() => {});

    await performAction(ask('unblock', { ...byCommand, actor: { userId: 'U0ANA', teamId: 'T1' } }), world.deps);

    expect(world.answers.at(-1)?.text).toBe(
      'Nothing changed: Jane Doe · card 1212. The card is active for the moment, but a block of it may still be carried out: look again in two minutes.',
    );
    expect(world.writes).toEqual([]);
  },
);
