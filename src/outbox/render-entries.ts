import { batchForm, batchMessage } from '../../templates/outbox/batch.ts';
import { type BatchRow, rowLabel } from '../../templates/outbox/batch-row.ts';
import { BoundedMap } from '../core/bounded-map.ts';
import type { ChannelVisibility } from '../core/channel-visibility.ts';
import { isFaultOfOurs } from '../core/errors.ts';
import * as opsIssue from '../ops/issue.ts';
import type { NotifyOps } from '../ops/notify-ops.ts';
import type { Thread } from '../slack/client.ts';
import { hasDataTable, withoutDataTables } from '../slack/data-tables.ts';
import { type Message, plainMessage } from '../slack/message.ts';
import {
  batchReasonOf,
  type Draft,
  draftOf,
  type FileEntry,
  isPlainText,
  type MoveReason,
  type OutboxEntry,
  type RowsEntry,
  type TrackedEntry,
  trackedOf,
} from './entry.ts';
import type { MayPost } from './may-post.ts';
import type { Batch, NewBlock, Threads, UnsupportedBlocks } from './message-store.ts';
import type { RenderSubjects } from './tracked-message.ts';
import type { Subject, TrackedMessages } from './tracked-message-store.ts';

interface Deps {
  readonly trackedMessages: Pick<TrackedMessages, 'revisions'>;
  readonly renderSubjects: RenderSubjects;
  readonly renderBatch: Pick<RenderBatch, 'render'>;
  readonly attachRows: {
    readonly render: (entry: RowsEntry, channel: string) => Promise<Rendered>;
    readonly renderFile: (entry: FileEntry, channel: string) => Promise<Rendered>;
  };
  readonly threads: Pick<Threads, 'rootOf' | 'isGone'>;
  readonly unsupported: Pick<UnsupportedBlocks, 'has'>;
  readonly notifyOps: NotifyOps;
  readonly mayPost: MayPost;
}

const nouns: Readonly<Record<Subject['kind'], string>> = {
  alert: 'An alert',
  request: 'A request',
  'temporary-change': 'A temporary change',
  claim: 'A claim',
  recovery: 'A recovery',
};

/** The message to post, or why there is none. */
export type Rendered =
  | Draft
  /** No data is stored for the entries. */
  | { readonly kind: 'noData' }
  /** Other entries that wait in the outbox show it. */
  | { readonly kind: 'elsewhere' }
  /** It must not be posted in this channel. */
  | { readonly kind: 'mustMove'; readonly why: MoveReason };

/** Renders one message for these entries. @throws SlackError when a retry can help. */
export type RenderEntries = (entries: readonly OutboxEntry[], channel: string) => Promise<Rendered>;

export function createRenderEntries(deps: Deps): RenderEntries {
  const { trackedMessages, renderSubjects, renderBatch, attachRows, threads, unsupported, notifyOps } = deps;

  return async function renderEntries(entries, channel) {
    const rendered = await render(entries, channel);
    if (rendered.kind !== 'message' || !entries.some(isPlainText)) return rendered;
    return { ...rendered, message: plainMessage(rendered.message), newBlocks: [] };
  };

  async function render(entries: readonly OutboxEntry[], channel: string): Promise<Rendered> {
    const [first] = entries;
    if (first === undefined) return { kind: 'noData' };
    if (!(await deps.mayPost(first, channel))) return { kind: 'mustMove', why: { kind: 'shared' } };
    if (first.kind === 'rows') return await attachRows.render(first, channel);
    if (first.kind === 'file') return await attachRows.renderFile(first, channel);
    if (first.kind === 'notice') return await renderNotice(first.message);
    const tracked = trackedOf(entries);
    // Read first: a change in the meantime then makes the message count as outdated, never as current.
    const revisions = await trackedMessages.revisions(tracked.map(({ subject }) => subject));
    const rendered = await (tracked.length > 1 ? renderBatch.render(tracked, channel) : renderSubject(first, channel));
    if (rendered === null) return { kind: 'noData' };
    const { message, ...batch } = rendered;
    return draftOf(message, { ...batch, thread: await threadOf(tracked, channel, threads), revisions });
  }

  /** Replaces sortable tables with lines of text when the workspace does not support them. */
  async function renderNotice(message: Message): Promise<Draft> {
    const isNew = hasDataTable(message.blocks) && !(await unsupported.has('data_table'));
    if (isNew) return draftOf(message, { newBlocks: ['data_table'] });
    return draftOf({ ...message, blocks: withoutDataTables(message.blocks).blocks });
  }

  async function renderSubject(
    { subject, audience }: TrackedEntry,
    channel: string,
  ): Promise<Pick<RenderedBatch, 'message'> | null> {
    const { kind, id } = subject;
    try {
      const message = await renderSubjects[kind](id, { channel, audience });
      return message && { message };
    } catch (error) {
      if (!isFaultOfOurs(error)) throw error;
      // An entry stored by another version must not block the channel.
      await notifyOps(opsIssue.cannotRender(id));
      const text = `${nouns[kind]} could not be shown. It is kept as ${id}.`;
      return { message: { text, blocks: [] } };
    }
  }
}

