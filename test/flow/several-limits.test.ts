import { describe, expect, it } from 'vitest';
import type { SandboxAccount } from '../../sandbox/server.ts';
import type { StoredMessage } from '../../workspace/server.ts';
import { channels, people } from '../support/people.ts';
import { holderOf, inOneProcess, last4Of, useCardbell } from '../support/running-cardbell.ts';
import { until } from '../support/until.ts';
import { wakeJob } from '../support/wake-job.ts';

const cardbell = useCardbell(inOneProcess);
const { ana, ben, otto } = people;

const rulesOf = ({ AcctId }: SandboxAccount) => cardbell().account(AcctId).SpendRules;
const shown = (message: StoredMessage): string => JSON.stringify(cardbell().now(message).blocks);
const textOf = (message: StoredMessage): string => cardbell().now(message).text;

function limitsOf(card: SandboxAccount) {
  const { DailySpendLimit, WeeklySpendLimit, MonthlySpendLimit } = rulesOf(card);
  return [DailySpendLimit, WeeklySpendLimit, MonthlySpendLimit];
}

/** A card with exactly these limits. */
async function cardWith(rules: object, money = 200): Promise<SandboxAccount> {
  const isFree = (limits: object): boolean =>
    Object.entries(limits).every(([field, value]) => !field.endsWith('Limit') || value === null);
  const card = cardbell().take('ACTIVE', ({ AvailableBalance, SpendRules }) => {
    return AvailableBalance > money && [SpendRules, ...SpendRules.MerchantCategories].every(isFree);
  });
  await cardbell().inPortal(card, rules);
  return card;
}

function buy(card: SandboxAccount, Amount: number): boolean {
  const merchant = { MerchantName: `SHOP ${card.AcctId}`, MCCCode: '5812' };
  return cardbell().sandbox.purchase({ AcctId: card.AcctId, Amount, ...merchant }).Approved;
}

/** Makes a purchase that limits stop. @returns its alert. */
async function stopped(card: SandboxAccount, amount: number): Promise<StoredMessage> {
  expect(buy(card, amount)).toBe(false);
  return await cardbell().waitFor(channels.declines, new RegExp(`SHOP ${card.AcctId}`));
}

async function openForm(user: string, message: StoredMessage, button: string, filled: RegExp): Promise<string> {
  await cardbell().press(user, message, button);
  return await formThatSays(user, filled);
}

async function formThatSays(user: string, words: RegExp): Promise<string> {
  const top = () => cardbell().workspace.views.top(user);
  const text = (): string => JSON.stringify(top()?.blocks ?? []);
  await until(() => words.test(text()) && !text().includes('Checking'), `the form says ${words.source}`);
  return top()?.id ?? '';
}

const submit = (user: string, viewId: string, values: Record<string, unknown>) =>
  cardbell().workspace.submitView({ user, viewId, values: { reason: 'conference', ...values } });

/** Bodies of Cardbell's writes of the card's rules. */
function writesOf({ AcctId }: SandboxAccount): unknown[] {
  return cardbell()
    .writes()
    .filter(({ path }) => path.includes(`/${AcctId}`))
    .map(({ body }) => body);
}

async function records({ AcctId }: SandboxAccount) {
  const chain = await cardbell().store.lrange('{cardbell:audit}:chain', 0, -1);
  return chain.map((line) => JSON.parse(line).record).filter(({ acctId }) => acctId === AcctId);
}

/** Ends a card's temporary change now, as if its time were up. */
async function timeIsOver(card: SandboxAccount): Promise<void> {
  const kept = Object.values(await cardbell().store.hgetall('{cardbell:state}:temporary-changes'));
  const { id } = kept.map((text) => JSON.parse(text)).find(({ acctId }) => acctId === card.AcctId) ?? {};
  await wakeJob(cardbell().store, `temporary-change-${id}`);
}

