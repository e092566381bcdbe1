import { describe, expect, it } from 'vitest';
import type { SandboxAccount } from '../../sandbox/server.ts';
import type { StoredMessage } from '../../workspace/server.ts';
import { ageRequest } from '../support/age-request.ts';
import { openedForm } from '../support/opened-form.ts';
import { channels, groups, people } from '../support/people.ts';
import { holderOf, inOneProcess, last4Of, useCardbell } from '../support/running-cardbell.ts';
import { until } from '../support/until.ts';

/** Attacks by one person in several steps, each of which was once allowed. */

const cardbell = useCardbell(inOneProcess);
const { ana, ben, zoe, gus, otto } = people;

const limitOf = ({ AcctId }: SandboxAccount) => cardbell().account(AcctId).SpendRules.DailySpendLimit;
const shown = (message: StoredMessage): string => JSON.stringify(cardbell().now(message).blocks);
const requestFor = (card: SandboxAccount, amount: string) =>
  cardbell().waitFor(channels.approvals, new RegExp(`Approval needed.*${holderOf(card)}.*${amount}`));

/** A card whose only limit is the daily one. */
async function cardWith(dollars: number): Promise<SandboxAccount> {
  const card = cardbell().take('ACTIVE', ({ AvailableBalance, SpendRules }) => {
    const { WeeklySpendLimit, MonthlySpendLimit, YearlySpendLimit, LifetimeSpendLimit } = SpendRules;
    const others = [WeeklySpendLimit, MonthlySpendLimit, YearlySpendLimit, LifetimeSpendLimit];
    return AvailableBalance > 300 && others.every((limit) => limit === null);
  });
  await cardbell().inPortal(card, { DailySpendLimit: dollars });
  return card;
}

async function setLimit(user: string, card: SandboxAccount, words: string, dollars: number): Promise<void> {
  await cardbell().command(user, `limit ${card.AcctId} daily ${words}`);
  await until(() => limitOf(card) === dollars, `the limit is ${dollars}`);
}

const openOverride = async (user: string, request: StoredMessage): Promise<string> =>
  (await openedForm(cardbell(), user, () => cardbell().press(user, request, 'break_glass'))).id;

describe('a limit lowered by a dollar for 300 days and later in the portal', () => {
  it('cannot be raised back to its former amount by one person', async () => {
    const card = await cardWith(6000);
    await setLimit(ana, card, '5999 for 300 days', 5999);
    await cardbell().inPortal(card, { DailySpendLimit: 100 });

    await cardbell().command(ana, `limit ${card.AcctId} daily 6000`);
    await requestFor(card, '\\$6,000');

    expect(limitOf(card)).toBe(100);
  });

  it('cannot be raised by one person with Take back and then Put back', async () => {
    const card = await cardWith(6000);
    await setLimit(ana, card, '5999 for 300 days', 5999);
    const { workspace, press, waitFor, waitTold } = cardbell();
    const change = await workspace.waitForMessage(
      ({ text, blocks }) => text.includes(holderOf(card)) && JSON.stringify(blocks).includes('revert_now'),
    );
    await cardbell().inPortal(card, { DailySpendLimit: 100 });
    const since = Date.now() / 1000;

    await press(ana, change, 'revert_now');
    const question = await waitFor(channels.approvals, new RegExp(`Put back\\?.*${holderOf(card)}`));
    await press(ana, question, 'put_back');
    await waitTold(ana, /One approver alone may not raise this/, since);

    expect(limitOf(card)).toBe(100);
    await requestFor(card, '\\$6,000');
  });
});

it('approvers cannot restore the old limit of their own card alone after it was lowered for a week', async () => {
  const card = await cardWith(700);
  await cardbell().link(card, ana);
  await setLimit(ben, card, '100 for 7 days', 100);
  const since = Date.now() / 1000;

  await cardbell().command(ana, `limit ${card.AcctId} daily 700`);
  await cardbell().waitTold(ana, /It is your own card, so it needs another approver/, since);

  expect(limitOf(card)).toBe(100);
});

