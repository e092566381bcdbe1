import { beforeEach, describe, expect, it } from 'vitest';
import type { Target } from '../../../src/actions/action.ts';
import type { ActionState } from '../../../src/actions/action-state.ts';
import type { Responses, Rights } from '../../../src/actions/action-tools.ts';
import type { CardFacts } from '../../../src/core/card-facts.ts';
import type { CardStatus } from '../../../src/core/event.ts';
import type { CardMatch } from '../../../src/directory/index-entries.ts';
import { createAskWhich, createFindCard, createResolveCard } from '../../../src/directory/resolve-card.ts';
import type { Message } from '../../../src/slack/message.ts';
import type { Refusal } from '../../../templates/policy/refusal.ts';
import { ask } from '../../support/perform-world.ts';
import { card } from '../../templates/fixtures.ts';

/** The card service does not answer. */
let isAway = false;
let linked: { acctId: number; userId: string }[] = [];
let accounts = 20;
let lackingDetails = 0;
/** Accounts whose cards have not been read. */
let unread: readonly number[] = [];
/** The cards of an account, as the card service lists them. */
let cards: CardMatch['cards'][number][] = [];
/** Of accounts with other ones. */
let cardsOf: Readonly<Record<number, typeof cards>> = {};
/** Accounts that are closed. */
let terminated: readonly number[] = [];
let found: Readonly<Record<string, CardMatch[]>> = {};
/** The matches once the cards are listed; null if they already are. */
let listed: typeof found | null = null;
/** How far the action got before. */
let written: ActionState | null = null;
const refusals: Refusal[] = [];
const answers: Message[] = [];
const choices: Target[] = [];
beforeEach(() => {
  isAway = false;
  linked = [];
  accounts = 20;
  lackingDetails = 0;
  unread = [];
  cards = [];
  cardsOf = {};
  terminated = [];
  found = {};
  listed = null;
  written = null;
  refusals.length = 0;
  answers.length = 0;
  choices.length = 0;
});

const facts: CardFacts = card;
const none = { cardId: null, last4: null };
const ofAlerts: Readonly<Record<string, Awaited<ReturnType<Parameters<typeof createFindCard>[0]['cardOfAlert']>>>> = {
  evt_known: { acctId: 7, cardId: 8, named: { cardId: 8, last4: '0008' } },
  evt_bare: { acctId: null, cardId: null, named: none },
  evt_decline: { acctId: 7, cardId: null, named: { cardId: 1, last4: '0001' } },
  evt_shipped: { acctId: 7, cardId: null, named: { cardId: null, last4: '0002' } },
  evt_unnamed: { acctId: 7, cardId: null, named: none },
};
const cardOf = (cardId: number, status: CardStatus): CardMatch['cards'][number] => ({
  cardId,
  last4: `000${cardId}`,
  status,
  seenAt: '2026-11-20T15:00:00.000Z',
});
/** A match of the directory with these cards. */
const known = (acctId: number, matchedBy: CardMatch['matchedBy'], ...cards: CardMatch['cards']): CardMatch => ({
  acctId,
  holder: 'Jane Doe',
  customId: null,
  isVirtual: false,
  group: null,
  cards,
  matchedBy,
});
const directory: Parameters<typeof createFindCard>[0]['directory'] = {
  account: async (acctId) => ({
    cards: cardsOf[acctId] ?? cards,
    accountStatus: terminated.includes(acctId) ? 'CLOSED' : 'OPEN',
    detailsAt: unread.includes(acctId) ? null : '2026-11-20T15:00:00.000Z',
  }),
  reload: async () => ({ cards }),
  current: async () => (isAway ? null : { cards }),
  find: async (query, isPermitted) => {
    const matches = found[query] ?? [];
    const may = await Promise.all(matches.map(async (match) => (await isPermitted?.(match)) ?? true));
    return matches.filter((_, at) => may[at]);
  },
  findKnown: async (query) => found[query] ?? [],
  untilListed: async () => {
    found = listed ?? found;
  },
  status: async () => ({ accounts, lackingDetails, listedAt: '2026-11-20T15:00:00.000Z' }),
  async *all() {
    yield { acctId: 7, firstName: 'Sam', lastName: 'Rivera' };
    yield { acctId: 8, firstName: 'Jane', lastName: 'Doe' };
  },
};
// A person who may act only as a holder may act only on their own card.
const rights: Pick<Rights, 'mayAct'> = {
  mayAct: async ({ roles, actor }, acctId) =>
    !roles.includes('holder') || linked.some((link) => link.acctId === acctId && link.userId === actor.userId),
};
const responses: Pick<Responses, 'answer' | 'refuse'> = {
  answer: async (_action, message) => void answers.push(message),
  refuse: async (_action, refusal) => void refusals.push(refusal),
};
const links = { ofUser: async (userId: string) => linked.filter((link) => link.userId === userId) };
const resolveCard = createResolveCard({
  directory,
  rights,
  responses,
  links,
  findCard: createFindCard({
    directory,
    rights,
    responses,
    links,
    cardOfAlert: async (alertId) => ofAlerts[alertId] ?? null,
    isLook: (verb) => verb === 'show',
    changesCard: (verb) => verb === 'block' || verb === 'limit',
    askWhich: createAskWhich({
      responses,
      factsOf: async () => facts,
      putChoice: async ({ target }) => {
        choices.push(target);
        return 'p_1';
      },
      doing: (verb) => verb,
      record: async () => {},
    }),
  }),
  isOfAccount: (verb) => verb === 'limit',
  changesCard: (verb) => verb === 'block' || verb === 'limit',
  progress: { read: async () => written },
});

