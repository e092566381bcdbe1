import { balanceWord } from '../../templates/core/card-words.ts';
import { formatCents } from '../core/money.ts';
import type { DirectorySource } from '../directory/loader.ts';
import type { Preferences } from '../holders/preference-store.ts';
import { balanceLow } from '../ops/issue.ts';
import type { NotifyOps, NotifyResolved } from '../ops/notify-ops.ts';
import { expiringCards } from './warn-of-expiry.ts';

interface Deps {
  /** A business balance below this is low, whole cents; null: no warnings. */
  readonly lowBalanceCents: number | null;
  readonly opsChannel: string;
  readonly preferences: Pick<Preferences, 'isOn'>;
  readonly notifyOps: NotifyOps;
  readonly notifyResolved: NotifyResolved;
  /** Whether somebody is still to be warned that a card expires. */
  readonly isExpiryWarningDue: (acctId: number, cardId: number) => Promise<boolean>;
  /** Warns of a card that expires soon, which needs a card API call. */
  readonly warnOfExpiry: (acctId: number, cardId: number) => Promise<void>;
  readonly now: () => Date;
}

/**
 * Checks data that the directory reads anyway: the business balance, and cards that expire soon. So these warnings need no
 * extra calls.
 */
export function watchDirectory(source: DirectorySource, deps: Deps): DirectorySource {
  return {
    async listAccounts(options) {
      const business = await source.listAccounts(options);
      if (business.balanceCents !== null) await lookAtBalance(business.balanceCents);
      return business;
    },
    async getAccount(acctId, options) {
      const account = await source.getAccount(acctId, options);
      for (const { cardId } of expiringCards(account, deps.now())) {
        if (await deps.isExpiryWarningDue(acctId, cardId)) await deps.warnOfExpiry(acctId, cardId);
      }
      return account;
    },
  };

  async function lookAtBalance(balanceCents: number): Promise<void> {
    const { lowBalanceCents, notifyOps, notifyResolved } = deps;
    if (lowBalanceCents === null) return;
    const issue = balanceLow(balanceWord(balanceCents), formatCents(lowBalanceCents));
    if (balanceCents >= lowBalanceCents) await notifyResolved(issue);
    else if (await deps.preferences.isOn(deps.opsChannel, 'low-balance')) await notifyOps(issue);
  }
}
