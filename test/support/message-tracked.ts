import type { Subject } from '../../src/outbox/tracked-message-store.ts';
import type { RunningCardbell } from './running-cardbell.ts';
import { until } from './until.ts';

/** Waits until Cardbell has stored a reference to this subject's message, so that it keeps the message up to date. */
export async function waitUntilTracked(store: RunningCardbell['store'], { kind, id }: Subject): Promise<void> {
  const key = `{cardbell:state}:${kind === 'alert' ? 'alert' : `messages:${kind}`}:${id}`;
  const isTracked = async (): Promise<boolean> => (await store.hkeys(key)).some((field) => field.startsWith('ref:'));
  await until(isTracked, `the message of ${kind} ${id} is tracked`);
}
