import { describe, expect, it } from 'vitest';
import type { SandboxAccount } from '../../sandbox/server.ts';
import { AuditRecord } from '../../src/audit/audit-record.ts';
import type { StoredMessage } from '../../workspace/server.ts';
import { channels, people } from '../support/people.ts';
import { holderOf, inOneProcess, useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook } from '../support/sample-webhook.ts';
import { until } from '../support/until.ts';

const cardbell = useCardbell(inOneProcess);
const { ana, ben, olga } = people;

type Purchase = { Amount: number; MCCCode?: string; MerchantCountry?: string; IsCardPresent?: boolean };

const rulesOf = ({ AcctId }: SandboxAccount) => cardbell().account(AcctId).SpendRules;
const hasMoney = ({ AvailableBalance }: SandboxAccount): boolean => AvailableBalance > 200;

function buy(card: SandboxAccount, purchase: Purchase, MerchantName = `SHOP ${card.AcctId}`): boolean {
  return cardbell().sandbox.purchase({ AcctId: card.AcctId, MerchantName, ...purchase }).Approved;
}

/** Makes a purchase that a rule stops. @returns its alert. */
async function stopped(card: SandboxAccount, purchase: Purchase): Promise<StoredMessage> {
  expect(buy(card, purchase)).toBe(false);
  return await cardbell().waitFor(channels.declines, new RegExp(`SHOP ${card.AcctId}`));
}

async function openForm(user: string, alert: StoredMessage, filled: RegExp) {
  await cardbell().press(user, alert, 'approve_remedy');
  const top = () => cardbell().workspace.views.top(user);
  const text = (): string => JSON.stringify(top()?.blocks ?? []);
  await until(() => filled.test(text()) && !text().includes('Checking'), `the form says ${filled.source}`);
  const view = top();
  if (view === undefined) throw new Error('no form');
  return view;
}

const submit = (user: string, viewId: string, values: Record<string, unknown>) =>
  cardbell().workspace.submitView({ user, viewId, values: { reason: 'conference', ...values } });
const shown = (alert: StoredMessage): string => JSON.stringify(cardbell().now(alert).blocks);

const openings: readonly [string, object, Purchase, RegExp, (card: SandboxAccount) => boolean][] = [
  [
    'purchases abroad',
    {},
    { Amount: 20, MerchantCountry: 'FR' },
    /Allows purchases outside/,
    (card) => rulesOf(card).InternationalSpendEnabled,
  ],
  [
    'online purchases',
    { CardNotPresentUse: false },
    { Amount: 20, IsCardPresent: false },
    /Allows purchases without the card/,
    (card) => rulesOf(card).CardNotPresentUse,
  ],
];

