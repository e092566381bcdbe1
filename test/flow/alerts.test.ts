import { beforeAll, describe, expect, it } from 'vitest';
import type { WebhookKind } from '../../sandbox/webhook/kind.ts';
import { channels } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { holderOf, inOneProcess, last4Of, useCardbell } from '../support/running-cardbell.ts';
import { type SampleWebhook, sampleWebhook } from '../support/sample-webhook.ts';

const cardbell = useCardbell({ ...inOneProcess, env: { ALERTS_CHANNEL_SPEND: channels.spend } });

/** Each webhook kind, its channel, and the words its alert must contain. */
const kinds: readonly [WebhookKind, string, RegExp[]][] = [
  ['authorization', channels.spend, [/\$84\.10/, /CORNER DINER/]],
  ['pin', channels.spend, [/\$84\.10/, /PIN/i]],
  ['settlement', channels.spend, [/\$84\.10/, /settle/i]],
  ['reversal', channels.spend, [/\$84\.10/, /back|revers/i]],
  ['decline', channels.declines, [/declined/i, /\$84\.10/, /CORNER DINER/, /daily/i]],
  ['card-status', channels.status, [/blocked/i]],
  ['card-shipping', channels.shipping, [/shipped/i, /9400111899000000055211/, /USPS/]],
  ['virtual-card', channels.virtual, [/virtual/i, /created|ready/i, /4374/]],
];

describe('every kind of webhook', () => {
  const sent = new Map<WebhookKind, { webhook: SampleWebhook; mark: string }>();

  beforeAll(async () => {
    for (const [kind] of kinds) {
      const account = cardbell().take('ACTIVE');
      const isVirtual = kind === 'virtual-card';
      const id = isVirtual ? { AccountId: account.AcctId } : { AcctId: account.AcctId };
      const names =
        isVirtual || kind === 'card-status' ? { FirstName: account.FirstName, LastName: account.LastName } : {};
      const parcel = { Last4CardNumber: last4Of(account), TrackingNumber: '9400111899000000055211' };
      const card = kind === 'card-shipping' ? parcel : {};
      const webhook = sampleWebhook(kind, { ...id, ...names, ...card });
      sent.set(kind, { webhook, mark: holderOf(account) });
    }
  });

  it.each(kinds)('posts %s to its channel with the holder and the key facts', async (kind, channel, words) => {
    const { webhook, mark } = sent.get(kind) as { webhook: SampleWebhook; mark: string };

    const status = await cardbell().deliver(webhook);
    const message = await cardbell().waitFor(channel, new RegExp(mark));

    expect(status).toBe(200);
    const shown = `${message.text} ${JSON.stringify(message.blocks)}`;
    for (const word of words) expect(shown).toMatch(word);
  });

  it('answers 200 to a repeated delivery and posts nothing new', async () => {
    const { deliver, workspace } = cardbell();
    const before = kinds.map(([, channel]) => workspace.messages(channel).length);

    for (const { webhook } of sent.values()) expect(await deliver(webhook)).toBe(200);
    await quiet(cardbell());

    expect(kinds.map(([, channel]) => workspace.messages(channel).length)).toEqual(before);
  });

  it('treats a declined authorization as a decline, even on the authorization path', async () => {
    const { take, deliver, waitFor, texts } = cardbell();
    const account = take('ACTIVE');
    const webhook = sampleWebhook('decline.balance.card', { AcctId: account.AcctId });

    await deliver(webhook, { path: 'authorization' });
    await waitFor(channels.declines, new RegExp(holderOf(account)));
    await quiet(cardbell());

    expect(texts(channels.spend).join()).not.toContain(holderOf(account));
  });
});
