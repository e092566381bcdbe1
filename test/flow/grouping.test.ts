import { describe, expect, it } from 'vitest';
import { channels, people } from '../support/people.ts';
import { holderOf, last4Of, useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook } from '../support/sample-webhook.ts';
import { until } from '../support/until.ts';

const cardbell = useCardbell({ workers: 2 });

const shown = (message: { text: string; blocks?: unknown }): string =>
  `${message.text} ${JSON.stringify(message.blocks ?? [])}`;

/** Messages in the channel of declines that name the holder. */
function declinesOf(holder: string) {
  return cardbell()
    .workspace.messages(channels.declines)
    .filter(({ text }) => text.includes(holder));
}

/** A merchant that nobody else's declines are at. */
let merchants = 0;
function merchant(): { MerchantId: string; MerchantName: string } {
  merchants += 1;
  return { MerchantId: `GROUPING${merchants}`, MerchantName: `GROUPING SHOP ${merchants}` };
}

describe('repeats of a decline', () => {
  it('are one message with a count, edited in place, however many workers there are', async () => {
    const { deliver, take, now } = cardbell();
    const account = take('ACTIVE');
    const at = { AcctId: account.AcctId, ...merchant() };
    const tries = [-84.1, -84.1, -60, -12.5, -84.1].map((TransactionAmount) =>
      sampleWebhook('decline', { ...at, TransactionAmount, MerchantRequestedAmount: TransactionAmount }),
    );

    await Promise.all([...tries, ...tries].map((webhook) => deliver(webhook)));
    await until(
      () => declinesOf(holderOf(account)).some(({ text }) => text.includes('declined 5 times')),
      'all five are counted',
    );

    const [message, ...others] = declinesOf(holderOf(account));
    expect(others).toEqual([]);
    if (message === undefined) throw new Error('no message');
    expect(shown(now(message))).toContain('Declined 5 times: $12.50 to $84.10');
    expect(shown(now(message))).toMatch(/First try.*Last try/);
  });

  it('each stay in the record of the card', async () => {
    const { deliver, take, command, waitTold, waitFor } = cardbell();
    const account = take('ACTIVE');
    const at = { AcctId: account.AcctId, ...merchant() };
    for (const TransactionAmount of [-11, -22]) {
      await deliver(sampleWebhook('decline', { ...at, TransactionAmount, MerchantRequestedAmount: TransactionAmount }));
    }
    await waitFor(channels.declines, new RegExp(`${last4Of(account)} was declined 2 times`));

    await command(people.olga, `show ${holderOf(account)}`);
    const answer = await waitTold(people.olga, new RegExp(last4Of(account)));

    expect(JSON.stringify(answer.blocks)).toMatch(/\$22\.00.*\$11\.00|\$11\.00.*\$22\.00/);
  });
});

describe('a card that is blocked', () => {
  it('does not shout: what is declined afterwards is one quiet line with a count', async () => {
    const { deliver, take, sandbox, waitFor } = cardbell();
    const account = take('ACTIVE');
    sandbox.setStatus({ AcctId: account.AcctId, CardStatus: 'BLOCKED' });
    await waitFor(channels.status, new RegExp(`${holderOf(account)}.*blocked`));

    for (const name of ['one', 'two', 'three']) {
      await deliver(
        sampleWebhook('decline.card.status', {
          AcctId: account.AcctId,
          Message: 'Card Status Inactive',
          MerchantName: `BLOCKED ${name}`,
        }),
      );
    }
    await until(
      () => declinesOf(holderOf(account)).some(({ text }) => text.includes('3 purchases declined')),
      'all three are counted',
    );

    const messages = declinesOf(holderOf(account));
    expect(messages).toHaveLength(1);
    expect(shown(messages[0] as (typeof messages)[0])).not.toMatch(/"header"|block_card|activate_card/);
    expect(shown(messages[0] as (typeof messages)[0])).toContain('/card unblock');
  });
});
