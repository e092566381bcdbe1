import type { StoredMessage, Workspace } from '../../workspace/server.ts';
import { markPattern } from './events.ts';

/** How often each event stands in Slack, by its mark. */
export interface Seen {
  /** Messages and rows in which the event is shown. */
  readonly times: ReadonlyMap<string, number>;
  /**
   * How many declines the messages say that show them, by their mark; what a file or a page of a list says stays as it
   * was posted, and is left out.
   */
  readonly said: ReadonlyMap<string, number>;
  /** In how many summaries an event is counted, by its mark: where it is repeated after one, a message of its own follows. */
  readonly summarized: ReadonlyMap<string, number>;
  /** Messages about events without a single block. */
  readonly bare: number;
  /** Events that share their message with others. */
  readonly batch: number;
  readonly messages: number;
}

/**
 * Reads what stands in Slack, not what Redis believes.
 *
 * A message about one event shows it once, however often it names it. Where several share a message, each line and each
 * row of a table or file is one showing. A summary and the whole list behind it (a file, or pages, in its thread) are
 * one showing; two files with the same row are two.
 */
export async function look(workspace: Workspace, channels: readonly string[]): Promise<Seen> {
  const times = new Map<string, number>();
  const said = new Map<string, number>();
  const summarized = new Map<string, number>();
  let batch = 0;
  let bare = 0;
  let messages = 0;
  for (const channel of channels) {
    const summaries = new Map<string, Map<string, number>>();
    const lists = new Map<string, Map<string, number>>();
    for (const message of workspace.messages(channel)) {
      messages += 1;
      const shown = await shownIn(message, workspace);
      if (!isList(message)) added(said, saidIn(message));
      if (shown.size > 0 && !isList(message) && (message.blocks ?? []).length === 0) bare += 1;
      const root = message.thread_ts ?? message.ts;
      const group = isList(message) ? lists : summaries;
      const key = isList(message) ? root : message.ts;
      group.set(key, added(group.get(key) ?? new Map(), shown));
    }
    for (const key of new Set([...summaries.keys(), ...lists.keys()])) {
      const shown = new Map(summaries.get(key));
      for (const mark of lists.get(key)?.keys() ?? []) summarized.set(mark, (summarized.get(mark) ?? 0) + 1);
      raise(shown, lists.get(key) ?? new Map());
      if (shown.size > 1) batch += shown.size;
      added(times, shown);
    }
  }
  return { times, said, summarized, bare, batch, messages };
}

/** The rows behind a summary, in its thread. */
function isList({ files, thread_ts, text }: StoredMessage): boolean {
  return thread_ts !== undefined && (files !== undefined || /Rows [\d,]+ to [\d,]+ of /.test(text));
}

function added(to: Map<string, number>, counts: ReadonlyMap<string, number>): Map<string, number> {
  for (const [mark, count] of counts) to.set(mark, (to.get(mark) ?? 0) + count);
  return to;
}

function raise(shown: Map<string, number>, counts: ReadonlyMap<string, number>): void {
  for (const [mark, count] of counts) shown.set(mark, Math.max(shown.get(mark) ?? 0, count));
}

async function shownIn(message: StoredMessage, workspace: Workspace): Promise<Map<string, number>> {
  const shown = new Map<string, number>();
  const blocks = JSON.stringify(message.blocks ?? []);
  raise(shown, countIn([`${message.text} ${blocks}`.replaceAll('\n', ' ')]));
  raise(shown, countIn(blocks.split('\\n').filter((line) => line.includes('•'))));
  for (const block of (message.blocks ?? []) as unknown as { type: string; rows?: unknown[] }[]) {
    if (block.rows !== undefined) raise(shown, countIn(block.rows.map((row) => JSON.stringify(row))));
  }
  for (const id of message.files ?? []) {
    const answer = await fetch(`${workspace.url}files/${id}/list`);
    raise(shown, countIn((await answer.text()).split('\n')));
  }
  return shown;
}

/** `Declined 3 times`: by line and row where several share a message, else in its text. A summary says it of none. */
function saidIn({ text, blocks }: StoredMessage): Map<string, number> {
  const lines = JSON.stringify(blocks ?? [])
    .split('\\n')
    .filter((line) => line.includes('•'));
  const rows = ((blocks ?? []) as unknown as { rows?: unknown[] }[]).flatMap((block) =>
    (block.rows ?? []).map((row) => JSON.stringify(row)),
  );
  const isAlone = new Set(text.match(markPattern)).size === 1;
  const said = new Map<string, number>();
  for (const line of [...lines, ...rows, ...(isAlone ? [text] : [])]) {
    const marks = new Set(line.match(markPattern));
    const [, times = '1'] = /declined ([\d,]+) times/i.exec(line) ?? [];
    for (const mark of marks) said.set(mark, Math.max(said.get(mark) ?? 0, Number(times.replaceAll(',', ''))));
  }
  return said;
}

/** In how many of these lines each mark stands. */
function countIn(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines)
    for (const mark of new Set(line.match(markPattern))) counts.set(mark, (counts.get(mark) ?? 0) + 1);
  return counts;
}
