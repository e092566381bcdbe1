import { describe, expect, it } from 'vitest';
import { mutesOf, quietFor, whoWants } from '../../../src/routing/choose-channels.ts';
import type { Mute } from '../../../src/routing/mute-store.ts';
import { indexSubscriptions } from '../../../src/routing/subscription-index.ts';
import { change, statusAlert } from '../../templates/fixtures.ts';
import { card, declineEvent } from './subjects.ts';

const subject = { event: declineEvent({ amountCents: 60_000 }), card: card({}) };
const subscription = { number: 1, channel: 'C2', filter: 'declines', by: 'U0ANA', at: '2026-11-20T09:00:00.000Z' };

describe('the channels for an event', () => {
  it('include each channel once, with every rule that names it', () => {
    const subscriptions = [
      { ...subscription, channel: 'C1' },
      { ...subscription, number: 2, channel: 'C1', filter: 'declines and over $500.00' },
    ];

    const { candidates } = whoWants(subject, { subscriptions: indexSubscriptions(subscriptions) }, 'C1', 12);

    expect(candidates).toMatchObject([{ channel: 'C1', because: [/default/, /subscription 1/, /subscription 2/] }]);
  });

  it('leave out a subscription that does not match, and say why', () => {
    const subscriptions = [{ ...subscription, filter: 'declines and over $1,000.00' }];

    const { candidates, notFitting } = whoWants(
      subject,
      { subscriptions: indexSubscriptions(subscriptions) },
      null,
      12,
    );

    expect(candidates).toEqual([]);
    expect(notFitting.map(({ reason }) => reason)).toEqual(['$600.00 is not over $1,000.00']);
  });

  it('list the reasons of only the first rejected subscriptions, and how many more there are', () => {
    const subscriptions = indexSubscriptions(
      Array.from({ length: 500 }, (_, n) => ({ ...subscription, number: n + 1, filter: n === 1 ? 'all' : 'shipping' })),
    );

    const { candidates, notFitting, more } = whoWants(subject, { subscriptions }, null, 2);

    expect(candidates).toMatchObject([{ because: [/subscription 2 of/] }]);
    expect(notFitting.map((each) => each.subscription.number)).toEqual([1, 3]);
    expect(more).toBe(497);
  });

  it('include a subscription that this version cannot read, because extra alerts are better than missing ones', () => {
    const { candidates } = whoWants(
      subject,
      { subscriptions: indexSubscriptions([{ ...subscription, filter: 'phase of the moon' }]) },
      null,
      12,
    );

    expect(candidates).toMatchObject([{ channel: 'C2' }]);
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

  expect(quietFor(subject, hours, now)).toMatchObject({
    until: Date.parse('2026-11-20T18:00:00Z'),
    isExempt: true,
  });
  expect(quietFor({ ...subject, event: declineEvent({ amountCents: 100 }) }, hours, now)).toMatchObject({
    isExempt: false,
  });
  expect(quietFor(subject, hours, Date.parse('2026-11-20T18:00:00Z'))).toBeNull();
});
