import { countWords } from '../../templates/outbox/batch-row.ts';
import { rowsCsv, rowsPage, rowsPages } from '../../templates/outbox/rows.ts';
import { SlackError } from '../core/errors.ts';
import * as opsIssue from '../ops/issue.ts';
import type { NotifyOps } from '../ops/notify-ops.ts';
import { fileAdvice } from '../ops/refused-messages.ts';
import type { FoundMessage, Slack, UploadedFile } from '../slack/client.ts';
import type { MessageRef } from '../slack/message.ts';
import { draftOf, type FileEntry, type OutboxEntry, type RowsEntry } from './entry.ts';
import type { Batch, BatchMessages, Threads, UnsupportedBlocks } from './message-store.ts';
import type { Outbox } from './outbox-store.ts';
import { type Rendered, type RowsOf, threadOfRows } from './render-entries.ts';
import { refOf } from './sending-store.ts';
import type { Subject } from './tracked-message-store.ts';

/**
 * Attempts to upload a file, seconds apart, before something else is posted instead. All that the channel shows later
 * waits for it.
 */
const FILE_TRIES = 3;
/** The rows of a summary follow as tables. A digest has nothing else. */
const DIGEST_FILE_TRIES = 6;

interface Deps {
  readonly slack: Pick<Slack, 'uploadFile'>;
  readonly batchMessages: Pick<BatchMessages, 'get' | 'put'>;
  readonly rowsOf: RowsOf;
  readonly updateMessages: (subject: Subject) => Promise<void>;
  readonly threads: Pick<Threads, 'isGone'>;
  readonly outbox: Pick<Outbox, 'put' | 'countTry'>;
  readonly unsupported: Pick<UnsupportedBlocks, 'has'>;
  readonly notifyOps: NotifyOps;
}

export type AttachRows = ReturnType<typeof createAttachRows>;

/** Posts the rows of a summary in its thread, and the file of a digest, or what replaces a file that Slack does not take. */
export function createAttachRows(deps: Deps) {
  const { slack, batchMessages, rowsOf, threads, outbox, unsupported, notifyOps } = deps;
  return { render, renderFile, asTables, asText };

  /** `elsewhere`: a text replaces the file. */
  async function renderFile(entry: FileEntry, channel: string): Promise<Rendered> {
    const file = await upload(entry.file);
    if (!(file instanceof SlackError)) return { kind: 'file', file, comment: entry.comment, thread: null };
    if (file.code === 'unknown' && (await outbox.countTry(channel, entry.id)) < DIGEST_FILE_TRIES) throw file;
    await asText(entry, channel, file);
    return { kind: 'elsewhere' };
  }

  /**
   * Uploads a file. It is not visible yet, so a retry is safe.
   *
   * @returns the file, or the error when Slack does not take it or gives no clear answer.
   * @throws SlackError when Slack wants it later.
   */
  async function upload(file: FileEntry['file']): Promise<UploadedFile | SlackError> {
    try {
      return await slack.uploadFile(file);
    } catch (error) {
      if (error instanceof SlackError && (error.code === 'unknown' || isPermanent(error))) return error;
      throw error;
    }
  }

  /** `noData`: the summary is too old. `elsewhere`: tables replace the file. */
  async function render(entry: RowsEntry, channel: string): Promise<Rendered> {
    const batch = await batchMessages.get(entry.of);
    if (batch === null) return { kind: 'noData' };
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
    const words = countWords(rows);
    const file = await upload({ name: fileName(entry), title: `${words}.csv`, content: rowsCsv(rows) });
    if (!(file instanceof SlackError))
      return { kind: 'file', file, comment: `Every row: ${words}, as a table for any spreadsheet.`, thread };
    // Its readers, and everything behind it, wait for it.
    if (file.code === 'unknown' && (await outbox.countTry(channel, entry.id)) < FILE_TRIES) throw file;
    await asTables(entry, channel, file);
    return { kind: 'elsewhere' };
  }

  /** Posts that the file is missing, and why. */
  async function asText({ id, audience, priority, file }: FileEntry, channel: string, error: SlackError) {
    const why = `Slack took no file (${error.slackError}), so “${file.title}” is missing here.`;
    const text = `${why} ${fileAdvice(error)} Then ask for the digest again.`;
    await outbox.put(channel, { kind: 'notice', id: `${id}-plain`, audience, message: { text, blocks: [] }, priority });
    await notifyOps(opsIssue.noFiles(error));
  }

  /** Posts the same rows as tables, after all more urgent entries. */
  async function asTables(entry: RowsEntry, channel: string, error: SlackError): Promise<void> {
    const batch = await batchMessages.get(entry.of);
    const pages = rowsPages(batch?.alerts.length ?? 0);
    for (let page = 0; page < pages; page += 1) {
      const id = pageId(entry.id, page);
      await outbox.put(channel, { ...entry, id, page, noFile: error.slackError, priority: 'spend' });
    }
    await notifyOps(opsIssue.noFiles(error));
  }
}

/** Slack's error codes for a valid token that may not upload files. */
const notAllowed = new Set(['missing_scope', 'access_denied', 'no_permission', 'not_allowed_token_type']);

function isPermanent({ code, slackError }: SlackError): boolean {
  return code === 'refused' || code === 'channel_unusable' || (code === 'app_refused' && notAllowed.has(slackError));
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

/** Contains no card data. Unique in the channel, also among card programs, because no other message has the timestamp. */
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
  await batchMessages.put({ channel, ts }, { ...batch, alerts });
  // It may have been counted again while the rows were read.
  await updateMessages({ kind: 'alert', id: fewer.id });
}
