import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { statusTimeline } from '../../../src/alerts/deliver-status.ts';
import { noCard } from '../../../src/core/card-facts.ts';
import type { CardStatus, CardStatusEvent, StatusRecord } from '../../../src/core/event.ts';
import { cardStatuses } from '../../../src/core/event.ts';
import { type DirectoryAccount, withEvent } from '../../../src/directory/account.ts';
import { statusBefore } from '../../../src/directory/status-before.ts';
import { createDeliveryWorld, declineOf, idOf, timeOf } from '../../support/delivery-world.ts';
import { accountOf } from '../../support/directories.ts';
import { useRedis } from '../../support/on-redis.ts';
import { change, statusAlert } from '../../templates/fixtures.ts';

const redis = useRedis();

const card = { cardId: 1, last4: '4242' };
const at = (second: number): string => new Date(Date.UTC(2026, 2, 4, 15, 0, second)).toISOString();
const record = (eventId: string, status: StatusRecord['status'], second: number): StatusRecord => ({
  eventId,
  status,
  callbackAt: at(second),
  receivedAt: at(second),
});

describe('the timeline of a status event', () => {
  it('shows the previously known status and the new one', () => {
    const timeline = statusTimeline(card, 'a', [record('a', 'BLOCKED', 0)], 'ACTIVE');

    expect(timeline.change).toMatchObject({ from: 'ACTIVE', steps: [{ status: 'BLOCKED' }], supersededBy: null });
    expect(timeline.mayContinue).toBe(false);
  });

  it('shows no previous status equal to the new one, because the directory may have read it before the webhook arrived', () => {
    expect(statusTimeline(card, 'a', [record('a', 'BLOCKED', 0)], 'BLOCKED').change.from).toBeNull();
  });

  it('starts from the known status for the first event, and from the previous event for later ones', () => {
    const history = [record('a', 'BLOCKED', 0), record('b', 'ACTIVE', 300)];

    expect(statusTimeline(card, 'a', history, 'INACTIVE').change.from).toBe('INACTIVE');
    expect(statusTimeline(card, 'b', history, 'INACTIVE').change.from).toBe('BLOCKED');
    expect(statusTimeline(card, 'b', history, null).change.from).toBe('BLOCKED');
    expect(statusTimeline(card, 'a', history, null).change.from).toBeNull();
  });

  it.each(['a', 'b'])('merges an activation on the way to BLOCKED with the block, seen from event %s', (eventId) => {
    const history = [record('a', 'ACTIVE', 0), record('b', 'BLOCKED', 1)];

    const timeline = statusTimeline(card, eventId, history, 'INACTIVE');

    expect(timeline.change.from).toBe('INACTIVE');
    expect(timeline.change.steps.map(({ status }) => status)).toEqual(['ACTIVE', 'BLOCKED']);
    expect(timeline.eventIds).toEqual(['a', 'b']);
    expect(timeline.change.supersededBy).toBeNull();
  });

  it('waits for a BLOCKED after an activation, but not if the card was activated before', () => {
    expect(statusTimeline(card, 'a', [record('a', 'ACTIVE', 0)], 'INACTIVE').mayContinue).toBe(true);
    expect(statusTimeline(card, 'a', [record('a', 'ACTIVE', 0)], null).mayContinue).toBe(true);
    expect(statusTimeline(card, 'a', [record('a', 'ACTIVE', 0)], 'BLOCKED').mayContinue).toBe(false);
  });

  it('does not merge a block long after the activation', () => {
    const history = [record('a', 'ACTIVE', 0), record('b', 'BLOCKED', 600)];

    expect(statusTimeline(card, 'b', history, 'INACTIVE').eventIds).toEqual(['b']);
  });

  it('shows the current status if a newer event arrived first', () => {
    const history = [record('a', 'BLOCKED', 0), record('b', 'ACTIVE', 300), record('c', 'CLOSED', 900)];

    expect(statusTimeline(card, 'a', history, null).change.supersededBy).toBe('CLOSED');
  });

  it.each(['ACTIVE', 'BLOCKED', 'INACTIVE'] as const)(
    'takes %s after CLOSED for delayed: a closed card is final',
    (status) => {
      const history = [record('a', 'ACTIVE', 0), record('b', 'CLOSED', 300), record('c', status, 305)];

      expect(statusTimeline(card, 'c', history, null).change).toMatchObject({ from: 'ACTIVE', supersededBy: 'CLOSED' });
      expect(statusTimeline(card, 'b', history, null).change.supersededBy).toBeNull();
      const alone = statusTimeline(card, 'c', history.slice(2), 'CLOSED');
      expect(alone).toMatchObject({ change: { from: null, supersededBy: 'CLOSED' }, mayContinue: false });
    },
  );

  it('contains its event, in order, for any history', () => {
    const histories = fc
      .array(fc.tuple(fc.constantFrom(...cardStatuses), fc.integer({ min: 0, max: 200 })), {
        minLength: 1,
        maxLength: 8,
      })
      .map((entries) =>
        entries
          .toSorted((one, other) => one[1] - other[1])
          .map(([status, second], index) => record(`e${index}`, status, second)),
      );
    fc.assert(
      fc.property(histories, fc.constantFrom(null, ...cardStatuses), (history, known) => {
        for (const { eventId } of history) {
          const { eventIds, change } = statusTimeline(card, eventId, history, known);
          expect(eventIds).toContain(eventId);
          expect(change.steps.map((step) => step.at)).toEqual(change.steps.map((step) => step.at).toSorted());
          // CLOSED is final: whatever seems to follow was only delayed.
          const last = history.findLast(({ status }) => status === 'CLOSED') ?? history.at(-1);
          const isNewest = last?.eventId === eventIds.at(-1) && (known !== 'CLOSED' || last?.status === 'CLOSED');
          expect(change.supersededBy === null).toBe(isNewest);
          if (change.steps.at(-1)?.status !== 'CLOSED') expect(change.from).not.toBe('CLOSED');
        }
      }),
    );
  });
});

