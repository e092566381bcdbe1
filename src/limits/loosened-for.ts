import type { ActionTools } from '../actions/action-tools.ts';
import { whyTooLong } from '../policy/approval-policy.ts';
import { lastsMs } from './change-request.ts';
import type { Raise, RaiseAmounts } from './raise-amount.ts';

interface LoosenedFor {
  /** With the time since temporary changes loosened the rules, one after another. Infinity: for good. */
  readonly lastsMs: number;
  /** Why that is longer than the policy allows; null: it is not. */
  readonly tooLong: string | null;
  /** The same for people, who also read since when it counts. */
  readonly tooLongInFull: string | null;
}

interface Deps extends Pick<ActionTools, 'now' | 'zone' | 'policyOfCard'> {
  readonly raises: Pick<RaiseAmounts, 'loosenedSince'>;
}

/** How long the rules of a raise will have been loosened when it ends. */
export async function loosenedFor(raise: Raise, acctId: number, deps: Deps): Promise<LoosenedFor> {
  const since = await deps.raises.loosenedSince(raise, acctId);
  const now = deps.now();
  const before = since === undefined ? 0 : now.getTime() - Date.parse(since);
  const lasts = lastsMs(raise.term, now, deps.zone) + before;
  const tooLong = whyTooLong(await deps.policyOfCard(acctId), lasts);
  const tooLongInFull =
    tooLong === null || since === undefined
      ? tooLong
      : `${tooLong} The card has been loosened since ${since}, and that counts.`;
  return { lastsMs: lasts, tooLong, tooLongInFull };
}
