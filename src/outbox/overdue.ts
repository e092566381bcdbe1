import type { Outbox } from './outbox-store.ts';
import { isOfTeam } from './undeliverable.ts';

/** How many messages may be posted in a channel now, and how late (ms) the most urgent is. To a person, none is late. */
export async function readLateness(
  outbox: Pick<Outbox, 'waiting' | 'dueAt'>,
  channel: string,
  now: () => Date,
): Promise<{ readonly waiting: number; readonly lateMs: number }> {
  const waiting = await outbox.waiting(channel);
  const dueAt = waiting > 0 && isOfTeam(channel) ? await outbox.dueAt(channel) : null;
  return { waiting, lateMs: dueAt === null ? 0 : Math.max(0, now().getTime() - dueAt) };
}

/** The same of all channels of the team: the messages of those that are late, and how late the latest is. */
export async function readOverdue(
  outbox: Pick<Outbox, 'channels' | 'waiting' | 'dueAt'>,
  now: () => Date,
): Promise<{ readonly messages: number; readonly ms: number }> {
  const channels = (await outbox.channels()).filter(isOfTeam);
  const all = await Promise.all(channels.map((channel) => readLateness(outbox, channel, now)));
  const late = all.filter(({ lateMs }) => lateMs > 0);
  return {
    messages: late.reduce((sum, { waiting }) => sum + waiting, 0),
    ms: Math.max(0, ...late.map(({ lateMs }) => lateMs)),
  };
}
