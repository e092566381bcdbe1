import { expect, it } from 'vitest';
import type { SandboxAccount } from '../../sandbox/server.ts';
import { channels, people } from '../support/people.ts';
import { holderOf, inOneProcess, last4Of, useCardbell } from '../support/running-cardbell.ts';
import { until } from '../support/until.ts';

const cardbell = useCardbell({
  ...inOneProcess,
  workspace: {
    channels: Object.entries(channels).map(([name, id]) => ({
      id,
      name,
      isExtShared: name === 'approvals' || name === 'audit',
    })),
  },
});
const { ana, ben, olga } = people;

/** A card with a daily limit of 100 dollars. A large raise needs another approver. */
async function limited(): Promise<SandboxAccount> {
  const card = cardbell().take('ACTIVE');
  const since = Date.now() / 1000;
  await cardbell().command(ana, `limit ${card.AcctId} daily 100`);
  await cardbell().waitTold(ana, new RegExp(`^Limit changed: ${holderOf(card)}`), since);
  return card;
}

it('never posts requests and audit lines to a channel shared with another company: uses another and notifies ops', async () => {
  const { command, waitFor, texts, press, account } = cardbell();
  const card = await limited();
  await waitFor(channels.ops, /shared with another company/);

  await command(ana, `limit ${last4Of(card)} daily 9000`);
  const request = await waitFor(channels.alerts, new RegExp(`Approval needed.*${holderOf(card)}`));
  await press(ben, request, 'decide_request_approve');
  await until(() => account(card.AcctId).SpendRules.DailySpendLimit === 9000, 'the limit is raised');
  await command(olga, `block ${last4Of(card)}`);
  await waitFor(channels.alerts, new RegExp(`<@${olga}> blocked`));

  expect(texts(channels.approvals)).toEqual([]);
  expect(texts(channels.audit)).toEqual([]);
});

it('stops showing a request whose channel is shared after it was posted, and shows it in another', async () => {
  const { command, waitFor, press, workspace, now } = cardbell();
  const card = await limited();
  await command(ana, `limit ${last4Of(card)} daily 9000`);
  const request = await waitFor(channels.alerts, new RegExp(`Approval needed.*${holderOf(card)}`));
  await workspace.share(channels.alerts);

  await press(ben, request, 'decide_request_deny');

  await until(() => /no longer shown/.test(now(request).text), 'the message is replaced');
  expect(JSON.stringify(now(request))).not.toContain(holderOf(card));
  await waitFor(channels.ops, new RegExp(`Denied.*${holderOf(card)}`));
});
