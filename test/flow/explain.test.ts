import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { StoredMessage } from '../../workspace/server.ts';
import { channels, groups, people } from '../support/people.ts';
import { holderOf, inOneProcess, useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook } from '../support/sample-webhook.ts';
import { until } from '../support/until.ts';

const cardbell = useCardbell(inOneProcess);
const { olga, otto } = people;

/** Waits until Cardbell has stored the alert's message reference. */
async function noted({ channel, ts }: StoredMessage): Promise<void> {
  const key = `{cardbell:state}:messages-at:${channel}:${ts}`;
  await until(async () => (await cardbell().store.exists(key)) === 1, 'the message reference is stored');
}

async function explain(user: string, message: StoredMessage): Promise<string> {
  const { workspace } = cardbell();
  const before = workspace.views.top(user)?.id;
  await workspace.shortcut({ user, callbackId: 'explain_decline', message });
  await until(() => workspace.views.top(user)?.id !== before, 'the explanation opens');
  return JSON.stringify(workspace.views.top(user)?.blocks);
}

it('says what happened, why, which limit was hit, what would fix it and who may do so, and how the alert got there', async () => {
  const card = cardbell().take('ACTIVE');
  await cardbell().command(people.ana, `limit ${card.AcctId} daily 100`);
  await cardbell().waitTold(people.ana, new RegExp(`^Limit changed: ${holderOf(card)}`));
  const MerchantName = `EXPLAINED ${card.AcctId}`;
  cardbell().sandbox.purchase({ AcctId: card.AcctId, Amount: 140, MerchantName });
  const alert = await cardbell().waitFor(channels.declines, new RegExp(MerchantName));
  await noted(alert);
  await cardbell().press(olga, alert, 'block_card');
  await until(() => JSON.stringify(cardbell().now(alert).blocks).includes('Blocked'), 'it is blocked');

  const shown = await explain(olga, alert);

  expect(shown).toContain(`${holderOf(card)}`);
  expect(shown).toMatch(/Over the daily limit/);
  expect(shown).toMatch(/\$100\.00/);
  expect(shown).toMatch(/What would fix it/);
  expect(shown).toMatch(new RegExp(`Who can.*<!subteam\\^${groups.approvers}>`));
  expect(shown).toMatch(new RegExp(`Blocked\\*? by <@${olga}>`));
});

it('explains a repeated decline by its last try, like the message', async () => {
  const { take, command, waitTold, waitFor, now, sandbox } = cardbell();
  const card = take('ACTIVE', ({ AvailableBalance }) => AvailableBalance > 500);
  await command(people.ana, `limit ${card.AcctId} daily 100`);
  await waitTold(people.ana, new RegExp(`^Limit changed: ${holderOf(card)}`));
  const purchase = { AcctId: card.AcctId, Amount: 140, MerchantName: `TRIED TWICE ${card.AcctId}` };
  sandbox.purchase(purchase);
  const alert = await waitFor(channels.declines, /TRIED TWICE/);
  await noted(alert);
  sandbox.purchase({ ...purchase, Amount: 60, MerchantName: 'ELSEWHERE' });
  sandbox.purchase(purchase);
  await until(
    () => /\$100\.00 more than the \$40\.00 left/.test(JSON.stringify(now(alert).blocks)),
    'it shows both tries',
  );

  expect(await explain(olga, alert)).toMatch(/\$100\.00 over the daily limit.*\$40\.00 was left/);
});

it('works in the thread of an alert and shows no more than the channel may see', async () => {
  const card = cardbell().take('ACTIVE');
  await cardbell().deliver(sampleWebhook('decline.card.pin', { AcctId: card.AcctId }));
  const alert = await cardbell().waitFor(channels.declines, new RegExp(holderOf(card)));
  await noted(alert);
  const reply = cardbell().workspace.say({ user: otto, channel: channels.declines, text: 'why?', threadTs: alert.ts });

  const shown = await explain(otto, reply);

  expect(shown).toContain('could not be verified at the terminal');
  expect(shown).not.toContain('decline.card.pin');
  // Only operators see the path of an event through the bot.
  expect(shown).not.toContain('How it got here');
});

it('says where it works when used on any other message', async () => {
  const message = cardbell().workspace.say({ user: otto, channel: channels.alerts, text: 'lunch?' });

  expect(await explain(otto, message)).toContain('There is no decline to explain here');
});

it('finds the decline of a message that Slack shows just before its message reference is stored', async () => {
  const { take, deliver, waitFor, store } = cardbell();
  const card = take('ACTIVE');
  await deliver(sampleWebhook('decline.rule.velocity', { AcctId: card.AcctId }));
  const alert = await waitFor(channels.declines, new RegExp(holderOf(card)));
  await noted(alert);
  const key = `{cardbell:state}:messages-at:${alert.channel}:${alert.ts}`;
  await store.rename(key, `${key}:away`);

  const shown = explain(olga, alert);
  // Nothing observable shows that the handler has checked once without success.
  await sleep(600);
  await store.rename(`${key}:away`, key);

  expect(await shown).toContain(holderOf(card));
});