describe('a purchase stopped by several limits', () => {
  it('is approved once: all limits are raised in one write, the purchase passes, and all are restored', async () => {
    const card = await cardWith({ DailySpendLimit: 10, WeeklySpendLimit: 20 });
    const alert = await stopped(card, 40);
    expect(shown(alert)).toContain('Raise 2 limits…');
    expect(shown(alert)).toMatch(/Over the daily limit:.*Also too small: weekly/);
    const since = writesOf(card).length;

    const view = await openForm(ana, alert, 'approve_remedy', /is stopped by two limits: the daily limit of \$10\.00/);
    expect((await submit(ana, view, {})).errors).toBeUndefined();
    await until(() => shown(alert).includes('· confirmed'), 'the alert says so');

    expect(limitsOf(card)).toEqual([40, 40, null]);
    expect(writesOf(card)).toHaveLength(since + 1);
    expect(shown(alert)).toContain('Daily limit $10.00 → $40.00; weekly limit $20.00 → $40.00.');
    expect(shown(alert)).toContain('Goes back to daily limit $10.00 and weekly limit $20.00');
    expect(buy(card, 40)).toBe(true);
    await until(() => shown(alert).includes('Put back'), 'its authorization ends the change');

    expect(limitsOf(card)).toEqual([10, 20, null]);
    expect(writesOf(card)).toHaveLength(since + 2);
    expect(shown(alert)).toContain('Daily limit $40.00 → $10.00; weekly limit $40.00 → $20.00.');
    await cardbell().waitFor(channels.audit, /changed the limit of .*: daily limit \$10\.00 → \$40\.00; weekly/);
    const line = await cardbell().waitFor(channels.audit, /put back the daily limit and weekly limit of/);
    expect(line.text).toContain('daily limit $40.00 → $10.00; weekly limit $40.00 → $20.00');
    expect((await records(card)).map(({ event, before, after }) => [event, before, after])).toEqual(
      expect.arrayContaining([
        ['sent', 'daily limit $10.00; weekly limit $20.00', 'daily limit $40.00; weekly limit $40.00'],
        ['confirmed', 'daily limit $10.00; weekly limit $20.00', 'daily limit $40.00; weekly limit $40.00'],
        ['ended', 'daily limit $40.00; weekly limit $40.00', 'daily limit $10.00; weekly limit $20.00'],
      ]),
    );
  });

  it('raises the category’s limits for one purchase and for the day, and the card’s own daily limit', async () => {
    const restaurants = { Id: 9, Name: 'Restaurants', TransactionLimit: 25, DailySpendLimit: 30 };
    const card = await cardWith({ DailySpendLimit: 35, MerchantCategories: [restaurants] });
    const alert = await stopped(card, 40);

    const view = await openForm(ana, alert, 'approve_remedy', /is stopped by three limits/);
    expect(shown(alert)).toContain(
      'Over the limit for a single purchase at Restaurants:* $15.00 more than the $25.00 allowed',
    );
    await submit(ana, view, { term: '1 hour' });
    await until(() => shown(alert).includes('· confirmed'), 'the alert says so');

    expect(rulesOf(card).MerchantCategories).toMatchObject([{ Id: 9, TransactionLimit: 40, DailySpendLimit: 40 }]);
    expect(rulesOf(card).DailySpendLimit).toBe(40);
    expect(shown(alert)).toContain(
      'Limit for a single purchase at Restaurants $25.00 → $40.00; daily limit for Restaurants $30.00 → $40.00; daily limit $35.00 → $40.00.',
    );
    expect(buy(card, 40)).toBe(true);
    await cardbell().press(ben, alert, 'revert_now');
    await until(() => shown(alert).includes('Put back'), 'it is reverted');

    expect(rulesOf(card).MerchantCategories).toMatchObject([{ Id: 9, TransactionLimit: 25, DailySpendLimit: 30 }]);
    expect(rulesOf(card).DailySpendLimit).toBe(35);
  });

  it('leaves a limit unchanged when its amount is cleared in the form', async () => {
    const card = await cardWith({ DailySpendLimit: 10, WeeklySpendLimit: 20 });
    const alert = await stopped(card, 40);

    const view = await openForm(ana, alert, 'approve_remedy', /is stopped by two limits/);
    await submit(ana, view, { 'amount:daily': '15', 'amount:weekly': '' });
    await until(() => shown(alert).includes('· confirmed'), 'the alert says so');

    expect(limitsOf(card)).toEqual([15, 20, null]);
  });

  it('shows an error beside the amounts when one limit would exceed another', async () => {
    const card = await cardWith({ DailySpendLimit: 10, WeeklySpendLimit: 20 });
    const alert = await stopped(card, 40);

    const view = await openForm(ana, alert, 'approve_remedy', /is stopped by two limits/);
    const wrong = await submit(ana, view, { 'amount:daily': '60', 'amount:weekly': '50' });

    expect(Object.values(wrong.errors ?? {})).toEqual([
      'The daily limit of $60.00 would be above the weekly limit, $50.00. Change one of the two.',
    ]);
    expect(limitsOf(card)).toEqual([10, 20, null]);
  });
});

