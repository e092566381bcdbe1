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

/** A message that has to be edited, and what has changed in it. */
export interface Edit {
  readonly ts: string;
  readonly subjects: readonly Subject[];
  /** When each subject had changed last when this was read. Opaque. */
  readonly changes: readonly string[];
  readonly waitedMs: number;
}

/** The messages of a channel that need an edit. Any number of changes in a message is one edit. */
export type Edits = ReturnType<typeof createEdits>;

const scripts = {
  ask: readScript(new URL('./ask-edit.lua', import.meta.url)),
  next: readScript(new URL('./next-edit.lua', import.meta.url)),
  edited: readScript(new URL('./edited.lua', import.meta.url)),
};

export function createEdits(redis: RedisClient) {
  const ask = defineScript(redis, scripts.ask);
  const oldest = defineScript(redis, scripts.next);
  const edited = defineScript(redis, scripts.edited);
  const noteChannel = createNoteChannel(redis);
  const editsKey = (channel: string): string => outboxKey(channel, 'edits');
  const askedKey = (channel: string, ts: string): string => outboxKey(channel, `asked:${ts}`);

  return {
    async ask({ channel, ts }: MessageRef, subject: Subject): Promise<void> {
      // First, so that a sweep finds the channel even after a crash between the two steps.
      await noteChannel(channel);
      await ask.run([editsKey(channel), askedKey(channel, ts)], [ts, subjectKey(subject), ASKED_TTL_SECONDS]);
    },
    /** The message that has waited longest; null when none waits. */
    async next(channel: string): Promise<Edit | null> {
      for (;;) {
        const found = await oldest.run([editsKey(channel)], []);
        if (!Array.isArray(found)) return null;
        const ts = String(found[0]);
        const asked = Object.entries(await redis.hgetall(askedKey(channel, ts)));
        const subjects = asked.map(([key]) => readSubject(key));
        if (asked.length > 0) return { ts, subjects, changes: asked.map(([, at]) => at), waitedMs: Number(found[1]) };
        // It has waited for so long that its changes are no longer known.
        await edited.run([editsKey(channel), askedKey(channel, ts)], [ts]);
      }
    },
    /** The message shows the changes known when the edit was read. Later changes keep waiting. */
    async done(channel: string, { ts, subjects, changes }: Edit): Promise<void> {
      const shown = subjects.flatMap((subject, index) => [subjectKey(subject), changes[index] ?? '']);
      await edited.run([editsKey(channel), askedKey(channel, ts)], [ts, ...shown]);
    },
    /** Moves the edit to the end of the queue. */
    async putOff(channel: string, { ts }: Edit): Promise<void> {
      await edited.run([editsKey(channel), askedKey(channel, ts)], [ts]);
    },
    waiting: (channel: string): Promise<number> => redis.zcard(editsKey(channel)),
  };
}
