import { Queue } from 'bullmq';
import { describe, expect, it } from 'vitest';
import { QUEUE_PREFIX } from '../../src/core/keys.ts';
import { channels, people } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { atOnce, holderOf, last4Of, useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook } from '../support/sample-webhook.ts';
import { until } from '../support/until.ts';

const cardbell = useCardbell({ pace: atOnce, workers: 2, env: { ALERTS_CHANNEL_SPEND: channels.spend } });

const shown = (message: { text: string; blocks?: unknown }): string =>
  `${message.text} ${JSON.stringify(message.blocks ?? [])}`;

/** Messages in the declines channel that name the holder. */
function declinesOf(holder: string) {
  return cardbell()
    .workspace.messages(channels.declines)
    .filter(({ text }) => text.includes(holder));
}

/** A merchant used by no other test. */
let merchants = 0;
function merchant(): { MerchantId: string; MerchantName: string } {
  merchants += 1;
  return { MerchantId: `GROUPING${merchants}`, MerchantName: `GROUPING SHOP ${merchants}` };
}

describe('repeats of a decline', () => {
  it('share one message with a count, edited in place, with any number of workers', async () => {
    const { deliver, take, now } = cardbell();
    const account = take('ACTIVE');
    const at = { AcctId: account.AcctId, ...merchant() };
    const tries = [-84.1, -84.1, -84.1, -84.1, -84.1].map((TransactionAmount) =>
      sampleWebhook('decline', { ...at, TransactionAmount, MerchantRequestedAmount: TransactionAmount }),
    );

    await Promise.all([...tries, ...tries].map((webhook) => deliver(webhook)));
    await until(
      () => declinesOf(holderOf(account)).some(({ text }) => text.includes('Declined 5 times')),
      'all five are counted',
    );

    const [message, ...others] = declinesOf(holderOf(account));
    expect(others).toEqual([]);
    if (message === undefined) throw new Error('no message');
    expect(shown(now(message))).toContain('Declined 5 times: $84.10');
    expect(shown(now(message))).toMatch(/first try/);
  });

  it('are each kept in the history of the card', async () => {
    const { deliver, take, command, waitTold, waitFor } = cardbell();
    const account = take('ACTIVE');
    const at = { AcctId: account.AcctId, ...merchant() };
    for (const TransactionAmount of [-11, -11]) {
      await deliver(sampleWebhook('decline', { ...at, TransactionAmount, MerchantRequestedAmount: TransactionAmount }));
    }
    await waitFor(channels.declines, new RegExp(`^Declined 2 times.*${last4Of(account)}`));

    await command(people.olga, `show ${holderOf(account)}`);
    const answer = await waitTold(people.olga, new RegExp(last4Of(account)));

    expect(JSON.stringify(answer.blocks)).toMatch(/\$11\.00.*\$11\.00/);
  });
});

describe('a card that is blocked', () => {
  it('collects later declines in one quiet line with a count', async () => {
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
      () => declinesOf(holderOf(account)).some(({ text }) => text.startsWith('Declined 3 times')),
      'all three are counted',
    );

    const messages = declinesOf(holderOf(account));
    expect(messages).toHaveLength(1);
    expect(shown(messages[0] as (typeof messages)[0])).not.toMatch(/"header"|block_card|activate_card/);
    expect(shown(messages[0] as (typeof messages)[0])).toContain('/card unblock');
  });

  it.each([
    ['BLOCKED', 'blocked'],
    ['CLOSED', 'closed'],
  ] as const)('does not explain a decline from before it was %s, only one from after that', async (status, word) => {
    const { deliver, take, sandbox, waitFor } = cardbell();
    const account = take('ACTIVE');
    sandbox.setStatus({ AcctId: account.AcctId, CardStatus: status });
    await waitFor(channels.status, new RegExp(`${holderOf(account)}.*${word}`));
    const anyOther = () => ({ AcctId: account.AcctId, Message: 'Do not honor', MessageCode: 'decline', ...merchant() });

    await deliver(sampleWebhook('decline', anyOther(), new Date(Date.now() - 20 * 60_000)));
    await waitFor(channels.declines, new RegExp(`${holderOf(account)}.*: declined without a reason`));

    await deliver(sampleWebhook('decline', anyOther()));
    await waitFor(channels.declines, new RegExp(`${holderOf(account)}.*card is ${word}`));
  });
});