const own = ask('block', { target: { kind: 'own' } });
const ofAlert = (alertId: string) => ask('block', { target: { kind: 'alert', alertId } });
const words = (...typed: string[]) => ask('show', { target: { kind: 'words', words: typed } });

it('waits for the list of cards in the first second after a start', async () => {
  listed = { jane: [known(8, 'name', cardOf(1, 'ACTIVE'))] };

  expect(await resolveCard(words('jane'))).toMatchObject({ acctId: 8 });
  expect(refusals).toEqual([]);
});

it('stays the card that a change was sent for, whatever is known or permitted by now', async () => {
  found = { '4242': [known(9, 'last4', cardOf(2, 'ACTIVE'))] };
  written = { state: 'sending', before: null, after: null, acctId: 7, cardId: 8 };
  const typed = ask('block', { target: { kind: 'words', words: ['4242', 'lost'] } });

  expect(await resolveCard(typed)).toMatchObject({ acctId: 7, cardId: 8, action: { reason: 'lost' } });
  expect(await resolveCard(own)).toMatchObject({ acctId: 7, cardId: 8 });
  written = { state: 'asked' };
  expect(await resolveCard(typed)).toMatchObject({ acctId: 9, cardId: 2 });
});

describe('“my card”', () => {
  it('is the only card linked to the person', async () => {
    linked = [
      { acctId: 7, userId: own.actor.userId },
      { acctId: 9, userId: 'U0OTHER' },
    ];

    expect(await resolveCard(own)).toEqual({ action: own, acctId: 7, cardId: null });
    expect(refusals).toEqual([]);
  });

  it('reads its reason like that of any card', async () => {
    linked = [{ acctId: 7, userId: own.actor.userId }];

    const card = await resolveCard(ask('block', { target: { kind: 'own' }, reason: 'for 2 hours' }));

    expect(card).toMatchObject({ acctId: 7, note: expect.stringContaining('A block has no end') });
  });

  it('is null without a linked card, and the refusal explains how to link one', async () => {
    expect(await resolveCard(own)).toBe(null);
    expect(refusals).toEqual([{ why: 'No card is linked to you.', whoCan: expect.stringContaining('/card link') }]);
  });

  it('is the one of the account that is left, whatever accounts were closed before', async () => {
    linked = [6, 7, 8].map((acctId) => ({ acctId, userId: own.actor.userId }));
    terminated = [6];
    cardsOf = { 6: [cardOf(1, 'ACTIVE')], 7: [cardOf(2, 'CLOSED'), cardOf(3, 'CLOSED')], 8: [cardOf(4, 'BLOCKED')] };

    expect(await resolveCard(own)).toMatchObject({ acctId: 8, cardId: null });
    // Nothing is known of the cards of an account that is not read yet.
    cardsOf = { ...cardsOf, 7: [] };
    expect(await resolveCard(own)).toBe(null);
    terminated = [6, 7, 8];
    expect(await resolveCard(own), 'all of them are closed').toBe(null);
    expect(refusals.map(({ why }) => why)).toEqual(['You have more than one card.', 'You have more than one card.']);
  });

  it('is the one of the open account to look at, but not to end a link, which a closed account has, too', async () => {
    linked = [7, 8].map((acctId) => ({ acctId, userId: own.actor.userId }));
    terminated = [7];

    expect(await resolveCard(ask('show', { target: own.target }))).toMatchObject({ acctId: 8 });
    expect(await resolveCard(ask('unlink', { target: own.target }))).toBe(null);
    expect(refusals.map(({ why }) => why)).toEqual(['You have more than one card.']);
  });

  it('is ambiguous with two linked cards, and the refusal explains how to name one', async () => {
    linked = [7, 8].map((acctId) => ({ acctId, userId: own.actor.userId }));

    expect(await resolveCard(own)).toBe(null);
    expect(refusals).toEqual([
      { why: 'You have more than one card.', whoCan: expect.stringContaining('last four digits') },
    ]);
  });
});