it('the form shows what still stops the purchase, if anything, after a category’s limit was raised', async () => {
  const restaurants = (DailySpendLimit: number) => [{ Id: 9, Name: 'Restaurants', DailySpendLimit }];
  const card = await cardWith({ DailySpendLimit: 35, MerchantCategories: restaurants(30) });
  const alert = await stopped(card, 40);
  await cardbell().inPortal(card, { DailySpendLimit: 35, MerchantCategories: restaurants(35) });
  await openForm(ana, alert, 'approve_remedy', /is stopped by two limits: the daily limit for Restaurants of \$35/);
  await cardbell().inPortal(card, { DailySpendLimit: 70, MerchantCategories: restaurants(50) });

  const passes = await openForm(ben, alert, 'approve_remedy', /No limit or rule stops this purchase any more/);
  expect(JSON.stringify(cardbell().workspace.views.top(ben)?.blocks)).toContain(
    'When it was declined, it was stopped by',
  );
  await cardbell().inPortal(card, {
    DailySpendLimit: 36,
    MerchantCategories: [{ Id: 9, Name: 'Restaurants', DailySpendLimit: null }],
  });
  await cardbell().workspace.closeView({ user: ben, viewId: passes });
  const view = await openForm(ben, alert, 'approve_remedy', /Current daily limit: \$36\.00/);
  await submit(ben, view, { term: '1 hour' });
  await until(() => shown(alert).includes('· confirmed'), 'the alert says so');

  expect(rulesOf(card).DailySpendLimit).toBe(40);
  expect(rulesOf(card).MerchantCategories).toMatchObject([{ Id: 9, DailySpendLimit: null }]);
});

describe('a limit for a single purchase', () => {
  it('is named in the alert, raised for an hour with the form, and restored', async () => {
    const card = await cardWith({ MerchantCategories: [{ Id: 9, Name: 'Restaurants', TransactionLimit: 25 }] });
    const alert = await stopped(card, 40);
    expect(shown(alert)).toContain(
      'Over the limit for a single purchase at Restaurants:* $15.00 more than the $25.00 allowed',
    );

    const view = await openForm(ana, alert, 'approve_remedy', /Current limit for a single purchase: \$25\.00/);
    await submit(ana, view, { term: '1 hour' });
    await until(() => shown(alert).includes('· confirmed'), 'the alert says so');
    expect(shown(alert)).toContain('Limit for a single purchase at Restaurants $25.00 → $40.00');
    expect(buy(card, 40)).toBe(true);
    expect(buy(card, 41)).toBe(false);
    await timeIsOver(card);
    await until(() => shown(alert).includes('limit back to $25.00'), 'it is restored');

    expect(rulesOf(card).MerchantCategories).toMatchObject([{ TransactionLimit: 25 }]);
  });
});

describe('a daily limit above the weekly limit', () => {
  it('also raises the weekly limit, after the form has shown this', async () => {
    const card = await cardWith({ DailySpendLimit: 10, WeeklySpendLimit: 100, MonthlySpendLimit: 300 });
    const alert = await stopped(card, 40);
    const since = writesOf(card).length;

    const first = await openForm(ana, alert, 'approve_remedy', /is the lowest limit/);
    await submit(ana, first, { amount: '150', term: '1 hour' });
    const second = await formThatSays(
      ana,
      /Raised too, because that limit would exceed it: the weekly limit of \$100\.00/,
    );
    expect(writesOf(card)).toHaveLength(since);
    expect((await submit(ana, second, {})).errors).toBeUndefined();
    await until(() => shown(alert).includes('· confirmed'), 'the alert says so');

    expect(limitsOf(card)).toEqual([150, 150, 300]);
    expect(writesOf(card)).toHaveLength(since + 1);
    expect(shown(alert)).toMatch(/Goes back to daily limit \$10\.00 and weekly limit \$100\.00/);
  });

  it('also raises the card’s limit when a category’s limit exceeds it', async () => {
    const restaurants = { Id: 9, Name: 'Restaurants', DailySpendLimit: 30 };
    const card = await cardWith({ DailySpendLimit: 60, WeeklySpendLimit: 70, MerchantCategories: [restaurants] });
    const alert = await stopped(card, 40);

    const first = await openForm(ana, alert, 'approve_remedy', /is the lowest limit/);
    await submit(ana, first, { amount: '90', term: 'Permanent' });
    const second = await formThatSays(ana, /the daily limit of \$60\.00 and the weekly limit of \$70\.00/);
    await submit(ana, second, {});
    await until(() => shown(alert).includes('· confirmed'), 'the alert says so');

    expect(rulesOf(card).MerchantCategories).toMatchObject([{ DailySpendLimit: 90 }]);
    expect(limitsOf(card)).toEqual([90, 90, null]);
  });
});

