import type { OutboxEntry } from './entry.ts';
import type { Waiting } from './outbox-store.ts';

/** So many are read as quickly as one: they are posted without waiting for more. */
const FEW = 5;

/** While more keep coming, a crowd is collected into one message instead of a new one every second … */
const CALM_MS = 800;
/** … but nobody waits longer than this for it. */
const COLLECT_MAX_MS = 4000;

/** So many threads at once get messages of their own. */
const THREADS_MAX = 3;

/** Entries that go into one message; or how long it is better to wait, because more are coming. */
export type NextMessage = { readonly entries: readonly OutboxEntry[] } | { readonly waitMs: number };

/**
 * What to post next in a channel: the most urgent entry, and with it all that may share its message.
 *
 * Alerts share a message with their like: late ones, held ones, suspected fraud and all others are not mixed, because
 * each needs a heading of its own. A notice stands alone: its buttons are about it.
 *
 * @param waiting most urgent first.
 * @returns null when nothing waits.
 */
export function nextMessage(waiting: readonly Waiting[]): NextMessage | null {
  const threads = busyThreads(waiting);
  const groups = new Map<string, Waiting[]>();
  for (const one of waiting) {
    const key = batchKeyOf(one.entry, threads);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  const waits: number[] = [];
  for (const group of groups.values()) {
    const waitMs = worthWaiting(group);
    if (waitMs <= 0) return { entries: asManyAsMay(group).map(({ entry }) => entry) };
    waits.push(waitMs);
  }
  return waits.length === 0 ? null : { waitMs: Math.min(...waits) };
}

/**
 * Stories with several entries: they stay in their thread, as one message there. Where there are too many such stories,
 * each of which would take a message, they are mixed like all others.
 */
function busyThreads(waiting: readonly Waiting[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const { entry } of waiting) {
    if (entry.kind !== 'tracked' || entry.threadId === null || entry.priority === 'fraud') continue;
    counts.set(entry.threadId, (counts.get(entry.threadId) ?? 0) + 1);
  }
  const busy = [...counts].filter(([, count]) => count > 1).map(([threadId]) => threadId);
  return new Set(busy.length <= THREADS_MAX ? busy : []);
}

/** Equal for entries that may share a message. */
function batchKeyOf(entry: OutboxEntry, threads: ReadonlySet<string>): string {
  // A person is told of the own card in own words, one thing at a time.
  if (entry.kind !== 'tracked' || entry.subject.kind !== 'alert' || entry.audience === 'holder')
    return `alone ${entry.id}`;
  const why = entry.late ? 'late' : entry.notBefore !== null ? 'held' : entry.priority === 'fraud' ? 'fraud' : 'busy';
  const timeline = entry.threadId !== null && threads.has(entry.threadId) ? entry.threadId : '';
  return `${why} ${entry.audience} ${timeline}`;
}

function worthWaiting(group: readonly Waiting[]): number {
  const isLate = group.some(({ entry }) => entry.kind === 'tracked' && entry.late);
  if (group.length <= FEW && !isLate) return 0;
  const ages = group.map(({ ageMs }) => ageMs);
  return Math.min(CALM_MS - Math.min(...ages), COLLECT_MAX_MS - Math.max(...ages));
}

/** Each entry may say that a larger message with it was refused. */
function asManyAsMay(group: readonly Waiting[]): readonly Waiting[] {
  let most = Number.POSITIVE_INFINITY;
  const taken: Waiting[] = [];
  for (const one of group) {
    most = Math.min(most, one.most ?? most);
    if (taken.length >= most) break;
    taken.push(one);
  }
  return taken;
}