describe('declines of several cards at one merchant', () => {
  const { olga, otto } = people;
  const warnings = () =>
    cardbell()
      .workspace.messages(channels.declines)
      .filter(({ text }) => text.includes('Possible card testing'));

  it('raise a warning that names the cards, and later declines go into its thread', async () => {
    const { deliver, take, workspace } = cardbell();
    const shop = merchant();
    const accounts = [take('ACTIVE'), take('ACTIVE'), take('ACTIVE'), take('ACTIVE')];

    await Promise.all(
      accounts.map(({ AcctId }) =>
        deliver(sampleWebhook('decline', { AcctId, ...shop, MessageCode: 'decline', Message: 'Do not honor' })),
      ),
    );
    await until(() => warnings().some(({ text }) => text.includes('4 cards')), 'the warning names all four');

    const [warning, ...others] = warnings();
    if (warning === undefined) throw new Error('no warning');
    expect(others).toEqual([]);
    for (const account of accounts) {
      expect(warning.text).toContain(holderOf(account));
      expect(warning.text).toContain(last4Of(account));
    }
    // Two were posted before the pattern emerged. The one that completed it and the next one reply to the warning.
    const replies = () =>
      workspace
        .messages(channels.declines)
        .filter(({ ts, thread_ts }) => thread_ts === warning.ts && ts !== warning.ts)
        .map(({ text }) => text);
    // Two messages, or one if both waited together.
    const told = () => accounts.filter((account) => replies().join(' ').includes(holderOf(account))).length;
    await until(() => told() === 2, 'two declines reply to the warning');
  });

  it('let authorized people block the cards one by one or all at once, and the warning says who did', async () => {
    const { press, told, writes, workspace, now, account: of } = cardbell();
    const [warning] = warnings();
    if (warning === undefined) throw new Error('no warning');
    const open = /evt_\w+\.evt_\w+/.exec(JSON.stringify(warning.blocks))?.[0] ?? '';

    await press(otto, warning, 'block_tested_cards');
    await until(() => told(otto).length > 0, 'otto is refused');
    expect(told(otto)).toHaveLength(1);
    expect(writes()).toEqual([]);

    await workspace.select({ user: olga, message: warning, actionId: 'block_tested_card', value: open });
    await until(() => shown(now(warning)).includes('Blocked*'), 'one is blocked');
    expect(writes()).toHaveLength(1);
    expect(shown(now(warning))).toContain('Block all 3 cards');

    await press(olga, now(warning), 'block_tested_cards');
    await until(() => !shown(now(warning)).includes('block_tested_card'), 'all are blocked');

    const blocked = writes().map(({ path }) => Number(path.split('/').at(-1)));
    expect(new Set(blocked).size).toBe(4);
    for (const acctId of blocked) expect(of(acctId).CardList[0]?.CardStatus).toBe('BLOCKED');
    expect(shown(now(warning)).match(/Blocked\*/g)).toHaveLength(4);

    await workspace.press({ user: olga, message: warning, actionId: 'block_tested_cards', stale: true });
    await until(() => told(olga).join().includes('Nothing is left to block here'), 'an old click is refused');
    expect(told(olga).join()).toContain('These cards are blocked or closed already, or about to be.');
  });

  it('raise no warning when the reason affects every card', async () => {
    const { deliver, take, waitFor } = cardbell();
    const before = warnings().length;
    const shop = merchant();
    for (const AcctId of [990_001, 990_002, 990_003]) {
      await deliver(sampleWebhook('decline.balance.business', { AcctId, ...shop }));
    }
    const last = take('ACTIVE');
    await deliver(sampleWebhook('decline.balance.business', { AcctId: last.AcctId, ...shop }));
    await waitFor(channels.declines, new RegExp(holderOf(last)));
    await quiet(cardbell());

    expect(warnings()).toHaveLength(before);
  });
});

