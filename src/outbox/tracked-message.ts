import { SlackError } from '../core/errors.ts';
import type { WithLock } from '../core/lock.ts';
import type { Log } from '../core/log.ts';
import type { Message, MessageRef } from '../slack/message.ts';
import type { BatchMessages } from './batch-store.ts';
import type { Outbox } from './outbox-store.ts';
import type { RenderBatch } from './render-batch.ts';
import type { Reference, Subject, TrackedMessages } from './tracked-message-store.ts';

/** Where a message is or will be, and for whom its words are. */
export type Place = Pick<Reference, 'channel' | 'audience'>;

/** How the subjects of one kind are read and shown. Each capability hands in its own. */
export interface Trackable<T> {
  /** Null when it is unknown or too old. */
  readonly load: (id: string) => Promise<T | null>;
  /** The message as it should look now; null where its readers are not told of it. */
  readonly render: (subject: T, place: Place) => Message | null | Promise<Message | null>;
}

/** A subject's message as it should look now; null when there is nothing to show (any more). */
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
  /** One update of a message at a time: of two subjects that share it, the older rendering must not come last. */
  readonly withLock: WithLock;
  readonly log: Log;
}

/**
 * Updates every message of a subject to what is known of it now.
 *
 * An update is safe to repeat, so a failed one is simply tried again. A message that is being posted at this moment is
 * not known yet: whoever posts it learns from the revision that it is out of date already.
 *
 * @throws SlackError when trying again later can help.
 */
export async function updateMessages(subject: Subject, deps: UpdateDeps): Promise<void> {
  const { trackedMessages, update, withLock, log } = deps;
  // Before the references are read, or a message that is added in between would be left out.
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
      // The message was deleted, or its channel is gone: there is nothing left to update.
      log.warn({ ...subject, channel, slackError: error.slackError }, 'message could not be updated');
    }
  }
}

/** The message at `reference` as it should look now: of this subject alone, or of all that share it. */
async function render({ kind, id }: Subject, reference: Reference, deps: UpdateDeps): Promise<Message | null> {
  const { channel, ts } = reference;
  const batch = await deps.batchMessages.get(channel, ts);
  if (batch !== null) return await deps.renderBatch.update(batch, channel);
  return await deps.renderSubjects[kind](id, reference);
}

interface PostDeps {
  readonly trackedMessages: Pick<TrackedMessages, 'references'>;
  readonly outbox: Pick<Outbox, 'put'>;
  readonly wakeOutbox: (channel: string) => Promise<void>;
}

/** Gives a subject a message in a channel. Nothing happens when it has one: safe to repeat at any time. */
export type PostTracked = (channel: string, subject: Subject) => Promise<void>;

export function createPostTracked({ trackedMessages, outbox, wakeOutbox }: PostDeps): PostTracked {
  return async function postTracked(channel, subject) {
    if ((await trackedMessages.references(subject)).length > 0) return;
    await outbox.put(channel, { kind: 'tracked', id: `${subject.kind}-${subject.id}`, subject, priority: 'request' });
    await wakeOutbox(channel);
  };
}
