import type { CardFacts } from '../../src/core/card-facts.ts';
import { type CsvColumn, csvDollars, csvFile } from '../../src/core/csv.ts';
import type { DigestApproval } from '../../src/digests/approved-changes.ts';
import type { OpenException } from '../../src/digests/open-exceptions.ts';
import type { TallyRow } from '../../src/digests/tally-store.ts';

export interface ControllersRows {
  readonly declines: readonly TallyRow[];
  readonly approvals: readonly DigestApproval[];
  readonly open: readonly OpenException[];
  /** Cards that wait to be activated, one of an account: activating it closes the others. */
  readonly inactive: readonly CardFacts[];
}

/** Names of Slack users; null: unknown. */
export type PersonNames = ReadonlyMap<string, string | null>;

interface Line {
  readonly what: string;
  readonly at?: string;
  readonly cents: number | null;
  readonly holder?: string | null;
  readonly last4?: string | null;
  readonly group?: string | null;
  readonly merchant?: string | null;
  readonly why: string;
  readonly code?: string;
  readonly declines?: number;
  readonly attempts?: number;
  readonly duration?: string | null;
  readonly people?: readonly string[];
}

const columns: readonly CsvColumn<Line>[] = [
  ['What', ({ what }) => what],
  ['Time (UTC)', ({ at }) => at?.replace(/\.\d+Z$/, 'Z')],
  ['Amount (USD)', ({ cents }) => csvDollars(cents)],
  ['Merchant', ({ merchant }) => merchant],
  ['Cardholder', ({ holder }) => holder],
  ['Card ending', ({ last4 }) => last4],
  ['Group', ({ group }) => group],
  ['Why', ({ why }) => why],
  ['Code', ({ code }) => code],
  ['Declines', ({ declines }) => declines],
  ['Attempts', ({ attempts }) => attempts],
  ['Duration', ({ duration }) => duration],
  ['Approved or asked by', ({ people }) => people?.join(', ')],
];

const openWords = {
  temporary: 'Open: temporary change',
  asking: 'Open: temporary change to decide',
  request: 'Open: request',
} as const;

/**
 * A period as a file for the controller: one line for the declines of each reason, merchant and group, and for each approval,
 * override, open exception and card that waits to be activated, its dollars once.
 */
export function digestCsv({ declines, approvals, open, inactive }: ControllersRows, names: PersonNames): string {
  const named = (userId: string): string => {
    const name = names.get(userId);
    return name == null ? userId : `${name} (${userId})`;
  };
  return csvFile(columns, [
    ...declines.map(({ reason, count, ...row }): Line => ({ ...row, what: 'Declines', why: reason, declines: count })),
    ...approvals.map((change): Line => {
      const { kind, before, after, reason, approvedBy, isOverride, isUnconfirmed } = change;
      const moved = before === null ? after : `${before} → ${after}`;
      const why = [moved, reason, isUnconfirmed && 'not confirmed by the card service'].filter(Boolean).join('; ');
      const what = isOverride ? 'Emergency override' : 'Approval';
      const duration = change.duration ?? (kind === 'order' ? null : 'permanent');
      return { ...change, what, why, duration, people: approvedBy.map(named) };
    }),
    ...open.map(({ kind, card, change, by, since, endsAt }): Line => {
      const { holder, last4, group } = card;
      const duration = `until ${endsAt}`;
      return {
        what: openWords[kind],
        at: since,
        cents: null,
        holder,
        last4,
        group,
        why: change,
        duration,
        people: [named(by)],
      };
    }),
    ...inactive.map(({ holder, last4, group }): Line => {
      return { what: 'Waiting to be activated', cents: null, holder, last4, group, why: 'Not activated yet' };
    }),
  ]);
}
