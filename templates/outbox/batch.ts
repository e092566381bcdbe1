import type { ExternalSelect, KnownBlock, StaticSelect } from '@slack/types';
import { lowerFirst } from '../../src/core/first-letter.ts';
import type { Batch } from '../../src/outbox/message-store.ts';
import { actionId } from '../../src/slack/action-id.ts';
import * as limits from '../../src/slack/limits.ts';
import type { Message } from '../../src/slack/message.ts';
import { truncate } from '../../src/slack/mrkdwn.ts';
import { outcomeLine } from '../actions/outcomes.ts';
import { context, escapeUntrusted, formatCount, header, plainText, section, sentence } from '../core/blocks.ts';
import { option } from '../core/form.ts';
import { type BatchRow, countWords, howMuchWhere, rowCard, rowHolder, rowLabel, tally } from './batch-row.ts';
import { batchSummary, doneLines, sums, totals } from './batch-summary.ts';
import { rowsTable } from './rows.ts';

const LIST_MAX = 5;
/** Without tables, the workspace gets lines. Nobody reads a longer list. */
const LIST_WITHOUT_TABLE_MAX = 12;
/** More alerts are offered by search, so that they do not take space from the rows. */
const OPTIONS_MAX = 20;
/** A table must leave space for the header, heading, menu, small print, and some lines about outcomes. */
const TABLE_SIZE_MAX = limits.MESSAGE_SIZE_MAX - 3500;

/** The form of these rows in a new message: few as a list, many as a table, a burst as a summary. Not every workspace has tables. */
export function batchForm(rows: readonly BatchRow[], { hasTable }: { readonly hasTable: boolean }): Batch['form'] {
  if (rows.length <= (hasTable ? LIST_MAX : LIST_WITHOUT_TABLE_MAX)) return 'list';
  const table = hasTable ? rowsTable(rows, { withDone: false, sizeMax: TABLE_SIZE_MAX }) : [];
  return table.length > 0 ? 'table' : 'summary';
}

export interface BatchContext extends Pick<Batch, 'why' | 'form'> {
  readonly rows: readonly BatchRow[];
  readonly hasChart: boolean;
}

/** Several alerts as one message. The menu opens each with its buttons and outcomes. */
export function batchMessage(joining: BatchContext): Message {
  const { rows, why, form } = joining;
  const title = `${titles[why]}${countWords(rows)}`;
  return {
    text: sentence(
      `${title}${form === 'list' ? `: ${rowSentences(rows).join('; ')}` : ''}. ${form === 'list' ? '' : most(rows)}`.trim(),
    ),
    blocks: [
      header(title),
      ...(form === 'list' ? rows.map(listRow) : []),
      ...(form === 'table' ? tableOf(rows) : []),
      ...(form === 'summary' ? batchSummary(joining) : []),
      menu(rows),
      ...context(smallPrint[why], form === 'summary' ? 'Every row is in the thread.' : null),
    ],
  };
}

const titles: Readonly<Record<Batch['why'], string>> = {
  busy: '',
  held: 'While it was quiet here: ',
  late: 'Arrived late: ',
  fraud: 'Suspected fraud: ',
};

const smallPrint: Readonly<Record<Batch['why'], string>> = {
  busy: 'One message, because more arrived at once than Slack posts one by one.',
  held: 'Held back during this channel’s quiet hours.',
  late: 'These happened earlier than this message.',
  fraud: 'One message, because more arrived at once than Slack posts one by one.',
};

/** The most frequent reason, as a sentence. */
function most(rows: readonly BatchRow[]): string {
  const [top] = tally(rows.map(({ why }) => why).filter(Boolean));
  const sum = sums(rows).map(([amount, words]) => `${amount} ${words}`);
  const amount = sum.length > 0 ? `${sum.join(', ')}. ` : '';
  return top === undefined
    ? amount
    : `${amount}Most often: ${escapeUntrusted(lowerFirst(top[0]), 100)} (${formatCount(top[1])}).`;
}

/** The title has said it if all were declined. */
function rowSentences(rows: readonly BatchRow[]): string[] {
  const isSaid = rows.every(({ kind }) => kind === 'decline');
  return rows.map((row) => `${isSaid ? '' : `${lowerFirst(row.what)}: `}${rowSentence(row)}`);
}

function rowSentence(row: BatchRow): string {
  const what = escapeUntrusted([howMuchWhere(row), row.place].filter(Boolean).join(', '), 200);
  const why = row.why === '' ? '' : `: ${escapeUntrusted(lowerFirst(row.why), 100)}`;
  return `${[what, ...rowHolder(row)].filter(Boolean).join(' · ')}${why}`;
}

function listRow(row: BatchRow): KnownBlock {
  const head = howMuchWhere(row);
  return section(
    [`*${escapeUntrusted(row.what, 40)}${head === '' ? '' : `: ${escapeUntrusted(head, 150)}`}*`, ...rowCard(row)].join(
      ' · ',
    ),
    escapeUntrusted(row.why, 80),
    row.done === null ? null : truncate(outcomeLine(row.done), 250),
    row.place === '' ? null : escapeUntrusted(row.place, 80),
  );
}

/** Outcomes are in the rows, or below the table when it has no room for them. */
function tableOf(rows: readonly BatchRow[]): KnownBlock[] {
  const whole = rowsTable(rows, { withDone: true, sizeMax: TABLE_SIZE_MAX });
  const table =
    whole.length > 0 ? whole : [...rowsTable(rows, { withDone: false, sizeMax: Infinity }), ...doneLines(rows)];
  return [...totals(rows), ...table];
}

/** Opens one of the alerts for the person who chooses it. */
function menu(rows: readonly BatchRow[]): KnownBlock {
  const words = { action_id: actionId.openAlert, placeholder: plainText('Open one of them…', limits.PLACEHOLDER_MAX) };
  const element: StaticSelect | ExternalSelect =
    rows.length <= OPTIONS_MAX
      ? { type: 'static_select', ...words, options: rows.map((row) => option(rowLabel(row), row.id)) }
      : {
          type: 'external_select',
          ...words,
          placeholder: plainText('Find one: name, last four, merchant, amount…', limits.PLACEHOLDER_MAX),
          min_query_length: 0,
        };
  return { type: 'actions', elements: [element] };
}