it('closing a card shows on its declines, also when it is delivered twice or before an older status', async () => {
  const world = createDeliveryWorld(redis());
  const { event } = statusAlert([change()]);
  const webhook = (index: number, status: CardStatus): CardStatusEvent => ({
    ...event,
    id: idOf(index),
    callbackAt: timeOf(index),
    cards: event.cards.map((one) => ({ ...one, status })),
  });
  await world.deliver(declineOf(1, { acctId: event.acctId }));
  for (const arrived of [webhook(3, 'CLOSED'), webhook(3, 'CLOSED'), webhook(2, 'BLOCKED')])
    await world.deliver(arrived);

  expect(await world.alerts.get(idOf(1))).toMatchObject({
    card: { status: 'CLOSED', isStatusLater: true },
    outcomes: [],
  });
  expect(world.updated).toContain(idOf(1));
});

it.each([0, 400, 30_000, -400])(
  "blocking an inactive card is one message, and the directory says blocked, if the card service's clock is %i ms ahead",
  async (aheadMs) => {
    const startMs = Date.parse(timeOf(60));
    const webhook = (index: number, status: CardStatus, afterMs: number): CardStatusEvent => {
      const { event } = statusAlert([change()]);
      return {
        ...event,
        id: idOf(index),
        callbackAt: new Date(startMs + aheadMs + afterMs).toISOString(),
        receivedAt: new Date(startMs + afterMs + 60).toISOString(),
        cards: [{ ...card, status, cardOrderId: null }],
      };
    };
    const [activated, blocked] = [webhook(1, 'ACTIVE', 0), webhook(2, 'BLOCKED', 5)];
    const seen = { status: 'INACTIVE', seenAt: timeOf(0), readAt: timeOf(0) } as const;
    let account: DirectoryAccount | null = accountOf({ acctId: activated.acctId, cards: [{ ...card, ...seen }] });
    let current = activated;
    let nowMs = startMs;
    const world = createDeliveryWorld(redis(), {
      statusBefore: () => statusBefore(current, card, account?.cards ?? []),
    });
    world.directory.learn = async (event) => {
      account = withEvent(account, event, new Date(nowMs).toISOString());
    };
    for (const [event, afterMs] of [
      [activated, 60],
      [blocked, 70],
      [activated, 1260],
    ] as const) {
      current = event;
      nowMs = startMs + afterMs;
      await world.deliver(event, { hasWaited: afterMs > 1000 });
    }

    expect(world.toHolder.map(({ event }) => event.id)).toEqual([blocked.id]);
    expect(await world.alerts.get(blocked.id)).toMatchObject({
      changes: [{ from: 'INACTIVE', steps: [{ status: 'ACTIVE' }, { status: 'BLOCKED' }] }],
    });
    expect(account?.cards.map(({ status }) => status)).toEqual(['BLOCKED']);
  },
);

