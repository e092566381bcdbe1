import { describe, expect, it } from 'vitest';
import type { StoredMessage } from '../../workspace/server.ts';
import { alterRecord } from '../support/alter-record.ts';
import { waitUntilTracked } from '../support/message-tracked.ts';
import { channels, people } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { holderOf, inOneProcess, useCardbell } from '../support/running-cardbell.ts';
import { until } from '../support/until.ts';

const cardbell = useCardbell(inOneProcess);
const { ana, ben, zoe, olga } = people;

/** Ana asks for a raise that needs two approvers: from $200 to `dollars` a day. */
async function asked(dollars = 1500, asker = ana, more = '') {
  const { take, command, waitTold, waitFor } = cardbell();
  const card = take('ACTIVE');
  await command(asker, `limit ${card.AcctId} daily 200`);
  const first = await waitTold(asker, new RegExp(`^Limit changed: ${holderOf(card)}`));
  await command(asker, `limit ${card.AcctId} daily ${dollars} ${more}`);
  await waitTold(asker, new RegExp(`Waiting for approval.*${holderOf(card)}`), Number(first.ts));
  const request = await waitFor(channels.approvals, new RegExp(`Approval needed.*${holderOf(card)}`));
  return { card, request, limit: () => cardbell().account(card.AcctId).SpendRules.DailySpendLimit };
}

const writesOf = (acctId: number): number =>
  cardbell()
    .writes()
    .filter(({ path }) => path.includes(`/${acctId}`)).length;
const textOf = (message: StoredMessage): string => cardbell().now(message).text;

describe('a raise above the two-person amount', () => {
  it('needs only one person at exactly that amount', async () => {
    const { take, command, waitTold } = cardbell();
    const card = take('ACTIVE');
    await command(ana, `limit ${card.AcctId} daily 200`);
    await waitTold(ana, new RegExp(`^Limit changed: ${holderOf(card)}`));

    await command(ana, `limit ${card.AcctId} daily 1200`);
    await waitTold(ana, new RegExp(`^Limit changed: ${holderOf(card)}.*1,200`));

    expect(cardbell().account(card.AcctId).SpendRules.DailySpendLimit).toBe(1200);
  });

  it('waits, refuses the requester and operators, and is executed once when a second approver approves', async () => {
    const { card, request, limit } = await asked(1500, ana, 'trade fair');
    expect(limit()).toBe(200);
    const since = Date.now() / 1000;

    await cardbell().press(ana, request, 'decide_request_approve');
    await cardbell().waitTold(ana, /approved it already.*another approver/, since);
    await cardbell().press(olga, request, 'decide_request_approve');
    await cardbell().waitTold(olga, /Only approvers/, since);
    expect(limit()).toBe(200);

    await Promise.all([
      cardbell().press(ben, request, 'decide_request_approve'),
      cardbell().press(ben, request, 'decide_request_approve'),
      cardbell().press(zoe, request, 'decide_request_approve'),
    ]);
    await until(() => textOf(request).startsWith('Approved'), 'the request says so');
    await cardbell().waitTold(ana, new RegExp(`^Limit changed: ${holderOf(card)}.*\\$1,500\\.00`), since);
    await quiet(cardbell());

    expect(limit()).toBe(1500);
    expect(writesOf(card.AcctId)).toBe(2);
    expect(textOf(request)).toMatch(new RegExp(`by <@${ana}> and <@(${ben}|${zoe})>`));
    expect(JSON.stringify(cardbell().now(request).blocks)).not.toContain('decide_request');
    const chain = await cardbell().store.lrange('{cardbell:audit}:chain', 0, -1);
    const records = chain.map((line) => JSON.parse(line).record).filter(({ acctId }) => acctId === card.AcctId);
    expect(records.filter(({ event }) => event === 'approved')).toHaveLength(1);
  });

  it('changes nothing when denied, and the requester is notified', async () => {
    const { card, request, limit } = await asked();
    const since = Date.now() / 1000;

    await cardbell().press(ben, request, 'decide_request_deny');
    await until(() => textOf(request).startsWith('Denied'), 'the request says so');
    await cardbell().waitTold(ana, /^Your request was denied by/, since);

    expect(limit()).toBe(200);
    expect(writesOf(card.AcctId)).toBe(1);
    expect(textOf(request)).toContain(`<@${ben}>`);
  });

  it('counts only one of a simultaneous approval and denial', async () => {
    const { request, limit } = await asked();
    const since = Date.now() / 1000;

    await Promise.all([
      cardbell().press(ben, request, 'decide_request_approve'),
      cardbell().press(zoe, request, 'decide_request_deny'),
    ]);
    await cardbell().workspace.waitForMessage(
      ({ text, ts }) => Number(ts) > since && /This request is (approved|denied) already/.test(text),
      60_000,
    );
    await until(() => /^(Approved|Denied)/.test(textOf(request)), 'the request is decided');

    expect(limit()).toBe(textOf(request).startsWith('Approved') ? 1500 : 200);
  });

  it('cannot be approved after it expires', async () => {
    const { request, limit } = await asked();
    const { store } = cardbell();
    const id = /req_\w+/.exec(JSON.stringify(request.blocks))?.[0] ?? '';
    const key = `{cardbell:state}:request:${id}`;
    await waitUntilTracked(store, { kind: 'request', id });
    await alterRecord(store, 'request', [key], () => ({ expiresAt: new Date(Date.now() - 60_000).toISOString() }));
    const since = Date.now() / 1000;

    await cardbell().press(ben, request, 'decide_request_approve');
    await cardbell().waitTold(ben, /expired/, since);
    await until(() => textOf(request).startsWith('Expired'), 'the request says so');

    expect(limit()).toBe(200);
  });

  it('stays open when the card API refuses it: the approver learns why, and a later approval works', async () => {
    const { card, request, limit } = await asked();
    const { sandbox, press, waitTold } = cardbell();
    sandbox.faults.add({ method: 'PUT', path: /\/SpendRules/, kind: 'token_expired' });
    const since = Date.now() / 1000;

    await press(ben, request, 'decide_request_approve');
    const message = await waitTold(ben, new RegExp(`Could not change the limit of ${holderOf(card)}`), since);
    expect(message.text).toContain('Nothing changed');
    expect(textOf(request)).toMatch(/^Approval needed/);
    await press(ben, request, 'decide_request_approve');
    await until(() => textOf(request).startsWith('Approved'), 'the request says so');
    expect(limit()).toBe(1500);
  });

  it('retries an edit of the request that Slack temporarily refuses', async () => {
    const { request } = await asked();
    cardbell().workspace.faults.add({ method: 'chat.update', kind: 'http_500', times: 2 });

    await cardbell().press(ben, request, 'decide_request_deny');

    await until(() => textOf(request).startsWith('Denied'), 'the request says so');
    cardbell().workspace.faults.clear();
    const edits = cardbell()
      .slackCalls('chat.update')
      .filter(({ args }) => args.ts === request.ts);
    expect(edits.map(({ status }) => status)).toEqual([500, 500, 200]);
  });
});
