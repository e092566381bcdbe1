import { describe, expect, it } from 'vitest';
import type { SandboxAccount } from '../../sandbox/server.ts';
import { createSigner } from '../../src/core/sign.ts';
import { createIntake, inboxKeys } from '../../src/intake/intake.ts';
import type { StoredMessage } from '../../workspace/server.ts';
import { channels, groups, people, secrets } from '../support/people.ts';
import { ask } from '../support/perform-world.ts';
import { quiet } from '../support/quiet.ts';
import { atOnce, holderOf, last4Of, useCardbell } from '../support/running-cardbell.ts';
import { until } from '../support/until.ts';

const cardbell = useCardbell({ pace: atOnce });
const { ana, ben, otto } = people;

const limitOf = ({ AcctId }: SandboxAccount) => cardbell().account(AcctId).SpendRules.DailySpendLimit;
const statusOf = ({ AcctId }: SandboxAccount) => cardbell().account(AcctId).CardList[0]?.CardStatus;
const shown = (message: StoredMessage): string => JSON.stringify(cardbell().now(message).blocks);

/** A card whose only limit is the daily one. */
const plainCard = (): SandboxAccount =>
  cardbell().take('ACTIVE', ({ AvailableBalance, SpendRules }) => {
    const { WeeklySpendLimit, MonthlySpendLimit, YearlySpendLimit, LifetimeSpendLimit } = SpendRules;
    const others = [WeeklySpendLimit, MonthlySpendLimit, YearlySpendLimit, LifetimeSpendLimit];
    return AvailableBalance > 600 && others.every((limit) => limit === null);
  });

describe('while no worker runs', () => {
  it('an action queued earlier is authorized against the roles at execution time', async () => {
    const card = cardbell().take('BLOCKED');
    const { workers, workspace, command, startWorker, waitTold } = cardbell();
    await workers[0]?.stop();
    const since = Date.now() / 1000;

    await command(ana, `unblock ${card.AcctId}`);
    await until(async () => (await cardbell().store.xlen(inboxKeys.actions)) > 0, 'the action is in the inbox');
    await workspace.setUserGroup(groups.approvers, [ben]);
    await startWorker();
    const answer = await waitTold(ana, /Only approvers may unblock cards/, since);
    await workspace.setUserGroup(groups.approvers, [ana, ben]);

    expect(answer.text).toContain('Nothing changed');
    expect(statusOf(card)).toBe('BLOCKED');
    await cardbell().waitFor(channels.audit, new RegExp(`<@${ana}> was not allowed to unblock`));
  });
});

it('a role removed in Slack no longer authorizes an earlier click that is still in progress', async () => {
  const card = cardbell().take('BLOCKED');
  const { sandbox, store, workspace, command, waitTold } = cardbell();
  const since = Date.now() / 1000;
  const records = async () =>
    (await store.lrange('{cardbell:audit}:chain', 0, -1)).map((line) => JSON.parse(line).record);
  sandbox.faults.add({
    method: 'GET',
    path: new RegExp(`/Details/AccountDetails/${card.AcctId}`),
    kind: 'hang',
    ms: 1500,
    // First to see whose card it is.
    times: 2,
  });

  // The worker has just asked Slack for the current roles and is reading the card.
  await command(ana, `unblock ${card.AcctId}`);
  await until(
    async () =>
      (await records()).some(
        ({ verb, event, acctId }) => `${verb} ${event}` === 'unblock asked' && acctId === card.AcctId,
      ),
    'the worker has started the action',
  );
  await workspace.setUserGroup(groups.approvers, [ben]);
  await waitTold(ana, /Only approvers may unblock cards/, since);
  await workspace.setUserGroup(groups.approvers, [ana, ben]);

  expect(statusOf(card)).toBe('BLOCKED');
});

describe('an inbox entry forged in Redis', () => {
  it.each(['block', 'unblock'] as const)('cannot %s a card in the name of someone without a role', async (verb) => {
    const card = cardbell().take(verb === 'block' ? 'ACTIVE' : 'BLOCKED');
    const before = statusOf(card);
    const intake = createIntake(cardbell().store as Parameters<typeof createIntake>[0], { diskWait: () => 'none' });
    const target = { kind: 'card', acctId: card.AcctId, cardId: null, alertId: null } as const;
    const askedAt = new Date().toISOString();
    const action = ask(verb, { id: `act_planted${verb}`, target, actor: { userId: otto, teamId: 'T1' }, askedAt });

    // Signed, as an attacker in control of the web process could do.
    const signature = createSigner(secrets.botToken, 'action').sign(action);
    await intake.take({ type: 'action', action, signature });
    await until(async () => (await cardbell().store.xlen(inboxKeys.actions)) === 0, 'the inbox is empty');
    await quiet(cardbell());

    expect(statusOf(card)).toBe(before);
  });
});

describe('a request whose limit was lowered later', () => {
  it('is not executed on one approval: it shows the new numbers and asks again', async () => {
    const card = plainCard();
    await cardbell().inPortal(card, { DailySpendLimit: 700 });
    await cardbell().link(card, otto);
    await cardbell().command(otto, `ask ${last4Of(card)} 760 hotel`);
    const request = await cardbell().waitFor(channels.approvals, new RegExp(`Approval needed.*${holderOf(card)}`));
    expect(shown(request)).toContain('$700.00 → $760.00');
    await cardbell().inPortal(card, { DailySpendLimit: 100 });
    const since = Date.now() / 1000;

    await cardbell().press(ben, request, 'decide_request_approve');
    await cardbell().waitTold(ben, /Somebody changed it since it was asked for\. Now: daily limit \$100\.00/, since);
    await until(() => shown(request).includes('$100.00 → $760.00'), 'the request shows what is true now');
    expect(limitOf(card)).toBe(100);
    await cardbell().press(ben, request, 'decide_request_approve');
    await until(() => limitOf(card) === 760, 'it is approved with these numbers');
  });
});
