import type { Message, MessageRef } from '../slack/message.ts';
import type { Edits } from './edit-store.ts';
import type { BatchMessages } from './message-store.ts';
import type { Outbox } from './outbox-store.ts';
import type { RenderBatch } from './render-entries.ts';
import type { Reference, Subject, TrackedMessages } from './tracked-message-store.ts';

type Place = Pick<Reference, 'channel' | 'audience'>;

/** How subjects of one kind are loaded and rendered. Each capability provides its own. */
interface Trackable<T> {
  /** Null when the subject is unknown or too old. */
  readonly load: (id: string) => Promise<T | null>;
  /** The current message; null when its readers may not see it. */
  readonly render: (subject: T, place: Place) => Message | null | Promise<Message | null>;
}

/** Renders the current message of a subject; null when there is nothing to show. */
export type RenderSubject = (id: string, place: Place) => Promise<Message | null>;
export type RenderSubjects = Readonly<Record<Subject['kind'], RenderSubject>>;

export function trackable<T>({ load, render }: Trackable<T>): RenderSubject {
  return async (id, place) => {
    const subject = await load(id);
    return subject === null ? null : await render(subject, place);
  };
}

/** The current content of a posted message. */
export interface Posted {
  readonly message: Message;
  readonly audience: Reference['audience'];
  /** Changes that are not visible in it. */
  readonly notShown: readonly Subject[];
}

/** @returns null when the message shows none of these subjects any more, or nothing may be shown there. */
export type RenderPosted = (ref: MessageRef, subjects: readonly Subject[]) => Promise<Posted | null>;

interface RenderDeps {
  readonly trackedMessages: Pick<TrackedMessages, 'references'>;
  readonly renderSubjects: RenderSubjects;
  readonly batchMessages: Pick<BatchMessages, 'get'>;
  readonly renderBatch: Pick<RenderBatch, 'update'>;
}

export function createRenderPosted(deps: RenderDeps): RenderPosted {
  const { trackedMessages, renderSubjects, batchMessages, renderBatch } = deps;

  return async function renderPosted({ channel, ts }, subjects) {
    const batch = await batchMessages.get(channel, ts);
    if (batch !== null) {
      const { message, notShown } = await renderBatch.update(batch, channel);
      return { message, audience: batch.audience, notShown: notShown.map((id) => ({ kind: 'alert', id })) };
    }
    const [subject] = subjects;
    if (subject === undefined) return null;
    const references = await trackedMessages.references(subject);
    const reference = references.find((one) => one.channel === channel && one.ts === ts);
    if (reference === undefined) return null;
    const message = await renderSubjects[subject.kind](subject.id, reference);
    return message && { message, audience: reference.audience, notShown: [] };
  };
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
type PostTracked = (channel: string, subject: Subject) => Promise<void>;

export function createPostTracked({ trackedMessages, outbox }: PostTrackedDeps): PostTracked {
  return async function postTracked(channel, subject) {
    if ((await trackedMessages.references(subject)).length > 0) return;
    await outbox.put(channel, { kind: 'tracked', id: `${subject.kind}-${subject.id}`, subject, priority: 'request' });
  };
}

/** Posts a message that never changes in a channel, once per id. @param notBefore (ms) while it is held there. */
type PostNotice = (
  channel: string,
  id: string,
  message: Message,
  priority?: 'record' | 'request' | 'ops',
  notBefore?: number | null,
) => Promise<void>;

export function createPostNotice({ outbox }: Pick<PostTrackedDeps, 'outbox'>): PostNotice {
  return async (channel, id, message, priority = 'record', notBefore = null) => {
    await outbox.put(channel, { kind: 'notice', id, message: forOutbox(message), priority, notBefore });
  };
}

export function forOutbox({ text, blocks }: Message) {
  return { text, blocks: [...blocks] };
}
