import { describe, expect, it } from 'vitest';
import type { TransactionAlert } from '../../../src/alerts/alert.ts';
import { createAlerts } from '../../../src/alerts/alert-store.ts';
import { createCardTesting } from '../../../src/alerts/card-testing-store.ts';
import { createEventLog } from '../../../src/alerts/event-log.ts';
import type { ChannelVisibility } from '../../../src/core/channel-visibility.ts';
import type { StoredEvent, TransactionEvent } from '../../../src/core/event.ts';
import { createQuietHours, createSubscriptions } from '../../../src/routing/channel-rules-store.ts';
import { createMutes, type Mute } from '../../../src/routing/mute-store.ts';
import { createRoute, createRoutingRules, createWhyMutePasses } from '../../../src/routing/route.ts';
import { useRedis } from '../../support/on-redis.ts';
import { shippingAlert, transactionAlert } from '../../templates/fixtures.ts';
import { card, declineEvent, shippingEvent } from './subjects.ts';

const redis = useRedis();
const channels = {
  fallback: 'C0ALL',
  decline: 'C0DECLINES',
  shipping: 'C0ALL',
  status: 'C0ALL',
  virtual: 'C0ALL',
  spend: null,
  approvals: 'C0ALL',
  ops: 'C0OPS',
  audit: 'C0AUDIT',
};
const now = new Date('2026-11-20T23:00:00Z');
const by = 'U0ANA';

const facts = {
  acctId: 7378,
  card: card({}),
  by,
  reason: '',
  at: now.toISOString(),
  endsAt: '2026-11-21T00:00:00Z',
};

function world(places: Readonly<Record<string, ChannelVisibility>> = {}) {
  const subscriptions = createSubscriptions(redis());
  const quietHours = createQuietHours(redis());
  const mutes = createMutes(redis(), () => now);
  const eventLog = createEventLog(redis(), () => new Date());
  const shared: string[] = [];
  const route = createRoute({
    channels,
    rules: createRoutingRules(redis(), { subscriptions, quietHours, mutes }),
    mutes,
    visibilityOf: async (channel) => places[channel] ?? 'public',
    whyMutePasses: createWhyMutePasses({
      rolesForCard: async (userId) => ({
        roles: userId === by ? ['operator'] : [],
        isComplete: userId !== 'U0GROUP',
        isGroupKnown: true,
      }),
      person: async () => ({ isDeactivated: false }),
      directChannel: async () => 'D0TRAVELER',
      mayTravel: (roles) => roles.includes('operator'),
      isHolder: async (userId) => userId === 'U0HOLDER',
      cardTesting: createCardTesting(redis()),
      fraudCases: { openOf: async () => null },
    }),
    notifySharedChannel: async (channel) => void shared.push(channel),
    eventLog,
    now: () => now,
  });
  const { record } = createAlerts(redis(), () => new Date());
  /** The channels of a decline, once its alert is recorded. */
  const to = async (event: StoredEvent = declineEvent(), isFraudCase = false): Promise<string[]> => {
    const routed = await route(event, card({}), isFraudCase);
    const alert =
      event.kind === 'card-shipping' ? shippingAlert(event) : transactionAlert(event as TransactionAlert['event']);
    await record(alert, routed.steps);
    return routed.deliveries.map(({ channel }) => channel);
  };
  const add = (channel: string, filter: string) => subscriptions.add({ channel, filter, by, at: now.toISOString() });
  let count = 0;
  /** Each call ends the previous mute of its kind and creates another one. @returns the mute. */
  const mute = async (over: Partial<typeof facts> = {}, countries: readonly string[] = []): Promise<Mute> => {
    count += 1;
    const common = { ...facts, ...over, id: `mute_${count}` };
    const asked: Mute =
      countries.length === 0
        ? { kind: 'mute', ...common }
        : { kind: 'travel', ...common, countries: [...countries], directChannel: 'D0TRAVELER' };
    for (const before of await mutes.inForce()) if (before.kind === asked.kind) await mutes.remove(before);
    await mutes.put(asked);
    return asked;
  };
  return { subscriptions, quietHours, mutes, eventLog, shared, route, to, add, mute };
}

