import { expect, it } from 'vitest';
import type { StoredMessage } from '../../workspace/server.ts';
import { channels } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook } from '../support/sample-webhook.ts';
import { until } from '../support/until.ts';

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

/** How many alerts the messages show: a message with a menu shows as many as the menu offers, any other shows one. */
function alertsIn(messages: readonly StoredMessage[]): number {
  return messages.reduce((sum, { blocks = [] }) => {
    const menu = JSON.stringify(blocks).match(/"value":"evt_/g) ?? [];
    return sum + (JSON.stringify(blocks).includes('open_alert') ? menu.length : 1);
  }, 0);
}

it('all eight kinds in one channel at one message a second are each shown once, in a few messages, with no refusal', async () => {
  const { deliver, workspace, slackCalls, take } = cardbell();
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
  const here = () => workspace.messages(channels.alerts);
  await until(() => alertsIn(here()) >= kinds.length, 'all are shown', 30_000);
  await quiet(cardbell());

  expect(new Set(answers)).toEqual(new Set([200]));
  expect(alertsIn(here())).toBe(kinds.length);
  expect(here().length).toBeLessThan(kinds.length);
  const shown = JSON.stringify(here());
  for (const word of [
    /Declined/,
    /Spent|spent/,
    /ettled/,
    /[Rr]eversed|got \$/,
    /Card status|Card active/,
    /hipped/,
    /Virtual card/,
  ])
    expect(shown).toMatch(word);
  expect(slackCalls('chat.postMessage').filter(({ status }) => status === 429)).toEqual([]);
});
