import type { StoredMessage, Workspace } from '../../workspace/server.ts';
import { markPattern } from './events.ts';

/** How often each event stands in Slack, by its mark. */
export interface Seen {
  /** Messages and rows in which the event is shown. */
  readonly times: ReadonlyMap<string, number>;
  /** Events that share their message with others. */
  readonly joined: number;
  readonly messages: number;
}

/**
 * Reads what stands in Slack, not what Redis believes.
 *
 * A message about one event shows it once, however often it names it. Where several share a message, each line and each
 * row of a table or file is one showing; a list and the file with the whole of it are the same showing.
 */
export async function look(workspace: Workspace, channels: readonly string[]): Promise<Seen> {
  const times = new Map<string, number>();
  let joined = 0;
  let messages = 0;
  for (const channel of channels) {
    for (const message of workspace.messages(channel)) {
      messages += 1;
      const shown = await shownIn(message, workspace);
      if (shown.size > 1) joined += shown.size;
      for (const [mark, count] of shown) times.set(mark, (times.get(mark) ?? 0) + count);
    }
  }
  return { times, joined, messages };
}

async function shownIn(message: StoredMessage, workspace: Workspace): Promise<Map<string, number>> {
  const shown = new Map<string, number>();
  const raise = (counts: ReadonlyMap<string, number>): void => {
    for (const [mark, count] of counts) shown.set(mark, Math.max(shown.get(mark) ?? 0, count));
  };
  raise(countIn([JSON.stringify(message.text), JSON.stringify(message.blocks ?? [])].join(' ').split(/\n/)));
  for (const block of (message.blocks ?? []) as unknown as { type: string; rows?: unknown[] }[]) {
    if (block.rows !== undefined) raise(countIn(block.rows.map((row) => JSON.stringify(row))));
  }
  for (const id of message.files ?? []) {
    const answer = await fetch(`${workspace.url}files/${id}/list`);
    raise(countIn((await answer.text()).split('\n')));
  }
  return shown;
}

/** In how many of these lines each mark stands. */
function countIn(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines)
    for (const mark of new Set(line.match(markPattern))) counts.set(mark, (counts.get(mark) ?? 0) + 1);
  return counts;
}
