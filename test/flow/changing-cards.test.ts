import { describe, expect, it } from 'vitest';
import type { SandboxAccount } from '../../sandbox/server.ts';
import { toServiceTime } from '../../sandbox/service-time.ts';
import { directoryKey } from '../../src/core/keys.ts';
import { channels, people } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { holderOf, inOneProcess, useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook, statusWebhook } from '../support/sample-webhook.ts';
import { until } from '../support/until.ts';

const cardbell = useCardbell(inOneProcess);
const { olga, ana } = people;

// First, because it counts all writes.
describe('a replacement card', () => {
  /** A holder whose replacement card has arrived. */
  function replacement() {
    const account = cardbell()
      .sandbox.accounts()
      .find(({ LastName }) => LastName === 'Thiel');
    const [old, fresh] = account?.CardList ?? [];
    if (account === undefined || old === undefined || fresh === undefined)
      throw new Error('the seed has no replacement');
    return { account, old, fresh };
  }

  it('asks first before activating a card that closes another, names that card, and changes nothing yet', async () => {
    const { account, old, fresh } = replacement();
    const { command, waitTold, writes } = cardbell();

    await command(olga, `activate ${holderOf(account)}`);
    const question = await waitTold(olga, /for good/);

    expect(question.text).toContain(fresh.Last4CardNumber);
    expect(JSON.stringify(question.blocks)).toContain(old.Last4CardNumber);
    expect(JSON.stringify(question.blocks)).toContain('activate_card');
    expect(writes()).toHaveLength(0);
  });

  it('nobody else can confirm for the requester', async () => {
    const { workspace, waitTold, writes } = cardbell();
    const question = await waitTold(olga, /for good/);
    const value = /(?<=")p_[\w-]+(?=")/.exec(JSON.stringify(question.blocks))?.[0] ?? '';
    expect(value).not.toBe('');
    // Only the requester sees the question, but a forged click must be refused too.
    const forged = { ...question, ephemeralUser: ana };

    await workspace.press({ user: ana, message: forged, actionId: 'activate_card', value, stale: true });
    await waitTold(ana, /Somebody else asked this/);
    await quiet(cardbell());

    expect(writes()).toHaveLength(0);
  });

  it('activates once when confirmed twice, and the answer replaces the question', async () => {
    const { account, old, fresh } = replacement();
    const { press, waitTold, waitFor, now, writes } = cardbell();
    const question = await waitTold(olga, /for good/);

    await Promise.all([press(olga, question, 'activate_card'), press(olga, question, 'activate_card')]);
    await until(() => now(question).text.startsWith('Activated'), 'the answer replaces the question');
    await quiet(cardbell());

    const path = `/Card/Activate/${account.AcctId}/${fresh.CardId}`;
    expect(writes().map((call) => call.path)).toEqual([path]);
    const statuses = cardbell()
      .account(account.AcctId)
      .CardList.map(({ CardId, CardStatus }) => [CardId, CardStatus]);
    expect(statuses).toEqual([
      [old.CardId, 'CLOSED'],
      [fresh.CardId, 'ACTIVE'],
    ]);
    const closes = `Closed for good by this: card ${old.Last4CardNumber}.`;
    expect(now(question).text).toContain(closes);
    const alert = await waitFor(channels.status, new RegExp(`card ${old.Last4CardNumber}.* closed`));
    expect(alert.text).toContain(`Changed by <@${olga}> in Cardbell`);
  });

  it('is not named by the late decline of a purchase that was tried with the other one', async () => {
    const { account, old, fresh } = replacement();
    const { deliver, waitFor } = cardbell();
    const at = (hoursAgo: number): Date => new Date(Date.now() - hoursAgo * 3_600_000);

    await deliver(statusWebhook(account, fresh, 'INACTIVE', at(30)));
    // The alert of the activation names the card and its earlier status, too, so no alert says that this one is known.
    await quiet(cardbell());
    const tried = { AcctId: account.AcctId, TransactionTime: toServiceTime(at(20)) };
    await deliver(sampleWebhook('decline.rule.velocity', tried, at(20)));
    const alert = await waitFor(channels.declines, new RegExp(holderOf(account)));

    expect(alert.text).toContain(`card ${old.Last4CardNumber}`);
  });
});

