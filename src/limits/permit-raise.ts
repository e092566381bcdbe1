import type { Action } from '../actions/action.ts';
import type { ActionTools, Rights } from '../actions/action-tools.ts';
import { amountIn, tooMuchForOne } from '../policy/approval-policy.ts';
import type { Decision, Facts } from '../policy/decide-action.ts';
import type { Raise, RaiseAmounts } from './raise-amount.ts';

interface Deps extends Pick<ActionTools, 'withLock'> {
  readonly rights: Pick<Rights, 'authorize'>;
  readonly raises: Pick<RaiseAmounts, 'count' | 'remember'>;
}

type Loosened = Awaited<ReturnType<RaiseAmounts['loosenedFor']>>;

/**
 * Asks the policy whether whoever asks may raise rules alone, and returns the raise if it is too much for one person. Two
 * simultaneous raises must not both count as the first, so an allowed raise counts from here on.
 *
 * @param raise null: nothing counts. `raiseCents` then says whether the card is loosened.
 */
export async function permitRaise(
  action: Action,
  acctId: number,
  raise: Raise | null,
  { tooLong, tooLongInFull, ...about }: Partial<Loosened> & Pick<Facts, 'raiseCents'>,
  { raises, rights, withLock }: Deps,
) {
  const { userId } = action.actor;
  return await withLock('recent-raises', async () => {
    const amount = raise && (await raises.count(action, acctId, raise, [userId]));
    const decision = await rights.authorize(action, { acctId, ...about, ...(amount && amountIn(amount)) });
    if (raise !== null && decision.kind === 'allowed')
      await raises.remember(action, acctId, raise, { by: userId, askedBy: userId });
    const isTooLong = decision.kind === 'refused' && decision.why === tooLong;
    const verdict: Decision = isTooLong && tooLongInFull != null ? { ...decision, why: tooLongInFull } : decision;
    return { verdict, counted: amount && tooMuchForOne(amount) };
  });
}
