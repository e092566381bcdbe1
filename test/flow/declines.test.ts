import { beforeAll, expect, it } from 'vitest';
import { DECLINE_CODES } from '../../sandbox/webhook/decline-code.ts';
import { createSubscriptions } from '../../src/routing/channel-rules-store.ts';
import { channels, people, workspaceOptions } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { holderOf, useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook } from '../support/sample-webhook.ts';

/** A channel per code in addition to the shared one, because a channel accepts only one message a second. */
const channelOf = (code: string): string => `C0CODE${DECLINE_CODES.findIndex((one) => one.code === code)}`;

const cardbell = useCardbell({
  workspace: {
    channels: [
      ...(workspaceOptions.channels ?? []),
      ...DECLINE_CODES.map(({ code }) => ({ id: channelOf(code), name: code.replaceAll('.', '-') })),
    ],
  },
});

/** The text people must see for each code. */
const words: Readonly<Record<string, RegExp>> = {
  'decline.rule.location': /international|outside/i,
  'decline.rule.cardnotpresent': /not present|online/i,
  'decline.rule.velocity': /daily/i,
  'decline.rule.velocity.mcc': /categor/i,
  'decline.rule.mcc': /hardware stores/i,
  'decline.balance.business': /business/i,
  'decline.remote': /remote|own/i,
  'decline.mcc': /not allowed|type/i,
  'decline.balance.card': /balance/i,
  'decline.card.status': /not active/i,
  'decline.card.pin': /terminal/i,
  decline: /do not honor/i,
};

/** A single word, because filters compare words. */
const merchantOf = (code: string): string => `SHOP${code.toUpperCase().replaceAll('.', '')}END`;

let acctId = 0;

beforeAll(async () => {
  acctId = cardbell().take('ACTIVE').AcctId;
  const { add } = createSubscriptions(cardbell().store);
  for (const { code } of DECLINE_CODES) {
    const filter = `declines and merchant "${merchantOf(code)}"`;
    await add({ channel: channelOf(code), filter, by: people.ana, at: new Date().toISOString() });
  }
});

const isPin = ({ code }: { code: string }): boolean => code === 'decline.card.pin';
/** The wrong PIN goes first: it appears only in the shared channel, where alerts arriving together share one message. */
const codes = [...DECLINE_CODES.filter(isPin), ...DECLINE_CODES.filter((one) => !isPin(one))];

it.each(codes)('explains $code in the service’s words or plainer ones', async ({ code }) => {
  const name = code === 'decline' ? 'decline.other' : code;
  await cardbell().deliver(sampleWebhook(name, { AcctId: acctId, MerchantName: merchantOf(code) }));
  const channel = isPin({ code }) ? channels.declines : channelOf(code);
  const message = await cardbell().waitFor(channel, new RegExp(merchantOf(code)));

  const shown = `${message.text} ${JSON.stringify(message.blocks)}`;
  expect(shown).toMatch(words[code] as RegExp);
  expect(shown).toMatch(/acknowledge_alert/);
});

it('does not post a wrong PIN to a channel', async () => {
  const message = await cardbell().waitFor(channels.declines, new RegExp(merchantOf('decline.card.pin')));

  expect(`${message.text} ${JSON.stringify(message.blocks)}`).not.toMatch(/\bPIN\b/);
});

it('shows an unknown decline code in the service’s words', async () => {
  const { take, deliver, waitFor } = cardbell();
  const account = take('ACTIVE');
  const fields = { AcctId: account.AcctId, MessageCode: 'decline.rule.moonphase', Message: 'Wrong phase of the moon' };
  // Posted together with others, it would be a row of their message.
  await quiet(cardbell());

  await deliver(sampleWebhook('decline', fields));
  const message = await waitFor(channels.declines, new RegExp(holderOf(account)));

  const shown = JSON.stringify(message.blocks);
  expect(shown).toContain('Wrong phase of the moon');
  expect(shown).toContain('decline.rule.moonphase');
});

it('does not post spend alerts without a channel for them', async () => {
  const { take, deliver, workspace } = cardbell();
  const { AcctId } = take('ACTIVE');
  const posts = () => Object.values(channels).flatMap((channel) => workspace.messages(channel)).length;
  await quiet(cardbell());
  const before = posts();

  for (const kind of ['authorization', 'pin', 'settlement', 'reversal'])
    expect(await deliver(sampleWebhook(kind, { AcctId }))).toBe(200);
  await quiet(cardbell());

  expect(posts()).toBe(before);
});
