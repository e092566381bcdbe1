import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { statusTimeline } from '../../../src/alerts/deliver-status.ts';
import type { StatusRecord } from '../../../src/core/event.ts';
import { cardStatuses } from '../../../src/core/event.ts';

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
