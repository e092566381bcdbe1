import { describe, expect, it } from 'vitest';
import type { SandboxAccount } from '../../sandbox/server.ts';
import type { StoredMessage } from '../../workspace/server.ts';
import { ageRequest } from '../support/age-request.ts';
import { alterRecord } from '../support/alter-record.ts';
import { openedForm } from '../support/opened-form.ts';
import { channels, people } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { holderOf, inOneProcess, last4Of, useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook } from '../support/sample-webhook.ts';
import { until } from '../support/until.ts';
import { wakeJob } from '../support/wake-job.ts';

const cardbell = useCardbell(inOneProcess);
const { ana, ben, zoe, olga, gus, otto } = people;
const MINUTE = 60_000;

const limitOf = ({ AcctId }: SandboxAccount) => cardbell().account(AcctId).SpendRules.DailySpendLimit;
const statusOf = ({ AcctId }: SandboxAccount) => cardbell().account(AcctId).CardList[0]?.CardStatus;
const textOf = (message: StoredMessage): string => cardbell().now(message).text;
const shown = (message: StoredMessage): string => JSON.stringify(cardbell().now(message).blocks);

function writesOf({ AcctId }: SandboxAccount): number {
  return cardbell()
    .writes()
    .filter(({ path }) => path.includes(`/${AcctId}`)).length;
}

/** Otto holds a card with a daily limit of 100 dollars. */
async function ofOtto(holder: string = otto): Promise<SandboxAccount> {
  const card = cardbell().take('ACTIVE', ({ AvailableBalance }) => AvailableBalance > 600);
  const since = Date.now() / 1000;
  await cardbell().command(ana, `limit ${card.AcctId} daily 100`);
  await cardbell().waitTold(ana, new RegExp(`^Limit changed: ${holderOf(card)}`), since);
  await cardbell().link(card, holder);
  return card;
}

async function asked(card: SandboxAccount, words: string, by: string = otto): Promise<StoredMessage> {
  await cardbell().command(by, `ask ${last4Of(card)} ${words}`);
  return await cardbell().waitFor(channels.approvals, new RegExp(`Approval needed.*${holderOf(card)}`));
}

const told = (pattern: RegExp): Promise<StoredMessage> =>
  cardbell().workspace.waitForMessage(({ channel, text }) => channel.startsWith('D') && pattern.test(text), 60_000);

const form = async (user: string, message: StoredMessage, button: string): Promise<string> =>
  (await openedForm(cardbell(), user, () => cardbell().press(user, message, button))).id;

const submit = (user: string, viewId: string, values: Record<string, unknown>) =>
  cardbell().workspace.submitView({ user, viewId, values });

const age = (request: StoredMessage, ms: number): Promise<void> => ageRequest(cardbell().store, request, ms);

