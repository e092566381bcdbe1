import { SlackError } from '../core/errors.ts';
import { span } from '../core/trace.ts';
import type { MessageRef } from '../slack/message.ts';
import type { EditMessage } from './edit-message.ts';
import type { Edit, Edits } from './edit-store.ts';
import { type Draft, type OutboxEntry, type UnreadableEntry, unusable, waitOf } from './entry.ts';
import {
  type Claimed,
  type FailedPostDeps,
  putBack,
  reconcile,
  redirect,
  resolveFailure,
  UNKNOWN_PAUSE_MS,
} from './failed-post.ts';
import { nextMessage } from './next-message.ts';
import { inChunks } from './record-posted.ts';
import type { RenderEntries, Rendered } from './render-entries.ts';
import type { SendMessage } from './send-message.ts';
import { ELSEWHERE, type Waiting } from './sending-store.ts';

/** During this time only its sender touches a claimed message. Afterwards the sender has certainly given up. */
const CLAIM_MS = 13_000;
/**
 * A post starts within this time after its claim or not at all, so that its result is known before the claim expires (Slack
 * gets ten seconds). If it took longer, this process or Redis was frozen, and another worker may have taken over.
 */
const START_WITHIN_MS = 2500;
/**
 * How long an edit may wait behind posts. Edits show that someone acted on an alert, or that a purchase was declined again.
 */
const EDIT_MAX_WAIT_MS = 4000;
/** A larger burst needs several messages. */
export const BATCH_MAX = 5000;

interface Deps extends FailedPostDeps {
  readonly renderEntries: RenderEntries;
  readonly sendMessage: SendMessage;
  readonly editing: { readonly next: Edits['next']; readonly edit: EditMessage };
  /** Stores entries of a newer version elsewhere, where they can be retried. */
  readonly setAside: (channel: string, entries: readonly UnreadableEntry[]) => Promise<void>;
}

/**
 * Posts the waiting entries of one channel as fast as Slack allows, each entry once.
 *
 * A message is claimed in Redis before it is posted. If the result is unknown (timeout, 5xx, crash), the channel is
 * searched for the opaque reference in the message's metadata before the same entries are posted again, as one message with
 * the same reference.
 *
 * @returns milliseconds until the next run, or null when nothing is waiting.
 */
export async function flushOutbox(channel: string, deps: Deps): Promise<number | null> {
  const { outbox } = deps;
  const { now, wakeIn } = deps.runtime;
  let editWaitMs = 0;

  for (;;) {
    const pause = await outbox.pauseLeft(channel);
    if (pause > 0) return pause;

    const { unresolved, waiting, unreadable, heldForMs } = await outbox.look(channel, BATCH_MAX);
    if (unreadable.length > 0) {
      await deps.setAside(channel, unreadable);
      continue;
    }
    if (unresolved !== null && !unresolved.sending.isUnsent) {
      const claimedForMs = CLAIM_MS - unresolved.ageMs;
      if (claimedForMs > 0) return claimedForMs;
      const claimed = { ...unresolved, channel, cameAt: new Map() };
      const { redirect: begun } = claimed.sending;
      if (begun === null) await reconcile(claimed, null, deps);
      else await redirect(claimed, begun.why, deps);
      continue;
    }
    const lookedAt = now();
    const next = unresolved ?? nextMessage(waiting);
    const edit = editWaitMs > 0 ? null : await deps.editing.next(channel);
    if (edit !== null && goesFirst(edit, next, waiting)) {
      editWaitMs = await deps.editing.edit(channel, edit, deps.throttle);
      if (editWaitMs === 0) await outbox.pauseFor(channel, deps.throttle.postMs);
      continue;
    }
    if (next === null) {
      // Not as a delay of this job, because a post that comes meanwhile would wait for it.
      const soonest = Math.min(heldForMs ?? Number.POSITIVE_INFINITY, editWaitMs || Number.POSITIVE_INFINITY);
      if (Number.isFinite(soonest)) await wakeIn(channel, soonest);
      return null;
    }
    if ('waitMs' in next) return Math.min(next.waitMs, editWaitMs || next.waitMs);

    const cameAt = new Map(waiting.map(({ entry, ageMs }) => [entry.id, lookedAt - ageMs]));
    const entryIds = unresolved?.sending.entryIds ?? next.entries.map(({ id }) => id);
    const again = await postNext({ channel, entries: next.entries, entryIds, cameAt }, deps);
    if (again !== null) return again;
  }
}

type Next = Omit<Claimed, 'sending'> & { readonly entryIds: readonly string[] };

