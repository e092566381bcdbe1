import type { Alert } from './alert/alert.ts';
import { type createAttachRows, fileName } from './attach-rows.ts';
import { type createDrawJoined, isFaultOfOurs } from './draw-joined.ts';
import { SlackError } from './errors.ts';
import type { Slack, Thread } from './slack/client.ts';
import type { Draft } from './slack/draft.ts';
import type { Message, MessageRef } from './slack/message.ts';
import type { Alerts } from './store/alerts.ts';
import type { Joined, JoinedMessages } from './store/joined.ts';
import type { Outbox } from './store/outbox.ts';
import type { OutboxEntry, Sending } from './store/outbox-entry.ts';
import type { SlackLacks } from './store/slack-lacks.ts';
import type { Threads } from './store/threads.ts';
import type { Trail } from './store/trail.ts';
import type { TellOps } from './tell-ops.ts';
import * as trouble from './trouble.ts';

interface Deps {
  readonly slack: Pick<Slack, 'post' | 'findByRef' | 'shareFile' | 'findFile'>;
  readonly alerts: Alerts;
  readonly outbox: Outbox;
  readonly threads: Threads;
  readonly trail: Pick<Trail, 'note'>;
  readonly joined: ReturnType<typeof createDrawJoined>;
  readonly joinedMessages: JoinedMessages;
  readonly rows: ReturnType<typeof createAttachRows>;
  readonly lacks: SlackLacks;
  readonly fallbackChannel: string;
  readonly wakeOutbox: (channel: string) => Promise<void>;
  /** Tells whoever waits for it where a notice stands. */
  readonly placeNotice: (requestId: string, ref: MessageRef) => Promise<void>;
  readonly tellOps: TellOps;
  /** An alert as its readers in a channel may see it; null when they are not told of it. */
  readonly renderAlert: (alert: Alert, to: { channel: string; audience: 'team' | 'holder' }) => Promise<Message | null>;
}

/** The thread's first message is gone. https://docs.slack.dev/reference/methods/conversations.replies */
function isWithoutThread(error: unknown): boolean {
  return error instanceof SlackError && /^(?:thread_not_found|invalid_thread_ts|invalid_ts)/.test(error.slackError);
}

type AlertEntry = Extract<OutboxEntry, { kind: 'alert' }>;

const alertsOf = (entries: readonly OutboxEntry[]): AlertEntry[] => entries.filter((entry) => entry.kind === 'alert');

