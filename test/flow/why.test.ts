import { describe, expect, it } from 'vitest';
import type { StoredMessage } from '../../workspace/server.ts';
import { openedForm } from '../support/opened-form.ts';
import { channels, groups, people } from '../support/people.ts';
import { holderOf, inOneProcess, last4Of, useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook } from '../support/sample-webhook.ts';
import { until } from '../support/until.ts';

const { olga, otto } = people;
const cardbell = useCardbell(inOneProcess);

const blocksOf = (message: { blocks?: unknown }): string => JSON.stringify(message.blocks);

// First, because it counts all messages in the channel.
describe('/card why', () => {
  it('shows the path of an event: received, repeated, routed, posted', async () => {
    const { deliver, take, command, waitTold, waitFor, slackCalls } = cardbell();
    const card = take('ACTIVE');
    const webhook = sampleWebhook('decline.rule.mcc', { AcctId: card.AcctId, MerchantName: 'Why Shop' });
    await deliver(webhook);
    const posted = await waitFor(channels.declines, /Why Shop/);
    await deliver(webhook);
    await deliver(webhook);
    const id = /evt_[0-9a-z]{16}/.exec(blocksOf(posted))?.[0] ?? '';
    const link = `https://northwind.slack.com/archives/${posted.channel}/p${posted.ts.replace('.', '')}`;

    let since = 0;
    for (const event of [id, link, last4Of(card)]) {
      await command(olga, `why ${event}`);
      const answer = await waitTold(olga, new RegExp(`^${id}: .*Why Shop.*posted in 1 place`), since);
      since = Number(answer.ts);
      expect(blocksOf(answer)).toContain('Delivered 3 times');
      expect(blocksOf(answer)).toContain('it is the default channel for declines');
      expect(blocksOf(answer)).toContain(`p${posted.ts.replace('.', '')}|open the message>`);
    }
    expect(slackCalls('chat.postMessage').filter(({ args }) => args.channel === channels.declines)).toHaveLength(1);
  });

  it('shows mutes, subscriptions, and events that were not posted', async () => {
    const { deliver, take, command, waitTold, store } = cardbell();
    const card = take('ACTIVE');
    await command(olga, `mute ${last4Of(card)} 2h`);
    const muted = await waitTold(olga, /is muted until/);
    await deliver(sampleWebhook('decline.rule.mcc', { AcctId: card.AcctId, MerchantName: 'Silent Shop' }));
    await until(async () => (await store.exists(`{cardbell:state}:latest:${card.AcctId}`)) === 1, 'it is routed');

    await command(olga, `why ${last4Of(card)}`);
    const answer = await waitTold(olga, /Silent Shop.*not been posted anywhere/, Number(muted.ts));
    expect(blocksOf(answer)).toContain(`The card is muted, by <@${olga}>`);
  });

  it.each([
    ['evt_0000000000000000', /I know no such alert/],
    ['evt_cut-off', /I know no such alert/],
    ['https://x.slack.com/archives/C0DECLINES/p1700000000000100', /I know no such alert/],
    ['', /Which alert do you mean/],
  ])('“%s” gets a question, never a guess', async (event, words) => {
    const since = Number(cardbell().workspace.ephemerals(olga).at(-1)?.ts ?? 0);
    await cardbell().command(olga, `why ${event}`);
    await cardbell().waitTold(olga, words, since);
  });
});