/** @returns milliseconds until the next run; null: continue with the next message. */
async function postNext({ channel, entries, entryIds, cameAt }: Next, deps: Deps): Promise<number | null> {
  const { outbox, runtime } = deps;
  const rendered = await renderNow(channel, entries, deps);
  if (rendered.kind === 'wait') return rendered.ms;
  const lacking = rendered.kind === 'noData' ? entryIds : entriesWithout(rendered, entries);
  if (rendered.kind === 'noData' || lacking.length > 0) {
    await giveUp(channel, { ids: lacking, entries }, deps);
    return null;
  }
  const claimedAt = runtime.now();
  const sending = await outbox.claim(channel, entryIds, runtime.slackNow(), entries);
  if (sending === null) return null;
  if (rendered.kind === 'elsewhere') {
    await outbox.markSent(channel, sending, ELSEWHERE);
    return null;
  }
  const claimed = { channel, sending, entries, cameAt };
  if (runtime.now() - claimedAt > START_WITHIN_MS) {
    await putBack(claimed, deps);
    return null;
  }
  if (rendered.kind === 'mustMove') return await redirect(claimed, rendered.why, deps);
  // Redis may have forgotten that it was posted.
  const isInDoubt = runtime.doubtSinceMs() !== null && sending.attempt === 1;
  if (isInDoubt && (await reconcile(claimed, rendered, deps, 'first')) === 'resolved') return null;
  if (runtime.now() - claimedAt > START_WITHIN_MS) {
    // The search took so long that the claim would expire during the post. Nothing was found, so the next run need not
    // search.
    await outbox.keepUnsent(channel, sending);
    return null;
  }
  return await send(claimed, rendered, deps);
}

/** Ids of the entries that a batch does not show, because no data is stored for them. */
function entriesWithout(rendered: RenderedNow, entries: readonly OutboxEntry[]): string[] {
  if (rendered.kind !== 'message' || rendered.batch === null) return [];
  const shown = new Set(rendered.batch.alerts.map(({ id }) => id));
  return entries.flatMap((entry) => (entry.kind === 'tracked' && !shown.has(entry.subject.id) ? [entry.id] : []));
}

/**
 * Removes entries for which no data is stored: it has expired, or Redis came back without it. In that case their jobs run
 * again, store the data and add the entries. A job that did so just before found its entry still waiting here, so what can
 * be shown by now is added again.
 */
async function giveUp(
  channel: string,
  { ids, entries }: { readonly ids: readonly string[]; readonly entries: readonly OutboxEntry[] },
  deps: Deps,
): Promise<void> {
  await inChunks(ids, (id) => deps.outbox.remove(channel, id));
  const removed = new Set(ids);
  const again = entries.filter(({ id }) => removed.has(id));
  const rendered = await renderNow(channel, again, deps);
  if (rendered.kind === 'noData') return;
  const lacking = new Set(entriesWithout(rendered, again));
  await inChunks(again, async (entry) => {
    if (!lacking.has(entry.id)) await deps.outbox.put(channel, entry);
  });
}

/** An edit precedes a post that may wait longer. Both share the channel's pace. */
function goesFirst(edit: Edit, post: ReturnType<typeof nextMessage>, [first]: readonly Waiting[]): boolean {
  if (post === null || 'waitMs' in post) return true;
  return first !== undefined && EDIT_MAX_WAIT_MS - edit.waitedMs < waitOf(first.entry) - first.ageMs;
}

/** A message of one entry continues its trace. A message of several links to the other traces. */
function asOneTrace<T>(entries: readonly OutboxEntry[], post: () => Promise<T>): Promise<T> {
  const [parent, ...links] = entries.flatMap(({ trace }) => trace ?? []);
  return span(
    'outbox post',
    { kind: 'consumer', parent, links, attributes: { 'cardbell.entries': entries.length } },
    post,
  );
}

async function send(claimed: Claimed, draft: Draft, deps: Deps): Promise<number | null> {
  const { outbox } = deps;
  const { channel, sending, entries } = claimed;
  const startedAt = deps.runtime.now();
  let ref: MessageRef | null;
  try {
    ref = await asOneTrace(entries, () => deps.sendMessage(channel, draft, sending));
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    return await resolveFailure(claimed, draft, { error, tookMs: deps.runtime.now() - startedAt }, deps);
  }
  if (ref === null) {
    await putBack(claimed, deps);
    return null;
  }
  await outbox.pauseFor(channel, deps.throttle.postMs);
  await deps.recordPosted(entries, ref, draft);
  await outbox.markSent(channel, sending, ref.ts);
  for (const entry of entries) {
    const came = claimed.cameAt.get(entry.id);
    if (came !== undefined) deps.runtime.measureWait(entry, deps.runtime.now() - came);
  }
  return null;
}

/** Slack may also want it later: `ms` milliseconds from now. */
type RenderedNow = Rendered | { readonly kind: 'wait'; readonly ms: number };

async function renderNow(channel: string, entries: readonly OutboxEntry[], deps: Deps): Promise<RenderedNow> {
  try {
    return await deps.renderEntries(entries, channel);
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    deps.runtime.log.warn(
      { channel, code: error.code, slackError: error.slackError },
      'could not render an outbox message',
    );
    if (error.code === 'channel_unusable') return { kind: 'mustMove', why: unusable(error) };
    if (error.code === 'token_dead') return { kind: 'wait', ms: deps.throttle.tokenDeadMs };
    const ms = error.retryAfterMs ?? UNKNOWN_PAUSE_MS;
    await deps.outbox.pauseFor(channel, ms);
    return { kind: 'wait', ms };
  }
}
