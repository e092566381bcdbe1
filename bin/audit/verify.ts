import { type AuditEntry, type AuditHead, GENESIS, whyNotFollows } from '../../src/audit/audit.ts';
import type { CopiedHead } from '../../src/audit/sink.ts';
import { groupBy } from '../../src/core/group-by.ts';
import type { Signer } from '../../src/core/sign.ts';
import { countOf } from '../../templates/core/blocks.ts';

/** A note kept elsewhere: the length of the chain and the start of its last hash. */
export interface Anchor {
  readonly count: number;
  /** At least eight hexadecimal digits. */
  readonly hash: string;
}

type Verdict =
  | { readonly isWhole: true; readonly count: number; readonly hash: string }
  /** `number`: the first record that differs from what was written, counted from 1. */
  | { readonly isWhole: false; readonly number: number; readonly why: string };

/** What the chain is compared with, besides itself. */
export interface Evidence {
  readonly anchors?: readonly Anchor[];
  /** Null: the key is not available. */
  readonly isSigned?: Signer['verify'] | null;
  /** The heads in the sink. */
  readonly copied?: readonly CopiedHead[];
}

/**
 * Walks the chain once, record by record.
 *
 * Detects records that were changed, removed, inserted or reordered. Write access to Redis is enough to recompute all
 * hashes, but not the signatures. A chain with records cut off at the end is consistent in itself: `head`, stored next
 * to it, reveals this unless it was rewritten too. Only a copy kept elsewhere or an anchor is proof.
 *
 * @param head read before the first entry, so that records appended meanwhile do no harm.
 */
export async function verifyChain(
  entries: AsyncIterable<AuditEntry>,
  head: AuditHead,
  { anchors = [], isSigned = null, copied = [] }: Evidence = {},
): Promise<Verdict> {
  // Unsigned heads prove nothing; `verifyCopy` reports them.
  const signed = copied.filter(({ hash, signature }) => isSigned === null || isSigned(hash, signature));
  const copies = groupBy(signed, ({ record }) => record);
  const last = lastOf(copies.keys());
  let previous = GENESIS;
  let count = 0;
  for await (const entry of entries) {
    const { number, hash } = entry;
    const why =
      whyNotFollows(entry, previous) ??
      whyNotCopied(entry, copies.get(number) ?? [], isSigned) ??
      whyNotSigned(entry, isSigned) ??
      whyNotNoted(entry, anchors);
    if (why !== null) return broken(number, why);
    if (number === head.count && hash !== head.hash) return broken(number + 1, 'is missing, and all after it');
    previous = hash;
    count = number;
  }
  if (last > count)
    return broken(count + 1, `is missing, and all after it: the copy has the heads of ${countOf(last, 'record')}`);
  if (count < head.count || (count === 0 && head.hash !== GENESIS))
    return broken(count + 1, 'is missing, and all after it');
  const beyond = anchors.find((anchor) => anchor.count > count);
  if (beyond !== undefined)
    return broken(count + 1, `is missing: the chain once had ${countOf(beyond.count, 'record')}`);
  return { isWhole: true, count, hash: previous };
}

function lastOf(numbers: Iterable<number>): number {
  let last = 0;
  for (const number of numbers) last = Math.max(last, number);
  return last;
}

function broken(number: number, why: string): Verdict {
  return { isWhole: false, number, why };
}

function whyNotCopied(
  { hash, signature }: AuditEntry,
  copies: readonly CopiedHead[],
  isSigned: Signer['verify'] | null,
): string | null {
  const conflicting = copies.find((copy) => copy.hash !== hash);
  if (conflicting === undefined) return null;
  if (isSigned === null) return `is not the one that was copied (written ${conflicting.at}): the record was rewritten`;
  return isSigned(hash, signature)
    ? `is not the one that was copied (written ${conflicting.at}), but a worker wrote it: the end of the record was lost or cut off, and workers went on from there`
    : `was rewritten: it is not the one that was copied (written ${conflicting.at}), and not signed by a worker`;
}

function whyNotSigned({ hash, signature }: AuditEntry, isSigned: Signer['verify'] | null): string | null {
  const isRight = isSigned === null || isSigned(hash, signature);
  return isRight ? null : 'is not signed by a worker: somebody else wrote or rewrote it';
}

function whyNotNoted({ number, hash }: AuditEntry, anchors: readonly Anchor[]): string | null {
  const isOther = anchors.some((anchor) => anchor.count === number && !hash.startsWith(anchor.hash));
  return isOther ? 'is not the one that was noted' : null;
}

/** Records are copied within seconds. An older record without a copy was kept from the sink. */
const COPIED_WITHIN_MS = 10 * 60_000;

/** What is wrong with the copy of an intact chain, one sentence each. */
export async function verifyCopy(
  entries: AsyncIterable<AuditEntry>,
  copied: readonly CopiedHead[],
  { isSigned, now }: { readonly isSigned: Signer['verify'] | null; readonly now: Date },
): Promise<string[]> {
  const numbers = new Set(copied.map(({ record }) => record));
  const forged = copied.find(({ hash, signature }) => isSigned !== null && !isSigned(hash, signature));
  const missing: number[] = [];
  for await (const { number, record } of entries) {
    const isOld = record !== null && now.getTime() - Date.parse(record.at) > COPIED_WITHIN_MS;
    if (isOld && !numbers.has(number)) missing.push(number);
  }
  const last = lastOf(numbers);
  const removed = missing.filter((number) => number < last);
  const late = missing.filter((number) => number > last);
  return [
    ...(forged === undefined ? [] : [`The head of record ${forged.record} in the copy is not signed by a worker`]),
    ...(removed.length === 0 ? [] : [`Missing in the copy: the heads of ${rangesOf(removed)}`]),
    ...(late.length === 0 ? [] : [`Not copied, although older than ten minutes: the heads of ${rangesOf(late)}`]),
  ];
}

/** `records 3 to 5, 9`. */
function rangesOf(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  const few = ranges.slice(0, 10).map(([from, to]) => (from === to ? `${from}` : `${from} to ${to}`));
  const more = ranges.length > few.length ? ` and ${countOf(ranges.length - few.length, 'more gap')}` : '';
  return `${numbers.length === 1 ? 'record' : 'records'} ${few.join(', ')}${more}`;
}
