import { SlackError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { MessageRef } from '../slack/message.ts';
import type { Draft, OutboxEntry, Sending } from './entry.ts';
import { nextMessage } from './next-message.ts';
import type { Outbox } from './outbox-store.ts';
import type { RecordPosted } from './record-posted.ts';
import type { RenderEntries } from './render-entries.ts';
import type { Sender, Throttle } from './send-message.ts';
import type { Undeliverable } from './undeliverable.ts';

/** Until then nobody else touches a claimed message; by then its sender has certainly given up. */
const CLAIM_MS = 13_000;
/**
 * A post starts within this time of its claim or not at all, so that with Slack's ten seconds its result is known before
 * the claim ends. If it took longer, this process or Redis was frozen, and another worker may have taken over.
 */
const START_WITHIN_MS = 2500;
/** A message that Slack has accepted may appear in the history a little later. */
const VISIBLE_AFTER_MS = 1500;
/** Not even the fallback channel can be posted to: somebody has to invite the bot, or configure another one. */
const NO_CHANNEL_PAUSE_MS = 10_000;
const UNKNOWN_PAUSE_MS = 2000;
/** A larger flood needs more than one message. */
const BATCH_MAX = 5000;

interface Deps {
  readonly outbox: Outbox;
  readonly renderEntries: RenderEntries;
  readonly sender: Sender;
  readonly recordPosted: RecordPosted;
  readonly undeliverable: Undeliverable;
  /** Schedules another run. This one ends, so that what comes earlier finds the channel free. */
  readonly wakeIn: (channel: string, ms: number) => Promise<void>;
  readonly throttle: Throttle;
  readonly runtime: Runtime;
}

interface Runtime {
  readonly log: Log;
  /** Milliseconds on a clock that never jumps. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
  /** Told of each entry that was posted, and how long it had waited. */
  readonly measureWait: (entry: OutboxEntry, waitedMs: number) => void;
}

interface Claimed {
  readonly channel: string;
  readonly sending: Sending;
  readonly entries: readonly OutboxEntry[];
  /** By entry: when it came, on the clock that never jumps. Empty where another worker claimed it. */
  readonly cameAt: ReadonlyMap<string, number>;
}

/**
 * Posts what is waiting in one channel, as fast as Slack takes it, each entry once.
 *
 * A message is claimed in Redis before it is posted. If the result is unknown (a timeout, a 5xx, a crash), the channel is
 * searched for the opaque reference in the message's metadata before it is posted again.
 *
 * @returns milliseconds after which to run again, or null when nothing is waiting.
 */
export async function flushOutbox(channel: string, deps: Deps): Promise<number | null> {
  const { outbox } = deps;
  const { now } = deps.runtime;

  for (;;) {
    const pause = await outbox.pauseLeft(channel);
    if (pause > 0) return pause;

    const { unresolved, waiting, heldForMs } = await outbox.look(channel, BATCH_MAX);
    if (unresolved !== null) {
      const claimedForMs = CLAIM_MS - unresolved.ageMs;
      if (claimedForMs > 0) return claimedForMs;
      const { sending, entries } = unresolved;
      await reconcile({ channel, sending, entries, cameAt: new Map() }, null, deps);
      continue;
    }
    const cameAt = new Map(waiting.map(({ entry, ageMs }) => [entry.id, now() - ageMs]));
    const next = nextMessage(waiting);
    if (next === null) {
      if (heldForMs !== null) await deps.wakeIn(channel, heldForMs);
      return null;
    }
    if ('waitMs' in next) return next.waitMs;

    const { entries } = next;
    const draft = await renderNow(channel, entries, deps);
    if (typeof draft === 'number') return draft;
    const claimedAt = now();
    const sending = await outbox.claim(
      channel,
      entries.map(({ id }) => id),
    );
    if (sending === null) continue;
    if (draft === null) {
      await outbox.drop(channel, sending.ref);
      continue;
    }
    if (now() - claimedAt > START_WITHIN_MS) {
      await outbox.requeue(channel, sending.ref);
      continue;
    }
    const again = await send({ channel, sending, entries, cameAt }, draft, deps);
    if (again !== null) return again;
  }
}

async function send(claimed: Claimed, draft: Draft, deps: Deps): Promise<number | null> {
  const { outbox } = deps;
  const { channel, sending, entries } = claimed;
  let ref: MessageRef;
  try {
    ref = await deps.sender.post(channel, draft, sending.ref);
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    return await resolveFailure(claimed, draft, error, deps);
  }
  await outbox.pauseFor(channel, deps.throttle.postMs);
  await deps.recordPosted(entries, ref, draft);
  await outbox.markSent(channel, sending.ref, ref.ts);
  for (const entry of entries) {
    const came = claimed.cameAt.get(entry.id);
    if (came !== undefined) deps.runtime.measureWait(entry, deps.runtime.now() - came);
  }
  return null;
}

async function resolveFailure(claimed: Claimed, draft: Draft, error: SlackError, deps: Deps): Promise<number | null> {
  const { outbox, throttle, undeliverable } = deps;
  const { log, sleep } = deps.runtime;
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
      await outbox.requeue(channel, sending.ref);
      return wait;
    }
    case 'token_dead':
      await outbox.requeue(channel, sending.ref);
      return throttle.tokenDeadMs;
    case 'channel_unusable':
      if (await undeliverable.redirect(entries, channel, error)) {
        await outbox.drop(channel, sending.ref);
        return null;
      }
      await outbox.requeue(channel, sending.ref);
      return NO_CHANNEL_PAUSE_MS;
    case 'refused':
      await outbox.pauseFor(channel, throttle.postMs);
      await resolveRefused(claimed, draft, error, deps);
      return null;
    case 'unknown':
      // This worker's own request is over, so there is no need to wait for the claim to end.
      await sleep(VISIBLE_AFTER_MS);
      await reconcile(claimed, draft, deps);
      return null;
  }
}

