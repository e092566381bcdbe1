import { outboxKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import type { MessageRef } from '../slack/message.ts';
import { createNoteChannel } from './outbox-store.ts';
import { readSubject, type Subject, subjectKey } from './tracked-message-store.ts';

/**
 * An edit that Slack has not accepted for this long is dropped. It must outlast a dead token over a long weekend, and end
 * for a message that Slack never lets us change.
 */
const ASKED_TTL_SECONDS = 7 * 24 * 3600;
/**
 * Time between two tries in a channel that cannot be posted to. It may have many messages to edit, and all channels share
 * Slack's limit for edits, so only one of them is tried.
 */
const PARKED_MS = 15 * 60_000;

/** A message that has to be edited, and what has changed in it. */
export interface Edit {
  readonly ts: string;
  readonly subjects: readonly Subject[];
  /** When each subject had changed last when this was read. Opaque; empty for a change that was redirected. */
  readonly changes: readonly string[];
  readonly waitedMs: number;
  /** All of these changes were redirected: another channel shows what it may show of them. */
  readonly isRedirected: boolean;
}

/** The messages of a channel that need an edit. Any number of changes in a message is one edit. */
export type Edits = ReturnType<typeof createEdits>;

const scripts = {
  ask: readScript(new URL('./ask-edit.lua', import.meta.url)),
  next: readScript(new URL('./next-edit.lua', import.meta.url)),
  edited: readScript(new URL('./edited.lua', import.meta.url)),
  park: readScript(new URL('./park-edit.lua', import.meta.url)),
};

export function createEdits(redis: RedisClient) {
  const ask = defineScript(redis, scripts.ask);
  const oldest = defineScript(redis, scripts.next);
  const edited = defineScript(redis, scripts.edited);
  const park = defineScript(redis, scripts.park);
  const noteChannel = createNoteChannel(redis);
  /** What waits to be edited, and what waits until the channel can be posted to again. */
  const queueKeys = (channel: string) => [outboxKey(channel, 'edits'), outboxKey(channel, 'parked')] as const;
  const keysOf = (channel: string, ts: string) => [...queueKeys(channel), outboxKey(channel, `asked:${ts}`)] as const;

  return {
    async ask({ channel, ts }: MessageRef, subject: Subject): Promise<void> {
      // First, so that a sweep finds the channel even after a crash between the two steps.
      await noteChannel(channel);
      await ask.run(keysOf(channel, ts), [ts, subjectKey(subject), ASKED_TTL_SECONDS]);
    },
    /** The message that has waited longest; null when none may be edited now. */
    async next(channel: string): Promise<Edit | null> {
      const found = await oldest.run(queueKeys(channel), [PARKED_MS]);
      if (!Array.isArray(found)) return null;
      const ts = String(found[0]);
      const asked = Object.entries(await redis.hgetall(keysOf(channel, ts)[2]));
      return {
        ts,
        subjects: asked.map(([key]) => readSubject(key)),
        changes: asked.map(([, at]) => at),
        waitedMs: Number(found[1]),
        isRedirected: asked.every(([, at]) => at === ''),
      };
    },
    /** The message shows the changes known when the edit was read. Later changes keep waiting. */
    async done(channel: string, edit: Edit): Promise<void> {
      await edited.run(keysOf(channel, edit.ts), [edit.ts, ...changesOf(edit)]);
    },
    /** Moves the edit to the end of the queue. */
    async putOff(channel: string, { ts }: Edit): Promise<void> {
      await edited.run(keysOf(channel, ts), [ts]);
    },
    /**
     * The channel cannot be posted to: tries one of these edits again after a time, and this one at its next change.
     *
     * @param isRedirected the changes known when the edit was read were redirected.
     */
    async park(channel: string, edit: Edit, isRedirected: boolean): Promise<void> {
      await park.run(keysOf(channel, edit.ts), [edit.ts, isRedirected ? 1 : 0, ...changesOf(edit)]);
    },
    async waiting(channel: string): Promise<number> {
      const [edits, parked] = await Promise.all(queueKeys(channel).map((key) => redis.zcard(key)));
      return (edits ?? 0) + (parked ?? 0);
    },
  };
}

function changesOf({ subjects, changes }: Edit): string[] {
  return subjects.flatMap((subject, index) => [subjectKey(subject), changes[index] ?? '']);
}
