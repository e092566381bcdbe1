interface Reading<Id, Entry> {
  /** The first ids of the list. */
  readonly idsOf: (limit: number) => Promise<readonly Id[]>;
  readonly read: (ids: readonly Id[]) => Promise<readonly Entry[]>;
  /** The entries that the reader may see. */
  readonly permitted: (entries: readonly Entry[]) => Promise<readonly Entry[]>;
  readonly limit: number;
}

/** Nobody reads all of a large card program. */
const LIMITS_READ_MAX = 10;

/**
 * The first entries of a list that someone may see, up to `limit`. If the limit came before the permission, people with
 * rights for few cards would often see none.
 */
export async function firstPermitted<Id, Entry>({ idsOf, read, permitted, limit }: Reading<Id, Entry>) {
  const asked = new Set<Id>();
  const found: Entry[] = [];
  for (const most of [limit, limit * LIMITS_READ_MAX]) {
    const ids = await idsOf(most);
    const left = ids.filter((id) => !asked.has(id));
    for (let from = 0; from < left.length && found.length < limit; from += limit) {
      const some = left.slice(from, from + limit);
      for (const id of some) asked.add(id);
      found.push(...(await permitted(await read(some))));
    }
    if (found.length >= limit || ids.length < most) break;
  }
  return found.slice(0, limit);
}
