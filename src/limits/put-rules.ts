import type { ActionTools } from '../actions/action-tools.ts';
import { ATTEMPT_TIMEOUT_MS, type CardClient } from '../card-api/client.ts';
import { CardApiError, TooLateError } from '../core/errors.ts';
import type { TemporaryTerms } from './open-temporary-change.ts';
import { type RuleWrite, writeOf } from './rule-write.ts';
import type { RuleWrites } from './rule-write-store.ts';

/** The rules of a card as they were read. */
export interface ReadRules {
  /** As the card service sent them. */
  readonly raw: Record<string, unknown>;
  /** When they arrived, by `performance.now()`. */
  readonly readAt: number;
}

interface Write extends ReadRules, Pick<RuleWrite, 'id' | 'by' | 'changes'> {
  readonly acctId: number;
}

/** A write that is remembered, and not sent yet. */
export interface BegunWrite {
  /**
   * Sends the rules, all at once.
   *
   * @throws CardApiError; TooLateError when they were read too long ago.
   */
  send(): Promise<void>;
  /** Without an answer, the card has shown that it was made. */
  seen(): Promise<unknown>;
}

/**
 * Remembers that a card's rules are about to be written, because a call that is carried out late overwrites what was set
 * since. Runs under the account's lock.
 */
export type PutRules = (write: Write) => Promise<BegunWrite>;

interface Deps extends Pick<ActionTools, 'applyChanges' | 'now'> {
  readonly card: Pick<CardClient, 'putSpendRules'>;
  readonly ruleWrites: Pick<RuleWrites, 'begin' | 'made' | 'notMade'>;
}

export function createPutRules({ card, ruleWrites, applyChanges, now }: Deps): PutRules {
  return async function putRules({ acctId, id, by, changes, raw, readAt }) {
    await ruleWrites.begin(acctId, { id, by, changes, sentAt: now().toISOString() });
    const seen = () => ruleWrites.made(acctId, id);
    return {
      async send() {
        try {
          assertFresh(readAt);
          await card.putSpendRules(acctId, applyChanges(raw, changes));
        } catch (error) {
          if (isUnsent(error)) await ruleWrites.notMade(acctId, id);
          throw error;
        }
        await seen();
      },
      seen,
    };
  };
}

function isUnsent(error: unknown): boolean {
  return error instanceof CardApiError ? error.outcome !== 'unknown' : error instanceof TooLateError;
}

interface KeepDeps extends Pick<ActionTools, 'now'> {
  readonly ruleWrites: Pick<RuleWrites, 'keep'>;
  readonly terms: Pick<TemporaryTerms, 'keep'>;
}

/** The same as {@link TemporaryTerms.keep}. What is to stay counts as written: a late call may still set it back. */
export function createKeepRules({ ruleWrites, terms, now }: KeepDeps): TemporaryTerms['keep'] {
  return async function keepRules(made) {
    await ruleWrites.keep(made.acctId, { ...writeOf(made), sentAt: now().toISOString() });
    return await terms.keep(made);
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
