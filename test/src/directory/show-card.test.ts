import { describe, expect, it } from 'vitest';
import { parseAssumptions } from '../../../src/card-api/assumptions.ts';
import { AccountDetails } from '../../../src/card-api/schema-account.ts';
import { readSpendRules } from '../../../src/card-api/spend-rules.ts';
import type { WhichCard } from '../../../src/core/event.ts';
import { createListDeclines, createShowCard, limitsInForce } from '../../../src/directory/show-card.ts';
import type { Message } from '../../../src/slack/message.ts';
import { unanswered } from '../../support/card-api-errors.ts';
import { declineOf, timeOf } from '../../support/delivery-world.ts';
import { acctId, ask, byCommand } from '../../support/perform-world.ts';
import { card } from '../../templates/fixtures.ts';

const rules = readSpendRules(
  { DailySpendLimit: 400, MerchantCategories: [{ Id: 5, Name: 'Fuel', TransactionLimit: 50, DailySpendLimit: 90 }] },
  parseAssumptions(),
);
const remaining = {
  overall: [
    { period: 'daily', limitCents: 39_000, remainingCents: 1_000 },
    { period: 'weekly', limitCents: 150_000, remainingCents: 2_000 },
  ],
  categories: [{ id: null, name: 'Fuel', period: 'daily', limitCents: 9_000, remainingCents: 300 }],
} as const;

describe('the limits of a card', () => {
  const limitIn = (all: ReturnType<typeof limitsInForce>, period: string, category: string | null = null) =>
    all.find((limit) => limit.period === period && limit.category === category);

  it('are those in force, which may be its ruleset’s, and its own where nothing tells what remains', () => {
    const all = limitsInForce(rules, remaining, true);

    expect(limitIn(all, 'daily')).toMatchObject({ limitCents: 39_000, remainingCents: 1_000 });
    expect(limitIn(limitsInForce(rules, null, true), 'daily')).toMatchObject({ limitCents: 40_000 });
    expect(limitIn(all, 'weekly')).toMatchObject({ limitCents: 150_000, remainingCents: 2_000 });
    expect(limitIn(all, 'monthly')).toMatchObject({ limitCents: null, remainingCents: null });
  });

  it('of a category are found by its name if the card service leaves out its number', () => {
    const all = limitsInForce(rules, remaining, true);

    expect(limitIn(all, 'transaction', 'Fuel')).toMatchObject({ limitCents: 5_000, remainingCents: null });
    expect(limitIn(all, 'daily', 'Fuel')).toMatchObject({ limitCents: 9_000, remainingCents: 300 });
  });

  it('of a category are found by its name however it is written', () => {
    const written = { ...remaining, categories: [{ ...remaining.categories[0], name: 'FUEL' }] };

    const all = limitsInForce(rules, written, true);

    expect(limitIn(all, 'daily', 'Fuel')).toMatchObject({ limitCents: 9_000, remainingCents: 300 });
    expect(all.filter(({ category }) => category === 'FUEL')).toEqual([]);
  });

  it('include those of a category that only its ruleset limits', () => {
    const categories = [{ id: 7, name: 'Restaurants', period: 'daily', limitCents: 5_000, remainingCents: 0 }] as const;

    expect(limitIn(limitsInForce(rules, { ...remaining, categories }, true), 'daily', 'Restaurants')).toEqual({
      period: 'daily',
      category: 'Restaurants',
      limitCents: 5_000,
      remainingCents: 0,
    });
  });

  it('of a category come from what remains while the rules cannot be read', () => {
    const fuel = limitsInForce(null, remaining, true).filter(({ category }) => category === 'Fuel');

    expect(fuel.filter(({ limitCents }) => limitCents !== null)).toEqual([
      { period: 'daily', category: 'Fuel', limitCents: 9_000, remainingCents: 300 },
    ]);
    expect(limitIn(limitsInForce(null, remaining, true), 'daily')).toMatchObject({
      limitCents: 39_000,
      remainingCents: 1_000,
    });
  });

  it('are none of $0 that only look like limits, unless those of its ruleset are', () => {
    const monthly = { period: 'monthly', limitCents: 0, remainingCents: 0 } as const;
    const windows = { ...remaining, overall: [monthly] };

    expect(limitIn(limitsInForce(rules, windows, false), 'monthly')).toMatchObject({ limitCents: null });
    expect(limitIn(limitsInForce(rules, windows, true), 'monthly')).toMatchObject({ limitCents: 0 });
  });

  it('never say that nothing remains when it is not known', () => {
    expect(limitsInForce(rules, null, true).every(({ remainingCents }) => remainingCents === null)).toBe(true);
    expect(limitsInForce(null, null, true).every(({ limitCents }) => limitCents === null)).toBe(true);
  });
});

