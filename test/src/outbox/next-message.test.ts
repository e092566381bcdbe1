import { describe, expect, it } from 'vitest';
import { OutboxEntry } from '../../../src/outbox/entry.ts';
import { nextMessage } from '../../../src/outbox/next-message.ts';
import type { Waiting } from '../../../src/outbox/sending-store.ts';

const alert = (id: string, more: object = {}, ageMs = 10_000, most: number | null = null): Waiting => ({
  entry: OutboxEntry.parse({ kind: 'tracked', id, subject: { kind: 'alert', id }, ...more }),
  ageMs,
  most,
});
const notice = (id: string): Waiting => ({
  entry: OutboxEntry.parse({ kind: 'notice', id, message: { text: 'x', blocks: [] } }),
  ageMs: 10_000,
  most: null,
});
const many = (count: number, ageMs = 10_000) => Array.from({ length: count }, (_, i) => alert(`a${i}`, {}, ageMs));

function ids(waiting: readonly Waiting[]): string[] | number {
  const next = nextMessage(waiting);
  if (next === null) return [];
  return 'waitMs' in next ? next.waitMs : next.entries.map(({ id }) => id);
}

describe('the next message of a channel', () => {
  it('is a single waiting alert, without delay', () => {
    expect(nextMessage([])).toBeNull();
    expect(ids([alert('a', {}, 0)])).toEqual(['a']);
  });

  it('contains all waiting alerts, in order', () => {
    expect(ids([alert('a', {}, 0), alert('b', {}, 0), alert('c', {}, 0)])).toEqual(['a', 'b', 'c']);
    expect(ids(many(5000))).toHaveLength(5000);
  });

  it('is a notice alone, because its buttons are about that notice', () => {
    expect(ids([notice('n'), alert('a')])).toEqual(['n']);
    expect(ids([alert('a'), notice('n'), alert('b')])).toEqual(['a', 'b']);
  });

  it.each([
    ['late ones', { late: true }],
    ['alerts that were held for quiet hours', { notBefore: 1 }],
    ['suspected fraud', { priority: 'fraud' }],
  ])('does not mix %s with others', (_what, more) => {
    expect(ids([alert('a', more), alert('b'), alert('c', more), alert('d')])).toEqual(['a', 'c']);
  });

  it('tells a holder about one thing at a time', () => {
    const own = { audience: 'holder' };
    expect(ids([alert('a', own), alert('b', own)])).toEqual(['a']);
    expect(ids([alert('a'), alert('b', own), alert('c')])).toEqual(['a', 'c']);
  });

  it('keeps the entries of a timeline together, but mixes timelines when there are too many', () => {
    const inTimeline = (id: string, threadId: string) => alert(id, { threadId });
    expect(ids([inTimeline('a', 's'), alert('b'), inTimeline('c', 's')])).toEqual(['a', 'c']);
    expect(ids([inTimeline('a', 's'), alert('b'), inTimeline('c', 't')])).toEqual(['a', 'b', 'c']);
    const pairs = ['s', 't', 'u', 'v'].flatMap((timeline) => [
      inTimeline(`${timeline}1`, timeline),
      inTimeline(`${timeline}2`, timeline),
    ]);
    expect(ids(pairs)).toHaveLength(8);
  });

  it('waits while more alerts keep coming, but not forever', () => {
    expect(ids(many(6, 100))).toBe(700);
    expect(ids(many(6, 900))).toHaveLength(6);
    expect(ids([alert('first', {}, 4000), ...many(50, 0)])).toHaveLength(51);
  });

  it('is a different one while a batch waits for more', () => {
    expect(ids([...many(6, 100), notice('n')])).toEqual(['n']);
  });

  it('waits for more from the first late alert on', () => {
    expect(ids([alert('a', { late: true }, 0)])).toBe(800);
    expect(ids([alert('a', { late: true }, 900)])).toEqual(['a']);
  });

  it('is no larger than each of its entries allows', () => {
    expect(ids([alert('a', {}, 9000, 2), alert('b', {}, 9000, 2), alert('c', {}, 9000, 2)])).toEqual(['a', 'b']);
    expect(ids([alert('a', {}, 9000, 1), alert('b')])).toEqual(['a']);
    expect(ids([alert('a'), alert('b'), alert('c', {}, 9000, 1)])).toEqual(['a', 'b']);
  });
});