describe('the card of an alert', () => {
  it('is the card that the alert is about', async () => {
    expect(await resolveCard(ofAlert('evt_known'))).toMatchObject({ acctId: 7, cardId: 8 });
  });

  it('is unknown if the alert names no account or is too old', async () => {
    expect(await resolveCard(ofAlert('evt_bare'))).toBe(null);
    expect(await resolveCard(ofAlert('evt_gone'))).toBe(null);
    expect(refusals.map(({ why }) => why)).toEqual([
      expect.stringContaining('names no card account'),
      expect.stringContaining('too old'),
    ]);
  });
});

describe('a card that was already chosen', () => {
  it('is used as it is', async () => {
    const chosen = ask('block', { target: { kind: 'card', acctId: 7, cardId: 8, alertId: null } });

    expect(await resolveCard(chosen)).toEqual({ action: chosen, acctId: 7, cardId: 8 });
  });
});

describe('words', () => {
  const block = (...typed: string[]) => ask('block', { target: { kind: 'words', words: typed } });
  const active = cardOf(1, 'ACTIVE');

  it('that name one card select it, and the rest is the reason of a block', async () => {
    found = { 'Jane Doe': [known(7, 'name', active)] };

    expect(await resolveCard(block('Jane', 'Doe', 'lost', 'on', 'train'))).toMatchObject({
      action: { reason: 'lost on train' },
      acctId: 7,
      cardId: null,
    });
    expect(refusals).toEqual([]);
  });

  it('become a reason without secrets', async () => {
    found = { 'Jane Doe': [known(7, 'name', active)] };

    expect(await resolveCard(block('Jane', 'Doe', 'PIN', '4321'))).toMatchObject({
      action: { reason: 'PIN [removed]' },
    });
  });

  it('that name a second card block the first at once with a note, and unblock none', async () => {
    found = { '0001': [known(7, 'last4', active)], '0002': [known(9, 'last4', cardOf(2, 'ACTIVE'))] };
    const typed = { target: { kind: 'words' as const, words: ['0001', 'and', '0002'] } };
    const chosen = { target: { kind: 'card', acctId: 7, cardId: 1, alertId: null }, reason: 'and 0002' } as const;
    const note = 'Only one card at a time. For 0002, type `/card block 0002`.';

    expect(await resolveCard(ask('block', typed))).toMatchObject({ acctId: 7, note });
    expect(await resolveCard(ask('block', chosen)), 'chosen from several').toMatchObject({ acctId: 7, note });
    expect(await resolveCard(ask('unblock', typed))).toBe(null);
    expect(refusals).toEqual([{ why: 'Only one card at a time.', whoCan: 'For 0002, type `/card unblock 0002`.' }]);
    written = { state: 'sending', before: null, after: null, acctId: 7, cardId: 1 };
    expect(await resolveCard(ask('block', typed)), 'after a crash').toMatchObject({ acctId: 7, note });
    expect(await resolveCard(ask('unblock', typed)), 'sent by an older version').toMatchObject({ acctId: 7 });
  });

  it.each(['PIN-0043', 'account no. 7379'])('that look like a secret name a second card: %s', async (second) => {
    found = { '0001': [known(7, 'last4', active)], [second]: [known(9, 'custom_id', cardOf(2, 'ACTIVE'))] };
    const target = { kind: 'words' as const, words: ['0001', 'and', ...second.split(' ')] };
    const note = `Only one card at a time. For ${second}, type \`/card block ${second}\`.`;

    expect(await resolveCard(ask('block', { target }))).toMatchObject({ acctId: 7, note });
    expect(await resolveCard(ask('unblock', { target }))).toBe(null);
  });

  it('of other verbs all belong to the name of the card', async () => {
    found = { Jane: [known(7, 'name', active)] };

    expect(await resolveCard(words('Jane', 'Doe'))).toBe(null);
    expect(refusals).toEqual([expect.objectContaining({ why: 'No card matches “Jane Doe”.' })]);
  });

  describe('that only begin a name', () => {
    beforeEach(() => {
      found = { Jan: [known(7, 'beginning', active)] };
    });

    it.each(['block', 'unblock', 'limit', 'mute', 'unmute', 'activate', 'unlink'] as const)(
      'cause a question before a change: %s',
      async (verb) => {
        expect(await resolveCard(ask(verb, { target: { kind: 'words', words: ['Jan'] } }))).toBe(null);
        expect(answers.map(({ text }) => text)).toEqual([
          expect.stringContaining(`One card matches “Jan”. Is it the one you want to ${verb}?`),
        ]);
      },
    );

    it('select the card to look at', async () => {
      expect(await resolveCard(words('Jan'))).toMatchObject({ acctId: 7 });
      expect(answers).toEqual([]);
    });
  });

  describe('that are four digits while other accounts’ cards are not read', () => {
    beforeEach(() => {
      found = { '0001': [known(7, 'last4', active)], Jane: [known(7, 'name', active)] };
      lackingDetails = 240;
    });

    it.each(['unblock', 'limit', 'mute', 'activate', 'unlink'] as const)(
      'cause a question before a change: %s',
      async (verb) => {
        expect(await resolveCard(ask(verb, { target: { kind: 'words', words: ['0001'] } }))).toBe(null);
        expect(answers.map(({ text }) => text)).toEqual([
          expect.stringContaining(`One card matches “0001”. Is it the one you want to ${verb}?`),
        ]);
        expect(JSON.stringify(answers)).toContain('The cards of 240 accounts are not read yet.');
      },
    );

    it.each([
      ['look at', words('0001')],
      ['block', block('0001')],
    ] as const)('select the card to %s', async (_, action) => {
      expect(await resolveCard(action)).toMatchObject({ acctId: 7, cardId: 1 });
      expect(answers).toEqual([]);
    });

    it('block the card with a note, also after a crash and besides another note', async () => {
      const note = 'The cards of 240 accounts are not read yet: check that this is the one.';
      const sent = { state: 'sending', before: null, after: null, acctId: 7, cardId: 1 } as const;

      expect(await resolveCard(block('0001', 'lost'))).toMatchObject({ note });
      expect(await resolveCard(block('0001', 'for', '2', 'hours'))).toMatchObject({
        note: `${note} A block has no end: the card stays blocked until it is unblocked.`,
      });
      expect(await resolveCard(block('Jane'))).not.toHaveProperty('note');
      const chosen = { kind: 'card', acctId: 7, cardId: 1, alertId: null } as const;
      expect(await resolveCard(ask('block', { target: chosen }))).not.toHaveProperty('note');
      expect(await resolveCard(words('0001')), 'to look at').not.toHaveProperty('note');
      written = sent;
      expect(await resolveCard(block('0001', 'lost')), 'after a crash').toMatchObject({ note });
      written = null;
      lackingDetails = 0;
      expect(await resolveCard(block('0001', 'lost')), 'all are read').not.toHaveProperty('note');
    });

    it('name a holder’s own card, if all of their own are read', async () => {
      linked = [{ acctId: 7, userId: own.actor.userId }];
      const typed = {
        ...ask('unblock', { target: { kind: 'words', words: ['0001'] } }),
        asHolder: true,
        roles: ['holder' as const],
      };

      expect(await resolveCard(typed)).toMatchObject({ acctId: 7, cardId: 1 });
      unread = [7];
      expect(await resolveCard(typed), 'theirs are not').toBe(null);
    });

    it('do not concern a name', async () => {
      expect(await resolveCard(block('Jane', 'lost'))).toMatchObject({ acctId: 7 });
    });
  });

  it.each([
    'Dow',
    'Dow,',
    'O’Brien',
    "O'Brien",
    'McDonald',
    'Stone-Lee',
    'Kim-Ng',
    'Ærø',
    'Dow’s card',
    "Dow's card",
    '(Dow)',
    'S.',
    'S',
    'É',
    'É.,',
  ])('that name a person and may continue the name cause a question: %s', async (next) => {
    found = { Jane: [known(7, 'name', active)], '0001': [known(7, 'last4', active)] };

    expect(await resolveCard(block('Jane', ...next.split(' '), 'lost'))).toBe(null);
    expect(answers.map(({ text }) => text)).toEqual([
      expect.stringContaining('One card matches “Jane”. Is it the one you want to block?'),
    ]);
    expect(await resolveCard(block('0001', next)), 'a number is not part of a name').toMatchObject({ acctId: 7 });
  });

  it.each(['smith', 'lost', 'Lost', 'LOST', 'I', 'I’m', 'She’s gone', '2', '(Lost', 'Dow’s lost', 'D.'])(
    'that name a person block the card at once if a reason may follow: %s',
    async (next) => {
      found = { Jane: [known(7, 'name', active)] };

      const typed = block('Jane', ...next.split(' '));

      expect(await resolveCard(typed)).toMatchObject({ acctId: 7, action: { reason: next } });
    },
  );

  it('that name a person in part cause a question if somebody is known by the next word', async () => {
    found = {
      Jane: [known(7, 'name', active)],
      'Jane Doe': [known(7, 'full_name', active)],
      smith: [known(9, 'name', cardOf(2, 'ACTIVE'))],
      doe: [known(7, 'name', active)],
      lo: [known(9, 'beginning', cardOf(2, 'ACTIVE'))],
    };

    expect(await resolveCard(block('Jane', 'smith'))).toBe(null);
    expect(answers.map(({ text }) => text)).toEqual([
      expect.stringContaining('One card matches “Jane”. Is it the one you want to block?'),
    ]);
    expect(await resolveCard(block('Jane', 'Doe', 'smith')), 'a full name').toMatchObject({ acctId: 7 });
    expect(await resolveCard(block('Jane', 'doe')), 'her own').toMatchObject({ acctId: 7 });
    expect(await resolveCard(block('Jane', 'lo')), 'only begins a name').toMatchObject({ acctId: 7 });
  });

  it('that name a person in part unblock no card if more words follow, which may be the rest of a name', async () => {
    const unblock = (...typed: string[]) => resolveCard(ask('unblock', { target: { kind: 'words', words: typed } }));
    found = { jane: [known(7, 'name', active)], 'jane doe': [known(7, 'full_name', active)] };

    expect(await unblock('jane', 'smith')).toBe(null);
    expect(answers.map(({ text }) => text)).toEqual([
      expect.stringContaining('One card matches “jane”. Is it the one you want to unblock?'),
    ]);
    expect(await unblock('jane')).toMatchObject({ acctId: 7 });
    expect(await unblock('jane', 'doe', 'found')).toMatchObject({ acctId: 7, action: { reason: 'found' } });
    expect(await unblock('jane', 'doe', 'Smith'), 'a longer name').toBe(null);
  });

  it('that match several accounts cause a question with at most twenty choices and the total', async () => {
    found = { Jane: Array.from({ length: 23 }, (_, index) => known(index, 'name', active)) };

    expect(await resolveCard(words('Jane'))).toBe(null);
    expect(answers[0]?.text).toContain('23 cards match “Jane”.');
    expect(JSON.stringify(answers[0]).match(/"action_id":"choose_card"/g)).toHaveLength(20);
    expect(JSON.stringify(answers[0])).toContain('3 more match.');
  });

  it('keep the digits that the question shows, because the account may have another card when it is answered', async () => {
    found = { Jane: [known(7, 'name', cardOf(1, 'ACTIVE')), known(9, 'name', cardOf(2, 'ACTIVE'))] };

    await resolveCard(words('Jane'));

    expect(choices).toMatchObject([
      { acctId: 7, cardId: null, last4: '0001' },
      { acctId: 9, cardId: null, last4: '0002' },
    ]);
  });

  it('of a holder mean only their own card, even if others match', async () => {
    found = { Jane: [known(7, 'name', active), known(9, 'name', active)] };
    linked = [{ acctId: 9, userId: own.actor.userId }];

    expect(await resolveCard({ ...words('Jane'), asHolder: true, roles: ['holder'] })).toMatchObject({ acctId: 9 });
  });
});

