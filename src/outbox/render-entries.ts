import type { Alert } from '../alerts/alert.ts';
import type { Alerts } from '../alerts/alert-store.ts';
import type { Threads } from '../alerts/thread-store.ts';
import * as opsIssue from '../ops/issue.ts';
import type { NotifyOps } from '../ops/notify-ops.ts';
import type { Thread } from '../slack/client.ts';
import type { Draft } from '../slack/draft.ts';
import type { Message } from '../slack/message.ts';
import type { createAttachRows } from './attach-rows.ts';
import type { Batch } from './batch-store.ts';
import type { OutboxEntry } from './entry.ts';
import { type createRenderBatch, isFaultOfOurs } from './render-batch.ts';
import type { UnsupportedBlocks } from './unsupported-blocks-store.ts';

interface Deps {
  readonly alerts: Pick<Alerts, 'get'>;
  readonly threads: Pick<Threads, 'rootOf'>;
  readonly batch: Pick<ReturnType<typeof createRenderBatch>, 'render'>;
  readonly rows: Pick<ReturnType<typeof createAttachRows>, 'render'>;
  readonly unsupported: UnsupportedBlocks;
  readonly notifyOps: NotifyOps;
  /** An alert as its readers in a channel may see it; null when they are not told of it. */
  readonly renderAlert: (alert: Alert, to: { channel: string; audience: 'team' | 'holder' }) => Promise<Message | null>;
}

export interface Rendered {
  /** Null: one alone. Kept, so that it need not be drawn again to be remembered. */
  readonly batch: Batch | null;
  /** Of each alert that it shows, how often its messages had been brought up to date. */
  readonly edits: ReadonlyMap<string, number>;
}

export type AlertEntry = Extract<OutboxEntry, { kind: 'alert' }>;

export const alertsOf = (entries: readonly OutboxEntry[]): AlertEntry[] =>
  entries.filter((entry) => entry.kind === 'alert');

/** Entries of the outbox as one message: how it looks, and which thread it belongs to. */
export function createRenderEntries({
  alerts,
  threads,
  batch: several,
  rows,
  unsupported,
  notifyOps,
  renderAlert,
}: Deps) {
  /** What was drawn for the entries that are being posted. */
  const rendered = new WeakMap<readonly OutboxEntry[], Rendered>();

  return {
    render,
    threadOf,
    /** What `draw` made of these entries; undefined where it was somebody else. */
    renderedOf: (entries: readonly OutboxEntry[]): Rendered | undefined => rendered.get(entries),
  };

  /** The message for these entries; null when there is nothing to show (any more). */
  async function render(entries: readonly OutboxEntry[], channel: string): Promise<Draft | null> {
    const [first] = entries;
    if (first === undefined) return null;
    if (first.kind === 'rows') return await rows.render(first, channel);
    if (entries.length > 1) {
      const batch = await several.render(alertsOf(entries), channel);
      if (batch === null) return null;
      rendered.set(entries, batch);
      const thread = await threadOf(entries, channel);
      return { kind: 'message', message: batch.message, thread, newBlocks: batch.newBlocks };
    }
    if (first.kind === 'notice') return await renderNotice(first.message);
    const edits = new Map<string, number>();
    const message = await renderAlertEntry(first, channel, edits);
    rendered.set(entries, { batch: null, edits });
    return message && { kind: 'message', message, thread: await threadOf(entries, channel), newBlocks: [] };
  }

  /** What a chart shows stands in the text beside it: a workspace without charts misses nothing. */
  async function renderNotice(message: Message): Promise<Draft> {
    const others = message.blocks.filter((block) => !isChart(block));
    const hasChart = others.length < message.blocks.length && !(await unsupported.has('chart'));
    const shown = hasChart ? message : { ...message, blocks: others };
    return { kind: 'message', message: shown, thread: null, newBlocks: hasChart ? ['chart'] : [] };
  }

  async function renderAlertEntry(
    { alertId, audience }: AlertEntry,
    channel: string,
    edits: Map<string, number>,
  ): Promise<Message | null> {
    try {
      const stored = await alerts.get(alertId);
      if (stored !== null) edits.set(alertId, stored.edits);
      return stored === null ? null : await renderAlert(stored.alert, { channel, audience });
    } catch (error) {
      if (!isFaultOfOurs(error)) throw error;
      // One alert that cannot be drawn (kept by another version) must not hold back the whole channel.
      await notifyOps(opsIssue.cannotRender(alertId));
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
}

/** The published types do not have it yet. */
function isChart({ type }: { readonly type: string }): boolean {
  return type === 'data_visualization';
}