describe('a holder who requests a raise', () => {
  it('is told to retry the purchase once an approver has approved', async () => {
    const card = await ofOtto();

    const request = await asked(card, '250 for 2 hours hotel in Denver');
    await cardbell().waitTold(otto, /Sent to the approvers: you want to pay/);
    expect(shown(request)).toContain('the cardholder');
    expect(limitOf(card)).toBe(100);
    await cardbell().press(ben, request, 'decide_request_approve');
    const message = await told(/Approved by.*you can pay \$250\.00 until/);

    expect(message.text).toContain('$100.00 → $250.00 for 2 hours');
    expect(limitOf(card)).toBe(250);
    await until(() => shown(request).includes('revert_now'), 'the request shows how to take it back');
    expect(shown(request)).toMatch(/Goes back to \$100\.00/);
  });

  it('can do so from the decline, which then shows the decision', async () => {
    const card = await ofOtto();
    const merchant = { MerchantName: 'Slow Boat Tavern', MCCCode: '5812' };
    cardbell().sandbox.purchase({ AcctId: card.AcctId, Amount: 140, ...merchant });
    const decline = await cardbell().waitFor(channels.declines, /\$140\.00 at Slow Boat Tavern/);
    const own = await told(/\$140\.00 at Slow Boat Tavern/);

    const viewId = await form(otto, own, 'request_increase');
    await submit(otto, viewId, { amount: '140', term: '1 hour', reason: 'Dinner with a client' });
    const request = await cardbell().waitFor(channels.approvals, new RegExp(`Approval needed.*${holderOf(card)}`));
    await cardbell().press(ben, request, 'decide_request_approve');
    await until(() => shown(decline).includes('· confirmed'), 'the decline shows the result');
    await until(() => shown(request).includes('revert_now'), 'the request is decided');

    expect(textOf(request)).toMatch(/^Approved/);
    expect(shown(request)).toContain('wanted to pay $140.00 at Slow Boat Tavern (Restaurants)');
    expect(shown(decline)).toMatch(
      /Daily limit \$100\.00 → \$140\.00\. Goes back to \$100\.00[^.]*\. Reason: Dinner with a client\./,
    );
  });

  it('gets one request for asking twice, and sees the note on a denial', async () => {
    const card = await ofOtto();
    const request = await asked(card, '250 hotel');
    const since = Date.now() / 1000;
    await cardbell().command(otto, `ask ${last4Of(card)} 250 hotel`);
    await cardbell().waitTold(
      otto,
      /Already asked: you want to pay \$250\.00.*To withdraw it, open the Home tab/,
      since,
    );

    const viewId = await form(ben, request, 'deny_with_note');
    await submit(ben, viewId, { reason: 'Use the travel card.' });
    await told(/Your request was denied by.*\$250\.00 · your card.*Use the travel card\./);

    await until(() => textOf(request).startsWith('Denied'), 'the request says so');
    expect(shown(request)).not.toContain('decide_request');
    const requests = cardbell()
      .workspace.messages(channels.approvals)
      .filter(({ text }) => text.includes(holderOf(card)) && /want(?:s|ed) to pay/.test(text));
    expect(requests).toHaveLength(1);
    expect(writesOf(card)).toBe(1);
  });

  it('gets the amount as changed by the approver', async () => {
    const card = await ofOtto();
    const request = await asked(card, '500 for 2 hours hotel');

    const viewId = await form(zoe, request, 'change_request');
    const term = /Until midnight at the end of [^"]+/.exec(JSON.stringify(cardbell().workspace.views.top(zoe)))?.[0];
    await submit(zoe, viewId, { amount: '300', term, reason: 'Two nights are enough.' });
    const message = await told(/Approved by.*\$300\.00/);

    expect(message.text).toMatch(/to the end of .*not exactly what you asked for.*Two nights/);
    expect(limitOf(card)).toBe(300);
  });

  it('keeps the requested duration when an approver changes only the amount', async () => {
    const card = await ofOtto();
    const request = await asked(card, '500 for 2 hours hotel');
    expect(shown(request)).toContain('wants to pay $500.00: daily limit $100.00 → $500.00');

    const viewId = await form(zoe, request, 'change_request');
    expect(JSON.stringify(cardbell().workspace.views.top(zoe)?.blocks)).toMatch(
      /To pay \$500\.00.*As asked: for 2 hours/,
    );
    await submit(zoe, viewId, { amount: '300', reason: 'One night.' });
    const message = await told(/Approved by.*\$300\.00 for 2 hours.*One night/);

    expect(message.text).toContain('daily limit $100.00 → $300.00 for 2 hours');
    expect(limitOf(card)).toBe(300);
  });

  it('cannot approve their own request, and nobody else can request a raise for their card', async () => {
    const card = await ofOtto(ana);
    const since = Date.now() / 1000;
    const request = await asked(card, '250 hotel', ana);

    await cardbell().press(ana, request, 'decide_request_approve');
    await cardbell().waitTold(ana, /your own card.*another approver/, since);
    await cardbell().command(ana, `limit ${card.AcctId} daily 150`);
    await cardbell().waitTold(ana, /It is your own card, so it needs another approver/, since);
    await cardbell().command(olga, `ask ${last4Of(card)} 250 hotel`);
    await cardbell().waitTold(olga, /Only .* may ask for more/, since);
    expect(limitOf(card)).toBe(100);

    await cardbell().press(ben, request, 'decide_request_approve');
    await until(() => limitOf(card) === 250, 'another approver approves');
  });

  it('cannot unblock their own card', async () => {
    const card = await ofOtto(ana);
    const since = Date.now() / 1000;
    await cardbell().command(olga, `block ${card.AcctId}`);
    await until(() => statusOf(card) === 'BLOCKED', 'it is blocked');

    await cardbell().command(ana, `unblock ${card.AcctId}`);
    await cardbell().waitTold(ana, /can’t unblock your own card/, since);

    expect(statusOf(card)).toBe('BLOCKED');
  });

  it('needs two approvers for a large amount, and the request shows who approved', async () => {
    const card = await ofOtto();
    const request = await asked(card, '1500 for 1h booth');

    await cardbell().press(ben, request, 'decide_request_approve');
    await until(() => textOf(request).includes('1 of 2'), 'one has approved');
    expect(limitOf(card)).toBe(100);
    await cardbell().press(zoe, request, 'decide_request_approve');
    await until(() => textOf(request).startsWith('Approved'), 'both have approved');

    expect(limitOf(card)).toBe(1500);

    // One approver may not make permanent a change that two approved for an hour.
    const since = Date.now() / 1000;
    await cardbell().command(ana, `limit ${card.AcctId} daily 1500`);
    await cardbell().waitTold(ana, /Waiting for approval/, since);
  });
});

describe('a request nobody decides', () => {
  it('sends a reminder after 15 minutes, then allows one emergency override within a cap and notifies everyone', async () => {
    const card = await ofOtto();
    const request = await asked(card, '1500 booth');
    const since = Date.now() / 1000;
    expect(shown(request)).not.toContain('break_glass');

    await age(request, 16 * MINUTE);
    const reminder = await cardbell().waitFor(channels.approvals, new RegExp(`Reminder.*${holderOf(card)}`));
    expect(JSON.stringify(reminder.blocks)).toContain('<!subteam^S0APPROVERS>');
    await until(() => shown(request).includes('break_glass'), 'operators may');
    const viewId = await form(gus, request, 'break_glass');
    expect((await submit(gus, viewId, { reason: '' })).errors).toBeDefined();
    await submit(gus, viewId, { reason: 'The booth closes at noon.' });
    await until(() => textOf(request).startsWith('Emergency override'), 'it is done');

    // No more than one approver could allow.
    expect(limitOf(card)).toBe(1100);
    const notice = await cardbell().waitFor(
      channels.ops,
      new RegExp(`used the emergency override for ${holderOf(card)}`),
    );
    expect(notice.text).toContain('The booth closes at noon.');
    await cardbell().waitFor(channels.audit, /used the emergency override/);
    await told(/used the emergency override.*\$1,100\.00.*not exactly what you asked for.*The booth closes at noon/);
    const temporaryChanges = Object.values(await cardbell().store.hgetall('{cardbell:state}:temporary-changes')).map(
      (text) => JSON.parse(text),
    );
    const temporaryChange = temporaryChanges.find(({ acctId }) => acctId === card.AcctId);
    expect(Date.parse(temporaryChange.endsAt) - Date.parse(temporaryChange.openedAt)).toBeLessThanOrEqual(60 * MINUTE);

    const second = await asked(card, '1400 another booth');
    await age(second, 16 * MINUTE);
    await until(() => shown(second).includes('break_glass'), 'operators may ask');
    await submit(olga, await form(olga, second, 'break_glass'), { reason: 'again' });
    await cardbell().waitTold(olga, /used for this card in the last 24 hours/, since);
  });

  it('expires after a day and is never taken as approved', async () => {
    const card = await ofOtto();
    const request = await asked(card, '250 hotel');

    await age(request, 25 * 60 * MINUTE);
    await until(() => textOf(request).startsWith('Expired'), 'it has expired');
    await told(new RegExp(`Your request expired: .*${last4Of(card)}.*Nobody decided within 24 hours`));

    expect(shown(request)).not.toContain('decide_request');
    expect(limitOf(card)).toBe(100);
  });
});

describe('a block', () => {
  it('can be undone within a minute, only by the person who made it', async () => {
    const card = cardbell().take('ACTIVE');
    await cardbell().deliver(sampleWebhook('decline.rule.velocity', { AcctId: card.AcctId }));
    const alert = await cardbell().waitFor(channels.declines, new RegExp(holderOf(card)));
    const since = Date.now() / 1000;
    await cardbell().press(olga, alert, 'block_card');
    await until(() => shown(alert).includes('undo_block'), 'it can be undone');

    await cardbell().press(gus, alert, 'undo_block');
    await cardbell().waitTold(gus, /Only the person who blocked it/, since);
    expect(statusOf(card)).toBe('BLOCKED');
    await cardbell().press(olga, alert, 'undo_block');
    await until(() => statusOf(card) === 'ACTIVE', 'it is active again');
    await until(() => !shown(alert).includes('undo_block'), 'nothing is left to be undone');
  });

  it('has no Undo button after a minute', async () => {
    const card = cardbell().take('ACTIVE');
    await cardbell().deliver(sampleWebhook('decline.rule.velocity', { AcctId: card.AcctId }));
    const alert = await cardbell().waitFor(channels.declines, new RegExp(holderOf(card)));
    const since = Date.now() / 1000;
    await cardbell().press(olga, alert, 'block_card');
    await until(() => shown(alert).includes('undo_block'), 'it can be undone');
    const withUndo = cardbell().now(alert);
    const actionId = /"value":"(act_\w+)"/.exec(shown(alert))?.[1] ?? '';
    const key = `{cardbell:state}:block:${actionId}`;
    await alterRecord(cardbell().store, 'block', [key], () => ({ at: new Date(Date.now() - 180_000).toISOString() }));

    await quiet(cardbell());
    await wakeJob(cardbell().store, `undo-${actionId}`);
    await until(() => !shown(alert).includes('undo_block'), 'the button is gone');
    await cardbell().workspace.press({ user: olga, message: withUndo, actionId: 'undo_block', stale: true });
    await cardbell().waitTold(olga, /can be undone for one minute only/, since);

    expect(statusOf(card)).toBe('BLOCKED');
  });
});

describe('an approver’s own request', () => {
  it('no longer counts the requester as an approver once the amount is changed to more than they asked for', async () => {
    const card = cardbell().take(
      'ACTIVE',
      ({ SpendRules: { WeeklySpendLimit, MonthlySpendLimit, YearlySpendLimit, LifetimeSpendLimit } }) =>
        [WeeklySpendLimit, MonthlySpendLimit, YearlySpendLimit, LifetimeSpendLimit].every((limit) => limit === null),
    );
    await cardbell().command(ana, `limit ${card.AcctId} daily 100`);
    await cardbell().waitTold(ana, new RegExp(`^Limit changed: ${holderOf(card)}`));
    await cardbell().command(ana, `limit ${card.AcctId} daily 1500`);
    const request = await cardbell().waitFor(
      channels.approvals,
      new RegExp(`Approval needed.*1 of 2.*${holderOf(card)}|Approval needed.*${holderOf(card)}`),
    );

    await submit(ben, await form(ben, request, 'change_request'), {
      amount: '90000',
      term: 'Permanent',
      reason: 'more',
    });
    await until(() => shown(request).includes('90,000'), 'the request shows the new amounts');
    expect(limitOf(card)).toBe(100);
    expect(shown(request)).not.toContain(`<@${ana}> and <@${ben}>`);
    await cardbell().press(zoe, request, 'decide_request_approve');
    await until(() => textOf(request).startsWith('Approved'), 'two have approved to it');

    expect(limitOf(card)).toBe(90_000);
  });
});