describe('a person', () => {
  const asked = (verb: 'block' | 'limit' | 'show' | 'activate' | 'unlink', ...typed: string[]) =>
    resolveCard(ask(verb, { target: { kind: 'words', words: typed } }));
  beforeEach(() => {
    linked = [{ acctId: 9, userId: 'U0SAM' }];
    cards = [cardOf(1, 'ACTIVE'), cardOf(2, 'INACTIVE')];
    found = { '<@U0SAM>': [known(7, 'name')] };
  });

  it.each(['block', 'limit', 'show'] as const)('means the card linked to them: %s', async (verb) => {
    expect(await asked(verb, '<@U0SAM>')).toMatchObject({ acctId: 9, cardId: null });
    expect(refusals).toEqual([]);
  });

  it('means their new card for an activation', async () => {
    expect(await asked('activate', '<@U0SAM>')).toMatchObject({ acctId: 9, cardId: 2 });
  });

  it('may be followed by the reason of a block', async () => {
    expect(await asked('block', '<@U0SAM>,', 'Lost', 'it')).toMatchObject({ acctId: 9, action: { reason: 'Lost it' } });
  });

  it('means the card of the account that is left if another one of theirs is closed', async () => {
    linked = [7, 9].map((acctId) => ({ acctId, userId: 'U0SAM' }));
    cardsOf = { 7: [cardOf(3, 'CLOSED')] };

    expect(await asked('block', '<@U0SAM>')).toMatchObject({ acctId: 9 });
  });

  it.each(['unlink', 'show'] as const)('may mean a closed account: %s', async (verb) => {
    linked = [7, 9].map((acctId) => ({ acctId, userId: 'U0SAM' }));
    cardsOf = { 7: [cardOf(3, 'CLOSED')] };

    expect(await asked(verb, '<@U0SAM>')).toBe(null);
    expect(answers.map(({ text }) => text)).toEqual([expect.stringContaining('2 cards match “<@U0SAM>”.')]);
  });

  it('with several cards causes a question that mentions them', async () => {
    linked = [7, 9].map((acctId) => ({ acctId, userId: 'U0SAM' }));

    expect(await asked('limit', '<@U0SAM>')).toBe(null);
    expect(answers.map(({ text }) => text)).toEqual([expect.stringContaining('2 cards match “<@U0SAM>”.')]);
  });

  it('without a card is not searched by name', async () => {
    linked = [];

    expect(await asked('show', '<@U0SAM>')).toBe(null);
    expect(refusals).toEqual([
      { why: 'No card is linked to this person.', whoCan: expect.stringMatching(/^Use the last four digits/) },
    ]);
  });

  it('other than themselves has no card for a holder', async () => {
    const typed = { ...words('<@U0SAM>'), asHolder: true, roles: ['holder' as const] };

    expect(await resolveCard(typed)).toBe(null);
    expect(refusals).toEqual([expect.objectContaining({ why: 'You hold no card of this person.' })]);
    expect(await resolveCard({ ...typed, actor: { ...typed.actor, userId: 'U0SAM' } })).toMatchObject({ acctId: 9 });
  });
});

