import { notShownHere } from '../../templates/routing/shared-channel.ts';
import { ALERT_TTL_SECONDS } from '../alerts/alert.ts';
import { type EventLog, POSTED_WITH } from '../alerts/event-log.ts';
import type { ChannelVisibility } from '../core/channel-visibility.ts';
import type { Message, MessageRef } from '../slack/message.ts';
import type { Edits } from './edit-store.ts';
import type { BatchMessages } from './message-store.ts';
import type { Outbox } from './outbox-store.ts';
import type { RenderBatch } from './render-entries.ts';
import type { Reference, Subject, TrackedMessages } from './tracked-message-store.ts';

/** Renders the current message of a subject; null when it is unknown or too old, or its readers may not see it. */
export type RenderSubject = (id: string, place: Pick<Reference, 'channel' | 'audience'>) => Promise<Message | null>;
export type RenderSubjects = Readonly<Record<Subject['kind'], RenderSubject>>;

/** The current content of a posted message. */
export interface Posted {
  readonly message: Message;
  readonly audience: Reference['audience'];
  /** Changes that are not visible in it. */
  readonly notShown: readonly Subject[];
}

/**
 * @returns null when the message shows none of these subjects any more, nothing may be shown there, or it showed others
 * that are no longer known.
 */
export type RenderPosted = (ref: MessageRef, subjects: readonly Subject[]) => Promise<Posted | null>;

/**
 * Whether a message in a channel shows a subject to its readers. Alerts are rendered for them. Everything else is for the
 * team alone, so that another company reads nothing of it.
 */
export async function isShownIn(
  { kind }: Pick<Subject, 'kind'>,
  channel: string,
  visibilityOf: (channel: string) => Promise<ChannelVisibility>,
): Promise<boolean> {
  return kind === 'alert' || (await visibilityOf(channel)) !== 'shared';
}

interface RenderDeps {
  readonly trackedMessages: Pick<TrackedMessages, 'references'>;
  readonly renderSubjects: RenderSubjects;
  readonly batchMessages: Pick<BatchMessages, 'get'>;
  readonly renderBatch: Pick<RenderBatch, 'update'>;
  readonly eventLog: Pick<EventLog, 'read'>;
  readonly visibilityOf: (channel: string) => Promise<ChannelVisibility>;
  readonly now: () => Date;
}

/** The record of a batch is kept for this long, or almost: clocks differ. */
const BATCH_KNOWN_MS = (ALERT_TTL_SECONDS - 24 * 3600) * 1000;

export function createRenderPosted(deps: RenderDeps): RenderPosted {
  const { trackedMessages, renderSubjects, batchMessages, renderBatch, eventLog, visibilityOf, now } = deps;

  return async function renderPosted({ channel, ts }, subjects) {
    const batch = await batchMessages.get({ channel, ts });
    if (batch !== null) {
      const rendered = await renderBatch.update(batch, channel);
      if (rendered === null) return null;
      const { message, notShown } = rendered;
      return { message, audience: batch.audience, notShown: notShown.map((id) => ({ kind: 'alert', id })) };
    }
    const [subject] = subjects;
    if (subject === undefined) return null;
    const references = await trackedMessages.references(subject);
    const reference = references.find((one) => one.channel === channel && one.ts === ts);
    if (reference === undefined || (await isOldBatch(reference, subject))) return null;
    const { audience } = reference;
    if (!(await isShownIn(subject, channel, visibilityOf))) {
      const notShown = (await isReadElsewhere(subject, references)) ? [] : [subject];
      return { message: notShownHere(), audience, notShown };
    }
    const message = await renderSubjects[subject.kind](subject.id, reference);
    return message && { message, audience, notShown: [] };
  };

  async function isReadElsewhere(subject: Subject, references: readonly Reference[]): Promise<boolean> {
    for (const { channel } of references) if (await isShownIn(subject, channel, visibilityOf)) return true;
    return false;
  }

  /**
   * Whether the message showed this alert with others. Each change of an alert keeps it longer than the record of its batch,
   * and an edit would remove the others from the message.
   */
  async function isOldBatch({ channel, ts }: MessageRef, { kind, id }: Subject): Promise<boolean> {
    if (kind !== 'alert' || now().getTime() - Number(ts) * 1000 < BATCH_KNOWN_MS) return false;
    const steps = await eventLog.read(id);
    return steps.some((step) => step.channel === channel && step.text.startsWith(POSTED_WITH));
  }
}

interface UpdateDeps {
  readonly trackedMessages: Pick<TrackedMessages, 'countUpdate' | 'references'>;
  readonly edits: Pick<Edits, 'ask'>;
  readonly wakeOutbox: (channel: string) => Promise<void>;
}

/**
 * Schedules an edit of every message of a subject, each at its channel's pace. Idempotent.
 *
 * A message that is being posted at this moment is not found yet. Its sender detects from the revision that it is outdated.
 */
export async function updateMessages(subject: Subject, deps: UpdateDeps): Promise<void> {
  const { trackedMessages, edits, wakeOutbox } = deps;
  // Before the references are read. Otherwise a message added in between would be missed.
  await trackedMessages.countUpdate(subject);
  const references = await trackedMessages.references(subject);
  for (const reference of references) await edits.ask(reference, subject);
  for (const channel of new Set(references.map((one) => one.channel))) await wakeOutbox(channel);
}

interface PostTrackedDeps {
  readonly trackedMessages: Pick<TrackedMessages, 'references'>;
  readonly outbox: Pick<Outbox, 'put'>;
}

/** Posts a subject in a channel, unless it already has a message there. Idempotent. */
export function createPostTracked({ trackedMessages, outbox }: PostTrackedDeps) {
  return async function postTracked(channel: string, subject: Subject): Promise<void> {
    if ((await trackedMessages.references(subject)).length > 0) return;
    await outbox.put(channel, { kind: 'tracked', id: `${subject.kind}-${subject.id}`, subject, priority: 'request' });
  };
}

/** Posts a message that never changes in a channel, once per id. @param notBefore (ms) while it is held there. */
export function createPostNotice({ outbox }: Pick<PostTrackedDeps, 'outbox'>) {
  return async (
    channel: string,
    id: string,
    message: Message,
    priority: 'record' | 'request' | 'ops' = 'record',
    notBefore: number | null = null,
  ): Promise<void> => {
    await outbox.put(channel, { kind: 'notice', id, message, priority, notBefore });
  };
}
