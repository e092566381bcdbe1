import type { ActionTools } from '../actions/action-tools.ts';
import { ATTEMPT_TIMEOUT_MS, type CardClient } from '../card-api/client.ts';
import type { SpendRules } from '../card-api/spend-rules.ts';
import { CardApiError, TooLateError } from '../core/errors.ts';
import type { RuleWrite } from './rule-write.ts';
import type { RuleWrites } from './rule-write-store.ts';

/** The rules of a card as they were read. */
export interface ReadRules {
  readonly rules: SpendRules;
  /** As the card service sent them. */
  readonly raw: Record<string, unknown>;
  /** When they arrived, by `performance.now()`. */
  readonly readAt: number;
}

interface Write extends ReadRules, Pick<RuleWrite, 'id' | 'by' | 'changes'> {
  readonly acctId: number;
}

/**
 * Remembers that a card's rules are about to be written, because a call that is carried out late overwrites what was set
 * since.
 *
 * Runs under the account's lock. The returned function sends them, all at once.
 *
 * @throws CardApiError; TooLateError when they were read too long ago.
 */
export type PutRules = (write: Write) => Promise<() => Promise<void>>;

interface Deps extends Pick<ActionTools, 'applyChanges' | 'now'> {
  readonly card: Pick<CardClient, 'putSpendRules'>;
  readonly ruleWrites: Pick<RuleWrites, 'begin' | 'answered'>;
}

export function createPutRules({ card, ruleWrites, applyChanges, now }: Deps): PutRules {
  return async function putRules({ acctId, id, by, changes, rules, raw, readAt }) {
    await ruleWrites.begin(acctId, rules, { id, by, changes, sentAt: now().toISOString() });
    return async function send() {
      try {
        assertFresh(readAt);
        await card.putSpendRules(acctId, applyChanges(raw, changes));
      } catch (error) {
        const wasSent = error instanceof CardApiError ? error.outcome === 'unknown' : !(error instanceof TooLateError);
        if (!wasSent) await ruleWrites.answered(acctId, id, false);
        throw error;
      }
      await ruleWrites.answered(acctId, id, true);
    };
  };
}

/**
 * Rules that were read a while ago are not written back, because someone may have changed them since. Whatever is read
 * between the two may take as long as the card service may: a slow one must not keep limits from being changed.
 *
 * @param readAt when they arrived, by `performance.now()`.
 */
export function assertFresh(readAt: number): void {
  if (performance.now() - readAt > ATTEMPT_TIMEOUT_MS) throw new TooLateError('the spend rules were read too long ago');
}
