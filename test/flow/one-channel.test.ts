import { expect, it } from 'vitest';
import type { StormDecline } from '../../bench/storm-declines.ts';
import { intakeKey } from '../../src/core/keys.ts';
import { shardsOf } from '../../src/core/shards.ts';
import type { StoredMessage } from '../../workspace/server.ts';
import { webhookNames } from '../fixtures/webhooks/webhook.ts';
import { useDeclines } from '../support/declines.ts';
import { channels } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook } from '../support/sample-webhook.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { settled, until } from '../support/until.ts';

const nothing = '';
const oneChannel = {
  ALERTS_CHANNEL_DECLINES: nothing,
  ALERTS_CHANNEL_SHIPPING: nothing,
  ALERTS_CHANNEL_STATUS: nothing,
  ALERTS_CHANNEL_VIRTUAL: nothing,
  ALERTS_CHANNEL_SPEND: channels.alerts,
};

/** How many alerts the messages show: as many as its menu offers for a message with a menu, otherwise one. */
function alertsIn(messages: readonly StoredMessage[]): number {
  return messages.reduce((sum, { blocks = [] }) => {
    const menu = JSON.stringify(blocks).match(/"value":"evt_/g) ?? [];
    return sum + (JSON.stringify(blocks).includes('open_alert') ? menu.length : 1);
  }, 0);
}

sideBySide('one worker', () => {
  const cardbell = useCardbell({ workspace: { enforceRateLimits: true }, env: oneChannel });

  it('shows each of eight kinds once in one channel at one message a second, in few messages, with no rate limit hit', async () => {
    const { deliver, workspace, slackCalls, take } = cardbell();
    const { AcctId } = take('ACTIVE');
    const webhooks = webhookNames.map((kind) =>
      sampleWebhook(kind, kind === 'virtual-card' ? { AccountId: AcctId } : { AcctId }),
    );

    // All at once, and each twice.
    const answers = await Promise.all([...webhooks, ...webhooks].map((webhook) => deliver(webhook)));
    const here = () => workspace.messages(channels.alerts);
    await until(() => alertsIn(here()) >= webhookNames.length, 'all are shown', 30_000);
    await quiet(cardbell());

    expect(new Set(answers)).toEqual(new Set([200]));
    expect(alertsIn(here())).toBe(webhookNames.length);
    expect(here().length).toBeLessThan(webhookNames.length);
    const shown = JSON.stringify(here());
    for (const word of [
      /Declined/,
      /Spent/,
      /ettled/,
      /[Rr]eversed|[Rr]eleased|[Cc]redited/,
      /Card status|Card active/,
      /hipped/,
      /Virtual card/,
    ])
      expect(shown).toMatch(word);
    expect(slackCalls('chat.postMessage').filter(({ status }) => status === 429)).toEqual([]);
  });
});

sideBySide('two workers and four shards', () => {
  const SHARDS = 4;
  const MESSAGES = 6;
  const cardbell = useCardbell({
    workers: 2,
    workspace: { enforceRateLimits: true },
    env: { REDIS_SHARDS: String(SHARDS) },
  });
  const { declines, take, shown } = useDeclines(cardbell);

  it('post one message at a time per channel: each decline is shown once, with no rate limit hit', async () => {
    const { store, workspace, slackCalls } = cardbell();
    const sent: StormDecline[] = [];
    const messages = () => workspace.messages(channels.declines).length;

    // A few at a time, about as fast as Slack accepts messages: more would share one message. All shards wake the channel.
    while (messages() < MESSAGES) {
      const more = declines(4);
      sent.push(...more);
      await take(more);
      await settled(900);
    }
    await until(async () => (await shown()).length >= sent.length, 'all are shown');
    await quiet(cardbell());

    expect(await shown()).toEqual(sent.map(({ amountCents }) => amountCents));
    expect(slackCalls('chat.postMessage').filter(({ status }) => status === 429)).toEqual([]);
    const clients = String(await store.client('LIST'));
    expect(clients.match(/name=cardbell-relay/g), 'both workers read each shard').toHaveLength(2 * SHARDS);
    for (const shard of shardsOf(SHARDS)) {
      expect(await store.keys(intakeKey('seen:evt_*', shard)), 'the shard received events').not.toEqual([]);
    }
  });
});
