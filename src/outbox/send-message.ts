import type { Alerts } from '../alerts/alert-store.ts';
import type { EventLog } from '../alerts/event-log.ts';
import type { Threads } from '../alerts/thread-store.ts';
import { SlackError } from '../core/errors.ts';
import * as opsIssue from '../ops/issue.ts';
import type { NotifyOps } from '../ops/notify-ops.ts';
import type { Slack } from '../slack/client.ts';
import type { Draft } from '../slack/draft.ts';
import type { Message, MessageRef } from '../slack/message.ts';
import { type createAttachRows, fileName } from './attach-rows.ts';
import type { BatchMessages } from './batch-store.ts';
import type { OutboxEntry, Sending } from './entry.ts';
import type { Outbox } from './outbox-store.ts';
import type { createRenderBatch } from './render-batch.ts';
import { alertsOf, type createRenderEntries } from './render-entries.ts';
import type { UnsupportedBlocks } from './unsupported-blocks-store.ts';

interface Deps {
  readonly slack: Pick<Slack, 'post' | 'findByRef' | 'shareFile' | 'findFile'>;
  readonly alerts: Alerts;
  readonly outbox: Outbox;
  readonly threads: Pick<Threads, 'setRoot'>;
  readonly eventLog: Pick<EventLog, 'note'>;
  readonly drawing: ReturnType<typeof createRenderEntries>;
  readonly batch: Pick<ReturnType<typeof createRenderBatch>, 'render'>;
  readonly batchMessages: BatchMessages;
  readonly rows: Pick<ReturnType<typeof createAttachRows>, 'asTables'>;
  readonly unsupported: UnsupportedBlocks;
  readonly fallbackChannel: string;
  readonly wakeOutbox: (channel: string) => Promise<void>;
  readonly updateMessages: (alertId: string) => Promise<void>;
  /** Tells whoever waits for it where a notice stands. */
  readonly postTrackedMessage: (requestId: string, ref: MessageRef) => Promise<void>;
  readonly notifyOps: NotifyOps;
}

/** The thread's first message is gone. https://docs.slack.dev/reference/methods/conversations.replies */
function isWithoutThread(error: unknown): boolean {
  return error instanceof SlackError && /^(?:thread_not_found|invalid_thread_ts|invalid_ts)/.test(error.slackError);
}