describe('/card declines', () => {
  it('lists declines from the service and from webhooks once, newest first', async () => {
    const { sandbox, deliver, take, command, waitTold, waitFor } = cardbell();
    const card = take('ACTIVE');
    const body = JSON.stringify({ AcctId: card.AcctId, Amount: 99_000, MerchantName: 'Fetched Shop' });
    await fetch(`${sandbox.url.replace('/v4', '')}/simulate/purchase`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    await waitFor(channels.declines, /Fetched Shop/);
    await deliver(sampleWebhook('decline.rule.mcc', { AcctId: card.AcctId, MerchantName: 'Told Shop' }));
    await waitFor(channels.declines, /Told Shop/);

    await command(olga, `declines ${last4Of(card)} 30d`);
    const answer = await waitTold(olga, new RegExp(`${holderOf(card)}.*2 declines in 30 days`));
    expect(blocksOf(answer)).toMatch(/Fetched Shop/);
    expect(blocksOf(answer)).toMatch(/Told Shop/);
    expect(answer.text).toContain('Merchant category not allowed: 1');
  });

  it('still answers when the card service is down, and says that the list may be incomplete', async () => {
    const { sandbox, take, command, waitTold } = cardbell();
    const card = take('ACTIVE');
    sandbox.faults.add({ path: /NetworkTransactions/, kind: 'token_expired' });
    await command(olga, `declines ${last4Of(card)}`);
    const answer = await waitTold(olga, new RegExp(`${holderOf(card)}.*No declines among my alerts in 1 week`));
    expect(blocksOf(answer)).toContain('did not answer');
  });

  it('is not for everybody; holders see only their own card', async () => {
    const { take, command, waitTold, told } = cardbell();
    const [own, other] = [take('ACTIVE'), take('ACTIVE')];
    await command(otto, `declines ${last4Of(own)}`);
    await waitTold(otto, /Only operators and approvers may see declines/);
    await cardbell().link(own, otto, olga);

    await command(otto, `declines ${own.AcctId}`);
    await waitTold(otto, new RegExp(`${holderOf(own)}.*No declines since it was linked to you`));
    await command(otto, `declines ${other.AcctId}`);
    await waitTold(otto, /You hold no card/);
    expect(told(otto).join()).not.toContain(holderOf(other));
  });
});

describe('/card track', () => {
  it('says when the card was shipped, with the carrier’s link, and that it is not activated yet', async () => {
    const { deliver, take, command, waitTold, waitFor } = cardbell();
    const card = take('INACTIVE');
    const last4 = last4Of(card);
    await deliver(
      sampleWebhook('card-shipping', {
        AcctId: card.AcctId,
        Last4CardNumber: last4,
        TrackingNumber: '1Z999AA10123456784',
        ShippingMethod: 'UPS Ground',
      }),
    );
    await waitFor(channels.shipping, new RegExp(last4));

    await command(olga, `track ${last4}`);
    const answer = await waitTold(olga, new RegExp(`${holderOf(card)}.*Shipped with UPS Ground.*Not activated yet`));
    expect(blocksOf(answer)).toContain('https://www.ups.com/');
    expect(blocksOf(answer)).toContain(`/card activate ${last4}`);
  });
});

describe('Explain this decline', () => {
  /** Waits until Cardbell has stored the alert's message reference. */
  async function noted({ channel, ts }: StoredMessage): Promise<void> {
    const key = `{cardbell:state}:messages-at:${channel}:${ts}`;
    await until(async () => (await cardbell().store.exists(key)) === 1, 'the message reference is stored');
  }

  async function explain(user: string, message: StoredMessage): Promise<string> {
    const { workspace } = cardbell();
    const view = await openedForm(cardbell(), user, () =>
      workspace.shortcut({ user, callbackId: 'explain_decline', message }),
    );
    return JSON.stringify(view.blocks);
  }

  it('says what happened, why, which limit was hit, what would fix it and who may do so, and how the alert got there', async () => {
    const card = cardbell().take('ACTIVE');
    await cardbell().command(people.ana, `limit ${card.AcctId} daily 100`);
    await cardbell().waitTold(people.ana, new RegExp(`^Limit changed: ${holderOf(card)}`));
    const MerchantName = `EXPLAINED ${card.AcctId}`;
    cardbell().sandbox.purchase({ AcctId: card.AcctId, Amount: 140, MerchantName });
    const alert = await cardbell().waitFor(channels.declines, new RegExp(MerchantName));
    await until(() => JSON.stringify(cardbell().now(alert).blocks).includes('$100.00'), 'it shows the limit');
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
    const reply = cardbell().workspace.say({
      user: otto,
      channel: channels.declines,
      text: 'why?',
      threadTs: alert.ts,
    });

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
});