/** What `flushOutbox` does with entries: how they look, where they stand, where they go when they cannot stay. */
export function createPoster(deps: Deps) {
  const { slack, alerts, outbox, threads, trail, tellOps } = deps;
  /** What was drawn for the entries that are being posted, so that it need not be drawn again to be remembered. */
  const drawn = new WeakMap<readonly OutboxEntry[], Joined>();

  return {
    draw,

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
      if (entries.length > 1) await rememberJoined(entries, ref);
      else if (first?.kind === 'notice' && first.requestId !== null) await deps.placeNotice(first.requestId, ref);
      else if (first?.kind === 'alert' && first.threadId !== null)
        await threads.setRoot(ref.channel, first.threadId, ref.ts);
      const step = entries.length > 1 ? 'grouped' : 'posted';
      const text = entries.length > 1 ? `Posted in one message with ${entries.length - 1} others.` : 'Posted.';
      await inTurn(shown, async ({ alertId, audience }) => {
        await alerts.addRef(alertId, { ...ref, audience });
        await trail.note(alertId, { step, channel: ref.channel, text });
      });
    },

    async redirect(entries: readonly OutboxEntry[], channel: string, error: SlackError): Promise<boolean> {
      if (channel === deps.fallbackChannel) return false;
      // What is meant for one person goes nowhere else.
      const others = entries.filter(({ audience }) => audience !== 'holder');
      if (others.length === 0) {
        await tellOps(trouble.personUnreachable(channel, error));
        return true;
      }
      for (const entry of others) await outbox.put(deps.fallbackChannel, entry);
      await deps.wakeOutbox(deps.fallbackChannel);
      const text = `Sent to the general channel: Slack says ${error.slackError}.`;
      await inTurn(alertsOf(others), ({ alertId }) => trail.note(alertId, { step: 'redirected', channel, text }));
      await tellOps(trouble.channelUnusable(channel, error));
      return true;
    },

    /** This workspace may not know them yet: the same is drawn without. */
    async avoid(draft: Draft): Promise<boolean> {
      if (draft.kind === 'file' || draft.newBlocks.length === 0) return false;
      for (const block of draft.newBlocks) await deps.lacks.add(block);
      return true;
    },

    /** Slack will never take this one: what it says comes another way. */
    async refused(entry: OutboxEntry, channel: string, error: SlackError): Promise<void> {
      if (entry.kind === 'rows' && entry.page === null) await deps.rows.asTables(entry, channel, error.slackError);
      else if (!entry.id.endsWith('-plain')) {
        const draft = await draw([entry], channel);
        if (draft?.kind !== 'message') return;
        const plain = { text: draft.message.text.slice(0, 3000), blocks: [] };
        const { urgency, audience } = entry;
        await outbox.put(channel, {
          kind: 'notice',
          id: `${entry.id}-plain`,
          audience,
          message: plain,
          requestId: null,
          urgency,
        });
        const text = `Posted as plain text: Slack says ${error.slackError}.`;
        if (entry.kind === 'alert') await trail.note(entry.alertId, { step: 'refused', channel, text });
        await tellOps(trouble.messageRefused(channel, error));
      }
      await deps.wakeOutbox(channel);
    },
  };

  /** The message for these entries; null when there is nothing to show (any more). */
  async function draw(entries: readonly OutboxEntry[], channel: string): Promise<Draft | null> {
    const [first] = entries;
    if (first === undefined) return null;
    if (first.kind === 'rows') return await deps.rows.draw(first, channel);
    if (entries.length > 1) {
      const joined = await deps.joined.draw(alertsOf(entries), channel);
      if (joined === null) return null;
      drawn.set(entries, joined.joined);
      const thread = await threadOf(entries, channel);
      return { kind: 'message', message: joined.message, thread, newBlocks: joined.newBlocks };
    }
    if (first.kind === 'notice') return await drawNotice(first.message);
    const message = await drawAlert(first, channel);
    return message && { kind: 'message', message, thread: await threadOf(entries, channel), newBlocks: [] };
  }

  /** What a chart shows stands in the text beside it: a workspace without charts misses nothing. */
  async function drawNotice(message: Message): Promise<Draft> {
    const others = message.blocks.filter((block) => !isChart(block));
    const hasChart = others.length < message.blocks.length && !(await deps.lacks.has('chart'));
    const shown = hasChart ? message : { ...message, blocks: others };
    return { kind: 'message', message: shown, thread: null, newBlocks: hasChart ? ['chart'] : [] };
  }

  async function drawAlert({ alertId, audience }: AlertEntry, channel: string): Promise<Message | null> {
    try {
      const stored = await alerts.get(alertId);
      return stored === null ? null : await deps.renderAlert(stored.alert, { channel, audience });
    } catch (error) {
      if (!isFaultOfOurs(error)) throw error;
      // One alert that cannot be drawn (kept by another version) must not hold back the whole channel.
      await tellOps(trouble.cannotDraw(alertId));
      return { text: `An alert could not be shown. It is kept as ${alertId}.`, blocks: [] };
    }
  }

  /** What belongs to one story answers its first message here; rows answer their summary. */
  async function threadOf(entries: readonly OutboxEntry[], channel: string): Promise<Thread | null> {
    const [first] = entries;
    if (first?.kind === 'rows') return first.of.channel === channel ? { ts: first.of.ts, isBroadcast: false } : null;
    if (first?.kind !== 'alert' || first.threadId === null) return null;
    const { threadId } = first;
    if (!alertsOf(entries).every((entry) => entry.threadId === threadId)) return null;
    const ts = await threads.rootOf(channel, threadId);
    return ts === null ? null : { ts, isBroadcast: alertsOf(entries).some(({ broadcast }) => broadcast) };
  }

  /** First of all: whoever presses something in the message needs to know what it shows. */
  async function rememberJoined(entries: readonly OutboxEntry[], ref: MessageRef): Promise<void> {
    const joined = drawn.get(entries) ?? (await deps.joined.draw(alertsOf(entries), ref.channel))?.joined;
    if (joined === undefined) return;
    await deps.joinedMessages.save(ref.channel, ref.ts, joined);
    if (joined.form !== 'summary') return;
    const { channel, ts } = ref;
    const { audience } = joined;
    await outbox.put(channel, { kind: 'rows', id: `rows-${ts}`, audience, of: { channel, ts }, page: null });
  }
}

/** The published types do not have it yet. */
function isChart({ type }: { readonly type: string }): boolean {
  return type === 'data_visualization';
}

const AT_ONCE = 200;

/** For each, many at once but not all: a flood must not stand in the way of everything else that Redis is asked. */
async function inTurn<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < items.length; at += AT_ONCE) await Promise.all(items.slice(at, at + AT_ONCE).map(work));
}