describe('a webhook that lists all cards of the account', () => {
  const statuses: Readonly<Record<number, CardStatus>> = { 1: 'CLOSED', 2: 'ACTIVE', 3: 'INACTIVE' };
  const worldOf = (statusBefore = (cardId: number): CardStatus | null => statuses[cardId] ?? null) =>
    createDeliveryWorld(redis(), { statusBefore, card: { ...noCard, cardId: 2, last4: '0002' } });
  const listing = (index: number, changed: Readonly<Record<number, CardStatus>>): CardStatusEvent => ({
    ...statusAlert([change()]).event,
    id: idOf(index),
    callbackAt: timeOf(index),
    cards: Object.entries({ ...statuses, ...changed }).map(([cardId, status]) => ({
      cardId: Number(cardId),
      last4: `000${cardId}`,
      status,
      cardOrderId: 70 + Number(cardId),
    })),
  });
  const shownBy = async ({ alerts }: ReturnType<typeof worldOf>, index: number) => {
    const alert = await alerts.get(idOf(index));
    if (alert?.kind !== 'card-status') throw new Error('nothing was posted');
    const orders = alert.event.cards.map(({ cardOrderId }) => cardOrderId);
    return {
      changes: alert.changes.map(({ cardId, from, steps }) => [cardId, from, ...steps.map(({ status }) => status)]),
      orders,
    };
  };

  it('is about the card that changed, also when its delivery is repeated', async () => {
    const world = worldOf();
    await world.deliver(listing(1, { 2: 'BLOCKED' }));
    expect(await shownBy(world, 1)).toEqual({ changes: [[2, 'ACTIVE', 'BLOCKED']], orders: [72] });

    // The directory has learned the event, so it knows nothing from before it.
    await worldOf(() => null).deliver(listing(1, { 2: 'BLOCKED' }));

    expect((await shownBy(world, 1)).orders).toEqual([72]);
  });

  it('is about a new card', async () => {
    const world = worldOf();
    await world.deliver(listing(1, { 4: 'INACTIVE' }));

    expect(await shownBy(world, 1)).toEqual({ changes: [[4, null, 'INACTIVE']], orders: [74] });
  });

  it('is one message with the block that follows an activation', async () => {
    const world = worldOf();
    expect(await world.deliver(listing(1, { 3: 'ACTIVE' }), { hasWaited: false }), 'it waits').toBeGreaterThan(0);
    await world.deliver(listing(2, { 3: 'BLOCKED' }));
    await world.deliver(listing(1, { 3: 'ACTIVE' }));

    expect(await world.alerts.get(idOf(1))).toBeNull();
    expect(await shownBy(world, 2)).toEqual({ changes: [[3, 'INACTIVE', 'ACTIVE', 'BLOCKED']], orders: [73] });
  });

  it('is about the account, not about a card that was closed before', async () => {
    const world = worldOf();
    const decline = { code: 'decline.card.status', message: 'Card Status Inactive' };
    await world.deliver(declineOf(1, { acctId: listing(2, {}).acctId, decline }));
    await world.deliver(listing(2, {}));
    await world.deliver(listing(3, { 2: 'BLOCKED' }));

    const alert = await world.alerts.get(idOf(1));
    expect(alert?.card.status).not.toBe('CLOSED');
    expect(alert?.outcomes.map(({ verb }) => verb).toSorted()).toEqual(['activate', 'block']);
  });

  it('shows all that differ, and all if none does', async () => {
    const world = worldOf();
    await world.deliver(listing(1, { 2: 'BLOCKED', 3: 'ACTIVE' }));
    await world.deliver(listing(2, { 2: 'BLOCKED', 3: 'ACTIVE' }));

    expect((await shownBy(world, 1)).changes.map(([cardId]) => cardId)).toEqual([2, 3]);
    expect((await shownBy(world, 2)).changes).toHaveLength(3);
  });
});