describe('a route', () => {
  it('contains the default channel and every subscribed channel, each once', async () => {
    const { to, add, subscriptions } = world();
    expect(await to()).toEqual(['C0DECLINES']);

    await add('C0TEAM', 'declines');
    await add('C0TEAM', 'declines and over $1.00');
    await add('C0DECLINES', 'declines and over $900.00');
    const last = await add('C0OTHER', 'shipping');
    expect(await to()).toEqual(['C0DECLINES', 'C0TEAM']);
    expect(await to(shippingEvent())).toEqual(['C0ALL', 'C0OTHER']);

    await subscriptions.remove(last);
    expect(await to(shippingEvent())).toEqual(['C0ALL']);
  });

  it('reads the rules from Redis once for all events until one changes, and then at the next event', async () => {
    const { subscriptions, quietHours, mutes, add } = world();
    let reads = 0;
    const counted = {
      subscriptions: {
        all: () => {
          reads += 1;
          return subscriptions.all();
        },
      },
      quietHours,
      mutes,
    };
    const rules = createRoutingRules(redis(), counted);
    await add('C0TEAM', 'declines');

    const { subscriptions: first } = await rules();
    for (let event = 0; event < 20; event += 1) expect((await rules()).subscriptions).toBe(first);
    expect(reads).toBe(1);

    await add('C0OTHER', 'declines');
    expect((await rules()).subscriptions.all).toHaveLength(2);
    expect(reads).toBe(2);
  });

  it('contains only subscriptions if there is no default channel', async () => {
    const { to, add } = world();
    expect(await to(declineEvent({ kind: 'authorization' }))).toEqual([]);

    await add('C0TEAM', 'spend');
    expect(await to(declineEvent({ kind: 'authorization' }))).toEqual(['C0TEAM']);
  });

  it('never contains a channel that another company can read', async () => {
    const { to, add, shared } = world({ C0TEAM: 'shared', C0DECLINES: 'shared' });
    await add('C0TEAM', 'declines');

    expect(await to()).toEqual(['C0ALL']);
    expect(shared).toEqual(['C0DECLINES', 'C0TEAM']);
  });

  it('is empty while the card is muted, except for events that pass every mute, and normal again afterwards', async () => {
    const { to, mute, mutes } = world();
    const { id } = await mute();
    expect(await to()).toEqual([]);
    expect(await to()).toEqual([]);
    expect(await mutes.withheld(id)).toHaveLength(1);
    expect(await to(declineEvent({ code: 'decline.card.pin' }))).toEqual(['C0DECLINES']);
    expect(await to(declineEvent(), true), 'a fraud case about the declined purchase').toEqual(['C0DECLINES']);

    await mute({ endsAt: '2026-11-20T22:59:59Z' });
    expect(await mutes.active()).toEqual([]);
    expect(await to()).toEqual(['C0DECLINES']);
  });

  it('ignores the mute once several cards are declined at one merchant', async () => {
    const { route, mute } = world();
    await mute();
    const tried = async (acctId: number, id: string) =>
      (await route({ ...declineEvent({ code: 'decline' }), acctId, id } as StoredEvent, card({ acctId }), false))
        .deliveries.length;

    expect(await tried(7378, 'evt_000000000000000a'), 'the muted card first').toBe(0);
    expect(await tried(7378, 'evt_000000000000000b'), 'the muted card again').toBe(0);
    // The others are not muted: their alerts count when they are grouped.
    const others = createCardTesting(redis());
    for (const [acctId, id] of [
      [1, 'evt_000000000000000c'],
      [2, 'evt_000000000000000d'],
    ] as const)
      await others.join(
        'C0DECLINES',
        { ...declineEvent({ code: 'decline' }), acctId, id } as TransactionEvent,
        card({ acctId }),
      );

    expect(await tried(7378, 'evt_000000000000000e'), 'the muted card, tried with two others').toBe(1);
  });

  it('ignores a mute whose author holds the card now', async () => {
    const { to, mute, eventLog } = world();
    await mute({ by: 'U0HOLDER' });

    expect(await to()).toEqual(['C0DECLINES']);
    expect((await eventLog.read(declineEvent().id)).map(({ text }) => text).join()).toContain(
      'Not kept back by the mute of <@U0HOLDER>, who holds the card.',
    );
  });

  it('ignores a mute as soon as it has ended, even with cached rules', async () => {
    const { to, mute, mutes } = world();
    const ended = await mute();
    expect(await to()).toEqual([]);

    await mutes.end(ended);

    const late = { channel: 'C0DECLINES', kind: 'decline', eventId: 'evt_2' } as const;
    expect(await mutes.withhold(ended.id, [late])).toBe(false);
    expect(await to(declineEvent({ amountCents: 1 }))).toEqual(['C0DECLINES']);
    expect(await mutes.active()).toEqual([]);
    // The events it withheld before must still be reported.
    expect(await mutes.withheld(ended.id)).toHaveLength(1);

    await mute();
    await mutes.remove(ended);
    expect(await mutes.active()).toHaveLength(1);
    expect(await to()).toEqual([]);
  });

  it('keeps the channels that it had when its job runs again after a mute: a posted alert is not counted as withheld', async () => {
    const { to, add, mute, mutes } = world();
    expect(await to()).toEqual(['C0DECLINES']);

    const { id } = await mute();
    await add('C0TEAM', 'declines');

    expect(await to(), 'the job runs again').toEqual(['C0DECLINES']);
    expect(await mutes.withheld(id)).toEqual([{ channel: 'C0TEAM', kind: 'decline', eventId: declineEvent().id }]);
    expect(await to(), 'and once more').toEqual(['C0DECLINES']);
  });

  it('of a decline explained by a trip leads to the author of the travel mute', async () => {
    const { to, mute } = world();
    await mute({}, ['ES']);

    expect(await to(declineEvent({ country: 'ESP', isCardPresent: true }))).toEqual(['D0TRAVELER']);
    expect(await to(declineEvent({ country: 'ES', code: 'decline.rule.location', isCardPresent: false }))).toEqual([
      'D0TRAVELER',
    ]);
    expect(await to(declineEvent({ country: 'FR', code: 'decline.rule.location' }))).toEqual(['C0DECLINES']);
    expect(await to(declineEvent({ country: 'ES', code: 'decline.card.pin' }))).toEqual(['C0DECLINES']);
  });

  it('holds for the channel’s quiet hours, unless the event is exempt', async () => {
    const { route, quietHours } = world();
    const window = { from: '22:00', to: '07:00', zone: 'UTC', days: [0, 1, 2, 3, 4, 5, 6] };
    const set = (except: string | null) => quietHours.set({ channel: 'C0DECLINES', window, except, by, at: '' });
    await set(null);
    expect((await route(declineEvent(), card({}), false)).deliveries).toEqual([
      { channel: 'C0DECLINES', holdUntil: Date.parse('2026-11-21T07:00:00Z'), passesQuiet: false },
    ]);

    await set('declines and over $10.00');
    expect((await route(declineEvent(), card({}), false)).deliveries).toEqual([
      { channel: 'C0DECLINES', holdUntil: null, passesQuiet: true },
    ]);
  });

  it('of a fraud case waits for no quiet hours, and the event log does not say so', async () => {
    const { route, quietHours } = world();
    const window = { from: '22:00', to: '07:00', zone: 'UTC', days: [0, 1, 2, 3, 4, 5, 6] };
    await quietHours.set({ channel: 'C0DECLINES', window, except: null, by, at: '' });

    const { deliveries, steps } = await route(declineEvent(), card({}), true);

    expect(deliveries).toEqual([{ channel: 'C0DECLINES', holdUntil: null, passesQuiet: false }]);
    expect(steps.map(({ step }) => step)).toEqual(['routed']);
  });

  it('to the author of a travel mute holds for that person’s own quiet hours', async () => {
    const { route, quietHours, mute } = world();
    const window = { from: '22:00', to: '07:00', zone: 'UTC', days: [0, 1, 2, 3, 4, 5, 6] };
    await quietHours.set({ channel: 'D0TRAVELER', window, except: null, by, at: '' });
    await mute({}, ['ES']);

    expect((await route(declineEvent({ country: 'ES', isCardPresent: true }), card({}), false)).deliveries).toEqual([
      { channel: 'D0TRAVELER', holdUntil: Date.parse('2026-11-21T07:00:00Z'), passesQuiet: false },
    ]);
  });

  it('skips the author of a travel mute who has no role, or whose role Slack cannot confirm, but still applies their mutes', async () => {
    const { to, mute, mutes, eventLog } = world();
    const event = declineEvent({ country: 'ES', isCardPresent: true });
    await mute({}, ['ES']);
    expect(await to(event)).toEqual(['D0TRAVELER']);

    await mute({ by: 'U0BEN' }, ['ES']);
    expect(await to(event)).toEqual(['C0DECLINES']);
    expect((await eventLog.read(event.id)).map(({ text }) => text).join()).toContain(
      '<@U0BEN>, who has no role any more',
    );

    await mute({ by: 'U0GROUP' }, ['ES']);
    const later = declineEvent({ country: 'ES', isCardPresent: true, amountCents: 1 });
    expect(await to(later)).toEqual(['C0DECLINES']);
    expect((await eventLog.read(later.id)).map(({ text }) => text).join()).toContain('<@U0GROUP>: Slack could not say');

    await mute({ by: 'U0BEN' });
    expect(await to(event)).toEqual([]);
    expect(await mutes.active()).toContainEqual(expect.objectContaining({ kind: 'mute', by: 'U0BEN' }));
  });

  it('logs which rules matched, which did not, and why', async () => {
    const { to, add, eventLog } = world();
    await add('C0TEAM', 'declines and over $900.00');
    await to();

    expect(await eventLog.read(declineEvent().id)).toEqual([
      expect.objectContaining({
        step: 'routed',
        channel: 'C0DECLINES',
        text: 'Because it is the default channel for declines.',
      }),
      expect.objectContaining({ step: 'skipped', text: expect.stringContaining('$84.10 is not over $900.00') }),
    ]);
    expect(await eventLog.latest(7378)).toBe(declineEvent().id);
  });
});
