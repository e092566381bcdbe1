import { expect, it } from 'vitest';
import { channels } from '../support/people.ts';
import { useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook } from '../support/sample-webhook.ts';
import { settled, until } from '../support/until.ts';

const nothing = '';
const cardbell = useCardbell({
  workspace: { enforceRateLimits: true },
  env: {
    ALERTS_CHANNEL_DECLINES: nothing,
    ALERTS_CHANNEL_SHIPPING: nothing,
    ALERTS_CHANNEL_STATUS: nothing,
    ALERTS_CHANNEL_VIRTUAL: nothing,
    ALERTS_CHANNEL_SPEND: channels.alerts,
  },
});

it('all eight kinds in one channel, under Slack’s one message a second: each is posted once, none is refused', async () => {
  const { deliver, texts, slackCalls, take } = cardbell();
  const { AcctId } = take('ACTIVE');
  const kinds = [
    'authorization',
    'pin',
    'settlement',
    'reversal',
    'decline',
    'card-status',
    'card-shipping',
    'virtual-card',
  ];
  const webhooks = kinds.map((kind) =>
    sampleWebhook(kind, kind === 'virtual-card' ? { AccountId: AcctId } : { AcctId }),
  );

  // Everything at once, and everything twice.
  const answers = await Promise.all([...webhooks, ...webhooks].map((webhook) => deliver(webhook)));
  await until(() => texts(channels.alerts).length >= kinds.length, 'all are posted', 30_000);
  await settled(1500);

  expect(new Set(answers)).toEqual(new Set([200]));
  expect(texts(channels.alerts)).toHaveLength(kinds.length);
  expect(new Set(texts(channels.alerts)).size).toBe(kinds.length);
  expect(slackCalls('chat.postMessage').filter(({ status }) => status === 429)).toEqual([]);
});
