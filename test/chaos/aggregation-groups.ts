import type { Redis } from 'ioredis';
import { Repeats } from '../../src/alerts/alert.ts';
import { stateKey } from '../../src/core/keys.ts';
import { type ChaosEvent, markPattern } from './events.ts';
import type { Seen } from './oracle.ts';

/** Repeats of one decline: how many there were, and how many people are told of. */
export interface AggregationFigures {
  readonly sent: number;
  readonly told: number;
  readonly lost: readonly string[];
  readonly twice: readonly string[];
  readonly faults: readonly string[];
}

/**
 * Looks whether each repeat is counted once: in the message that stands for it, which is shown once, and which says the
 * number wherever it is drawn anew after each of them.
 */
export async function checkAggregationGroups(
  store: Redis,
  sent: readonly ChaosEvent[],
  seen: Seen,
): Promise<AggregationFigures> {
  const expected = new Map<string, number>();
  for (const { kind, mark } of sent) {
    if (kind === 'repeat' && mark !== null) expected.set(mark, (expected.get(mark) ?? 0) + 1);
  }
  const leaders = await leadersOf(store, expected);
  const lost: string[] = [];
  const twice: string[] = [];
  const faults: string[] = [];
  let told = 0;
  for (const [mark, count] of expected) {
    const counts = leaders.get(mark) ?? [];
    const counted = counts.reduce((sum, one) => sum + one, 0);
    const shown = seen.times.get(mark) ?? 0;
    if (shown > 0) told += Math.min(count, counted);
    if (counted < count || shown < counts.length)
      lost.push(`${mark}: ${count} repeats, ${counted} counted in ${counts.length} alerts, ${shown} shown`);
    // A repeat of what a summary counted cannot be shown there, so it is posted: once for each summary.
    if (counted > count || shown > counts.length + (seen.summarized.get(mark) ?? 0))
      twice.push(`${mark}: ${count} repeats, ${counted} counted in ${counts.length} alerts, ${shown} shown`);
    const said = seen.said.get(mark);
    if (said !== undefined && counted === count && said > count) faults.push(`${mark}: ${count} repeats, ${said} said`);
    if (said !== undefined && counts.length === 1 && said < count)
      faults.push(`${mark}: ${said} of ${count} repeats said`);
  }
  return { sent: [...expected.values()].reduce((sum, one) => sum + one, 0), told, lost, twice, faults };
}

/** For each mark, the counts of the alerts that stand for its repeats. */
async function leadersOf(store: Redis, wanted: ReadonlyMap<string, number>): Promise<Map<string, number[]>> {
  const leaders = new Map<string, number[]>();
  for await (const keys of store.scanStream({ match: `${stateKey('alert:')}*`, count: 1000 })) {
    const reading = store.pipeline();
    for (const key of keys as string[]) reading.hgetall(key);
    for (const [, fields] of (await reading.exec()) ?? []) {
      const { alert = '', ...rest } = fields as Record<string, string>;
      const [mark = ''] = alert.match(markPattern) ?? [];
      if (!wanted.has(mark)) continue;
      for (const [field, value] of Object.entries(rest)) {
        if (!field.startsWith('repeats:')) continue;
        leaders.set(mark, [...(leaders.get(mark) ?? []), Repeats.parse(JSON.parse(value)).count]);
      }
    }
  }
  return leaders;
}