describe('the remedy that fits the decline', () => {
  it.each(openings)('allows %s for this purchase only', async (_what, rules, purchase, words, isAllowed) => {
    const card = cardbell().take('ACTIVE', hasMoney);
    await cardbell().inPortal(card, rules);
    const before = rulesOf(card);
    const alert = await stopped(card, purchase);

    const view = await openForm(ana, alert, words);
    expect((await submit(ana, view.id, {})).errors).toBeUndefined();
    await until(() => shown(alert).includes('Spending rules changed'), 'the alert says so');
    expect(isAllowed(card)).toBe(true);
    expect(shown(alert)).toContain('revert_now');
    expect(buy(card, purchase)).toBe(true);
    await until(() => shown(alert).includes('Put back'), 'its authorization ends the change');

    expect(rulesOf(card)).toEqual(before);
    expect(shown(alert)).not.toContain('revert_now');
    expect(shown(alert)).toMatch(/Put back\* automatically/);
  });

  it('needs two approvers to allow a country for a day, even for a small declined purchase', async () => {
    const card = cardbell().take('ACTIVE', hasMoney);
    const alert = await stopped(card, { Amount: 1, MerchantCountry: 'FR' });

    const view = await openForm(ana, alert, /Allows purchases outside/);
    await submit(ana, view.id, { term: '24 hours' });
    const request = await cardbell().waitFor(channels.approvals, new RegExp(`Approval needed.*${holderOf(card)}`));

    expect(rulesOf(card).InternationalSpendEnabled, 'not allowed on one approval').toBe(false);
    expect(buy(card, { Amount: 140, MerchantCountry: 'FR' }), 'a larger purchase abroad').toBe(false);
    expect(shown(request)).toContain('without an amount');
    // Otherwise this alert would share a message with the next test's decline.
    await cardbell().waitFor(channels.declines, new RegExp(`\\$140\\.00.*${holderOf(card)}`));
  });

  it('allows a category known from other cards for an hour with a second approver, until an operator reverts it', async () => {
    const card = cardbell().take('ACTIVE', hasMoney);
    const [restaurants] = rulesOf(card).MerchantCategories.filter(({ Name }) => Name === 'Restaurants');
    await cardbell().inPortal(card, { MerchantCategories: [restaurants] });
    const before = rulesOf(card);
    const alert = await stopped(card, { Amount: 20, MCCCode: '5251' });
    expect(shown(alert)).toContain('Allow Hardware Stores…');

    const view = await openForm(ben, alert, /Allows purchases at \*Hardware Stores/);
    await submit(ben, view.id, { term: '1 hour' });
    const request = await cardbell().waitFor(channels.approvals, new RegExp(`Approval needed.*${holderOf(card)}`));
    expect(rulesOf(card), 'nothing changes on one approval').toEqual(before);
    await cardbell().press(ana, request, 'decide_request_approve');
    await until(() => shown(alert).includes('Spending rules changed'), 'the alert says so');
    expect(rulesOf(card).MerchantCategories.map(({ Name }) => Name)).toEqual(['Restaurants', 'Hardware Stores']);
    await cardbell().press(olga, alert, 'revert_now');
    await until(() => shown(alert).includes('Put back'), 'the alert says so');

    expect(rulesOf(card)).toEqual(before);
    expect(shown(alert)).toContain(`Put back* by <@${olga}>`);
  });

  it('raises a limit for this purchase, is not ended by another purchase, and shows a bad amount in the form', async () => {
    const card = cardbell().take('ACTIVE', hasMoney);
    await cardbell().inPortal(card, { DailySpendLimit: 10, WeeklySpendLimit: 100 });
    const alert = await stopped(card, { Amount: 40 });

    const view = await openForm(ana, alert, /is the lowest limit/);
    const wrong = await submit(ana, view.id, { amount: 'forty' });
    expect(Object.values(wrong.errors ?? {})).toEqual([expect.stringContaining('Write dollars')]);
    await submit(ana, view.id, { amount: '40' });
    await until(() => shown(alert).includes('Limit changed'), 'the alert says so');
    expect(buy(card, { Amount: 5 }, 'ELSEWHERE')).toBe(true);
    expect(rulesOf(card).DailySpendLimit).toBe(40);
    expect(buy(card, { Amount: 35 })).toBe(true);
    await until(() => rulesOf(card).DailySpendLimit === 10, 'its authorization ends the change');
  });

  it('unblocks a blocked card for an approver who gives a reason', async () => {
    const card = cardbell().take('BLOCKED');
    await cardbell().deliver(
      sampleWebhook('decline.card.status', { AcctId: card.AcctId, Message: 'Card Status Inactive' }),
    );
    const alert = await cardbell().waitFor(channels.declines, new RegExp(holderOf(card)));
    expect(shown(alert)).toContain('Unblock card…');

    const view = await openForm(ana, alert, /will work again/);
    await submit(ana, view.id, {});
    await until(() => shown(alert).includes('Unblocked'), 'the alert says so');

    expect(cardbell().account(card.AcctId).CardList[0]?.CardStatus).toBe('ACTIVE');
  });

  it.each(['decline.balance.card', 'decline.balance.business', 'decline.remote', 'decline.mcc', 'decline.card.pin'])(
    '%s has none, and says who can do something',
    async (code) => {
      const card = cardbell().take('ACTIVE');
      await cardbell().deliver(sampleWebhook(code, { AcctId: card.AcctId }));
      const alert = await cardbell().waitFor(channels.declines, new RegExp(holderOf(card)));

      expect(shown(alert)).not.toContain('approve_remedy');
      expect(shown(alert)).toMatch(/portal|support|authorization system|cardholder/);
    },
  );

  it('says in the form when the purchase would now pass, which needs more than the rule that declined it', async () => {
    const card = cardbell().take('ACTIVE', hasMoney);
    const alert = await stopped(card, { Amount: 20, MerchantCountry: 'FR' });
    const none = { WeeklySpendLimit: null, MonthlySpendLimit: null, YearlySpendLimit: null, LifetimeSpendLimit: null };
    const rules = { InternationalSpendEnabled: true, MerchantCategories: [], ...none };
    await cardbell().inPortal(card, { ...rules, DailySpendLimit: 10 });
    const { id } = await openForm(ana, alert, /Current daily limit: \$10\.00/);
    await cardbell().workspace.closeView({ user: ana, viewId: id });
    await cardbell().inPortal(card, { DailySpendLimit: 20 });

    const view = await openForm(ana, alert, /No limit or rule stops this purchase any more/);

    expect(JSON.stringify(view.blocks)).toContain('tried again');
  });
});

