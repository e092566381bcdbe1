import { within } from '../core/deadline.ts';
import { groupIn } from './account.ts';
import type { Directory } from './directory.ts';

/** How long a decision waits to learn a card's group. */
const GROUP_READ_MS = 3000;

interface Deps {
  readonly directory: Pick<Directory, 'account' | 'reload'>;
  readonly hasCardGroups: () => boolean;
}

/** The group of a card, read now if it is not known yet. Null: none; undefined: it could not be read in time. */
export function createGroupOfCard({ directory, hasCardGroups }: Deps) {
  return async function groupOfCard(acctId: number): Promise<string | null | undefined> {
    if (!hasCardGroups()) return null;
    const known = groupIn(await directory.account(acctId));
    if (known !== undefined) return known;
    // A block must not wait for a card service that does not answer.
    return groupIn(await within(GROUP_READ_MS, directory.reload(acctId), () => null).catch(() => null));
  };
}