describe('a spending ruleset', () => {
  /** A card that follows the ruleset “Field crew”. */
  async function ofFieldCrew(): Promise<SandboxAccount> {
    const crew = cardbell()
      .sandbox.accounts()
      .filter(({ SpendingRulesetId, CardList }) => SpendingRulesetId === 1 && CardList[0]?.CardStatus === 'ACTIVE');
    const card = crew.at(-1);
    if (card === undefined) throw new Error('nobody is left in the field crew');
    const known = async () =>
      JSON.stringify(await cardbell().store.hget(directoryKey('accounts'), String(card.AcctId)));
    await until(async () => (await known()).includes('rulesetId\\":1'), 'the directory has read the card');
    return card;
  }

  it('declines and /card show name the ruleset of the card', async () => {
    const card = await ofFieldCrew();

    await cardbell().deliver(sampleWebhook('decline.rule.mcc', { AcctId: card.AcctId }));
    const alert = await cardbell().waitFor(channels.declines, new RegExp(holderOf(card)));
    await cardbell().command(olga, `show ${card.AcctId}`);
    const shown = await cardbell().waitTold(olga, new RegExp(`^${holderOf(card)}`));

    expect(JSON.stringify(alert.blocks)).toContain(
      'The spending ruleset “Field crew” does not allow this merchant category',
    );
    expect(JSON.stringify(shown.blocks)).toContain('The card follows the spending ruleset “Field crew”');
  });

  it('a change that removes the card from its ruleset says so, and who can restore it', async () => {
    const card = await ofFieldCrew();

    await cardbell().command(ana, `limit ${card.AcctId} daily 450`);
    const answer = await cardbell().waitTold(ana, new RegExp(`Limit changed: ${holderOf(card)}.*no longer`));

    expect(answer.text).toContain('The card no longer follows the spending ruleset “Field crew”');
    expect(cardbell().account(card.AcctId)).toMatchObject({ SpendingRulesetId: null });
    expect(cardbell().account(card.AcctId).SpendRules.DailySpendLimit).toBe(450);
  });
});

/** Status webhooks of an account, one per status change. */
function effectsOn({ AcctId }: SandboxAccount): number {
  return cardbell().sandbox.deliveries.filter(
    ({ kind, body }) => kind === 'card-status' && (body.Data as { AcctId?: number }).AcctId === AcctId,
  ).length;
}

/** Calls to the card API with this method about this account. */
const callsTo = (method: string, { AcctId }: SandboxAccount): number =>
  cardbell().sandbox.calls.filter((call) => call.method === method && call.path.includes(`/${AcctId}`)).length;

describe('a write whose response is lost while someone changes the same card in the portal', () => {
  const outside = { InternationalSpendEnabled: true, YearlySpendLimit: 90_000 };

  it('keeps both a limit that was written and the change from the portal', async () => {
    const { take, command, waitTold, sandbox } = cardbell();
    const card = take(
      'ACTIVE',
      ({ SpendRules }) => !SpendRules.InternationalSpendEnabled && SpendRules.YearlySpendLimit === null,
    );
    sandbox.faults.add({ method: 'PUT', path: /\/SpendRules/, kind: 'hang_up_after_effect' });

    await command(ana, `limit ${card.AcctId} monthly 2000`);
    await until(() => callsTo('PUT', card) === 1, 'the limit is sent');
    await cardbell().inPortal(card, outside);
    await waitTold(ana, new RegExp(`^Limit changed: ${holderOf(card)}`));
    await quiet(cardbell());

    expect(cardbell().account(card.AcctId).SpendRules).toMatchObject({ ...outside, MonthlySpendLimit: 2000 });
    expect(callsTo('PUT', card)).toBe(2);
  });

  it('does not resend an unwritten limit with outdated rules, and notifies the requester', async () => {
    const { take, command, waitTold, sandbox } = cardbell();
    const card = take(
      'ACTIVE',
      ({ SpendRules }) => !SpendRules.InternationalSpendEnabled && SpendRules.YearlySpendLimit === null,
    );
    sandbox.faults.add({ method: 'PUT', path: /\/SpendRules/, kind: 'hang_up' });

    await command(ana, `limit ${card.AcctId} monthly 2000`);
    await until(() => callsTo('PUT', card) === 1, 'the limit is sent');
    await cardbell().inPortal(card, outside);
    const message = await waitTold(ana, /I did not repeat it/);
    await quiet(cardbell());

    expect(JSON.stringify(message)).toContain(holderOf(card));
    expect(cardbell().account(card.AcctId).SpendRules).toEqual({ ...card.SpendRules, ...outside });
    expect(callsTo('PUT', card)).toBe(2);
  });

  it('does not block a card again that was unblocked in the portal, and notifies the requester', async () => {
    const { take, command, waitTold, sandbox } = cardbell();
    const card = take('ACTIVE');
    const { AcctId } = card;
    sandbox.faults.add({ method: 'PUT', path: /\/Card\/Status/, kind: 'hang_up_after_effect' });
    sandbox.faults.add({ method: 'GET', path: new RegExp(`/${AcctId}`), kind: 'http_500', times: Infinity });

    await command(olga, `block ${AcctId}`);
    await until(() => effectsOn(card) === 1, 'it is blocked');
    sandbox.setStatus({ AcctId, CardStatus: 'ACTIVE' });
    await until(() => effectsOn(card) === 2, 'it is unblocked');
    sandbox.faults.clear();
    const message = await waitTold(olga, /I did not repeat it/);
    await quiet(cardbell());

    expect(JSON.stringify(message)).toContain(holderOf(card));
    expect(cardbell().account(AcctId).CardList[0]?.CardStatus).toBe('ACTIVE');
    expect(callsTo('PUT', card)).toBe(1);
  });
});