it('an override is refused, with the reason, when the limit was lowered and the card blocked after the request', async () => {
  const card = await cardWith(700);
  await cardbell().link(card, otto);
  await cardbell().command(otto, `ask ${last4Of(card)} 2000 booth`);
  const request = await requestFor(card, '');
  await ageRequest(cardbell().store, request, 16 * 60_000);
  await until(() => shown(request).includes('break_glass'), 'operators may override the request');
  const viewId = await openOverride(gus, request);
  await cardbell().inPortal(card, { DailySpendLimit: 100 });
  cardbell().sandbox.setStatus({ AcctId: card.AcctId, CardStatus: 'BLOCKED' });
  await until(() => /blocked/i.test(shown(request)), 'the request says that the card is blocked');

  const values = { reason: 'The booth closes at noon.' };
  const { errors } = await cardbell().workspace.submitView({ user: gus, viewId, values });

  expect(errors).toEqual({ reason: expect.stringContaining('The request was changed since you opened this form.') });
  expect(limitOf(card)).toBe(100);
  expect(shown(request)).toContain('$100.00 → $2,000.00');
});

it('approving the smaller of two requests for a card second does not lower the limit', async () => {
  const card = await cardWith(100);
  await cardbell().command(ana, `limit ${card.AcctId} daily 1200`);
  const smaller = await requestFor(card, '\\$1,200');
  await cardbell().command(ana, `limit ${card.AcctId} daily 2500`);
  const larger = await requestFor(card, '\\$2,500');
  await cardbell().press(ben, larger, 'decide_request_approve');
  await until(() => limitOf(card) === 2500, 'the larger one is approved');
  const since = Date.now() / 1000;

  await cardbell().press(ben, smaller, 'decide_request_approve');
  await cardbell().waitTold(ben, /Already enough: daily limit \$2,500\.00/, since);

  expect(limitOf(card)).toBe(2500);
});

it('the approval of a former approver does not count', async () => {
  const card = await cardWith(100);
  const { command, press, workspace } = cardbell();
  await command(ana, `limit ${card.AcctId} daily 1500`);
  const request = await requestFor(card, '\\$1,500');
  expect(cardbell().now(request).text).toContain('1 of 2');
  await workspace.setUserGroup(groups.approvers, [ben]);

  await press(ben, request, 'decide_request_approve');
  await until(() => shown(request).includes(`<@${ben}>`), 'the second approval is counted');
  expect(limitOf(card), 'only one of these two may approve').toBe(100);
  await press(zoe, request, 'decide_request_approve');
  await until(() => limitOf(card) === 1500, 'two current approvers have approved');
  await workspace.setUserGroup(groups.approvers, [ana, ben]);
});

describe('how long a limit lasts', () => {
  it('is read as a duration, not a reason, in any wording', async () => {
    const card = await cardWith(100);
    for (const words of ['for two hours', 'for an hour', 'for today', 'for a day', '2h', 'til midnight']) {
      const since = Date.now() / 1000;
      await cardbell().command(ben, `limit ${card.AcctId} daily 150 ${words}`);
      const changed = await cardbell().waitTold(ben, /\$100\.00 → \$150\.00/, since);
      expect(changed.text, words).toContain('Goes back to $100.00');
      expect(JSON.stringify(changed.blocks), words).not.toContain('Reason');
      await cardbell().command(ben, `limit ${card.AcctId} daily 100`);
      await until(() => limitOf(card) === 100, 'the limit is as before');
    }
  });

  it('is one purchase for a request without a duration', async () => {
    const card = await cardWith(100);
    await cardbell().link(card, otto);

    await cardbell().command(otto, `ask ${last4Of(card)} $1,250 projector`);
    const request = await requestFor(card, '\\$1,250');

    expect(shown(request)).toMatch(/For one purchase only/);
  });
});
