import { SlackError } from '../core/errors.ts';
import type { WithLock } from '../core/lock.ts';
import type { Log } from '../core/log.ts';
import type { Message, MessageRef } from '../slack/message.ts';
import type { BatchMessages } from './message-store.ts';
import type { Outbox } from './outbox-store.ts';
import type { RenderBatch } from './render-entries.ts';
import type { Reference, Subject, TrackedMessages } from './tracked-message-store.ts';

/** Where a message is posted, and for whom it is written. */
export type Place = Pick<Reference, 'channel' | 'audience'>;

/** How subjects of one kind are loaded and rendered. Each capability provides its own. */
export interface Trackable<T> {
  /** Null when it is unknown or too old. */
  readonly load: (id: string) => Promise<T | null>;
  /** The message as it should look now; null when its readers may not see it. */
  readonly render: (subject: T, place: Place) => Message | null | Promise<Message | null>;
}

/** The message of a subject as it should look now; null when there is nothing to show. */
export type RenderSubject = (id: string, place: Place) => Promise<Message | null>;
export type RenderSubjects = Readonly<Record<Subject['kind'], RenderSubject>>;

export function trackable<T>({ load, render }: Trackable<T>): RenderSubject {
  return async (id, place) => {
    const subject = await load(id);
    return subject === null ? null : await render(subject, place);
  };
}

interface UpdateDeps {
  readonly trackedMessages: Pick<TrackedMessages, 'countUpdate' | 'references'>;
  readonly renderSubjects: RenderSubjects;
  readonly batchMessages: Pick<BatchMessages, 'get'>;
  readonly renderBatch: Pick<RenderBatch, 'update'>;
  readonly update: (ref: MessageRef, message: Message) => Promise<void>;
  /** Updates of one message run one at a time, or of two subjects in it, the older rendering might come last. */
  readonly withLock: WithLock;
  readonly log: Log;
}

/**
 * Updates every message of a subject. Safe to repeat.
 *
 * A message that is being posted at this moment is not found yet: whoever posts it sees from the revision that it is out
 * of date.
 *
 * @throws SlackError when a retry can help.
 */
export async function updateMessages(subject: Subject, deps: UpdateDeps): Promise<void> {
  const { trackedMessages, update, withLock, log } = deps;
  // Before the references are read, or a message that is added in between would be missed.
  await trackedMessages.countUpdate(subject);
  for (const reference of await trackedMessages.references(subject)) {
    const { channel, ts } = reference;
    try {
      await withLock(`message:${channel}:${ts}`, async () => {
        const message = await render(subject, reference, deps);
        if (message !== null) await update({ channel, ts }, message);
      });
    } catch (error) {
      if (!(error instanceof SlackError) || error.retryable || error.code === 'token_dead') throw error;
      // The message or its channel is gone, so there is nothing to update.
      log.warn({ ...subject, channel, slackError: error.slackError }, 'a message could not be updated');
    }
  }
}

/** The message at `reference` as it should look now: of this subject, or of all that share it. */
async function render({ kind, id }: Subject, reference: Reference, deps: UpdateDeps): Promise<Message | null> {
  const { channel, ts } = reference;
  const batch = await deps.batchMessages.get(channel, ts);
  if (batch !== null) return await deps.renderBatch.update(batch, channel);
  return await deps.renderSubjects[kind](id, reference);
}

interface PostTrackedDeps {
  readonly trackedMessages: Pick<TrackedMessages, 'references'>;
  readonly outbox: Pick<Outbox, 'put'>;
  readonly wakeOutbox: (channel: string) => Promise<void>;
}

/** Posts a subject in a channel, unless it has a message already. Safe to repeat. */
export type PostTracked = (channel: string, subject: Subject) => Promise<void>;

export function createPostTracked({ trackedMessages, outbox, wakeOutbox }: PostTrackedDeps): PostTracked {
  return async function postTracked(channel, subject) {
    if ((await trackedMessages.references(subject)).length > 0) return;
    await outbox.put(channel, { kind: 'tracked', id: `${subject.kind}-${subject.id}`, subject, priority: 'request' });
    await wakeOutbox(channel);
  };
}

/** Posts a message that never changes into a channel, once for each id. */
export type PostNotice = (
  channel: string,
  id: string,
  message: Message,
  priority?: 'record' | 'request',
) => Promise<void>;

interface PostNoticeDeps {
  readonly outbox: Pick<Outbox, 'put'>;
  readonly wakeOutbox: (channel: string) => Promise<void>;
}

export function createPostNotice({ outbox, wakeOutbox }: PostNoticeDeps): PostNotice {
  return async (channel, id, message, priority = 'record') => {
    await outbox.put(channel, { kind: 'notice', id, message: forOutbox(message), priority });
    await wakeOutbox(channel);
  };
}

/** A message in the shape that an outbox entry has it. */
export function forOutbox({ text, blocks }: Message) {
  return { text, blocks: [...blocks] };
}