describe('one of several cards of an account', () => {
  const [inUse, fresh, closed] = [cardOf(1, 'ACTIVE'), cardOf(2, 'INACTIVE'), cardOf(3, 'CLOSED')];
  const named = (verb: 'block' | 'show' | 'limit', typed: string) =>
    ask(verb, { target: { kind: 'words', words: [typed] } });
  beforeEach(() => {
    cards = [closed, inUse, fresh];
    found = {
      Jane: [known(7, 'name', ...cards)],
      '7': [known(7, 'account_id', ...cards)],
      '0002': [known(7, 'last4', fresh)],
      '3': [known(7, 'card_id', closed)],
      '0001': [known(7, 'last4', inUse)],
    };
  });

  it.each(['block', 'show'] as const)('is the named one for %s', async (verb) => {
    expect(await resolveCard(named(verb, '0002'))).toMatchObject({ acctId: 7, cardId: 2 });
    expect(await resolveCard(named(verb, '3'))).toMatchObject({ acctId: 7, cardId: 3 });
  });

  it('is the one in use of those with the same digits', async () => {
    found = { '0001': [known(7, 'last4', { ...fresh, last4: '0001' }, inUse)] };

    expect(await resolveCard(named('limit', '0001'))).toMatchObject({ acctId: 7, cardId: 1 });
  });

  it.each(['Jane', '7'])('is the one in use if %s was typed', async (typed) => {
    expect(await resolveCard(named('block', typed))).toMatchObject({ acctId: 7, cardId: null });
  });

  it('must be in use for a change of what all of them share', async () => {
    expect(await resolveCard(named('limit', '0002'))).toBe(null);
    expect(await resolveCard(named('limit', '3'))).toBe(null);
    const whoCan = 'This would apply to the account’s card in use. Write 0001 if you mean that one.';
    expect(refusals).toEqual([
      { why: 'Card 0002 is not activated.', whoCan },
      { why: 'Card 0003 is closed for good.', whoCan },
    ]);
    expect(await resolveCard(named('limit', '0001'))).toMatchObject({ acctId: 7, cardId: 1 });
    cards = [closed, fresh];
    expect(await resolveCard(named('limit', '0002')), 'no other card can be used').toMatchObject({ cardId: 2 });
  });

  it('is not changed by digits that it does not have at the card service', async () => {
    found = { '4242': [known(7, 'last4', { ...inUse, last4: '4242' })] };
    const shown = { kind: 'card', acctId: 7, cardId: 1, last4: '4242', alertId: null } as const;

    expect(await resolveCard(named('limit', '4242'))).toBe(null);
    expect(await resolveCard(ask('limit', { target: shown })), 'chosen from several').toBe(null);
    const why = 'At the card service, this account has no card 4242.';
    const whoCan = 'I have read its cards again. Ask once more, or write the holder’s name.';
    expect(refusals).toEqual([
      { why, whoCan },
      { why, whoCan },
    ]);
    expect(await resolveCard(named('block', '4242')), 'read when it is blocked').toMatchObject({ last4: '4242' });
    isAway = true;
    expect(await resolveCard(named('limit', '4242')), 'nothing can be compared').toMatchObject({ cardId: 1 });
  });

  it('is the one that has the digits at the card service, as after a renewal', async () => {
    found = { '4242': [known(7, 'last4', { ...inUse, last4: '4242' })] };

    cards = [{ ...inUse, cardId: 4, last4: '4242' }];
    expect(await resolveCard(named('limit', '4242'))).toMatchObject({ acctId: 7, cardId: 4 });
    expect(refusals).toEqual([]);

    cards = [inUse, { ...closed, last4: '4242' }];
    expect(await resolveCard(named('limit', '4242')), 'the closed one was meant').toBe(null);
    expect(refusals).toMatchObject([{ why: 'Card 4242 is closed for good.' }]);
  });

  it('must be in use also when it was chosen from several', async () => {
    const target = { kind: 'card', acctId: 7, cardId: 3, alertId: null } as const;

    expect(await resolveCard(ask('limit', { target }))).toBe(null);
    expect(refusals).toMatchObject([{ why: 'Card 0003 is closed for good.' }]);
  });
});

