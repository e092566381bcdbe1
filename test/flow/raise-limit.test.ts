import { describe, expect, it } from 'vitest';
import type { SandboxAccount } from '../../sandbox/server.ts';
import type { StoredMessage } from '../../workspace/server.ts';
import { openedForm } from '../support/opened-form.ts';
import { channels, people } from '../support/people.ts';
import { holderOf, inOneProcess, useCardbell } from '../support/running-cardbell.ts';
import { until } from '../support/until.ts';

const cardbell = useCardbell(inOneProcess);
const { ana, ben } = people;

/** Makes a purchase that a limit stops. @returns its alert. */
async function stopped(card: SandboxAccount, purchase: { Amount: number; MCCCode?: string }): Promise<StoredMessage> {
  const MerchantName = `STOPPED ${card.AcctId} ${purchase.Amount}`;
  const { Approved } = cardbell().sandbox.purchase({ AcctId: card.AcctId, MerchantName, ...purchase });
  expect(Approved).toBe(false);
  return await cardbell().waitFor(channels.declines, new RegExp(MerchantName));
}

const top = (user: string): string => JSON.stringify(cardbell().workspace.views.top(user) ?? '');

const openForm = (user: string, alert: StoredMessage) =>
  openedForm(cardbell(), user, () => cardbell().press(user, alert, 'approve_remedy'));

const submit = (user: string, viewId: string, amount: string, reason = 'team dinner') =>
  cardbell().workspace.submitView({ user, viewId, values: { amount, reason } });

