import type { EventLog } from '../alerts/event-log.ts';
import type { SlackError } from '../core/errors.ts';
import * as opsIssue from '../ops/issue.ts';
import type { NotifyOps } from '../ops/notify-ops.ts';
import { channelUnusableIssue, personUnreachable, postsRefused } from '../ops/refused-messages.ts';
import { isSlackTokenDead } from '../ops/watch-token.ts';
import type { AttachRows } from './attach-rows.ts';
import {
  type Draft,
  forAnotherChannel,
  inPlainText,
  isPlainText,
  type MoveReason,
  mayBeHeld,
  type OutboxEntry,
  shownAlertId,
} from './entry.ts';
import type { UnsupportedBlocks } from './message-store.ts';
import type { Outbox } from './outbox-store.ts';
import { inChunks } from './record-posted.ts';
import type { Subject } from './tracked-message-store.ts';

interface Deps {
  readonly outbox: Pick<Outbox, 'put'>;
  readonly fallback: {
    readonly channel: string;
    /** True when a message there shows the subject, and is edited like all its messages. */
    readonly shows: (subject: Subject) => Promise<boolean>;
    /** The first team channel that is not this one and that no other company reads; null when there is none. */
    readonly unshared: (than: string) => Promise<string | null>;
  };
  /** Until when (ms) the quiet hours of a channel hold an alert, or another message that nobody waits for; null: not. */
  readonly heldUntil: (channel: string, alertId: string | null, isOfSeveral?: boolean) => Promise<number | null>;
  readonly attachRows: Pick<AttachRows, 'asTables' | 'asText'>;
  readonly unsupported: Pick<UnsupportedBlocks, 'add'>;
  readonly eventLog: Pick<EventLog, 'note'>;
  /** Whose direct conversation it is; null: unknown. */
  readonly personOf: (channel: string) => Promise<string | null>;
  readonly ops: { readonly channel: string; readonly notify: NotifyOps };
}

/** Handles entries that Slack does not accept as they are. */
export type Undeliverable = ReturnType<typeof createUndeliverable>;

export function createUndeliverable(deps: Deps) {
  const { outbox, fallback, attachRows, unsupported, eventLog, ops } = deps;

  return {
    /** The replacement for a channel that cannot be posted to, or must not because another company reads it; null: none. */
    async insteadOf(channel: string, why: MoveReason): Promise<string | null> {
      if (why.kind === 'shared') {
        await ops.notify(opsIssue.channelShared(channel));
        return await fallback.unshared(channel);
      }
      if (channel !== fallback.channel) return fallback.channel;
      if (channel !== ops.channel) await ops.notify(channelUnusableIssue(channel, why, 'wait'));
      return null;
    },

    /** Slack refuses posts for a reason that concerns neither the message nor, as far as we know, the channel. */
    async mustWait(channel: string, error: SlackError): Promise<void> {
      // That of a dead token is known: it concerns every call.
      if (isSlackTokenDead(error)) return;
      // A notice would wait there, too: `watchSlack` reports it where ops can see it.
      if (channel === ops.channel) return;
      await ops.notify(postsRefused(isOfTeam(channel) ? channel : await deps.personOf(channel), error));
    },

    /** Moves the entries to another channel. Idempotent. @returns the ids of the entries that are posted there. */
    async redirect(
      entries: readonly OutboxEntry[],
      { channel, to }: { readonly channel: string; readonly to: string },
      why: MoveReason,
    ): Promise<string[]> {
      // A message to a holder is never posted elsewhere.
      const forTeam = entries.filter(({ audience }) => audience !== 'holder');
      const moved: string[] = [];
      await inChunks(forTeam, async (entry) => {
        if (why.kind === 'unusable' && entry.kind === 'tracked' && (await fallback.shows(entry.subject))) return;
        // Its own quiet hours hold it, not those of the channel that it was for.
        const isRows = entry.kind === 'rows';
        const notBefore = mayBeHeld(entry) ? await deps.heldUntil(to, shownAlertId(entry), isRows) : null;
        await outbox.put(to, { ...forAnotherChannel(entry), notBefore });
        moved.push(entry.id);
      });
      if (why.kind === 'shared') return moved;
      const text = `Sent to the general channel: Slack says ${why.slackError}.`;
      await inChunks(forTeam, async (entry) => {
        const alertId = shownAlertId(entry);
        if (alertId !== null) await eventLog.note(alertId, { step: 'redirected', channel, text });
      });
      const isToPerson = forTeam.length === 0 || !isOfTeam(channel);
      await ops.notify(
        isToPerson ? personUnreachable(await deps.personOf(channel), why) : channelUnusableIssue(channel, why),
      );
      return moved;
    },

    /**
     * From now on renders without these new blocks, which this workspace may not support. False when the draft has none.
     */
    async avoidNewBlocks(draft: Draft): Promise<boolean> {
      if (draft.kind === 'file' || draft.newBlocks.length === 0) return false;
      for (const block of draft.newBlocks) await unsupported.add(block);
      return true;
    },

    /** Slack refuses this entry: posts it as plain text. */
    async refused(entry: OutboxEntry, channel: string, error: SlackError): Promise<void> {
      if (entry.kind === 'rows' && entry.page === null) await attachRows.asTables(entry, channel, error);
      else if (entry.kind === 'file') await attachRows.asText(entry, channel, error);
      else if (!isPlainText(entry)) await postPlain(entry, channel, error, deps);
    },
  };
}

/** Not a direct conversation. */
export const isOfTeam = (channel: string): boolean => /^[CG]/.test(channel);

async function postPlain(
  entry: OutboxEntry,
  channel: string,
  error: SlackError,
  { outbox, eventLog, ops }: Deps,
): Promise<void> {
  await outbox.put(channel, inPlainText(entry));
  const text = `Posted as plain text: Slack says ${error.slackError}.`;
  const alertId = shownAlertId(entry);
  if (alertId !== null) await eventLog.note(alertId, { step: 'refused', channel, text });
  await ops.notify(opsIssue.messageRefused(channel, error));
}
