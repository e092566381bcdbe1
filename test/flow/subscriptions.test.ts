import { describe, expect, it } from 'vitest';
import { createLinks } from '../../src/holders/link-store.ts';
import { channels, people, workspaceOptions } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { holderOf, inOneProcess, last4Of, useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook } from '../support/sample-webhook.ts';
import { until } from '../support/until.ts';
import { wakeJob } from '../support/wake-job.ts';

const { olga, ana, zoe } = people;
const places = {
  team: 'C0TEAM',
  travel: 'C0TRAVEL',
  quiet: 'C0QUIET',
  hidden: 'G0HIDDEN',
  partner: 'C0PARTNER',
  away: 'C0AWAY',
} as const;

const cardbell = useCardbell({
  ...inOneProcess,
  workspace: {
    channels: [
      ...(workspaceOptions.channels ?? []),
      { id: places.team, name: 'team' },
      { id: places.travel, name: 'travel' },
      { id: places.quiet, name: 'quiet' },
      { id: places.hidden, name: 'hidden', isPrivate: true, botIsMember: false },
      { id: places.partner, name: 'partner', isExtShared: true },
      { id: places.away, name: 'away', botIsMember: false },
    ],
  },
});

const type = (user: string, channel: string, text: string) =>
  cardbell().workspace.command({ user, channel, command: '/card', text });

describe('a subscription', () => {
  it('adds matching alerts to the channel once; the default channel still gets them', async () => {
    const { deliver, take, waitTold, waitFor, texts } = cardbell();
    const { AcctId } = take('ACTIVE');
    await type(ana, places.team, 'subscribe declines over 500');
    await waitTold(ana, /This channel now also gets: declines over \$500\.00/);
    await type(ana, places.team, 'subscribe declines, settlements at least 600');
    await waitTold(ana, /This channel now also gets: settlements, declines at least \$600\.00/);

    await deliver(
      sampleWebhook('decline.rule.velocity', { AcctId, TransactionAmount: -41.11, MerchantName: 'Small Shop' }),
    );
    await deliver(
      sampleWebhook('decline.rule.velocity', { AcctId, TransactionAmount: -641.22, MerchantName: 'Big Shop' }),
    );
    await deliver(sampleWebhook('settlement', { AcctId, TransactionAmount: -750.33, MerchantName: 'Settled Shop' }));

    await waitFor(places.team, /Settled Shop/);
    await waitFor(places.team, /Big Shop/);
    await waitFor(channels.declines, /Big Shop/);
    await waitFor(channels.declines, /Small Shop/);
    await quiet(cardbell());
    expect(texts(places.team).filter((text) => text.includes('Big Shop'))).toHaveLength(1);
    expect(texts(places.team).join()).not.toContain('Small Shop');
    expect(texts(channels.spend)).toEqual([]);
  });

  it('is listed with its author and can be removed', async () => {
    const { waitTold, deliver, take, waitFor, texts, told } = cardbell();
    const { AcctId } = take('ACTIVE');
    await type(zoe, places.travel, 'subscribe declines country PT');
    const added = await waitTold(zoe, /declines in Portugal/);
    await type(zoe, places.travel, 'subscriptions');
    const list = await waitTold(zoe, /This channel: 1 subscription/, Number(added.ts));
    expect(JSON.stringify(list.blocks)).toContain(`declines in Portugal, by <@${zoe}>`);

    await type(zoe, places.travel, 'unsubscribe');
    await waitTold(zoe, /This subscription has ended/);
    await deliver(
      sampleWebhook('decline.rule.location', { AcctId, MerchantCountry: 'PT', MerchantName: 'Pastelaria' }),
    );
    await waitFor(channels.declines, /Pastelaria/);
    await quiet(cardbell());
    expect(texts(places.travel)).toEqual([]);
    expect(told(zoe).join()).not.toContain('could not be finished');
  });

  it.each([
    [places.hidden, 'declines', /not in this channel.*\/invite @Cardbell/],
    [places.away, 'declines', /not in this channel.*\/invite @Cardbell/],
    [places.partner, 'declines', /shared with another company/],
    [places.quiet, 'declines code decline.card.pin', /wrong PIN/],
    [places.quiet, 'declines ovr 500', /do not understand “ovr” here: I expected and|“ovr”/],
  ])('is refused in %s for “%s”', async (channel, filter, why) => {
    await type(ana, channel, `subscribe ${filter}`);
    await cardbell().waitTold(ana, why);

    expect(await cardbell().store.hvals('{cardbell:state}:subscriptions')).not.toContainEqual(
      expect.stringContaining(channel),
    );
  });

  it('is for approvers', async () => {
    await type(olga, places.team, 'subscribe declines');
    await cardbell().waitTold(olga, /Only approvers may decide what a channel gets/);
  });

  it('says that it adds nothing in a default channel', async () => {
    await type(ana, channels.declines, 'subscribe declines over 900');
    const answer = await cardbell().waitTold(ana, /^Nothing changes/);

    expect(JSON.stringify(answer.blocks)).toMatch(/all declines by configuration/);
  });
});