describe('/card show', () => {
  it('does not call a card empty that pays from the balance of the business', async () => {
    const shown = async (UseBusinessBalanceForAuths: boolean) =>
      JSON.stringify((await show(2, { rules: { DailySpendLimit: 400, UseBusinessBalanceForAuths } })).answers);

    expect(await shown(true)).toContain('*Balance*\\nPaid from the business balance');
    expect(await shown(false)).toContain('*Balance*\\n$0.00');
  });

  it.each([
    ['its rules cannot be read', undefined],
    ['its rules do not say it', { DailySpendLimit: 400 }],
  ])('does not call a card empty that may pay from the balance of the business, because %s', async (_why, rules) => {
    expect(JSON.stringify((await show(2, { rules })).answers)).not.toContain('$0.00');
  });

  it('does not say that no limit is set when the limits could not be read', async () => {
    const { answers } = await show(2);

    expect(JSON.stringify(answers)).toContain('The limits are not available right now.');
    expect(JSON.stringify(answers)).not.toMatch(/No limit is set|0 limits/);
  });

  it('shows the declines of the last week that the card service lists, and each once', async () => {
    const { answers, spans } = await show(2, { fetched: [3, 2], received: [2, 1] });

    const shownAt = JSON.stringify(answers[0]?.blocks).match(/(?<=<!date\^)\d+/g);
    expect(shownAt).toEqual([3, 2, 1].map((index) => String(Date.parse(timeOf(index)) / 1000)));
    expect(answers[0]?.text).toContain('3 recent declines');
    expect(spans).toEqual([7 * 24 * 3_600_000]);
  });

  it('shows the newest five declines', async () => {
    const { answers } = await show(2, { fetched: [1, 2, 3, 4], received: [5, 6] });

    expect(answers[0]?.text).toContain('5 recent declines');
    expect(JSON.stringify(answers[0]?.blocks)).not.toContain(`<!date^${Date.parse(timeOf(1)) / 1000}^`);
  });

  it.each([
    ['its list cannot be read', null, 0, 'No declines among my alerts.'],
    ['some of its list cannot be read', [], 1, 'No declines among my alerts.'],
    ['it lists none', [], 0, 'None.'],
  ])(
    'says of a card without declines only what the card service said: %s',
    async (_what, fetched, unreadable, words) => {
      const { answers } = await show(2, { fetched, unreadable, received: [] });

      expect(JSON.stringify(answers[0]?.blocks)).toContain(`*Recent declines*\\n${words}`);
      expect(answers[0]?.text).toContain(words === 'None.' ? 'no recent declines' : 'no declines among my alerts');
    },
  );

  interface World {
    readonly getAccount?: () => Promise<AccountDetails>;
    readonly rules?: Record<string, unknown> | undefined;
    readonly readableFromMs?: number;
    readonly fetched?: number[] | null;
    readonly unreadable?: number;
    readonly received?: number[];
  }

  async function show(
    cardId: number | null,
    {
      getAccount = async () => details,
      rules,
      readableFromMs = 0,
      fetched = [],
      unreadable = 0,
      received = [2, 1],
    }: World = {},
  ) {
    const spans: number[] = [];
    const answers: Message[] = [];
    const asked: WhichCard[] = [];
    const showCard = createShowCard({
      card: {
        getAccount,
        async getSpendRules() {
          const read = readSpendRules(rules);
          if (read === null) throw unanswered();
          return { rules: read, raw: {} };
        },
        getRemainingLimits: () => Promise.reject(unanswered()),
      },
      factsOf: async (_acctId, which = {}) => {
        asked.push(which);
        return { ...card, last4: null };
      },
      nameRuleset: async (facts) => facts,
      recentDeclines: async () => received.map((index) => declineOf(index)),
      readTransactions: async (_acctId, { from, to }) => {
        spans.push(to.getTime() - from.getTime());
        return fetched === null ? null : { events: fetched.map((index) => declineOf(index)), unreadable };
      },
      visibleSince: async () => readableFromMs,
      responses: {
        answer: async (_action, message) => void answers.push(message),
      },
      now: () => new Date(timeOf(3_600)),
    });
    await showCard({ action: ask('show', byCommand), acctId, cardId });
    return { answers, asked, spans };
  }
  const details = AccountDetails.parse({
    AccountId: acctId,
    AvailableBalance: 0,
    CardList: [
      { CardId: 1, Last4CardNumber: '1111', CardStatus: 'CLOSED' },
      { CardId: 2, Last4CardNumber: '2222', CardStatus: 'BLOCKED' },
      { CardId: 3, Last4CardNumber: '3333', CardStatus: 'CLOSED' },
    ],
  });

  it.each([
    ['the card that was asked for, even if it is closed', 1, '1111', 'closed'],
    ['the newest open card of the account', null, '2222', 'blocked'],
  ])('shows %s, also while its limits cannot be read', async (_what, cardId, last4, status) => {
    const { answers, asked } = await show(cardId);

    expect(asked).toEqual([{ cardId: Number(last4[0]) }]);
    expect(JSON.stringify(answers)).toContain(last4);
    expect(JSON.stringify(answers).toLowerCase()).toContain(status);
  });

  it('shows a holder no decline from before the card was linked to them', async () => {
    const shown = async (fromMs: number) => JSON.stringify((await show(1, { readableFromMs: fromMs })).answers);
    const at = (index: number) => `<!date^${Date.parse(timeOf(index)) / 1000}^`;

    expect(await shown(0)).toContain(at(1));
    const since = await shown(Date.parse(timeOf(2)));
    expect(since).toContain(at(2));
    expect(since).not.toContain(at(1));
  });

  it('answers nothing from memory if the card itself cannot be read', async () => {
    await expect(show(1, { getAccount: () => Promise.reject(unanswered()) })).rejects.toThrow('unavailable');
  });
});

