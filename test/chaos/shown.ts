import { markPattern } from './events.ts';
import type { SeenMessage } from './recording.ts';

/** How events are shown to people, by their marks. */
export interface Shown {
  /** Messages, lines, rows of tables and rows of files in which the event is shown. */
  readonly times: ReadonlyMap<string, number>;
  /** The largest decline count stated in any of these. */
  readonly said: ReadonlyMap<string, number>;
  /** Number of summaries with an attached list that count the event. */
  readonly summarized: ReadonlyMap<string, number>;
  /** Card testing warnings, with the largest stated number of cards, and how many are rows of lists. */
  readonly warnings: ReadonlyMap<string, Warnings>;
  /** Channels that show the event. */
  readonly channels: ReadonlyMap<string, ReadonlySet<string>>;
  /** Messages about one event alone. */
  readonly alone: ReadonlyMap<string, readonly SeenMessage[]>;
  /** Messages about events without a single block. */
  readonly bare: number;
  readonly batch: number;
}

export interface Warnings {
  readonly count: number;
  readonly cards: number;
  readonly listed: number;
}

/**
 * Counts only what is in Slack, independent of Redis.
 *
 * A message about one event counts once, however often it names the event. In a shared message, each line and each row of
 * a table or file counts once. A summary and its complete list (a file or pages in its thread) count once together, but
 * two files with the same row count twice.
 */
export function shownIn(messages: readonly SeenMessage[]): Shown {
  const times = new Map<string, number>();
  const said = new Map<string, number>();
  const summarized = new Map<string, number>();
  const warnings = new Map<string, Warnings>();
  const channels = new Map<string, Set<string>>();
  const alone = new Map<string, SeenMessage[]>();
  let bare = 0;
  let batch = 0;
  for (const channel of new Set(messages.map((message) => message.channel))) {
    const inChannel = messages.filter((message) => message.channel === channel);
    const summaries = new Map<string, Map<string, number>>();
    const lists = new Map<string, Map<string, number>>();
    for (const message of inChannel) {
      const pieces = piecesOf(message);
      addWarnings(warnings, pieces, isList(message));
      for (const piece of pieces.all) raiseSaid(said, piece);
      const shown = timesIn(pieces);
      if (shown.size === 1 && !isList(message)) {
        const [mark = ''] = shown.keys();
        alone.set(mark, [...(alone.get(mark) ?? []), message]);
      }
      if (shown.size > 0 && !isList(message) && message.blocks.length === 0) bare += 1;
      const [group, key] = isList(message) ? [lists, message.threadTs ?? ''] : [summaries, message.ts];
      group.set(key, added(group.get(key) ?? new Map(), shown));
    }
    for (const key of new Set([...summaries.keys(), ...lists.keys()])) {
      const shown = new Map(summaries.get(key));
      for (const mark of lists.get(key)?.keys() ?? []) summarized.set(mark, (summarized.get(mark) ?? 0) + 1);
      raise(shown, lists.get(key) ?? new Map());
      if (shown.size > 1) batch += shown.size;
      added(times, shown);
      for (const mark of shown.keys()) channels.set(mark, (channels.get(mark) ?? new Set()).add(channel));
    }
  }
  return { times, said, summarized, warnings, channels, alone, bare, batch };
}

/** A section about one event of several that share a message: `*Declined: …* · who`. */
const EVENT_OF_LIST = /"type":"section".*"text":"\*[^*]+\* · /;

/** A message split into pieces about one event each. */
interface Pieces {
  readonly whole: string;
  readonly lines: readonly string[];
  readonly rows: readonly string[];
  readonly fileLines: readonly (readonly string[])[];
  /** The pieces that name exactly one event. */
  readonly all: readonly string[];
}

function piecesOf({ text, blocks, files }: SeenMessage): Pieces {
  const json = JSON.stringify(blocks);
  const lines = [
    ...json.split('\\n').filter((line) => line.includes('•')),
    ...blocks.map((block) => JSON.stringify(block)).filter((block) => EVENT_OF_LIST.test(block)),
  ];
  const rows = (blocks as readonly { rows?: readonly unknown[] }[]).flatMap(({ rows: all = [] }) =>
    all.map((row) => JSON.stringify(row)),
  );
  const fileLines = files.map((file) => file.split('\n'));
  const whole = `${text} ${json}`.replaceAll('\n', ' ');
  const all = [whole, ...lines, ...rows, ...fileLines.flat()].filter((piece) => marksIn(piece).size === 1);
  return { whole, lines, rows, fileLines, all };
}

const marksIn = (text: string): Set<string> => new Set(text.match(markPattern));
const isWarning = (text: string): boolean => /possible card testing|several cards declined/i.test(text);

function timesIn({ whole, lines, rows, fileLines }: Pieces): Map<string, number> {
  const shown = new Map<string, number>();
  for (const pieces of [[whole], lines, rows, ...fileLines]) raise(shown, countIn(pieces));
  return shown;
}

/** Number of pieces per mark. A warning does not count as showing its declines. */
function countIn(pieces: readonly string[]): Map<string, number> {
  return marksOf(pieces.filter((one) => !isWarning(one)));
}

function marksOf(pieces: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const piece of pieces) for (const mark of marksIn(piece)) counts.set(mark, (counts.get(mark) ?? 0) + 1);
  return counts;
}

function raiseSaid(said: Map<string, number>, piece: string): void {
  const [, times = '1'] = /declined ([\d,]+) times/i.exec(piece) ?? [];
  for (const mark of marksIn(piece)) said.set(mark, Math.max(said.get(mark) ?? 0, Number(times.replaceAll(',', ''))));
}

function addWarnings(warnings: Map<string, Warnings>, pieces: Pieces, isInList: boolean): void {
  const shown = new Map<string, number>();
  for (const part of [[pieces.whole], pieces.lines, pieces.rows, ...pieces.fileLines])
    raise(shown, marksOf(part.filter((piece) => isWarning(piece) && marksIn(piece).size === 1)));
  for (const [mark, count] of shown) {
    const before = warnings.get(mark) ?? { count: 0, cards: 0, listed: 0 };
    const own = pieces.all.filter((piece) => isWarning(piece) && marksIn(piece).has(mark));
    const cards = Math.max(before.cards, ...own.map((piece) => Number(/(\d+) cards/.exec(piece)?.[1] ?? 0)));
    warnings.set(mark, { count: before.count + count, cards, listed: before.listed + (isInList ? count : 0) });
  }
}

/** Whether a message has the rows of a summary: in its thread, or in another channel if the summary's was archived. */
function isList({ files, text }: SeenMessage): boolean {
  return files.length > 0 || /Rows [\d,]+ to [\d,]+ of /.test(text);
}

function added(to: Map<string, number>, counts: ReadonlyMap<string, number>): Map<string, number> {
  for (const [mark, count] of counts) to.set(mark, (to.get(mark) ?? 0) + count);
  return to;
}

function raise(shown: Map<string, number>, counts: ReadonlyMap<string, number>): void {
  for (const [mark, count] of counts) shown.set(mark, Math.max(shown.get(mark) ?? 0, count));
}
