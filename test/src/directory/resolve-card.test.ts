import { beforeEach, describe, expect, it } from 'vitest';
import type { CardFacts } from '../../../src/core/card-facts.ts';
import { createResolveCard } from '../../../src/directory/resolve-card.ts';
import type { Message } from '../../../src/slack/message.ts';
import type { Refusal } from '../../../templates/policy/refusal.ts';
import { ask } from '../../support/perform-world.ts';
import { card } from '../../templates/fixtures.ts';

let linked: { acctId: number; userId: string }[] = [];
let accounts = 20;
const refusals: Refusal[] = [];
const answers: Message[] = [];
beforeEach(() => {
  linked = [];
  accounts = 20;
  refusals.length = 0;
  answers.length = 0;
});

const facts: CardFacts = card;
const resolveCard = createResolveCard({
  directory: {
    find: async () => [],
    findKnown: async () => [],
    status: async () => ({ accounts, lackingDetails: 0, listedAt: null }),
  },
  links: {
    ofAccount: async (acctId) => linked.find((link) => link.acctId === acctId) ?? null,
    ofUser: async (userId) => linked.filter((link) => link.userId === userId),
  },
  cardOfAlert: async (alertId) =>
    alertId === 'evt_known' ? { acctId: 7, cardId: 8 } : alertId === 'evt_bare' ? { acctId: null, cardId: null } : null,
  factsOf: async () => facts,
  putChoice: async () => 'p_1',
  doing: (verb) => verb,
  reply: {
    answer: async (_action, message) => void answers.push(message),
    refuse: async (_action, refusal) => void refusals.push(refusal),
    record: async () => {},
  },
});

const own = ask('block', { target: { kind: 'own' } });
const ofAlert = (alertId: string) => ask('block', { target: { kind: 'alert', alertId } });
const words = (...typed: string[]) => ask('show', { target: { kind: 'words', words: typed } });

describe('“my card”', () => {
  it('is the only card that is linked to the person', async () => {
    linked = [
      { acctId: 7, userId: own.actor.userId },
      { acctId: 9, userId: 'U0OTHER' },
    ];

    expect(await resolveCard(own)).toEqual({ action: own, acctId: 7, cardId: null });
    expect(refusals).toEqual([]);
  });

  it('is none where none is linked, and it says how to link one', async () => {
    expect(await resolveCard(own)).toBe(null);
    expect(refusals).toEqual([
      { what: 'That', why: 'No card is linked to you.', whoCan: expect.stringContaining('/card link') },
    ]);
  });

  it('is not clear where there are two, and it says how to name one', async () => {
    linked = [7, 8].map((acctId) => ({ acctId, userId: own.actor.userId }));

    expect(await resolveCard(own)).toBe(null);
    expect(refusals).toEqual([
      { what: 'That', why: 'You have more than one card.', whoCan: expect.stringContaining('last four digits') },
    ]);
  });
});

describe('the card of an alert', () => {
  it('is the one that the alert is about', async () => {
    expect(await resolveCard(ofAlert('evt_known'))).toMatchObject({ acctId: 7, cardId: 8 });
  });

  it('is not known where the alert names no account, or is too old', async () => {
    expect(await resolveCard(ofAlert('evt_bare'))).toBe(null);
    expect(await resolveCard(ofAlert('evt_gone'))).toBe(null);
    expect(refusals.map(({ why }) => why)).toEqual([
      expect.stringContaining('names no card account'),
      expect.stringContaining('too old'),
    ]);
  });

  it('is refused to a holder who holds another card by now', async () => {
    linked = [{ acctId: 7, userId: 'U0OTHER' }];

    expect(await resolveCard({ ...ofAlert('evt_known'), asHolder: true })).toBe(null);
    expect(refusals).toEqual([expect.objectContaining({ why: 'This card is not linked to you.' })]);
  });
});

describe('words that no card matches', () => {
  it('are named, with what would do', async () => {
    expect(await resolveCard(words('Nobody'))).toBe(null);
    expect(refusals).toEqual([
      expect.objectContaining({ why: 'No card matches “Nobody”.', whoCan: expect.stringContaining('CustomId') }),
    ]);
  });

  it('are not blamed while the list of cards is not loaded yet', async () => {
    accounts = 0;

    expect(await resolveCard(words('Nobody'))).toBe(null);
    expect(refusals).toEqual([
      expect.objectContaining({
        why: expect.stringContaining('could not read the list of cards'),
        whoCan: 'Try again in a minute.',
      }),
    ]);
  });

  it('are blamed where a single card is known', async () => {
    accounts = 1;

    await resolveCard(words('Nobody'));

    expect(refusals).toEqual([expect.objectContaining({ why: 'No card matches “Nobody”.' })]);
  });

  it('tell a holder of no card that exists', async () => {
    await resolveCard({ ...words('Nobody'), asHolder: true });

    expect(refusals).toEqual([expect.objectContaining({ why: 'You hold no card “Nobody”.' })]);
  });
});
