import { SlackError } from '../core/errors.ts';
import { span } from '../core/trace.ts';
import type { MessageRef } from '../slack/message.ts';
import { type Draft, type OutboxEntry, unusable } from './entry.ts';
import {
  type Claimed,
  type FailedPostDeps,
  putBack,
  reconcile,
  redirect,
  resolveFailure,
  UNKNOWN_PAUSE_MS,
} from './failed-post.ts';
import { inChunks } from './record-posted.ts';
import type { RenderEntries, Rendered } from './render-entries.ts';
import type { SendMessage } from './send-message.ts';
import { ELSEWHERE, type Unresolved } from './sending-store.ts';

/** During this time only its sender touches a claimed message. Afterwards the sender has certainly given up. */
const CLAIM_MS = 13_000;
/**
 * A post starts within this time after its claim or not at all, so that its result is known before the claim expires (Slack
 * gets ten seconds). If it took longer, this process or Redis was frozen, and another worker may have taken over.
 */
const START_WITHIN_MS = 2500;

interface Deps extends FailedPostDeps {
  readonly renderEntries: RenderEntries;
  readonly sendMessage: SendMessage;
}

export type PostEntries = ReturnType<typeof createPostEntries>;

/**
 * Posts entries as one message, once.
 *
 * The message is claimed in Redis before it is posted. If the result is unknown (timeout, 5xx, crash), the channel is
 * searched for the opaque reference in the message's metadata before the same entries are posted again, as one message with
 * the same reference.
 */
export function createPostEntries(deps: Deps) {
  return {
    /** @returns milliseconds until the next run; null: continue with the next message. */
    post: (next: Next) => post(next, deps),

    /** Finishes the post of a worker that has given up. @returns milliseconds until then; 0 when finished. */
    async takeOver(channel: string, { ageMs, ...unresolved }: Unresolved): Promise<number> {
      if (ageMs < CLAIM_MS) return CLAIM_MS - ageMs;
      const claimed = { ...unresolved, channel, cameAt: new Map() };
      const { redirect: begun } = claimed.sending;
      if (begun === null) await reconcile(claimed, null, deps);
      else await redirect(claimed, begun.why, deps);
      return 0;
    },
  };
}

type Next = Omit<Claimed, 'sending'> & { readonly entryIds: readonly string[] };

async function post({ channel, entries, entryIds, cameAt }: Next, deps: Deps): Promise<number | null> {
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
  const isInDoubt = runtime.dataLossSinceMs() !== null && sending.attempt === 1;
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
    if (error.code === 'app_refused') return { kind: 'wait', ms: deps.throttle.appRefusedMs };
    const ms = error.retryAfterMs ?? UNKNOWN_PAUSE_MS;
    await deps.outbox.pauseFor(channel, ms);
    return { kind: 'wait', ms };
  }
}
