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

/** A record that differs from what was written. */
interface Fault {
  /** Counted from 1. */
  readonly number: number;
  readonly why: string;
  /** Set if the end of the record was lost before it, and workers went on: its hash. The rest was checked as well. */
  readonly wentOn?: string;
}

interface Verdict {
  readonly faults: readonly Fault[];
  /** The end of the chain. Null: the last fault is one after which nothing can be checked. */
  readonly end: AuditHead | null;
}

/** What the chain is compared with, besides itself. */
export interface Evidence {
  readonly anchors?: readonly Anchor[];
  /** Records before which a known loss cut off the end, for instance a restore. Anchors as well. */
  readonly accepted?: readonly Anchor[];
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
  { anchors = [], accepted = [], isSigned = null, copied = [] }: Evidence = {},
): Promise<Verdict> {
  const noted = [...anchors, ...accepted];
  // Unsigned heads prove nothing; `verifyCopy` reports them.
  const copies = createCopies(copied.filter(({ hash, signature }) => isSigned === null || isSigned(hash, signature)));
  const losses: Fault[] = [];
  const broken = (number: number, why: string): Verdict => ({ faults: [...losses, { number, why }], end: null });
  let previous = GENESIS;
  let count = 0;
  let lastInConflict = 0;
  for await (const entry of entries) {
    const { number, hash } = entry;
    const conflicting = copies.conflicting(entry);
    const isAccepted = conflicting !== undefined && accepted.some((one) => isAt(one, entry));
    const why =
      whyNotFollows(entry, previous) ??
      (isAccepted ? null : whyRewritten(entry, conflicting, isSigned)) ??
      whyNotSigned(entry, isSigned) ??
      whyNotNoted(entry, noted);
    if (why !== null) return broken(number, why);
    if (number === head.count && hash !== head.hash) return broken(number + 1, 'is missing, and all after it');
    if (conflicting !== undefined) {
      copies.forgetLost(entry);
      // Each record of an end that was put back differs from its copy: one fault.
      if (!isAccepted && lastInConflict !== number - 1) losses.push(lossBefore(entry, conflicting));
      if (!isAccepted) lastInConflict = number;
    }
    previous = hash;
    count = number;
  }
  const last = copies.last();
  if (last > count)
    return broken(count + 1, `is missing, and all after it: the copy has the heads of ${countOf(last, 'record')}`);
  if (count < head.count || (count === 0 && head.hash !== GENESIS))
    return broken(count + 1, 'is missing, and all after it');
  const beyond = noted.find((anchor) => anchor.count > count);
  if (beyond !== undefined)
    return broken(count + 1, `is missing: the chain once had ${countOf(beyond.count, 'record')}`);
  return { faults: losses, end: { count, hash: previous } };
}

/** After a failover, workers write the records of this time again, perhaps in another order. */
const REPEATED_MS = 15_000;

/** The heads in the sink. After a loss, it has those of the lost end as well. */
function createCopies(heads: readonly CopiedHead[]) {
  let known = heads;
  let byNumber = groupBy(known, ({ record }) => record);
  return {
    /** A head of the record with this number that is not the one in the chain. */
    conflicting: ({ number, hash }: AuditEntry): CopiedHead | undefined =>
      byNumber.get(number)?.find((copy) => copy.hash !== hash),
    /** @param entry the first one after the loss. What was copied before its time, under a later number, is lost. */
    forgetLost({ number, record }: AuditEntry): void {
      const lostUntilMs = Date.parse(record?.at ?? '') + REPEATED_MS;
      known = known.filter((copy) => copy.record <= number || Date.parse(copy.at) > lostUntilMs);
      byNumber = groupBy(known, (copy) => copy.record);
    },
    last: (): number => known.reduce((last, { record }) => Math.max(last, record), 0),
  };
}

function isAt({ count, hash }: Anchor, entry: AuditEntry): boolean {
  return count === entry.number && entry.hash.startsWith(hash);
}

function lossBefore({ number, hash }: AuditEntry, { at }: CopiedHead): Fault {
  const why = `is not the one that was copied (written ${at}), but a worker wrote it: the end of the record was lost or cut off, and workers went on from there`;
  return { number, why, wentOn: hash };
}

/** Null if no other record was copied, or if a worker wrote this one, too: workers went on after a loss. */
function whyRewritten(
  { hash, signature }: AuditEntry,
  conflicting: CopiedHead | undefined,
  isSigned: Signer['verify'] | null,
): string | null {
  if (conflicting === undefined) return null;
  const { at } = conflicting;
  if (isSigned === null) return `is not the one that was copied (written ${at}): the record was rewritten`;
  return isSigned(hash, signature)
    ? null
    : `was rewritten: it is not the one that was copied (written ${at}), and not signed by a worker`;
}

function whyNotSigned({ hash, signature }: AuditEntry, isSigned: Signer['verify'] | null): string | null {
  const isRight = isSigned === null || isSigned(hash, signature);
  return isRight
    ? null
    : 'is not signed by a worker: somebody else wrote or rewrote it, or its key is not in AUDIT_KEY here';
}

function whyNotNoted(entry: AuditEntry, anchors: readonly Anchor[]): string | null {
  const isOther = anchors.some((anchor) => anchor.count === entry.number && !isAt(anchor, entry));
  return isOther ? 'is not the one that was noted' : null;
}

/** Records are copied within seconds. An older record without a copy was kept from the sink. */
const COPIED_WITHIN_MS = 10 * 60_000;

const EMPTIED =
  'The copy no longer has any heads (AUDIT_SINK): it was deleted or emptied, or it is elsewhere, for instance on a volume that is not mounted';

/**
 * What is wrong with the copy of an intact chain, one sentence each.
 *
 * @param expected `wasCopied`: heads were copied to it before it was read.
 */
export async function verifyCopy(
  entries: AsyncIterable<AuditEntry>,
  copied: readonly CopiedHead[],
  expected: { readonly isSigned: Signer['verify'] | null; readonly now: Date; readonly wasCopied: boolean },
): Promise<string[]> {
  const { isSigned, now, wasCopied } = expected;
  // After a loss, the copy also has other heads under the same numbers.
  const there = new Set(copied.map(({ record, hash }) => `${record}:${hash}`));
  let last = 0;
  const forged = copied.find(({ hash, signature }) => isSigned !== null && !isSigned(hash, signature));
  const missing: number[] = [];
  for await (const { number, hash, record } of entries) {
    const isOld = record !== null && now.getTime() - Date.parse(record.at) > COPIED_WITHIN_MS;
    if (there.has(`${number}:${hash}`)) last = number;
    else if (isOld) missing.push(number);
  }
  const removed = missing.filter((number) => number < last);
  const late = missing.filter((number) => number > last);
  return [
    ...(wasCopied && copied.length === 0 ? [EMPTIED] : []),
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
