import { Queue } from 'bullmq';
import { expect, it } from 'vitest';
import type { SandboxAccount } from '../../sandbox/server.ts';
import { QUEUE_PREFIX } from '../../src/core/keys.ts';
import { channels, people } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { inOneProcess, last4Of, useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook } from '../support/sample-webhook.ts';
import { until } from '../support/until.ts';

const cardbell = useCardbell(inOneProcess);
const { ana, hugo } = people;
const direct = (user: string): string => `D${user.slice(1)}`;

async function linkedWithLimit(dollars: number): Promise<SandboxAccount> {
  const card = cardbell().take('ACTIVE', ({ AvailableBalance }) => AvailableBalance > 200);
  await cardbell().inPortal(card, { DailySpendLimit: dollars });
  await cardbell().command(ana, `link ${card.AcctId} @hugo`);
  await cardbell().waitFor(direct(hugo), new RegExp(`Your card ${last4Of(card)} is linked to you`));
  return card;
}

it('warns the holder when a purchase uses up most of a limit, with a button to request a raise', async () => {
  const card = await linkedWithLimit(100);

  expect(cardbell().sandbox.purchase({ AcctId: card.AcctId, Amount: 80, MerchantName: 'Paper Mill' }).Approved).toBe(
    true,
  );

  const warning = await cardbell().waitFor(
    direct(hugo),
    new RegExp(`80% of your daily limit is used · card ${last4Of(card)}`),
  );
  expect(warning.text).toContain('$80.00 of $100.00 used, $20.00 left.');

  await cardbell().press(hugo, warning, 'home_ask');
  expect(cardbell().workspace.views.top(hugo)?.callback_id).toBe('ask_for_more');
});

it('warns the channel and the holder about a subscription that failed on three days', async () => {
  const card = await linkedWithLimit(100);
  const day = 24 * 3_600_000;
  for (const daysAgo of [2, 1, 0]) {
    const at = new Date(Date.now() - daysAgo * day);
    await cardbell().deliver(
      sampleWebhook(
        'decline.rule.velocity',
        {
          AcctId: card.AcctId,
          MerchantName: 'Streamflix',
          MerchantId: 'STREAM1',
          IsCardPresent: false,
          TransactionAmount: -14.99,
        },
        at,
      ),
    );
  }

  await cardbell().waitFor(
    channels.declines,
    /Subscription keeps failing: \$14\.99 at Streamflix, .*or cancel the subscription\?/,
  );
  await cardbell().waitFor(direct(hugo), /Subscription keeps failing: .*your card/);
});

/** Presses a button of *I message you when* in App Home. */
async function setInHome(user: string, value: string, shows: string): Promise<void> {
  const home = () => cardbell().workspace.views.home.get(user);
  await cardbell().workspace.openHome(user);
  await until(() => JSON.stringify(home()?.blocks ?? []).includes(`"${value}"`), `App Home has ${value}`);
  await cardbell().workspace.press({ user, viewId: home()?.id ?? '', actionId: 'set_preference', value });
  await until(() => JSON.stringify(home()?.blocks ?? []).includes(`"${shows}"`), `App Home shows it: ${shows}`);
}

it('lets a person turn one kind of warning off in App Home, and on again', async () => {
  const card = await linkedWithLimit(100);
  const mine = new RegExp(`of your daily limit is used · card ${last4Of(card)}`);
  const warnings = () =>
    cardbell()
      .workspace.messages(direct(hugo))
      .filter(({ text }) => mine.test(text));
  await setInHome(hugo, 'limit-warnings:off', 'limit-warnings:on');

  cardbell().sandbox.purchase({ AcctId: card.AcctId, Amount: 80, MerchantName: 'Paper Mill' });
  cardbell().sandbox.purchase({ AcctId: card.AcctId, Amount: 40, MerchantName: 'Paper Mill' });
  await cardbell().waitFor(direct(hugo), /declined for \$40\.00 at Paper Mill/i);
  await quiet(cardbell());
  expect(warnings()).toEqual([]);

  await setInHome(hugo, 'limit-warnings:on', 'limit-warnings:off');
  cardbell().sandbox.purchase({ AcctId: card.AcctId, Amount: 12, MerchantName: 'Paper Mill' });
  await cardbell().waitFor(direct(hugo), new RegExp(`92% ${mine.source}`));
  expect(warnings().filter(({ text }) => !text.includes('92%'))).toEqual([]);
});

