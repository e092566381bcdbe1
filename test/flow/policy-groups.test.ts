import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SandboxAccount } from '../../sandbox/server.ts';
import { ageRequest } from '../support/age-request.ts';
import { openedForm } from '../support/opened-form.ts';
import { channels, groups, people } from '../support/people.ts';
import { holderOf, inOneProcess, last4Of, useCardbell } from '../support/running-cardbell.ts';
import { until } from '../support/until.ts';
import { filledOrder } from '../support/virtual-order-form.ts';

const { ana, ben, zoe, hana, otto, hugo } = people;
const day = (inDays: number): string => new Date(Date.now() + inDays * 86_400_000).toISOString().slice(0, 10);
const file = join(mkdtempSync(join(tmpdir(), 'policy-')), 'policy.yaml');

/** Hana is the delegate of Ana, an approver by user group. Zoe may approve but is not mentioned. Ben and Hugo order cards. */
writeFileSync(
  file,
  `version: 1
approvers: [${ben}, ${hugo}]
operators: []
orders: [{ up_to: 200, approvals: 1 }, { approvals: 2 }]
groups:
  - cards: [field crews, Office, Sales, Management]
    approvers: { mentioned: [${groups.approvers}], permitted: [${zoe}] }
    approvals_channel: ${channels.status}
    amounts: [{ up_to: 100, approvals: 1 }, { approvals: 2 }]
delegates:
  - { for: ${ana}, to: ${hana}, from: ${day(-2)}, until: ${day(2)} }
  - { for: ${zoe}, to: ${otto}, from: ${day(-9)}, until: ${day(-3)} }
`,
);

const cardbell = useCardbell({ ...inOneProcess, env: { POLICY_FILE: file } });

const limitOf = ({ AcctId }: SandboxAccount) => cardbell().account(AcctId).SpendRules.DailySpendLimit;

/** A crew card held by Otto with a daily limit of 50 dollars. */
async function ofCrew(): Promise<SandboxAccount> {
  const card = cardbell().take(
    'ACTIVE',
    ({ GroupId, AvailableBalance, SpendRules }) =>
      GroupId !== null && AvailableBalance > 300 && SpendRules.WeeklySpendLimit === null,
  );
  await cardbell().command(zoe, `limit ${card.AcctId} daily 50`);
  await until(() => limitOf(card) === 50, 'it has a daily limit');
  await cardbell().link(card, otto);
  return card;
}

describe('a policy for a group of cards', () => {
  it('posts requests in its approvals channel, mentions its approvers and their delegates, and lets a delegate approve', async () => {
    const card = await ofCrew();
    const before = limitOf(card) ?? 0;
    await cardbell().command(otto, `ask ${last4Of(card)} ${before + 60} for 2 hours lumber`);
    const request = await cardbell().waitFor(channels.status, new RegExp(`Approval needed.*${holderOf(card)}`));
    expect(cardbell().texts(channels.approvals).join()).not.toContain('Approval needed');

    await ageRequest(cardbell().store, request, 16 * 60_000);
    const reminder = await cardbell().waitFor(channels.status, new RegExp(`Reminder.*${holderOf(card)}`));
    expect(reminder.text).toContain(`<!subteam^${groups.approvers}>, <@${hana}>`);
    expect(reminder.text, 'an approver who is not mentioned').not.toContain(`<@${zoe}>`);

    await cardbell().press(hana, request, 'decide_request_approve');
    await until(() => limitOf(card) === before + 60, 'the delegate of someone in the user group approves');
  });

  it('needs two approvers above its band: unmentioned ones count, delegates past their days do not', async () => {
    const card = await ofCrew();
    const before = limitOf(card) ?? 0;
    const since = Date.now() / 1000;
    await cardbell().command(zoe, `limit ${card.AcctId} daily ${before + 150} for 2 hours`);
    const request = await cardbell().waitFor(channels.status, new RegExp(`Approval needed.*${holderOf(card)}`));
    expect(cardbell().now(request).text).toContain('1 of 2');

    await cardbell().press(otto, request, 'decide_request_approve');
    await cardbell().waitTold(otto, /Only approvers/, since);
    expect(limitOf(card)).toBe(before);
    await cardbell().press(ana, request, 'decide_request_approve');
    await until(() => limitOf(card) === before + 150, 'two have approved');
  });

  it('leaves orders to the approvers of all cards, and needs two of them above their amount', async () => {
    const { command, workspace, waitTold, waitFor, press, writes } = cardbell();
    const orders = () => writes().filter(({ path }) => path === '/VirtualCard/Order').length;
    const order = async (user: string, name: string, amount: string, told: RegExp): Promise<void> => {
      const since = Date.now() / 1000;
      const { id: viewId } = await openedForm(cardbell(), user, () => command(user, `virtual order ${name}`));
      await workspace.submitView({ user, viewId, values: { ...filledOrder, amount } });
      await waitTold(user, told, since);
    };

    const atStart = Date.now() / 1000;
    await command(zoe, 'virtual order Zara Zero');
    await waitTold(zoe, /Only approvers may order virtual cards/, atStart);
    await command(zoe, 'subscribe declines');
    await waitTold(zoe, /Only approvers may decide what a channel gets/, atStart);
    expect(workspace.views.top(zoe), 'no form to be filled in for nothing').toBeUndefined();
    await order(ben, 'Otis One', '150', /^Ordered: a virtual card for Otis One/);
    await order(ben, 'Tess Two', '100', /^Not ordered yet: a virtual card for Tess Two/);
    const request = await waitFor(channels.approvals, /order a virtual card for Tess Two, funded with \$100/);
    const since = Date.now() / 1000;
    await press(ana, request, 'decide_request_approve');
    await waitTold(ana, /Only approvers/, since);
    expect(orders()).toBe(1);
    await press(hugo, request, 'decide_request_approve');
    await until(() => orders() === 2, 'the second approver of all cards approves');
  });
});