describe('a subscribed channel that was shared later', () => {
  it('gets no more alerts: the default channel does, and ops are notified once', async () => {
    const { deliver, take, waitTold, waitFor, texts, workspace } = cardbell();
    const { AcctId } = take('ACTIVE');
    await type(ana, places.quiet, 'subscribe reversals');
    await waitTold(ana, /This channel now also gets: reversals/);
    await workspace.share(places.quiet);

    await deliver(sampleWebhook('reversal', { AcctId, MerchantName: 'Undone Shop' }));
    await deliver(sampleWebhook('reversal', { AcctId, MerchantName: 'Undone Twice' }));

    await waitFor(channels.alerts, /Undone Shop/);
    await waitFor(channels.alerts, /Undone Twice/);
    await waitFor(channels.ops, /shared with another company/);
    expect(texts(places.quiet)).toEqual([]);
    expect(texts(channels.ops).filter((text) => text.includes(places.quiet) || /shared with/.test(text))).toHaveLength(
      1,
    );
  });
});

/** The mute of a card. */
async function muteOf({ AcctId }: { AcctId: number }): Promise<string> {
  const mutes = Object.entries(await cardbell().store.hgetall('{cardbell:state}:mutes'));
  const [id] = mutes.find(([, text]) => JSON.parse(text).acctId === AcctId) ?? [];
  if (id === undefined) throw new Error('this card is not muted');
  return id;
}

/** Ends a mute now, as if its time were up. */
async function timePasses(id: string): Promise<void> {
  const { store } = cardbell();
  const kept = JSON.parse((await store.hget('{cardbell:state}:mutes', id)) ?? '{}');
  await store.hset('{cardbell:state}:mutes', id, JSON.stringify({ ...kept, endsAt: new Date().toISOString() }));
  await wakeJob(store, `mute-${id}`);
}

describe('a muted card', () => {
  it('is silent until unmuted, and then one line says how many alerts there were', async () => {
    const { deliver, take, waitTold, waitFor, texts, store } = cardbell();
    const card = take('ACTIVE');
    await type(ana, channels.alerts, `mute ${last4Of(card)} 3 days trade show`);
    await waitTold(ana, new RegExp(`${holderOf(card)}.* is muted until`));

    await deliver(sampleWebhook('decline.rule.velocity', { AcctId: card.AcctId, MerchantName: 'Muted Shop' }));
    await deliver(sampleWebhook('decline.rule.mcc', { AcctId: card.AcctId, MerchantName: 'Muted Bar' }));
    await deliver(sampleWebhook('decline.card.pin', { AcctId: card.AcctId, MerchantName: 'Pin Shop' }));
    await waitFor(channels.declines, /Pin Shop/);
    const muteId = await muteOf(card);
    const withheld = () => store.scard(`{cardbell:state}:withheld:${muteId}`);
    await until(async () => (await withheld()) === 2, 'both declines are withheld');

    await type(olga, channels.alerts, 'mutes');
    const list = await waitTold(olga, /^1 mute\./);
    expect(JSON.stringify(list.blocks)).toContain('2 alerts held back so far');

    await type(olga, channels.alerts, `unmute ${last4Of(card)}`);
    const line = await waitFor(channels.declines, /The mute of .* has ended/);
    expect(line.text).toContain(`2 alerts were not posted in <#${channels.declines}> in that time: 2 declines`);
    await deliver(sampleWebhook('decline.rule.velocity', { AcctId: card.AcctId, MerchantName: 'Loud Shop' }));
    await waitFor(channels.declines, /Loud Shop/);
    expect(texts(channels.declines).join()).not.toContain('Muted');
  });

  it('cannot be muted by its new holder: a purchase at a crypto merchant still raises an alert', async () => {
    const { deliver, take, waitTold, waitFor, store } = cardbell();
    const card = take('ACTIVE');
    const at = new Date().toISOString();
    await createLinks(store, () => new Date()).link({
      acctId: card.AcctId,
      userId: olga,
      provedBy: 'email',
      by: olga,
      at,
    });
    await type(olga, channels.alerts, `mute ${last4Of(card)} 90 days`);
    await waitTold(olga, /mute your own card/);
    const crypto = { AcctId: card.AcctId, MCCCode: '6051', TransactionAmount: -99_999 };
    await deliver(sampleWebhook('decline.rule.velocity', { ...crypto, MerchantName: 'Coin Shop' }));
    await waitFor(channels.declines, /Coin Shop/);

    // A mute by someone else does not hide suspected fraud either.
    await type(ana, channels.alerts, `mute ${last4Of(card)} 90 days`);
    await waitTold(ana, /is muted until/);
    await deliver(sampleWebhook('decline.rule.velocity', { ...crypto, MerchantName: 'Other Coins' }));
    await waitFor(channels.declines, /Other Coins/);
  });

  it('is unmuted automatically at the end', async () => {
    const { deliver, take, waitTold, waitFor, store } = cardbell();
    const card = take('ACTIVE');
    await type(olga, channels.alerts, `mute ${last4Of(card)} 2h`);
    await waitTold(olga, new RegExp(`${holderOf(card)}.* is muted until`));
    await deliver(sampleWebhook('decline.rule.velocity', { AcctId: card.AcctId, MerchantName: 'Short Shop' }));
    const id = await muteOf(card);
    await until(async () => (await store.scard(`{cardbell:state}:withheld:${id}`)) === 1, 'the alert is withheld');
    await timePasses(id);

    await waitFor(channels.declines, new RegExp(`The mute of ${holderOf(card)}.* has ended.*1 alert `));
    await until(async () => !(await store.hexists('{cardbell:state}:mutes', id)), 'the mute is gone');
  });

  it.each([
    ['mute 4242', /For how long\? A mute always has an end/],
    ['mute ACCT 91d', /longer than 90 days/],
    ['mute ACCT until yesterday', /is not a time I can read/],
  ])('“%s” gets a question, never a guess', async (text, why) => {
    const card = cardbell().sandbox.accounts()[0];
    await type(olga, channels.alerts, text.replace('ACCT', String(card?.AcctId)));
    await cardbell().waitTold(olga, why);
  });
});