/** Tries without the new blocks, then in halves, until the entry that Slack refuses is alone. */
async function resolveRefused(
  { channel, sending: { ref }, entries }: Claimed,
  draft: Draft,
  error: SlackError,
  { outbox, undeliverable }: Deps,
): Promise<void> {
  const [first] = entries;
  if (await undeliverable.avoidNewBlocks(draft)) await outbox.requeue(channel, ref);
  else if (entries.length > 1 || first === undefined) {
    await outbox.requeue(channel, ref, Math.ceil(entries.length / 2));
  } else {
    await undeliverable.refused(first, channel, error);
    await outbox.drop(channel, ref);
  }
}

/** What to post, or how long to wait. */
async function renderNow(channel: string, entries: readonly OutboxEntry[], deps: Deps): Promise<Draft | null | number> {
  try {
    return await deps.renderEntries(entries, channel);
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    deps.runtime.log.warn(
      { channel, code: error.code, slackError: error.slackError },
      'a message could not be rendered',
    );
    if (error.code === 'token_dead') return deps.throttle.tokenDeadMs;
    const wait = error.retryAfterMs ?? UNKNOWN_PAUSE_MS;
    await deps.outbox.pauseFor(channel, wait);
    return wait;
  }
}

/** Slack's error codes for a valid token that may not read the history. */
const mayNotRead: ReadonlySet<string> = new Set(['missing_scope', 'no_permission']);

/** @param draft null when the worker that rendered it has crashed. */
async function reconcile(
  { channel, sending, entries }: Claimed,
  draft: Draft | null,
  { outbox, sender, recordPosted, throttle, runtime }: Deps,
): Promise<void> {
  let ts: string | null;
  try {
    ts = await sender.findPost(channel, sending, entries);
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    if (error.code === 'unknown' || error.code === 'rate_limited') {
      await outbox.pauseFor(channel, error.retryAfterMs ?? UNKNOWN_PAUSE_MS);
      return;
    }
    if (error.code === 'token_dead' && !mayNotRead.has(error.slackError)) {
      // The channel can be searched when the token has been replaced; until then nothing is repeated.
      await outbox.pauseFor(channel, throttle.tokenDeadMs);
      return;
    }
    // The history cannot be read (a missing scope, not in the channel): a second message is better than none.
    runtime.log.error(
      { channel, slackError: error.slackError },
      'cannot check whether a message was posted, posting it again',
    );
    ts = null;
  }
  if (ts === null) {
    await outbox.requeue(channel, sending.ref);
    return;
  }
  await recordPosted(entries, { channel, ts }, draft);
  await outbox.markSent(channel, sending.ref, ts);
}
