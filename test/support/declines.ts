import { expect } from 'vitest';
import { type StormDecline, stormDeclines } from '../../bench/storm-declines.ts';
import { channels } from './people.ts';
import { readableAmounts } from './readable.ts';
import type { RunningCardbell } from './running-cardbell.ts';

/** Distinct declines for a test file, and how the channel shows them. */
export function useDeclines(cardbell: () => RunningCardbell) {
  let made = 0;
  return {
    declines(count: number): StormDecline[] {
      const acctIds = cardbell()
        .sandbox.accounts()
        .map(({ AcctId }) => AcctId);
      made += count;
      return stormDeclines(made, acctIds).slice(-count);
    },
    /** Delivers all declines at once, and expects each to be acknowledged. */
    async take(sent: readonly StormDecline[]): Promise<void> {
      const answers = await Promise.all(sent.map(({ body }) => cardbell().deliver({ kind: 'decline', body })));
      expect(new Set(answers)).toEqual(new Set([200]));
    },
    /** Every amount shown to people, smallest first. */
    async shown(): Promise<readonly number[]> {
      const { workspace } = cardbell();
      const amounts = await readableAmounts(workspace, workspace.messages(channels.declines));
      return amounts.toSorted((a, b) => a - b);
    },
  };
}
