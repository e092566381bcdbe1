import { directoryKey } from '../../src/core/keys.ts';
import type { RunningCardbell } from './running-cardbell.ts';
import { until } from './until.ts';

/** Waits until the directory knows the account's cards. The list that it reads first names only the accounts. */
export async function directoryReads({ store }: Pick<RunningCardbell, 'store'>, acctId: number): Promise<void> {
  const known = async () => JSON.parse((await store.hget(directoryKey('accounts'), String(acctId))) ?? '{}');
  await until(async () => typeof (await known()).detailsAt === 'string', 'the directory has read the card');
}
