import { isFaultOfOurs } from '../core/errors.ts';
import * as opsIssue from '../ops/issue.ts';
import type { NotifyOps } from '../ops/notify-ops.ts';
import type { Thread } from '../slack/client.ts';
import type { Message } from '../slack/message.ts';
import type { AttachRows } from './attach-rows.ts';
import type { Draft } from './draft.ts';
import { type OutboxEntry, type TrackedEntry, trackedOf } from './entry.ts';
import type { RenderBatch } from './render-batch.ts';
import type { Threads } from './thread-store.ts';
import type { RenderSubjects } from './tracked-message.ts';
import type { Subject, TrackedMessages } from './tracked-message-store.ts';
import type { UnsupportedBlocks } from './unsupported-blocks-store.ts';

interface Deps {
  readonly trackedMessages: Pick<TrackedMessages, 'revisions'>;
  readonly renderSubjects: RenderSubjects;
  readonly renderBatch: Pick<RenderBatch, 'render'>;
  readonly attachRows: Pick<AttachRows, 'render'>;
  readonly threads: Pick<Threads, 'rootOf'>;
  readonly unsupported: Pick<UnsupportedBlocks, 'has'>;
  readonly notifyOps: NotifyOps;
}

const nouns: Readonly<Record<Subject['kind'], string>> = {
  alert: 'An alert',
  request: 'A request',
  'temporary-change': 'A temporary change',
  claim: 'A claim',
};

/** One message for these entries; null when there is nothing to show (any more). @throws SlackError: not now. */
export type RenderEntries = (entries: readonly OutboxEntry[], channel: string) => Promise<Draft | null>;

/** Entries of the outbox as one message: how it looks, and which thread it belongs to. */
export function createRenderEntries(deps: Deps): RenderEntries {
  const { trackedMessages, renderSubjects, renderBatch, attachRows, threads, unsupported, notifyOps } = deps;

  return async function renderEntries(entries, channel) {
    const [first] = entries;
    if (first === undefined) return null;
    if (first.kind === 'rows') return await attachRows.render(first, channel);
    if (first.kind === 'notice') return await renderNotice(first.message);
    const tracked = trackedOf(entries);
    // Before anything is read that they show: what changes in between makes them look out of date, never the reverse.
    const revisions = await trackedMessages.revisions(tracked.map(({ subject }) => subject));
    const rendered = await (tracked.length > 1 ? renderBatch.render(tracked, channel) : renderSubject(first, channel));
    if (rendered === null) return null;
    return { kind: 'message', ...rendered, thread: await threadOf(tracked, channel, threads), revisions };
  };

  /** What a chart shows is in the text beside it as well: a workspace without charts misses nothing. */
  async function renderNotice(message: Message): Promise<Draft> {
    const others = message.blocks.filter((block) => !isChart(block));
    const hasChart = others.length < message.blocks.length && !(await unsupported.has('chart'));
    const shown = hasChart ? message : { ...message, blocks: others };
    const newBlocks = hasChart ? (['chart'] as const) : [];
    return { kind: 'message', message: shown, thread: null, newBlocks, batch: null, revisions: [] };
  }

  async function renderSubject({ subject, audience }: TrackedEntry, channel: string) {
    const { kind, id } = subject;
    try {
      const message = await renderSubjects[kind](id, { channel, audience });
      return message && { message, batch: null, newBlocks: [] };
    } catch (error) {
      if (!isFaultOfOurs(error)) throw error;
      // One that cannot be rendered (kept by another version) must not hold back the whole channel.
      await notifyOps(opsIssue.cannotRender(id));
      const text = `${nouns[kind]} could not be shown. It is kept as ${id}.`;
      return { message: { text, blocks: [] }, batch: null, newBlocks: [] };
    }
  }
}

/** What belongs to one thread answers its first message in this channel; rows answer their summary. */
export async function threadOf(
  entries: readonly OutboxEntry[],
  channel: string,
  threads: Pick<Threads, 'rootOf'>,
): Promise<Thread | null> {
  const [first] = entries;
  if (first?.kind === 'rows') return first.of.channel === channel ? { ts: first.of.ts, isBroadcast: false } : null;
  if (first?.kind !== 'tracked' || first.threadId === null) return null;
  const tracked = trackedOf(entries);
  if (!tracked.every(({ threadId }) => threadId === first.threadId)) return null;
  const ts = await threads.rootOf(channel, first.threadId);
  return ts === null ? null : { ts, isBroadcast: tracked.some(({ broadcast }) => broadcast) };
}

/** The published types do not have it yet. */
function isChart({ type }: { readonly type: string }): boolean {
  return type === 'data_visualization';
}