describe('a travel mute', () => {
  it('sends alerts explained by the trip only to its author', async () => {
    const { deliver, take, waitTold, waitFor, texts } = cardbell();
    const card = take('ACTIVE');
    const { AcctId } = card;
    await type(olga, channels.alerts, `travel ${last4Of(card)} Spain, PT until tomorrow conference`);
    const answer = await waitTold(olga, /in Spain and Portugal are hidden until/);
    expect(JSON.stringify(answer.blocks)).toContain('conference');

    await deliver(sampleWebhook('decline.rule.location', { AcctId, MerchantCountry: 'ESP', MerchantName: 'Bar Pepe' }));
    await deliver(sampleWebhook('decline.rule.location', { AcctId, MerchantCountry: 'FR', MerchantName: 'Chez Max' }));

    await waitFor(channels.declines, /Chez Max/);
    await waitFor(`D${olga.slice(1)}`, /Bar Pepe/);
    expect(texts(channels.declines).join()).not.toContain('Bar Pepe');
  });
});

/** The hour in UTC this many hours from now. */
const hour = (ahead: number): string => `${new Date(Date.now() + ahead * 3_600_000).toISOString().slice(11, 13)}:00`;

describe('quiet hours', () => {
  it('hold back everything except their exceptions, and are listed', async () => {
    const { deliver, take, waitTold, waitFor, texts, store } = cardbell();
    const { AcctId } = take('ACTIVE');
    await type(ana, channels.virtual, `quiet ${hour(-1)}-${hour(3)} UTC except declines`);
    await waitTold(ana, /Quiet hours of this channel: .* UTC, daily.*It is quiet now/);
    await type(ana, channels.virtual, 'subscribe declines merchant Nightly');
    await waitTold(ana, /declines at merchant "Nightly"/);

    await deliver(sampleWebhook('virtual-card', { AccountId: AcctId }));
    const held = `{cardbell:out:${channels.virtual}}:held`;
    await until(async () => (await store.zcard(held)) === 1, 'the order waits');
    await deliver(sampleWebhook('decline', { AcctId, MerchantName: 'Nightly' }));

    await waitFor(channels.virtual, /Nightly/);
    expect(texts(channels.virtual)).toHaveLength(1);
    await type(ana, channels.virtual, 'quiet off');
    await waitTold(ana, /no longer has quiet hours.*The held alert will be posted now/);
    await waitFor(channels.virtual, /Virtual card created/);
  });
});