/** The thread shared by all these entries. Rows belong to the thread of their summary. */
export async function threadOf(
  entries: readonly OutboxEntry[],
  channel: string,
  threads: Pick<Threads, 'rootOf' | 'isGone'>,
): Promise<Thread | null> {
  const [first] = entries;
  if (first?.kind === 'rows') return await threadOfRows(first, channel, threads);
  if (first?.kind !== 'tracked' || first.threadId === null) return null;
  const tracked = trackedOf(entries);
  if (!tracked.every(({ threadId }) => threadId === first.threadId)) return null;
  const ts = await threads.rootOf(channel, first.threadId);
  return ts === null ? null : { ts, isBroadcast: tracked.some(({ broadcast }) => broadcast) };
}

/** Null when the rows were redirected because the summary's channel is gone, or when the summary was deleted. */
export async function threadOfRows(
  { of }: RowsEntry,
  channel: string,
  threads: Pick<Threads, 'isGone'>,
): Promise<Thread | null> {
  if (of.channel !== channel || (await threads.isGone(channel, of.ts))) return null;
  return { ts: of.ts, isBroadcast: false };
}

/** Table rows of alerts as a channel may see them, in the given order. Skips alerts that are too old. */
export type RowsOf = (alertIds: readonly string[], channel: string) => Promise<BatchRow[]>;

interface BatchDeps {
  readonly rowsOf: RowsOf;
  readonly visibilityOf: (channel: string) => Promise<ChannelVisibility>;
  readonly unsupported: Pick<UnsupportedBlocks, 'has'>;
}

const isChart = ({ type }: { readonly type: string }): boolean => type === 'data_visualization';

interface RenderedBatch {
  readonly message: Message;
  readonly batch: Batch;
  readonly newBlocks: readonly NewBlock[];
}

export type RenderBatch = ReturnType<typeof createRenderBatch>;

/** Renders messages that show several alerts, initially and for each update. */
export function createRenderBatch({ rowsOf, visibilityOf, unsupported }: BatchDeps) {
  const summaries = createRecentRows({ rowsOf, visibilityOf });
  return {
    rowsOfSummary: summaries.rowsOf,

    /** Null when all alerts are too old. */
    async render(entries: readonly TrackedEntry[], channel: string): Promise<RenderedBatch | null> {
      const [first] = entries;
      const visibility = await visibilityOf(channel);
      const rows = await rowsOf(
        entries.map(({ subject }) => subject.id),
        channel,
      );
      if (first === undefined || rows.length === 0) return null;
      const form = batchForm(rows, { hasTable: !(await unsupported.has('data_table')) });
      const why = batchReasonOf(first);
      const message = batchMessage({ rows, why, form, hasChart: !(await unsupported.has('chart')) });
      // Not every summary has something to draw.
      const hasChart = message.blocks.some(isChart);
      const alerts = rows.map((row) => ({ id: row.id, label: rowLabel(row), times: row.events }));
      if (form === 'summary') summaries.keep(rows, channel, visibility);
      return {
        message,
        batch: { why, audience: first.audience, form, ...(form === 'summary' && { hasChart }), alerts },
        newBlocks: form === 'table' ? ['data_table'] : hasChart ? ['chart'] : [],
      };
    },

    /**
     * Renders a posted batch with its current content. It keeps its form and its chart.
     *
     * @returns also the alerts that now cover more than their rows: a summary counts rows, and its file does not change.
     * Null when an alert is too old: its row must not vanish from the message.
     */
    async update(
      { alerts, why, form, hasChart }: Batch,
      channel: string,
    ): Promise<{ message: Message; notShown: readonly string[] } | null> {
      const rows = await rowsOf(
        alerts.map(({ id }) => id),
        channel,
      );
      if (rows.length < alerts.length) return null;
      const shownTimes = new Map(alerts.map(({ id, times }) => [id, times]));
      const grown = rows.filter(({ id, events }) => events > (shownTimes.get(id) ?? events));
      return {
        message: batchMessage({ rows, why, form, hasChart: hasChart ?? !(await unsupported.has('chart')) }),
        notShown: form === 'summary' ? grown.map(({ id }) => id) : [],
      };
    },
  };
}

/** How many summaries may wait for the file in their thread, which follows within seconds. */
const SUMMARIES_MAX = 4;

/** The rows of summaries that this process has just rendered. Their files show the same, so they need not be read again. */
function createRecentRows({ rowsOf, visibilityOf }: Pick<BatchDeps, 'rowsOf' | 'visibilityOf'>) {
  const recent = new BoundedMap<string, { readonly rows: BatchRow[]; readonly visibility: ChannelVisibility }>(
    SUMMARIES_MAX,
  );
  const keyOf = (alertIds: readonly string[], channel: string): string => [channel, ...alertIds].join(' ');
  return {
    keep(rows: BatchRow[], channel: string, visibility: ChannelVisibility): void {
      const ids = rows.map(({ id }) => id);
      recent.set(keyOf(ids, channel), { rows, visibility });
    },
    async rowsOf(alertIds: readonly string[], channel: string): Promise<BatchRow[]> {
      const key = keyOf(alertIds, channel);
      const kept = recent.get(key);
      recent.delete(key);
      // A channel that has just been shared with another company may not see as much.
      const isCurrent = kept !== undefined && kept.visibility === (await visibilityOf(channel));
      return isCurrent ? kept.rows : await rowsOf(alertIds, channel);
    },
  };
}
