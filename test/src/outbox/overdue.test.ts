import { expect, it } from 'vitest';
import { readOverdue } from '../../../src/outbox/overdue.ts';

it('counts the messages of late channels of the team, and how late the latest is', async () => {
  const minutes: Readonly<Record<string, number>> = { C0ONE: 3, G0PRIVATE: 8, C0EARLY: -1, D0PERSON: 90, C0EMPTY: 70 };
  const outbox = {
    channels: async () => Object.keys(minutes),
    waiting: async (channel: string) => (channel === 'C0EMPTY' ? 0 : 2),
    dueAt: async (channel: string) => 7_200_000 - (minutes[channel] ?? 0) * 60_000,
  };
  const now = () => new Date(7_200_000);

  expect(await readOverdue(outbox, now)).toEqual({ messages: 4, ms: 8 * 60_000 });
  expect(await readOverdue({ ...outbox, channels: async () => [] }, now)).toEqual({ messages: 0, ms: 0 });
});