it('lets a channel turn one kind of warning off, while the holder still gets it', async () => {
  const card = await linkedWithLimit(100);
  const off = { user: ana, channel: channels.declines, command: '/card', text: 'warnings off subscriptions' };
  await cardbell().workspace.command(off);
  await cardbell().waitTold(ana, /subscription/i);
  for (const daysAgo of [2, 1, 0]) {
    const at = new Date(Date.now() - daysAgo * 24 * 3_600_000);
    const { AcctId } = card;
    const what = {
      AcctId,
      MerchantName: 'Cloudbox',
      MerchantId: 'CLOUD1',
      IsCardPresent: false,
      TransactionAmount: -9.5,
    };
    await cardbell().deliver(sampleWebhook('decline.rule.velocity', what, at));
  }

  await cardbell().waitFor(direct(hugo), /Subscription keeps failing: \$9\.50 at Cloudbox.*your card/);
  await quiet(cardbell());
  const inChannel = cardbell()
    .workspace.messages(channels.declines)
    .map(({ text }) => text);
  expect(inChannel.filter((text) => /Subscription keeps failing: .*Cloudbox/.test(text))).toEqual([]);
});

it('shows in the Details form everything the three lines leave out', async () => {
  const card = await linkedWithLimit(100);
  cardbell().sandbox.purchase({ AcctId: card.AcctId, Amount: 140, MerchantName: `DETAILED ${card.AcctId}` });
  const alert = await cardbell().waitFor(channels.declines, new RegExp(`DETAILED ${card.AcctId}`));
  await cardbell().press(ana, alert, 'show_details');
  const form = (): string => JSON.stringify(cardbell().workspace.views.top(ana)?.blocks ?? []);
  await until(() => form().includes('decline.rule.velocity'), 'the form has the code of the decline');

  expect(JSON.stringify(alert.blocks)).not.toContain('Raise the daily limit to at least');
  expect(form(), 'the cause, once').not.toContain('Transaction exceeded daily spend limit');
  expect(form()).toMatch(new RegExp(`DETAILED ${card.AcctId}.*Raise the daily limit to at least \\$140\\.00`, 's'));
});

it('warns a person after their quiet hours', async () => {
  const card = await linkedWithLimit(100);
  const mine = new RegExp(`80% of your daily limit is used · card ${last4Of(card)}`);
  const clockBefore = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString().slice(11, 16);
  await cardbell().command(hugo, `notify quiet ${clockBefore(2)}-${clockBefore(3)} UTC`);
  await cardbell().waitTold(hugo, /Your quiet hours: .* wait until they end/);

  cardbell().sandbox.purchase({ AcctId: card.AcctId, Amount: 80, MerchantName: 'Paper Mill' });
  const queue = new Queue<object>('maintenance', { connection: cardbell().store, prefix: QUEUE_PREFIX });
  const waiting = async () => (await queue.getDelayed()).find(({ name }) => name === 'warn-of-limits');
  try {
    await until(async () => (await waiting()) !== undefined, 'the warning waits');
    expect(
      cardbell()
        .texts(direct(hugo))
        .filter((text) => mine.test(text)),
    ).toEqual([]);

    await cardbell().command(hugo, 'notify quiet off');
    await cardbell().waitTold(hugo, /You have no quiet hours/);
    await (await waiting())?.promote();
    await cardbell().waitFor(direct(hugo), mine);
  } finally {
    await queue.close();
  }
});
