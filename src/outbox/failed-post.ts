import { SlackError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { type Draft, type MoveReason, type OutboxEntry, type Sending, unusable } from './entry.ts';
import type { FindPosted, Shown } from './find-posted.ts';
import type { LateCopies } from './late-copies.ts';
import type { Outbox } from './outbox-store.ts';
import type { RecordPosted } from './record-posted.ts';
import type { Throttle } from './send-message.ts';
import { ELSEWHERE } from './sending-store.ts';
import type { Undeliverable } from './undeliverable.ts';

/** A message that Slack has accepted may appear in the history slightly later … */
const VISIBLE_AFTER_MS = 1500;
/** … and later still when Slack took so long that the request timed out. */
const SLOW_AFTER_MS = 9000;
const VISIBLE_AFTER_SLOW_MS = 3500;
/** Not even the fallback channel can be posted to: someone must invite the bot or configure another channel. */
export const NO_CHANNEL_PAUSE_MS = 10_000;
export const UNKNOWN_PAUSE_MS = 2000;
/** After so many unclear attempts, although the history can be read, another attempt helps only if somebody changes something. */
const UNCLEAR_TRIES = 5;

export interface FailedPostDeps {
  readonly outbox: Outbox;
  readonly findPosted: Pick<FindPosted, 'searchFor' | 'findEntries'>;
  readonly recordPosted: RecordPosted;
  readonly undeliverable: Undeliverable;
  readonly throttle: Throttle;
  readonly runtime: Runtime;
}

export interface Runtime {
  readonly log: Log;
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number;
  /** Milliseconds on Slack's clock; null when unknown. */
  readonly slackNow: () => number | null;
  /** Since when Redis may have forgotten posted messages, so that we search Slack before posting; null: it has not. */
  readonly dataLossSinceMs: () => number | null;
  /** How far back it may have forgotten them (ms on Slack's clock); null: only since the first attempt. */
  readonly restoredFromMs: () => number | null;
  readonly sleep: (ms: number) => Promise<unknown>;
  /** Schedules a search for copies of a message. Idempotent. */
  readonly watchForCopies: (copies: LateCopies) => Promise<void>;
  readonly measureWait: (entry: OutboxEntry, waitedMs: number) => void;
}

export interface Claimed {
  readonly channel: string;
  readonly sending: Sending;
  readonly entries: readonly OutboxEntry[];
  /** Arrival time per entry, on the monotonic clock. Empty when another worker claimed it. */
  readonly cameAt: ReadonlyMap<string, number>;
}

/** Moves the entries to a channel that can be posted to. They wait while there is none. */
export async function redirect(claimed: Claimed, why: MoveReason, deps: FailedPostDeps): Promise<number | null> {
  const { channel, sending, entries } = claimed;
  const to = sending.redirect?.to ?? (await deps.undeliverable.insteadOf(channel, why));
  if (to === null) {
    await putBack(claimed, deps);
    return NO_CHANNEL_PAUSE_MS;
  }
  // First: after a crash, another worker must not post here what the other channel already has.
  await deps.outbox.beginRedirect(channel, sending, { to, why });
  const isBack = await deps.outbox.takeBack(to, sending.entryIds, channel);
  // Slack refused them there, and here another company would read them, so they are retried periodically.
  if (isBack && why.kind === 'shared') await deps.outbox.pauseFor(to, NO_CHANNEL_PAUSE_MS);
  const entryIds = await deps.undeliverable.redirect(entries, { channel, to }, why);
  // Not dropped: when its job runs again, the entry must not return to this channel, even if it can be posted to again.
  await deps.outbox.markMoved(channel, sending, { to, entryIds });
  return null;
}

/** @param tookMs duration of the attempt. @returns milliseconds to wait before posting anything else, or null. */
export async function resolveFailure(
  claimed: Claimed,
  draft: Draft,
  { error, tookMs }: { readonly error: SlackError; readonly tookMs: number },
  deps: FailedPostDeps,
): Promise<number | null> {
  const { outbox, throttle } = deps;
  const { log } = deps.runtime;
  const { channel, sending, entries } = claimed;
  const { code, slackError } = error;
  log.warn(
    { channel, code, slackError, ref: sending.ref, entries: entries.length, first: entries[0]?.id },
    'post failed',
  );
  switch (error.code) {
    case 'rate_limited': {
      const wait = error.retryAfterMs ?? throttle.postMs;
      await outbox.pauseFor(channel, wait);
      await putBack(claimed, deps);
      return wait;
    }
    case 'app_refused':
      await putBack(claimed, deps);
      await deps.undeliverable.mustWait(channel, error);
      return throttle.appRefusedMs;
    case 'channel_unusable':
      return await redirect(claimed, unusable(error), deps);
    case 'refused':
      await outbox.pauseFor(channel, throttle.postMs);
      await resolveRefused(claimed, draft, error, deps);
      return null;
    case 'unknown':
      if ((await resolveUnknown(claimed, draft, tookMs, deps)) === 'resolved' || sending.attempt < UNCLEAR_TRIES) {
        return null;
      }
      // Everything behind it waits. A file can be replaced.
      if (draft.kind === 'file') await resolveRefused(claimed, draft, error, deps);
      else await deps.undeliverable.mustWait(channel, error);
      return null;
  }
}

/** This attempt posted nothing. Entries that an earlier attempt may have posted must stay one message. */
export async function putBack({ channel, sending }: Claimed, { outbox }: Pick<FailedPostDeps, 'outbox'>) {
  if (sending.attempt > 1) await outbox.keepUnsent(channel, sending);
  else await outbox.requeue(channel, sending);
}

/** Tries without the new blocks, then in halves, until the refused entry is alone. */
async function resolveRefused(
  { channel, sending, entries }: Claimed,
  draft: Draft,
  error: SlackError,
  { outbox, undeliverable }: FailedPostDeps,
): Promise<void> {
  const [first] = entries;
  if (await undeliverable.avoidNewBlocks(draft)) await outbox.requeue(channel, sending);
  else if (entries.length > 1 || first === undefined) {
    await outbox.requeue(channel, sending, Math.ceil(entries.length / 2));
  } else {
    await undeliverable.refused(first, channel, error);
    await outbox.markSent(channel, sending, ELSEWHERE);
  }
}

/** This worker's own request has ended, so it need not wait for the claim to expire. */
async function resolveUnknown(
  claimed: Claimed,
  draft: Draft,
  tookMs: number,
  deps: FailedPostDeps,
): ReturnType<typeof reconcile> {
  const { sleep } = deps.runtime;
  await sleep(VISIBLE_AFTER_MS);
  if (tookMs > SLOW_AFTER_MS) {
    if ((await reconcile(claimed, draft, deps, 'early')) === 'resolved') return 'resolved';
    await sleep(VISIBLE_AFTER_SLOW_MS);
  }
  return await reconcile(claimed, draft, deps);
}

/** Slack's error codes for a valid token that may not read the history. */
const mayNotRead: ReadonlySet<string> = new Set(['missing_scope', 'no_permission']);

/**
 * Checks in Slack whether a message was posted, or some of its entries in other messages. If it is missing, it must be
 * posted again, and copies that appear later are deleted.
 *
 * @param draft null when the worker that rendered it has crashed.
 * @param look `first`: nothing was tried yet; searches for messages posted before Redis lost data. `early`: the message may
 * still appear. `last`: gives up afterwards.
 * @returns 'not found' when the complete message must be posted, unchanged.
 */
export async function reconcile(
  claimed: Claimed,
  draft: Draft | null,
  deps: FailedPostDeps,
  look: 'first' | 'early' | 'last' = 'last',
): Promise<'resolved' | 'not found'> {
  const { outbox, findPosted, runtime } = deps;
  const { channel, sending, entries } = claimed;
  const slackMs = (look === 'first' ? runtime.restoredFromMs() : null) ?? sending.slackMs;
  const search = await findPosted.searchFor(channel, { ...sending, slackMs }, entries);
  let shown: Shown[];
  try {
    shown = await findPosted.findEntries(search, sending.entryIds, look === 'first');
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    const pause = pauseAfter(error, deps);
    if (pause !== null) {
      await outbox.pauseFor(channel, pause);
      return 'resolved';
    }
    // The history cannot be read (missing scope, not in the channel): a duplicate is better than no message.
    runtime.log.error(
      { channel, slackError: error.slackError },
      'cannot check whether a message was posted, posting it again',
    );
    shown = [];
  }
  for (const message of shown) await recordFound(claimed, message, draft, deps);
  const found = shown.reduce((sum, { entryIds }) => sum + entryIds.length, 0);
  if (found === sending.entryIds.length) return 'resolved';
  if (look === 'last') {
    const { entryIds, attempt } = sending;
    await runtime.watchForCopies({ search, entryIds, attempt });
    await outbox.keepUnsent(channel, sending);
  }
  if (found === 0 || look !== 'first') return 'not found';
  // The remaining entries form another message.
  await putBack(claimed, deps);
  return 'resolved';
}

/** @param draft what we tried to post: a message found with our reference shows it. */
async function recordFound(
  { channel, sending, entries }: Claimed,
  { ts, entryIds, isBatch, isOwn }: Shown,
  draft: Draft | null,
  { outbox, recordPosted }: FailedPostDeps,
): Promise<void> {
  const ids = new Set(entryIds);
  const shown = entries.filter(({ id }) => ids.has(id));
  await recordPosted(shown, { channel, ts }, isOwn ? draft : null, isBatch);
  if (ids.size === sending.entryIds.length) return await outbox.markSent(channel, sending, ts);
  await outbox.markSent(channel, { ...sending, ref: '', entryIds: [...ids] }, ts);
  for (const id of entryIds) await outbox.remove(channel, id);
}

/** Milliseconds until the history can be searched again; null when it cannot. */
function pauseAfter(error: SlackError, { throttle }: FailedPostDeps): number | null {
  if (error.retryable) return error.retryAfterMs ?? UNKNOWN_PAUSE_MS;
  // Searching works again once Slack accepts the app. Nothing is repeated before that.
  return error.code === 'app_refused' && !mayNotRead.has(error.slackError) ? throttle.appRefusedMs : null;
}