describe('the card to activate', () => {
  const activate = ask('activate', { target: { kind: 'words', words: ['Jane'] } });

  it.each<[string, CardMatch['cards'], number | null]>([
    ['is the new card, not the one in use', [cardOf(1, 'ACTIVE'), cardOf(2, 'INACTIVE')], 2],
    ['is the first card if none is new', [cardOf(1, 'ACTIVE'), cardOf(2, 'BLOCKED')], 1],
    ['is not a closed card if another is open', [cardOf(1, 'CLOSED'), cardOf(2, 'BLOCKED')], 2],
    ['is the closed card if there is no other', [cardOf(1, 'CLOSED')], 1],
    ['is unknown if the account has no cards', [], null],
  ])('%s', async (_what, cards, cardId) => {
    found = { Jane: [known(7, 'name', ...cards)] };

    expect(await resolveCard(activate)).toMatchObject({ acctId: 7, cardId });
  });

  it.each<[string, string, CardMatch['cards'], number | null]>([
    ['the alert names, not its replacement', 'evt_decline', [cardOf(1, 'CLOSED'), cardOf(3, 'INACTIVE')], 1],
    [
      'was shipped, of which the alert knows only the digits',
      'evt_shipped',
      [cardOf(2, 'INACTIVE'), cardOf(3, 'INACTIVE')],
      2,
    ],
    [
      'was shipped, not a closed one with the same digits',
      'evt_shipped',
      [cardOf(2, 'INACTIVE'), { ...cardOf(3, 'CLOSED'), last4: '0002' }],
      2,
    ],
    ['is of the account, if the alert names none', 'evt_unnamed', [cardOf(3, 'INACTIVE')], null],
  ])('is the one that %s', async (_what, alertId, ofAccount, cardId) => {
    cards = [...ofAccount];

    expect(await resolveCard(ask('activate', { target: { kind: 'alert', alertId } }))).toMatchObject({
      acctId: 7,
      cardId,
    });
    expect(await resolveCard(ofAlert(alertId)), 'the account is blocked').toMatchObject({ acctId: 7, cardId: null });
  });

  it('is no other one if the account no longer has the card of the alert', async () => {
    cards = [cardOf(3, 'INACTIVE')];

    expect(await resolveCard(ask('activate', { target: { kind: 'alert', alertId: 'evt_shipped' } }))).toBe(null);
    expect(refusals).toMatchObject([{ why: 'The account no longer has card 0002, which this alert is about.' }]);
  });

  it('causes a question if two are new', async () => {
    found = { Jane: [known(7, 'name', cardOf(1, 'INACTIVE'), cardOf(2, 'INACTIVE'))] };

    expect(await resolveCard(activate)).toBe(null);
    expect(answers[0]?.text).toContain('2 cards match “Jane”.');
  });
});

