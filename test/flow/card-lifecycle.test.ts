import { expect, it } from 'vitest';
import type { SandboxAccount } from '../../sandbox/server.ts';
import { directoryReads } from '../support/directory-reads.ts';
import { channels, people } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { holderOf, inOneProcess, useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook, statusWebhook } from '../support/sample-webhook.ts';
import { until } from '../support/until.ts';

const cardbell = useCardbell(inOneProcess);

function told(account: SandboxAccount): string[] {
  return cardbell()
    .texts(channels.status)
    .filter((text) => text.includes(holderOf(account)));
}

function send(account: SandboxAccount, status: string, at: number): Promise<number> {
  const [card] = account.CardList;
  if (card === undefined) throw new Error('no card');
  return cardbell().deliver(statusWebhook(account, card, status, new Date(at)));
}

it('shows a new card that is blocked as one line, although the service sends two webhooks', async () => {
  const account = cardbell().take('INACTIVE');
  await directoryReads(cardbell(), account.AcctId);

  cardbell().sandbox.setStatus({ AcctId: account.AcctId, CardStatus: 'BLOCKED' });
  await until(() => told(account).some((text) => text.includes('blocked')), 'it is told');
  await quiet(cardbell());

  expect(told(account)).toHaveLength(1);
  expect(told(account)[0]).toContain('not activated → active → blocked');
});

it('orders BLOCKED and ACTIVE by their webhook times when they arrive in reverse', async () => {
  const account = cardbell().take('INACTIVE');
  // What the card was before is unknown if the directory first reads it after the webhook's time.
  await directoryReads(cardbell(), account.AcctId);
  const at = Date.now();

  await send(account, 'BLOCKED', at + 40);
  await until(() => told(account).length > 0, 'it is told');
  await send(account, 'ACTIVE', at);
  await until(
    () => told(account).some((text) => text.includes('not activated → active → blocked')),
    'the line has both statuses',
  );
  await quiet(cardbell());

  expect(told(account)).toHaveLength(1);
});

it('posts ACTIVE alone if nothing follows it', async () => {
  const account = cardbell().take('INACTIVE');
  await directoryReads(cardbell(), account.AcctId);

  await send(account, 'ACTIVE', Date.now());
  await until(() => told(account).length > 0, 'it is told');

  expect(told(account)).toEqual([expect.stringContaining('not activated → active')]);
});

it('states the current status when an older event arrives late', async () => {
  const account = cardbell().take('ACTIVE');
  const at = Date.now() - 600_000;
  await send(account, 'BLOCKED', at);
  // One at a time: alerts waiting together would share a message.
  await until(() => told(account).length === 1, 'the first is posted');
  await send(account, 'ACTIVE', at + 240_000);
  await until(() => told(account).length === 2, 'both are posted');

  await send(account, 'BLOCKED', at + 160_000);
  await until(() => told(account).length === 3, 'the late event is posted');

  expect(told(account).at(-1)).toMatch(/Arrived late: the card is now active/);
});

it('says that CLOSED is final', async () => {
  const account = cardbell().take('ACTIVE');

  cardbell().sandbox.setStatus({ AcctId: account.AcctId, CardStatus: 'CLOSED' });
  await until(() => told(account).length > 0, 'it is told');

  expect(told(account)[0]).toMatch(/active → closed.*Final/);
  expect(JSON.stringify(cardbell().workspace.messages(channels.status).at(-1)?.blocks)).not.toMatch(/_card"/);
});

it('an old Undo does not unblock a card that was blocked again in the admin portal', async () => {
  const account = cardbell().take('ACTIVE');
  const since = Date.now() / 1000;
  const { AcctId } = account;
  const status = () => cardbell().account(AcctId).CardList[0]?.CardStatus;
  await cardbell().deliver(sampleWebhook('decline.rule.velocity', { AcctId }));
  const alert = await cardbell().waitFor(channels.declines, new RegExp(holderOf(account)));
  await cardbell().press(people.olga, alert, 'block_card');
  await until(() => told(account).length === 1, 'the alert of the block is posted');
  const shown = () => JSON.stringify(cardbell().now(alert));
  await until(() => shown().includes('undo_block'), 'it can be undone');
  const withUndo = cardbell().now(alert);

  cardbell().sandbox.setStatus({ AcctId, CardStatus: 'ACTIVE' });
  await until(() => told(account).length === 2, 'the alert of the change in the portal is posted');
  cardbell().sandbox.setStatus({ AcctId, CardStatus: 'BLOCKED' });
  await until(() => told(account).length === 3, 'the alert of the second block is posted');
  await until(() => /Unblocked.*outside Slack.*Blocked.*outside Slack/.test(shown()), 'the decline shows both changes');
  expect(shown()).not.toContain('undo_block');
  // Somebody who still sees the old buttons.
  await cardbell().workspace.press({ user: people.olga, message: withUndo, actionId: 'undo_block', stale: true });
  await cardbell().waitTold(people.olga, /blocked again outside Slack/, since);

  expect(status()).toBe('BLOCKED');
});
