import { countWords } from '../../templates/outbox/batch-row.ts';
import { rowsCsv, rowsPage, rowsPages } from '../../templates/outbox/rows.ts';
import { SlackError } from '../core/errors.ts';
import * as opsIssue from '../ops/issue.ts';
import type { NotifyOps } from '../ops/notify-ops.ts';
import type { FoundMessage, Slack } from '../slack/client.ts';
import type { Message, MessageRef } from '../slack/message.ts';
import { type Draft, draftOf, type FileEntry, type OutboxEntry, type RowsEntry } from './entry.ts';
import type { Batch, BatchMessages, Threads, UnsupportedBlocks } from './message-store.ts';
import type { Outbox } from './outbox-store.ts';
import { type Rendered, type RowsOf, threadOfRows } from './render-entries.ts';
import { ELSEWHERE, refOf } from './sending-store.ts';
import type { Subject } from './tracked-message-store.ts';

/** Attempts to upload the file before its rows are posted as tables. */
const FILE_TRIES = 3;

interface Deps {
  readonly slack: Pick<Slack, 'uploadFile'>;
  readonly batchMessages: Pick<BatchMessages, 'get' | 'save'>;
  readonly rowsOf: RowsOf;
  readonly updateMessages: (subject: Subject) => Promise<void>;
  readonly threads: Pick<Threads, 'isGone'>;
  readonly outbox: Pick<Outbox, 'put' | 'countTry'>;
  readonly unsupported: Pick<UnsupportedBlocks, 'has'>;
  readonly notifyOps: NotifyOps;
}

/**
 * Uploads a file that is not visible yet. When Slack refuses it, returns a message that says so.
 *
 * @throws SlackError when a retry can help.
 */
async function renderFile(
  { file, comment }: FileEntry,
  { slack, notifyOps }: Pick<Deps, 'slack' | 'notifyOps'>,
): Promise<Draft> {
  try {
    return { kind: 'file', file: await slack.uploadFile(file), comment, thread: null };
  } catch (error) {
    if (!(error instanceof SlackError) || !isPermanent(error)) throw error;
    await notifyOps(opsIssue.noFiles(error.slackError));
    return draftOf(noFile(file));
  }
}

/** The message that replaces a missing file. */
export function noFile({ title }: FileEntry['file']): Message {
  const text = `Slack took no file, so “${title}” is missing here. Give Cardbell the scope files:write, then ask for the digest again.`;
  return { text, blocks: [] };
}

export type AttachRows = ReturnType<typeof createAttachRows>;

/** Posts the rows of a summary in its thread: as a file, or as tables when Slack refuses the file. */
export function createAttachRows(deps: Deps) {
  const { slack, batchMessages, rowsOf, threads, outbox, unsupported, notifyOps } = deps;
  return { render, asTables, renderFile: (entry: FileEntry) => renderFile(entry, deps) };

  /** Null when the summary is too old, `elsewhere` when tables replace the file. */
  async function render(entry: RowsEntry, channel: string): Promise<Rendered | null> {
    const batch = await batchMessages.get(entry.of.channel, entry.of.ts);
    if (batch === null) return null;
    const thread = await threadOfRows(entry, channel, threads);
    const rows = await rowsOf(
      batch.alerts.map(({ id }) => id),
      channel,
    );
    await noteShown(batch, rows, entry.of, deps);
    if (entry.page !== null) {
      const hasTable = !(await unsupported.has('data_table'));
      const message = rowsPage(rows, { page: entry.page, noFile: entry.noFile, hasTable });
      return draftOf(message, { thread, newBlocks: hasTable ? ['data_table'] : [] });
    }
    if ((await outbox.countTry(channel, entry.id)) > FILE_TRIES) {
      await asTables(entry, channel, 'no_answer');
      return ELSEWHERE;
    }
    const words = countWords(rows);
    try {
      const title = `${words}.csv`;
      const file = await slack.uploadFile({ name: fileName(entry), title, content: rowsCsv(rows) });
      return { kind: 'file', file, comment: `Every row: ${words}, as a table for any spreadsheet.`, thread };
    } catch (error) {
      // Nothing is visible yet, so a retry is safe.
      if (!(error instanceof SlackError) || !isPermanent(error)) throw error;
      await asTables(entry, channel, error.slackError);
      return ELSEWHERE;
    }
  }

  /** Posts the same rows as tables, after all more urgent entries. */
  async function asTables(entry: RowsEntry, channel: string, slackError: string): Promise<void> {
    const batch = await batchMessages.get(entry.of.channel, entry.of.ts);
    const pages = rowsPages(batch?.alerts.length ?? 0);
    for (let page = 0; page < pages; page += 1) {
      const id = pageId(entry.id, page);
      await outbox.put(channel, { ...entry, id, page, noFile: slackError, priority: 'spend' });
    }
    await notifyOps(opsIssue.noFiles(slackError));
  }
}

/** Slack's error codes for a valid token that may not upload files. */
const notAllowed = new Set(['missing_scope', 'access_denied', 'no_permission', 'not_allowed_token_type']);

function isPermanent({ code, slackError }: SlackError): boolean {
  return code === 'refused' || code === 'channel_unusable' || (code === 'token_dead' && notAllowed.has(slackError));
}

/** The name that identifies an entry's file after Slack's answer was lost; null when it has no file. */
export function fileNameOf(entry: OutboxEntry | undefined): string | null {
  if (entry?.kind === 'file') return entry.file.name;
  return entry?.kind === 'rows' && entry.page === null ? fileName(entry) : null;
}

export function rowsId(ts: string): string {
  return `rows-${ts}`;
}

function pageId(id: string, page: number): string {
  return `${id}-page-${page}`;
}

/** Whether a message in the thread of a summary shows its rows. */
export function isRowsOf({ channel, ts }: MessageRef, { alerts }: Batch): (message: FoundMessage) => boolean {
  const file = fileName({ of: { channel, ts } });
  const pages = Array.from({ length: rowsPages(alerts.length) }, (_, page) =>
    refOf(channel, [pageId(rowsId(ts), page)]),
  );
  return ({ ref, files }) => files.includes(file) || (ref !== null && pages.includes(ref));
}

/** Contains no card data. */
export function fileName({ of }: Pick<RowsEntry, 'of'>): string {
  const at = new Date(Number(of.ts) * 1000).toISOString().slice(0, 16).replace('T', '-').replace(':', '');
  return `cardbell-${at}-${of.ts.replace('.', '-')}.csv`;
}

/**
 * After Redis rewound, the rows may count fewer webhooks than the posted summary. Webhooks counted again later are then
 * missing from the rows, so they must be posted.
 */
async function noteShown(
  batch: Batch,
  rows: Awaited<ReturnType<RowsOf>>,
  { channel, ts }: MessageRef,
  { batchMessages, updateMessages }: Deps,
): Promise<void> {
  const times = new Map(rows.map((row) => [row.id, row.events]));
  const alerts = batch.alerts.map((alert) => ({
    ...alert,
    times: Math.min(alert.times, times.get(alert.id) ?? alert.times),
  }));
  const fewer = alerts.find((alert, index) => alert.times !== batch.alerts[index]?.times);
  if (fewer === undefined) return;
  await batchMessages.save(channel, ts, { ...batch, alerts });
  // It may have been counted again while the rows were read.
  await updateMessages({ kind: 'alert', id: fewer.id });
}