describe('words that no card matches', () => {
  it('are quoted, with a hint about accepted words', async () => {
    expect(await resolveCard(words('Nobody'))).toBe(null);
    expect(refusals).toEqual([
      expect.objectContaining({ why: 'No card matches “Nobody”.', whoCan: expect.stringContaining('custom id') }),
    ]);
  });

  it('are not reported as unknown while the list of cards is not loaded', async () => {
    accounts = 0;

    expect(await resolveCard(words('Nobody'))).toBe(null);
    expect(refusals).toEqual([
      expect.objectContaining({
        why: expect.stringContaining('could not read the list of cards'),
        whoCan: 'Try again in a minute.',
      }),
    ]);
  });

  it('are not reported as unknown while cards have not been read', async () => {
    lackingDetails = 3120;

    await resolveCard(words('4242'));

    expect(refusals).toEqual([
      {
        why: 'I don’t know yet which card “4242” is: the cards of 3,120 accounts have not been read from the card service.',
        whoCan: 'Use the holder’s name or the account id, or try again later.',
      },
    ]);
  });

  it.each([
    ['own account has not been read', [7], 'I don’t know yet which card “4242” is: the cards of 1 account'],
    ['own accounts are read, and only others have not been', [8], 'You hold no card “4242”.'],
    ['person has no account', [], 'You hold no card “4242”.'],
  ])('are unknown to a holder unless their own cards have not been read: the %s', async (_case, own, why) => {
    lackingDetails = 3120;
    unread = [7];
    linked = own.map((acctId) => ({ acctId, userId: words('').actor.userId }));

    await resolveCard({ ...words('4242'), asHolder: true, roles: ['holder'] });

    expect(refusals).toEqual([expect.objectContaining({ why: expect.stringContaining(why) })]);
  });

  it('are reported as unknown once a single card is known', async () => {
    accounts = 1;

    await resolveCard(words('Nobody'));

    expect(refusals).toEqual([expect.objectContaining({ why: 'No card matches “Nobody”.' })]);
  });

  it('do not reveal existing cards to a holder', async () => {
    await resolveCard({ ...words('Nobody'), asHolder: true, roles: ['holder'] });

    expect(refusals).toEqual([
      { why: 'You hold no card “Nobody”.', whoCan: expect.stringContaining('or type `/card` to pick one.') },
    ]);
  });
});