describe('a purchase', () => {
  /** Messages about the holder in the spend channel: the thread's first message and its replies. */
  const threadOf = (holder: string) => {
    const all = cardbell()
      .workspace.messages(channels.spend)
      .filter(({ text }) => text.includes(holder));
    const [root, ...replies] = all.toSorted((a, b) => Number(a.ts) - Number(b.ts));
    return { root, replies, isOne: replies.every(({ thread_ts }) => thread_ts === root?.ts) };
  };
  const amount = (dollars: number) => ({ TransactionAmount: dollars, MerchantRequestedAmount: dollars });

  it('is one thread whose first message shows its state, in any order of arrival', async () => {
    const { deliver, take } = cardbell();
    for (const order of [
      ['authorization', 'settlement'],
      ['settlement', 'authorization'],
    ]) {
      const account = take('ACTIVE');
      const same = { AcctId: account.AcctId, NetworkTransactionId: 900_000 + account.AcctId, ...merchant() };
      for (const kind of order) {
        const cents = amount(kind === 'settlement' ? -96.2 : -84.1);
        await deliver(sampleWebhook(kind, { ...same, ...cents, AuthTransactionId: null }));
        await until(() => threadOf(holderOf(account)).root !== undefined, 'the first message stands');
      }

      await until(
        () => threadOf(holderOf(account)).replies.length === 1,
        `${order.join(' before ')}: the second answers`,
      );
      const pattern =
        order[0] === 'settlement' ? /^Settled.*Authorized for \$84\.10/ : /\$84\.10.*Settled for \$96\.20/;
      await until(
        () => pattern.test(threadOf(holderOf(account)).root?.text ?? ''),
        'the first message shows the state',
      );
      expect(threadOf(holderOf(account)).isOne).toBe(true);
    }
  });

  it('is matched by inference when the merchant omits the ids, and says so', async () => {
    const { deliver, take } = cardbell();
    const account = take('ACTIVE');
    const at = { AcctId: account.AcctId, ...merchant(), AuthTransactionId: null };
    await deliver(sampleWebhook('authorization', { ...at, ...amount(-40) }));
    await until(() => threadOf(holderOf(account)).root !== undefined, 'the first message stands');

    await deliver(sampleWebhook('reversal', { ...at, ...amount(40) }));
    await until(() => threadOf(holderOf(account)).replies.length === 1, 'the reversal answers');
    await until(() => /Reversed/.test(threadOf(holderOf(account)).root?.text ?? ''), 'the first message is updated');

    const { root, replies, isOne } = threadOf(holderOf(account));
    expect(isOne).toBe(true);
    expect(replies[0]?.text).toContain('Probably part of this purchase');
    expect(root?.text).toContain('Reversed, hold released');
    expect(root?.text).toContain('probably');
  });
});

describe('a card that was ordered', () => {
  const messagesOf = (channel: string, holder: string) =>
    cardbell()
      .workspace.messages(channel)
      .filter(({ text }) => text.includes(holder));

  it('is one thread, with one reminder and an Activate button if still inactive days after shipping', async () => {
    const { deliver, take, store, press, waitFor, now, account: of } = cardbell();
    const account = take('INACTIVE');
    const [card] = account.CardList;
    if (card === undefined) throw new Error('no card');
    const holder = holderOf(account);
    const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 3_600_000);
    const order = { AcctId: account.AcctId, CardOrderId: 77_000 + account.AcctId };
    const cardList = (CardStatus: string) => {
      const { CardId, Last4CardNumber } = card;
      return [{ CardId, Last4CardNumber, CardStatus, CardOrderId: order.CardOrderId }];
    };
    const names = { FirstName: account.FirstName, LastName: account.LastName, CustomId: '' };

    await deliver(sampleWebhook('card-status', { ...order, ...names, CardList: cardList('INACTIVE') }, daysAgo(13)));
    await deliver(sampleWebhook('card-shipping', { ...order, Last4CardNumber: card.Last4CardNumber }, daysAgo(11)));
    const shipped = await waitFor(channels.shipping, new RegExp(`${holder}.*shipped`));
    await until(() => shown(now(shipped)).includes('created'), 'the shipment message shows the progress of the card');

    const maintenance = new Queue('maintenance', { connection: store, prefix: QUEUE_PREFIX });
    for (const _run of [1, 2]) await maintenance.add('remind-of-activation', {}, { removeOnComplete: true });
    const reminder = await waitFor(channels.shipping, new RegExp(`${holder}.*still not activated`));
    await until(async () => (await store.zcard('{cardbell:state}:awaited-activations')) === 0, 'nothing is waiting');
    await maintenance.close();

    expect(reminder.thread_ts).toBe(shipped.ts);
    expect(reminder).toMatchObject({ subtype: 'thread_broadcast' });
    expect(messagesOf(channels.shipping, holder)).toHaveLength(2);

    await press(people.olga, reminder, 'activate_card');
    await until(() => of(account.AcctId).CardList[0]?.CardStatus === 'ACTIVE', 'it is activated');
    await until(() => shown(now(reminder)).includes('No longer waiting'), 'the reminder says so');
    expect(shown(now(reminder))).not.toContain('activate_card');

    // The sandbox does not know this order, so its webhook is sent once more with the order.
    await deliver(sampleWebhook('card-status', { ...order, ...names, CardList: cardList('ACTIVE') }));
    await until(() => shown(now(shipped)).includes('activated {date'), 'the first message says so');
    const [created] = messagesOf(channels.status, holder);
    await until(
      () =>
        messagesOf(channels.status, holder).some(({ thread_ts, ts }) => thread_ts === created?.ts && ts !== thread_ts),
      'the activation replies to the first message',
    );
  });
});
