import { describe, expect, it } from 'vitest';
import { currentQuietHours, mutesOf, whoWants } from '../../../src/routing/choose-channels.ts';
import type { Mute } from '../../../src/routing/mute-store.ts';
import { indexSubscriptions } from '../../../src/routing/subscription-index.ts';
import { change, statusAlert } from '../../templates/fixtures.ts';
import { card, declineEvent } from './subjects.ts';

const subject = { event: declineEvent({ amountCents: 60_000 }), card: card({}) };
const subscription = { number: 1, channel: 'C2', filter: 'declines', by: 'U0ANA', at: '2026-11-20T09:00:00.000Z' };

/** The channels that want the event, and what is noted about them and about the others. */
function channelsFor(subscriptions: readonly (typeof subscription)[], defaultChannel: string | null = null) {
  const notes = { routed: [] as string[], skipped: [] as string[] };
  const rules = { subscriptions: indexSubscriptions(subscriptions) };
  const channels = whoWants(subject, rules, defaultChannel, (step, _channel, text) => {
    notes[step === 'routed' ? step : 'skipped'].push(text);
  });
  return { channels, ...notes };
}

describe('the channels for an event', () => {
  it('include each channel once, with every rule that names it', () => {
    const { channels, routed } = channelsFor(
      [
        { ...subscription, channel: 'C1' },
        { ...subscription, number: 2, channel: 'C1', filter: 'declines and over $500.00' },
      ],
      'C1',
    );

    expect(channels).toEqual(['C1']);
    expect(routed).toEqual([expect.stringMatching(/default.*; subscription 1.*; subscription 2/)]);
  });

  it('leave out a subscription that does not match, and say why', () => {
    const { channels, skipped } = channelsFor([{ ...subscription, filter: 'declines and over $1,000.00' }]);

    expect(channels).toEqual([]);
    expect(skipped).toEqual([
      expect.stringMatching(/^No channel gets declines/),
      expect.stringMatching(/: \$600\.00 is not over \$1,000\.00\.$/),
    ]);
  });

  it('list the reasons of only the first rejected subscriptions, and how many more there are', () => {
    const { routed, skipped } = channelsFor(
      Array.from({ length: 500 }, (_, n) => ({ ...subscription, number: n + 1, filter: n === 1 ? 'all' : 'shipping' })),
    );

    expect(routed).toEqual([expect.stringMatching(/^Because subscription 2 of/)]);
    const numbers = skipped.map((text) => Number(/subscription (\d+) of/.exec(text)?.[1]));
    expect(numbers.slice(0, -1)).toEqual([1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    expect(skipped.at(-1)).toBe('487 more subscriptions do not fit.');
  });

  it('include a subscription that this version cannot read, because extra alerts are better than missing ones', () => {
    expect(channelsFor([{ ...subscription, filter: 'phase of the moon' }]).channels).toEqual(['C2']);
  });
});

describe('the mutes of an event', () => {
  const mute: Mute = {
    kind: 'mute',
    id: 'mute_1',
    acctId: 7378,
    card: card({}),
    by: 'U0ANA',
    reason: '',
    at: '2026-11-20T10:00:00.000Z',
    endsAt: '2026-11-20T16:00:00.000Z',
  };
  const travel: Mute = { ...mute, kind: 'travel', id: 'mute_2', countries: ['ES'], directChannel: 'D1' };
  const now = Date.parse('2026-11-20T15:00:00.000Z');

  it('come before its travel mutes, because a mute withholds it from everyone', () => {
    const event = declineEvent({ country: 'ES', isCardPresent: true });

    expect(mutesOf(event, [travel, mute], now).map(({ id }) => id)).toEqual(['mute_1', 'mute_2']);
  });

  it('are ignored when they are over or for another card', () => {
    expect(mutesOf(subject.event, [mute], Date.parse(mute.endsAt))).toEqual([]);
    expect(mutesOf(subject.event, [{ ...mute, acctId: 1 }], now)).toEqual([]);
  });

  it.each([
    ['a wrong PIN', declineEvent({ code: 'decline.card.pin' })],
    ['a reason that mentions fraud', declineEvent({ code: 'decline.risk.suspectedfraud' })],
    ['a purchase at a crypto merchant', declineEvent({ kind: 'authorization', mcc: '6051', amountCents: 9_999_900 })],
    ['a declined purchase at a crypto merchant', declineEvent({ mcc: '6051', amountCents: 9_999_900 })],
  ])('do not withhold %s', (_what, event) => {
    expect(mutesOf(event, [mute, { ...travel, countries: ['US'] }], now)).toEqual([]);
  });

  it.each([
    ['BLOCKED', []],
    ['ACTIVE', []],
    ['CLOSED', []],
    ['INACTIVE', ['mute_1']],
  ] as const)('withhold no status that says whether the card can be used: %s', (status, by) => {
    const { acctId } = mute;
    const { event } = statusAlert([change({ steps: [{ status, at: '2026-11-20T14:14:05Z' }] })]);
    expect(mutesOf({ ...event, acctId }, [mute], now).map(({ id }) => id)).toEqual(by);
  });
});

it('quiet hours hold an event until they end, and report when it is exempt', () => {
  const window = { from: '12:00', to: '18:00', zone: 'UTC', days: [0, 1, 2, 3, 4, 5, 6] };
  const hours = { channel: 'C1', window, except: 'declines and over $500.00', by: 'U0ANA', at: '' };
  const now = Date.parse('2026-11-20T15:00:00Z');

  expect(currentQuietHours(subject, hours, now)).toMatchObject({
    until: Date.parse('2026-11-20T18:00:00Z'),
    isExempt: true,
  });
  expect(currentQuietHours({ ...subject, event: declineEvent({ amountCents: 100 }) }, hours, now)).toMatchObject({
    isExempt: false,
  });
  expect(currentQuietHours(subject, hours, Date.parse('2026-11-20T18:00:00Z'))).toBeNull();
});