/** What `flushOutbox` does with entries: how they look, where they stand, where they go when they cannot stay. */
export function createSender(deps: Deps) {
  const { slack, alerts, outbox, threads, eventLog, notifyOps } = deps;
  const { render, threadOf, renderedOf } = deps.drawing;

  return {
    render,

    async post(channel: string, draft: Draft, ref: string): Promise<MessageRef> {
      if (draft.kind === 'file') {
        await slack.shareFile(channel, draft.file, draft.comment, draft.threadTs);
        return { channel, ts: '' };
      }
      try {
        return await slack.post(channel, draft.message, ref, draft.thread);
      } catch (error) {
        // Somebody deleted the first message: this one stands by itself.
        if (draft.thread === null || !isWithoutThread(error)) throw error;
        return await slack.post(channel, draft.message, ref);
      }
    },

    /** Looks whether a message whose end is not known stands in the channel, or in the thread that it belongs to. */
    async findPost(channel: string, { ref, startedAt }: Sending, entries: readonly OutboxEntry[]) {
      const [first] = entries;
      const thread = await threadOf(entries, channel);
      const isFile = first?.kind === 'rows' && first.page === null;
      const find = (threadTs: string | null): Promise<string | null> =>
        isFile
          ? slack.findFile(channel, fileName(first), startedAt, threadTs)
          : slack.findByRef(channel, ref, startedAt, threadTs);
      if (thread !== null) {
        try {
          const found = await find(thread.ts);
          if (found !== null) return found;
        } catch (error) {
          if (!isWithoutThread(error)) throw error;
        }
      }
      return await find(null);
    },

    async posted(entries: readonly OutboxEntry[], ref: MessageRef): Promise<void> {
      const [first] = entries;
      const shown = alertsOf(entries);
      if (entries.length > 1) await rememberBatch(entries, ref);
      else if (first?.kind === 'notice' && first.requestId !== null)
        await deps.postTrackedMessage(first.requestId, ref);
      else if (first?.kind === 'alert' && first.threadId !== null)
        await threads.setRoot(ref.channel, first.threadId, ref.ts);
      const step = entries.length > 1 ? 'grouped' : 'posted';
      const text = entries.length > 1 ? `Posted in one message with ${entries.length - 1} others.` : 'Posted.';
      // Where another worker drew it and died, nobody knows what it shows.
      const edits = renderedOf(entries)?.edits;
      const outdated: string[] = [];
      await inTurn(shown, async ({ alertId, audience }) => {
        const now = await alerts.addRef(alertId, { ...ref, audience });
        if (edits === undefined || now !== (edits.get(alertId) ?? now)) outdated.push(alertId);
        await eventLog.note(alertId, { step, channel: ref.channel, text });
      });
      // They share the message: one brings it up to date for all.
      if (outdated[0] !== undefined) await deps.updateMessages(outdated[0]);
    },

    async redirect(entries: readonly OutboxEntry[], channel: string, error: SlackError): Promise<boolean> {
      if (channel === deps.fallbackChannel) return false;
      // What is meant for one person goes nowhere else.
      const others = entries.filter(({ audience }) => audience !== 'holder');
      if (others.length === 0) {
        await notifyOps(opsIssue.personUnreachable(channel, error));
        return true;
      }
      for (const entry of others) await outbox.put(deps.fallbackChannel, inWordsForAll(entry));
      await deps.wakeOutbox(deps.fallbackChannel);
      const text = `Sent to the general channel: Slack says ${error.slackError}.`;
      await inTurn(alertsOf(others), ({ alertId }) => eventLog.note(alertId, { step: 'redirected', channel, text }));
      await notifyOps(opsIssue.channelUnusable(channel, error));
      return true;
    },

    /** This workspace may not know them yet: the same is drawn without. */
    async avoid(draft: Draft): Promise<boolean> {
      if (draft.kind === 'file' || draft.newBlocks.length === 0) return false;
      for (const block of draft.newBlocks) await deps.unsupported.add(block);
      return true;
    },

    /** Slack will never take this one: what it says comes another way. */
    async refused(entry: OutboxEntry, channel: string, error: SlackError): Promise<void> {
      if (entry.kind === 'rows' && entry.page === null) await deps.rows.asTables(entry, channel, error.slackError);
      else if (!entry.id.endsWith('-plain')) {
        const draft = await render([entry], channel);
        if (draft?.kind !== 'message') return;
        const { urgency, audience } = entry;
        const there = entry.kind === 'notice' ? (entry.elsewhere ?? null) : await wordsIn(deps.fallbackChannel, entry);
        await outbox.put(channel, {
          kind: 'notice',
          id: `${entry.id}-plain`,
          audience,
          message: plain(draft.message),
          ...(there !== null && { elsewhere: plain(there) }),
          requestId: null,
          urgency,
        });
        const text = `Posted as plain text: Slack says ${error.slackError}.`;
        if (entry.kind === 'alert') await eventLog.note(entry.alertId, { step: 'refused', channel, text });
        await notifyOps(opsIssue.messageRefused(channel, error));
      }
      await deps.wakeOutbox(channel);
    },
  };

  async function wordsIn(channel: string, entry: OutboxEntry): Promise<Message | null> {
    const draft = await render([entry], channel);
    return draft?.kind === 'message' ? draft.message : null;
  }

  /** First of all: whoever presses something in the message needs to know what it shows. */
  async function rememberBatch(entries: readonly OutboxEntry[], ref: MessageRef): Promise<void> {
    const batch = renderedOf(entries)?.batch ?? (await deps.batch.render(alertsOf(entries), ref.channel))?.batch;
    if (batch === undefined) return;
    await deps.batchMessages.save(ref.channel, ref.ts, batch);
    if (batch.form !== 'summary') return;
    const { channel, ts } = ref;
    const { audience } = batch;
    await outbox.put(channel, { kind: 'rows', id: `rows-${ts}`, audience, of: { channel, ts }, page: null });
  }
}

/** An alert is drawn where it is posted; a notice brings its words along, and some only for the first place. */
function inWordsForAll(entry: OutboxEntry): OutboxEntry {
  if (entry.kind !== 'notice' || entry.elsewhere === undefined) return entry;
  const { elsewhere, ...rest } = entry;
  return { ...rest, message: elsewhere };
}

function plain({ text }: Message): { text: string; blocks: [] } {
  return { text: text.slice(0, 3000), blocks: [] };
}

const AT_ONCE = 200;

/** For each, many at once but not all: a flood must not stand in the way of everything else that Redis is asked. */
async function inTurn<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < items.length; at += AT_ONCE) await Promise.all(items.slice(at, at + AT_ONCE).map(work));
}
