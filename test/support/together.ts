import { people } from './people.ts';
import { alertsDone } from './quiet.ts';
import type { RunningCardbell } from './running-cardbell.ts';
import { until } from './until.ts';

/** The hour in UTC this many hours from now. */
const hour = (ahead: number): string => `${new Date(Date.now() + ahead * 3_600_000).toISOString().slice(11, 13)}:00`;

/**
 * Delivers alerts so that they reach a channel together even on a slow machine: quiet hours hold them back until all wait.
 */
export async function together(
  { workspace, store, waitTold }: RunningCardbell,
  channel: string,
  send: readonly (() => Promise<unknown>)[],
): Promise<void> {
  const quiet = (text: string) =>
    workspace.command({ user: people.ana, channel, command: '/card', text: `quiet ${text}` });
  // Earlier alerts that still wait for their turn would be held, too.
  await alertsDone({ store }, channel);
  const since = Date.now() / 1000;
  await quiet(`${hour(-1)}-${hour(3)} UTC`);
  await waitTold(people.ana, /It is quiet now/, since);
  await Promise.all(send.map((one) => one()));
  const held = `{cardbell:out:${channel}}:held`;
  await until(async () => (await store.zcard(held)) === send.length, 'all of them wait');
  await quiet('off');
}
