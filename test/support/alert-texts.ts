import { createAlerts } from '../../src/alerts/alert-store.ts';
import type { RunningCardbell } from './running-cardbell.ts';

/** Every alert in Redis by its id, as uncompressed text. */
export async function alertTexts(store: RunningCardbell['store']): Promise<Map<string, string>> {
  const alerts = createAlerts(store, () => new Date());
  const ids = (await store.keys('{cardbell:state}:alert:*')).map((key) => key.split(':').at(-1) ?? '');
  return new Map(await Promise.all(ids.map(async (id) => [id, JSON.stringify(await alerts.get(id))] as const)));
}