it('asks people when one limit was changed in the meantime, restores the others at once, and that one on their approval', async () => {
  const card = await cardWith({ DailySpendLimit: 10, WeeklySpendLimit: 20 });
  const alert = await stopped(card, 40);
  const view = await openForm(ana, alert, 'approve_remedy', /is stopped by two limits/);
  await submit(ana, view, { term: '1 hour' });
  await until(() => shown(alert).includes('· confirmed'), 'the alert says so');
  await cardbell().inPortal(card, { WeeklySpendLimit: 90 });

  await timeIsOver(card);
  const question = await cardbell().waitFor(channels.approvals, new RegExp(`Put back\\?.*${holderOf(card)}`));
  expect(question.text).toContain('Back already: daily limit $10.00.');
  expect(question.text).toContain('it is $90.00 now. Should it go back to $20.00?');
  expect(limitsOf(card)).toEqual([10, 90, null]);
  await cardbell().press(ben, question, 'put_back');
  await until(() => limitsOf(card)[1] === 20, 'it is restored');

  expect(limitsOf(card)).toEqual([10, 20, null]);
});

describe('a request for several limits', () => {
  it('above the two-person amount waits for a second approver, who lowers both', async () => {
    const card = await cardWith({ DailySpendLimit: 10, WeeklySpendLimit: 20 }, 1500);
    const alert = await stopped(card, 1300);
    const view = await openForm(ana, alert, 'approve_remedy', /is stopped by two limits/);
    await submit(ana, view, { term: '1 hour' });
    const request = await cardbell().waitFor(channels.approvals, new RegExp(`Approval needed.*${holderOf(card)}`));
    expect(request.text).toContain('asks to raise 2 limits of');
    expect(shown(request)).toContain('Approval needed: raise 2 limits for');
    expect(limitsOf(card)).toEqual([10, 20, null]);

    const change = await openForm(ben, request, 'change_request', /New weekly limit in dollars/);
    const wrong = await submit(ben, change, { 'amount:daily': '1200', 'amount:weekly': 'much' });
    expect(Object.values(wrong.errors ?? {})).toEqual([expect.stringMatching(/Write dollars/)]);
    const order = await submit(ben, change, { 'amount:daily': '1200', 'amount:weekly': '1100' });
    expect(Object.values(order.errors ?? {})).toEqual([
      'The daily limit of $1,200.00 would be above the weekly limit, $1,100.00. Change one of the two.',
    ]);
    await submit(ben, change, { 'amount:daily': '1200', 'amount:weekly': '1250', reason: '' });
    await until(() => textOf(request).startsWith('Approved'), 'two have approved');

    expect(limitsOf(card)).toEqual([1200, 1250, null]);
    await until(() => shown(alert).includes('Daily limit $10.00 → $1,200.00; weekly limit $20.00 → $1,250.00'), 'told');
  });

  it('is one request by a holder and one approval, and the purchase can be paid', async () => {
    const card = await cardWith({ DailySpendLimit: 10, WeeklySpendLimit: 20 });
    await cardbell().link(card, otto);

    await cardbell().command(otto, `ask ${last4Of(card)} 40 for 2 hours dinner`);
    const sent = await cardbell().waitTold(otto, /Sent to the approvers: you want to pay/);
    expect(sent.text).toContain('Daily limit $10.00 → $40.00; weekly limit $20.00 → $40.00 for 2 hours');
    const request = await cardbell().waitFor(channels.approvals, new RegExp(`Approval needed.*${holderOf(card)}`));
    await cardbell().press(ben, request, 'decide_request_approve');
    const told = await cardbell().workspace.waitForMessage(
      ({ channel, text }) => channel.startsWith('D') && text.includes('you can pay $40.00 until'),
      60_000,
    );

    expect(told.text).toContain('daily limit $10.00 → $40.00; weekly limit $20.00 → $40.00 for 2 hours');
    expect(limitsOf(card)).toEqual([40, 40, null]);
    expect(buy(card, 40)).toBe(true);
  });
});
