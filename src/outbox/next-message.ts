import { groupBy } from '../core/group-by.ts';
import { batchReasonOf, isPlainText, type OutboxEntry } from './entry.ts';
import type { Waiting } from './sending-store.ts';

/** Up to this many entries are posted without waiting for more. */
const FEW = 5;

/** Larger numbers are collected into one message until nothing has arrived for this long … */
const CALM_MS = 800;
/** … or the oldest has waited for this long. */
const COLLECT_MAX_MS = 4000;

/** At most this many threads get separate messages at a time. */
const THREADS_MAX = 3;

/** The entries for one message, or how long to wait because more are arriving. */
type NextMessage = { readonly entries: readonly OutboxEntry[] } | { readonly waitMs: number };

/**
 * Chooses what to post next in a channel: the most urgent entry, and all others that may share its message.
 *
 * Late alerts, held alerts, suspected fraud and the rest are not mixed, because each group needs its own heading. A notice
 * is posted alone, because its buttons refer to it.
 *
 * @param waiting most urgent first.
 * @returns null when nothing waits.
 */
export function nextMessage(waiting: readonly Waiting[]): NextMessage | null {
  const threads = busyThreads(waiting);
  const groups = groupBy(waiting, ({ entry }) => batchKeyOf(entry, threads));
  const waits: number[] = [];
  for (const group of groups.values()) {
    const waitMs = worthWaiting(group);
    if (waitMs <= 0) return { entries: fitting(group).map(({ entry }) => entry) };
    waits.push(waitMs);
  }
  return waits.length === 0 ? null : { waitMs: Math.min(...waits) };
}

/**
 * Timelines with several waiting entries, which are posted as one message in their thread. When there are too many
 * timelines, they are mixed with all other entries instead.
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
  // A holder gets one message per event.
  if (entry.kind !== 'tracked' || entry.subject.kind !== 'alert' || entry.audience === 'holder' || isPlainText(entry))
    return `alone ${entry.id}`;
  const timeline = entry.threadId !== null && threads.has(entry.threadId) ? entry.threadId : '';
  return `${batchReasonOf(entry)} ${entry.audience} ${timeline}`;
}

function worthWaiting(group: readonly Waiting[]): number {
  const isLate = group.some(({ entry }) => entry.kind === 'tracked' && entry.late);
  if (group.length <= FEW && !isLate) return 0;
  const ages = group.map(({ ageMs }) => ageMs);
  return Math.min(CALM_MS - Math.min(...ages), COLLECT_MAX_MS - Math.max(...ages));
}

/** As many entries as fit: an entry may record that Slack refused a larger message with it. */
function fitting(group: readonly Waiting[]): readonly Waiting[] {
  let most = Number.POSITIVE_INFINITY;
  const taken: Waiting[] = [];
  for (const next of group) {
    most = Math.min(most, next.most ?? most);
    if (taken.length >= most) break;
    taken.push(next);
  }
  return taken;
}