describe('a number among other words', () => {
  beforeEach(() => {
    found = { '4242': [known(7, 'last4', cardOf(1, 'ACTIVE'))], '17': [known(9, 'account_id')] };
  });

  it.each([
    [['balance', '4242']],
    [['4242', 'declines']],
    [['card', 'of', '••4242']],
    [['4242-stolen']],
    [['4242/lost', 'today']],
  ])('of %j is suggested, if it is a card', async (typed) => {
    expect(await resolveCard(words(...typed))).toBe(null);
    expect(refusals).toMatchObject([{ whoCan: expect.stringMatching('^Did you mean “4242”\\? Use the last four') }]);
  });

  it('behind words in which a block finds no card is suggested, too', async () => {
    await resolveCard(ask('block', { target: { kind: 'words', words: ['Sams', 'card', '4242'] } }));

    expect(refusals).toMatchObject([{ whoCan: expect.stringMatching('^Did you mean “4242”') }]);
  });

  it.each(['4242-stolen', '4242/stolen', '4242(stolen)'])('%s is a card and why it is blocked', async (typed) => {
    const target = { kind: 'words' as const, words: [typed, 'today'] };
    expect(await resolveCard(ask('block', { target }))).toMatchObject({
      acctId: 7,
      action: { reason: expect.stringMatching(/^stolen\)? today$/) },
    });
    expect(await resolveCard(ask('unblock', { target }))).toBe(null);
    expect(refusals).toMatchObject([{ whoCan: expect.stringMatching('^Did you mean “4242”') }]);
  });

  it.each([[['balance', '4243']], [['October', '17']]])('of %j is not', async (typed) => {
    await resolveCard(words(...typed));

    expect(refusals).toMatchObject([{ whoCan: expect.stringMatching(/^Use the last four/) }]);
  });

  it('is not, if the person may not act on the card', async () => {
    await resolveCard({ ...words('balance', '4242'), roles: ['holder'] });

    expect(refusals).toMatchObject([{ whoCan: expect.stringMatching(/^Use the last four/) }]);
  });
});

describe('a name with a typo', () => {
  it.each([
    [['Jnae', 'Doe'], 'Jane Doe'],
    [['jane', 'deo'], 'Jane Doe'],
    [['Rivrea'], 'Sam Rivera'],
    [['Sam', 'Rivra', 'lost', 'it'], 'Sam Rivera'],
    [['card', 'of', 'Sam', 'Rivera'], 'Sam Rivera'],
    [['sam’s', 'card,', 'stolen'], 'Sam Rivera'],
  ])('%j gets a suggestion', async (typed, meant) => {
    expect(await resolveCard(words(...typed))).toBe(null);
    expect(refusals).toMatchObject([
      { whoCan: expect.stringMatching(`^Did you mean “${meant}”\\? Use the last four`) },
    ]);
  });

  it.each([[['Quentin', 'Blake']], [['4243']], [['xyz']], [['the', 'card,', 'stolen']]])(
    '%j resembles no name, so nothing is suggested',
    async (typed) => {
      await resolveCard(words(...typed));

      expect(refusals).toMatchObject([{ whoCan: expect.stringMatching(/^Use the last four digits/) }]);
    },
  );

  it('suggests no holder whose card the person may not act on', async () => {
    await resolveCard({ ...words('Jnae', 'Doe'), asHolder: true, roles: ['holder'] });

    expect(refusals).toMatchObject([{ whoCan: expect.not.stringContaining('Jane') }]);
  });
});