describe('raising a limit from a decline', () => {
  it('opens a form with the limit, shows errors beside the input, then changes the limit', async () => {
    const card = cardbell().take('ACTIVE');
    await cardbell().command(ana, `limit ${card.AcctId} daily 100`);
    await cardbell().waitTold(ana, new RegExp(`^Limit changed: ${holderOf(card)}`));
    const alert = await stopped(card, { Amount: 140 });

    const view = await openForm(ana, alert);
    await until(() => top(ana).includes('lowest limit'), 'the card was read');
    expect(top(ana)).toMatch(/\$100\.00/);
    expect(top(ana)).toContain('140.00');
    const wrong = await submit(ana, view.id, 'a lot');
    expect(Object.values(wrong.errors ?? {})).toEqual([expect.stringMatching(/dollars/)]);
    const low = await submit(ana, view.id, '139.99');
    expect(Object.values(low.errors ?? {})).toEqual([expect.stringMatching(/needs at least \$140\.00/)]);
    const right = await submit(ana, view.id, '$180');
    expect(right.errors).toBeUndefined();
    await until(() => cardbell().now(alert).text.includes('Limit changed'), 'the alert says so');

    expect(cardbell().account(card.AcctId).SpendRules.DailySpendLimit).toBe(180);
    const shown = JSON.stringify(cardbell().now(alert).blocks);
    expect(shown).toContain(`<@${ana}>`);
    expect(shown).toContain('team dinner');
    expect(shown).not.toContain('approve_remedy');
    const line = await cardbell().waitFor(channels.audit, new RegExp(`${holderOf(card)}.*\\$180\\.00`));
    expect(line.text).toContain('$100.00');
  });

  it('shows on the decline that the retry was paid, who approved it and how long it took, and notifies the approver', async () => {
    const card = cardbell().take('ACTIVE');
    await cardbell().command(ana, `limit ${card.AcctId} daily 100`);
    await cardbell().waitTold(ana, new RegExp(`^Limit changed: ${holderOf(card)}`));
    const alert = await stopped(card, { Amount: 140 });
    const view = await openForm(ana, alert);
    await submit(ana, view.id, '140');
    await until(() => cardbell().account(card.AcctId).SpendRules.DailySpendLimit === 140, 'the limit is raised');

    const MerchantName = `STOPPED ${card.AcctId} 140`;
    expect(cardbell().sandbox.purchase({ AcctId: card.AcctId, MerchantName, Amount: 140 }).Approved).toBe(true);
    await until(
      () =>
        /Resolved\.\* Approved by <@U0ANA>, paid at .*limit back to \$100\.00\. (Less than a minute|\d+ minutes?) after the decline\./.test(
          JSON.stringify(cardbell().now(alert).blocks),
        ),
      'the decline is resolved',
    );

    expect(cardbell().now(alert).text).toContain('Paid.');
    expect(cardbell().account(card.AcctId).SpendRules.DailySpendLimit).toBe(100);
    const told = await cardbell().workspace.waitForMessage(
      ({ channel, text }) => channel.startsWith('D') && text.startsWith(`Paid: $140.00 at ${MerchantName}`),
      60_000,
    );
    expect(told.text).toMatch(/(Less than a minute|\d+ minutes?) after the decline\./);
  });

  it('lowers no limit that somebody has raised since, whether the form was open before or not', async () => {
    const card = cardbell().take('ACTIVE');
    await cardbell().command(ana, `limit ${card.AcctId} daily 100`);
    await cardbell().waitTold(ana, new RegExp(`^Limit changed: ${holderOf(card)}`));
    const alert = await stopped(card, { Amount: 140 });
    const open = await openForm(ana, alert);
    await until(() => top(ana).includes('lowest limit'), 'the card was read');
    await cardbell().command(ben, `limit ${card.AcctId} daily 400 conference`);
    await cardbell().waitTold(ben, new RegExp(`^Limit changed: ${holderOf(card)}`));

    await submit(ana, open.id, '140');
    const { text } = await cardbell().waitTold(ana, /lower what the card may spend/);
    expect(text).toContain('By now: daily limit $400.00.');

    const since = await openForm(ben, alert);
    await until(() => top(ben).includes('Current daily limit: $400.00'), 'the form shows the limit of now');
    const wrong = await submit(ben, since.id, '180');
    expect(Object.values(wrong.errors ?? {})).toEqual([
      'The daily limit is $400.00 by now, and this form only raises limits. To lower it use /card limit.',
    ]);
    expect(cardbell().account(card.AcctId).SpendRules.DailySpendLimit).toBe(400);
  });

  it('changes the limit of a merchant category, not the card’s', async () => {
    const card = cardbell()
      .sandbox.accounts()
      .find(({ LastName }) => LastName === 'Wei');
    if (card === undefined) throw new Error('the seed has no holder with category limits');
    const alert = await stopped(card, { Amount: 75, MCCCode: '5812' });
    const view = await openForm(ben, alert);

    await submit(ben, view.id, '90');
    await until(() => cardbell().now(alert).text.includes('Limit changed'), 'the alert says so');

    const rules = cardbell().account(card.AcctId).SpendRules;
    expect(rules.MerchantCategories.find(({ Id }) => Id === 9)?.DailySpendLimit).toBe(90);
    expect({ ...rules, MerchantCategories: [] }).toEqual({ ...card.SpendRules, MerchantCategories: [] });
  });

  it('changes the category limit even if the alert could not name the category because the API was down', async () => {
    const card = cardbell().account(
      cardbell()
        .sandbox.accounts()
        .find(({ LastName }) => LastName === 'Wei')?.AcctId ?? 0,
    );
    cardbell().sandbox.faults.add({ path: /Limits?$|SpendRules/, kind: 'http_500', times: 8 });
    const alert = await stopped(card, { Amount: 140, MCCCode: '5812' });
    cardbell().sandbox.faults.clear();
    expect(JSON.stringify(alert.blocks), 'the alert names no limit').not.toMatch(/more than the \$[\d.,]+ left/);
    const view = await openForm(ben, alert);
    await until(() => top(ben).includes('lowest limit'), 'the card was read');

    await submit(ben, view.id, '150');
    await until(() => cardbell().now(alert).text.includes('Limit changed'), 'the alert says so');

    const rules = cardbell().account(card.AcctId).SpendRules;
    expect(rules.MerchantCategories.find(({ Id }) => Id === 9)?.DailySpendLimit).toBe(150);
    expect(rules.DailySpendLimit).toBe(card.SpendRules.DailySpendLimit);
  });

  it('waits for a second approver above the two-person amount, and the alert says so until then', async () => {
    const card = cardbell().take('ACTIVE', ({ AvailableBalance }) => AvailableBalance > 2000);
    await cardbell().command(ana, `limit ${card.AcctId} daily 50`);
    await cardbell().waitTold(ana, new RegExp(`^Limit changed: ${holderOf(card)}`));
    const alert = await stopped(card, { Amount: 1900 });
    const view = await openForm(ana, alert);

    await submit(ana, view.id, '2000');
    await until(() => cardbell().now(alert).text.includes('Sent to approvers'), 'the alert waits');
    const request = await cardbell().waitFor(channels.approvals, new RegExp(`Approval needed.*${holderOf(card)}`));
    expect(cardbell().account(card.AcctId).SpendRules.DailySpendLimit).toBe(50);
    await cardbell().press(ben, request, 'decide_request_approve');
    await until(() => cardbell().now(alert).text.includes('Limit changed'), 'the alert says so');

    expect(cardbell().account(card.AcctId).SpendRules.DailySpendLimit).toBe(2000);
    expect(JSON.stringify(cardbell().now(alert).blocks)).not.toContain('another approver');
  });
});