describe('/card declines', () => {
  async function list(
    details: string,
    fetched: number[] | null,
    received: number[],
    { readableFromMs = 0, unreadable = 0 } = {},
  ) {
    const answers: Message[] = [];
    const unclear: unknown[] = [];
    const spans: number[] = [];
    const listDeclines = createListDeclines({
      readTransactions: async (_acctId, { from, to }) => {
        spans.push(to.getTime() - from.getTime());
        return fetched === null ? null : { events: fetched.map((index) => declineOf(index)), unreadable };
      },
      recentDeclines: async () => received.map((index) => declineOf(index)),
      visibleSince: async () => readableFromMs,
      factsOf: async () => card,
      responses: {
        answer: async (_action, message) => void answers.push(message),
        refuseUnclear: async (_action, { usage }, about) => void unclear.push({ usage, ...about }),
      },
      now: () => new Date(timeOf(3_600)),
    });
    const action = { ...ask('declines', byCommand), details, page: 0 };
    await listDeclines({ action, acctId, cardId: null });
    return { text: answers[0]?.text ?? '', shown: JSON.stringify(answers[0]?.blocks), spans, unclear };
  }

  it('counts a decline once that came as a webhook and from the card service, and none from before the time', async () => {
    const { text, spans } = await list('for the last 1h', [1, 2, -5], [2, 3]);

    expect(spans).toEqual([3_600_000]);
    expect(text).toContain('3 declines in 1 hour');
  });

  it('lists for a holder nothing from before the card was linked to them, and says so', async () => {
    const linked = await list('1h', [1, 5], [2, 6], { readableFromMs: Date.parse(timeOf(5)) });
    expect(linked.spans).toEqual([3_595_000]);
    expect(linked.text).toContain('2 declines since it was linked to you');

    const longAgo = await list('1h', [1, 5], [2, 6], { readableFromMs: Date.parse(timeOf(-5)) });
    expect(longAgo.text).toContain('4 declines in 1 hour');
  });

  it.each([
    ['what the card service lists cannot be read', null, 0, 'these are only the declines that came as alerts'],
    ['some of it cannot be read', [1], 2, '2 transactions of this card could not be read'],
    ['all of it is read', [1], 0, null],
  ])('says so if %s', async (_what, fetched, unreadable, words) => {
    const { shown } = await list('1h', fetched, [2], { unreadable });

    if (words === null) expect(shown).not.toMatch(/could not be read|came as alerts/);
    else expect(shown).toContain(words);
  });

  it('looks back a week if no time is given', async () => {
    expect((await list('', [], [])).spans).toEqual([7 * 24 * 3_600_000]);
  });

  it.each(['365d', '366 days', '500d'])(
    'looks back as far as the card service answers for %s, and says so',
    async (time) => {
      const { spans, text, shown } = await list(time, [1], []);

      expect(spans).toEqual([364 * 24 * 3_600_000]);
      expect(text).toContain('1 decline in 52 weeks');
      for (const said of [text, shown]) expect(said).toContain('I can look back 52 weeks at most.');
      expect((await list('52 weeks', [1], [])).shown).not.toContain('at most');
    },
  );

  it('reads nothing if only part of the text is a time', async () => {
    const { spans, unclear } = await list('2 weeks of Jane', [1], []);

    expect(unclear).toEqual([{ usage: 'declines CARD [7d]', acctId, cardId: null }]);
    expect(spans).toEqual([]);
  });
});