describe('several small raises', () => {
  it('within a day add up towards the two-person amount', async () => {
    const card = cardbell().take('ACTIVE');
    await cardbell().inPortal(card, { DailySpendLimit: 100 });
    const since = Date.now() / 1000;
    await cardbell().command(ana, `limit ${card.AcctId} daily 900 for 1h`);
    await cardbell().waitTold(ana, new RegExp(`^Limit changed: ${holderOf(card)}`), since);

    await cardbell().command(ana, `limit ${card.AcctId} daily 1200 for 1h`);
    await cardbell().waitTold(ana, new RegExp(`Waiting for approval.*${holderOf(card)}`), since);

    expect(rulesOf(card).DailySpendLimit).toBe(900);
    await cardbell().waitFor(channels.approvals, new RegExp(`Approval needed.*${holderOf(card)}`));
  });

  it('are shown with their amounts and times to the person who asks, in the request and on record', async () => {
    const card = cardbell().take('ACTIVE');
    await cardbell().inPortal(card, {
      DailySpendLimit: 100,
      WeeklySpendLimit: null,
      MonthlySpendLimit: null,
      YearlySpendLimit: null,
    });
    for (const dollars of ['800', '950']) {
      const since = Date.now() / 1000;
      await cardbell().command(ana, `limit ${card.AcctId} daily ${dollars}`);
      await cardbell().waitTold(ana, new RegExp(`^Limit changed: ${holderOf(card)}`), since);
    }
    const at = String.raw`at <!date\^\d+\^\{time\}\|[^>]+ ET>`;
    const why = new RegExp(
      String.raw`This raises the daily limit by \$400\.00\. <@${ana}> raised it by \$700\.00 ${at} and by \$150\.00 ${at}: \$1,250\.00 in 24 hours`,
    );

    await cardbell().command(ana, `limit ${card.AcctId} daily 1350`);

    await cardbell().waitTold(ana, why);
    const request = await cardbell().waitFor(channels.approvals, new RegExp(`Approval needed.*${holderOf(card)}`));
    expect(shown(request)).toMatch(new RegExp(`2 approvals: more than \\$1,000\\.00 in 24 hours\\.\\* ${why.source}`));
    await cardbell().waitFor(channels.audit, why);
    const chain = await cardbell().store.lrange('{cardbell:audit}:chain', 0, -1);
    const records = chain.map((line) => AuditRecord.parse(JSON.parse(line).record));
    const waiting = records.find(({ event, acctId }) => event === 'waiting' && acctId === card.AcctId);
    expect(waiting?.detail).toMatch(/by \$700\.00 at [\dT:.-]+Z and by \$150\.00 at/);
  });
});
