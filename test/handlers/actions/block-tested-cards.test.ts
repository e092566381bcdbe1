import { expect, it } from 'vitest';
import { blockTestedCards } from '../../../handlers/actions/block-tested-cards.ts';
import { type CardTestingAlert, testedCardValue } from '../../../src/alerts/alert.ts';
import type { ListenerDeps } from '../../../src/app/compose-web.ts';
import type { Ask } from '../../../src/dispatch/request-action.ts';
import type { Role } from '../../../src/policy/decide-action.ts';
import { transactionAlert } from '../../templates/fixtures.ts';

/** *Block all cards* on a warning about this many cards, in the channel or in a copy that only this person sees. */
async function press(
  count: number,
  {
    isPrivate = false,
    roles = ['operator'],
    own = [],
    now = { roles, isComplete: true },
  }: {
    readonly isPrivate?: boolean;
    readonly roles?: readonly Role[];
    readonly own?: readonly number[];
    /** Their roles without older lists of user groups. */
    readonly now?: { readonly roles: readonly Role[]; readonly isComplete: boolean };
  },
): Promise<Ask[]> {
  const { event, card } = transactionAlert();
  const tried = Array.from({ length: count }, (_, index) => ({
    alertId: `evt_000000000000000${index}`,
    acctId: 7000 + index,
    cardId: index,
    last4: `111${index}`,
    holder: 'Jane Doe',
    amountCents: 100,
    at: event.occurredAt,
    places: [],
    place: '',
  }));
  const warning = {
    kind: 'card-testing',
    event,
    card,
    outcomes: [],
    late: false,
    tried,
  } as unknown as CardTestingAlert;
  const asked: Ask[] = [];
  const deps = {
    seals: { reply: { seal: (url: string) => url } },
    alerts: { get: async () => warning },
    rights: {
      rolesOf: async (_userId: string, { stillGoodMs = 0 } = {}) =>
        stillGoodMs > 0 ? { roles, isComplete: true } : now,
    },
    accountsOf: async () => own,
    requestAction: async (ask: Ask) => void asked.push(ask),
  };
  const last = warning.tried.at(-1);
  if (last === undefined) throw new Error('no card');
  const body = {
    user: { id: 'U0OLGA', team_id: 'T1' },
    team: { id: 'T1' },
    trigger_id: '1.2',
    response_url: 'https://hooks.slack.com/1',
    channel: { id: 'C1' },
    container: { is_ephemeral: isPrivate, message_ts: '1.1' },
    actions: [{ action_id: 'block_tested_cards', value: testedCardValue(event.id, last), action_ts: '1' }],
  };
  const listener = blockTestedCards(deps as unknown as ListenerDeps);
  await listener({ ack: async () => {}, body } as unknown as Parameters<typeof listener>[0]);
  return asked;
}

it.each([true, false])(
  'answers for each card; no answer replaces another. In a private copy: %s',
  async (isPrivate) => {
    const asked = await press(3, { isPrivate });

    expect(asked.map(({ verb }) => verb)).toEqual(['block', 'block', 'block']);
    expect(asked.map(({ origin }) => origin.replace)).toEqual([false, false, false]);
  },
);

it('replaces the private copy with the only answer', async () => {
  expect((await press(1, { isPrivate: true })).map(({ origin }) => origin.replace)).toEqual([true]);
});

it('names each card by the digits that were shown, because the account may have another card by now', async () => {
  const shown = (await press(2, { isPrivate: false })).map(({ target }) => target);

  expect(shown).toMatchObject([
    { acctId: 7000, last4: '1110' },
    { acctId: 7001, last4: '1111' },
  ]);
});

it.each<[string, Role[], number[], number[]]>([
  ['holds none of the cards', ['holder'], [1], [7000]],
  ['holds one of them, which they may block', ['holder'], [7002], [7002, 7000]],
  ['has no role', [], [], [7000]],
])('refuses once if the person only %s', async (_who, roles, own, accounts) => {
  const asked = await press(4, { roles, own });

  expect(asked.map(({ target }) => target.kind === 'card' && target.acctId)).toEqual(accounts);
});

it.each<[string, Role[], boolean]>([
  ['is an operator by a newer list', ['holder', 'operator'], true],
  ['may be an operator, which Slack does not say', ['holder'], false],
])('asks for all cards if somebody who is only a holder by an older list %s', async (_who, roles, isComplete) => {
  const asked = await press(4, { roles: ['holder'], own: [7002], now: { roles, isComplete } });

  expect(asked.map(({ target }) => target.kind === 'card' && target.acctId)).toEqual([7000, 7001, 7002, 7003]);
});

it('asks for one card if Slack does not say whether somebody has a role: it is not taken, and they are told', async () => {
  const asked = await press(4, { roles: [], now: { roles: [], isComplete: false } });

  expect(asked).toHaveLength(1);
});
