import { type AuditEntry, type AuditHead, chainHash, GENESIS } from './audit.ts';

/** What somebody wrote down elsewhere: how long the chain was, and how the hash of its last record began. */
export interface Anchor {
  readonly count: number;
  /** At least eight hexadecimal digits. */
  readonly hash: string;
}

export type Verdict =
  | { readonly isWhole: true; readonly count: number; readonly hash: string }
  /** `number`: the first record that is not as it was written, counted from 1. */
  | { readonly isWhole: false; readonly number: number; readonly why: string };

/**
 * Walks the chain once, record by record.
 *
 * Finds what was changed, removed, put in between or in another order. Records cut off at the end leave a chain that is
 * whole in itself: `head`, kept beside it, tells, unless whoever cut it wrote that as well. Only an anchor kept
 * elsewhere tells for sure.
 *
 * @param head read before the first entry, so that what is appended meanwhile does no harm.
 */
export async function verifyChain(
  entries: AsyncIterable<AuditEntry>,
  head: AuditHead,
  anchors: readonly Anchor[] = [],
): Promise<Verdict> {
  const broken = (number: number, why: string): Verdict => ({ isWhole: false, number, why });
  let previous = GENESIS;
  let count = 0;
  for await (const { number, record, previous: before, hash } of entries) {
    if (record === null) return broken(number, 'cannot be read');
    if (before !== previous)
      return broken(number, 'does not follow the record before it: one was removed, added or moved');
    if (hash !== chainHash(before, record)) return broken(number, 'was changed after it was written');
    for (const anchor of anchors) {
      if (anchor.count === number && !hash.startsWith(anchor.hash))
        return broken(number, 'is not the one that was noted');
    }
    if (number === head.count && hash !== head.hash) return broken(number + 1, 'is missing, and all after it');
    previous = hash;
    count = number;
  }
  if (count < head.count || (count === 0 && head.hash !== GENESIS))
    return broken(count + 1, 'is missing, and all after it');
  const beyond = anchors.find((anchor) => anchor.count > count);
  if (beyond !== undefined) return broken(count + 1, `is missing: the chain once had ${beyond.count} records`);
  return { isWhole: true, count, hash: previous };
}
