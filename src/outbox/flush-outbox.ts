import { SlackError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { MessageRef } from '../slack/message.ts';
import type { Draft } from './draft.ts';
import type { OutboxEntry, Sending } from './entry.ts';
import { nextMessage } from './next-message.ts';
import type { Outbox } from './outbox-store.ts';
import type { RecordPosted } from './record-posted.ts';
import type { RenderEntries } from './render-entries.ts';
import type { Sender } from './send-message.ts';
import type { Throttle } from './throttle.ts';
import type { Undeliverable } from './undeliverable.ts';

/** Nobody may touch a message on its way before its sender must have given up on it. */
const CLAIM_MS = 13_000;
/**
 * A post begins within this time of its claim or not at all: with Slack's time limit of ten seconds its end is then
 * known before the claim is over. Longer means that we stood still (a frozen process, a frozen Redis), and others may
 * have taken the message over.
 */
const BEGIN_WITHIN_MS = 2500;
/** A message that Slack has taken may show in the history a little later. */
const VISIBLE_AFTER_MS = 1500;
/** Nothing can be posted anywhere: somebody has to invite the bot or name another channel. */
const NO_CHANNEL_PAUSE_MS = 10_000;
const UNKNOWN_PAUSE_MS = 2000;
/** A larger flood takes more than one message. */
const BATCH_MAX = 5000;

interface Deps {
  readonly outbox: Outbox;
  readonly renderEntries: RenderEntries;
  readonly sender: Sender;
  readonly recordPosted: RecordPosted;
  readonly undeliverable: Undeliverable;
  /** Comes back then. This run ends, so that what comes earlier finds the channel free. */
  readonly wakeIn: (channel: string, ms: number) => Promise<void>;
  readonly throttle: Throttle;
  readonly runtime: Runtime;
}

export interface Runtime {
  readonly log: Log;
  /** Milliseconds on a clock that never jumps. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
  /** Told of each entry that was posted, and how long it had waited. */
  readonly measureWait: (entry: OutboxEntry, waitedMs: number) => void;
}

/** A message that was claimed. */
interface Claimed {
  readonly channel: string;
  readonly sending: Sending;
  readonly entries: readonly OutboxEntry[];
  /** By entry: when it came, on the clock that never jumps. Empty where another worker claimed it. */
  readonly cameAt: ReadonlyMap<string, number>;
}

/**
 * Posts what waits in one channel, as fast as Slack takes it, each entry once.
 *
 * A message is written down as "on its way" before Slack is asked. When its end is unknown (time-out, 5xx, a crash in
 * between) it is looked for in the channel, by the opaque reference in its metadata, before it is posted again.
 *
 * @returns milliseconds after which to come back, or null when nothing waits.
 */
export async function flushOutbox(channel: string, deps: Deps): Promise<number | null> {
  const { outbox } = deps;
  const { now } = deps.runtime;

  for (;;) {
    const pause = await outbox.pauseLeft(channel);
    if (pause > 0) return pause;

    const { unsettled, waiting, heldForMs } = await outbox.look(channel, BATCH_MAX);
    if (unsettled !== null) {
      const claimedForMs = CLAIM_MS - unsettled.ageMs;
      if (claimedForMs > 0) return claimedForMs;
      const { sending, entries } = unsettled;
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
      await outbox.settleDropped(channel, sending.ref);
      continue;
    }
    if (now() - claimedAt > BEGIN_WITHIN_MS) {
      await outbox.settleUnsent(channel, sending.ref);
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
  await outbox.settleSent(channel, sending.ref, ref.ts);
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
      await outbox.settleUnsent(channel, sending.ref);
      return wait;
    }
    case 'token_dead':
      await outbox.settleUnsent(channel, sending.ref);
      return throttle.tokenDeadMs;
    case 'channel_unusable':
      if (await undeliverable.redirect(entries, channel, error)) {
        await outbox.settleDropped(channel, sending.ref);
        return null;
      }
      await outbox.settleUnsent(channel, sending.ref);
      return NO_CHANNEL_PAUSE_MS;
    case 'refused':
      await outbox.pauseFor(channel, throttle.postMs);
      await settleRefused(claimed, draft, error, deps);
      return null;
    case 'unknown':
      // Ours: we know that no request of it is under way any more, so the claim need not run out.
      await sleep(VISIBLE_AFTER_MS);
      await reconcile(claimed, draft, deps);
      return null;
  }
}

/** Without what may be too new; then in halves, until the one that Slack does not take stands alone; then that one. */
async function settleRefused(
  { channel, sending: { ref }, entries }: Claimed,
  draft: Draft,
  error: SlackError,
  { outbox, undeliverable }: Deps,
): Promise<void> {
  const [first] = entries;
  if (await undeliverable.avoidNewBlocks(draft)) await outbox.settleUnsent(channel, ref);
  else if (entries.length > 1 || first === undefined) {
    await outbox.settleUnsent(channel, ref, Math.ceil(entries.length / 2));
  } else {
    await undeliverable.refused(first, channel, error);
    await outbox.settleDropped(channel, ref);
  }
}

/** What to post, or for how long nothing can be. */
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

/** The token is alive, but may not read the history. */
const mayNotRead: ReadonlySet<string> = new Set(['missing_scope', 'no_permission']);

/** @param draft null where another worker rendered it and died. */
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
      // Once the token is exchanged the channel can be asked; until then nobody knows, and nothing is repeated.
      await outbox.pauseFor(channel, throttle.tokenDeadMs);
      return;
    }
    // The history may not be read (scope missing, not in the channel): a second post is better than none.
    runtime.log.error(
      { channel, slackError: error.slackError },
      'cannot look whether a message was posted, posting again',
    );
    ts = null;
  }
  if (ts === null) {
    await outbox.settleUnsent(channel, sending.ref);
    return;
  }
  await recordPosted(entries, { channel, ts }, draft);
  await outbox.settleSent(channel, sending.ref, ts);
}
