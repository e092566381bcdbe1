import { resendAnswer } from '../../templates/virtual-cards/order.ts';
import type { Action, Resolved } from '../actions/action.ts';
import { type ReportedState, type Result, reported, stateOf } from '../actions/action-state.ts';
import type { ActionTools, LockedRun, Responses } from '../actions/action-tools.ts';
import { noteOf } from '../actions/send-change.ts';
import type { CardClient } from '../card-api/client.ts';
import { CardApiError } from '../core/errors.ts';
import type { AwaitedOrders } from './order.ts';
import type { State } from './order-virtual.ts';

interface Deps extends Pick<ActionTools, 'progress' | 'factsOf' | 'record' | 'now'> {
  readonly responses: Pick<Responses, 'refuse' | 'answer'>;
  readonly card: Pick<CardClient, 'requestVirtualCardData'>;
  readonly awaitedOrders: Pick<AwaitedOrders, 'expect' | 'forget'>;
}

type Sent = Pick<Result, 'apiWords' | 'note'> & { readonly state: State };

/**
 * Asks the service to send a virtual card's webhook again. Runs under the account's lock.
 *
 * Sent once. If no answer came, a second request could send them twice at worst, so the person decides.
 *
 * The returned function throws CardApiError when it was certainly not sent and the job should be retried.
 */
export function createResendVirtual(deps: Deps) {
  const { progress } = deps;
  return async function resendVirtual({ action, acctId }: Resolved, run: LockedRun): Promise<void> {
    const card = await deps.factsOf(acctId);
    const { cardId } = card;
    const written = await progress.read(action.id);
    const reportedState = reported(written);
    if (reportedState !== null)
      return reportedState.isNotified ? undefined : await report(action, acctId, reportedState);
    if (card.isVirtual === false) {
      const refusal = {
        why: 'This card is not virtual.',
        whoCan: 'Physical cards come by mail.',
      };
      return await deps.responses.refuse(action, refusal, { acctId, cardId });
    }
    await deps.record(action, { event: 'asked', begins: true, acctId, cardId });
    // The worker died while sending: the answer is lost.
    const sent = written?.state === 'sending' ? unknown : await send({ action, acctId, cardId }, run);
    if (sent === null) return;
    const own = stateOf({ ...sent, card, before: null, after: null }, deps.now().toISOString());
    await report(action, acctId, reported(await progress.write(action.id, own)) ?? own);
  };

  /** @returns null when this process was paused for longer than its lock, and another one sends it. */
  async function send({ action, acctId, cardId }: Resolved, run: LockedRun): Promise<Sent | null> {
    await deps.record(action, { event: 'sent', acctId, cardId });
    await deps.awaitedOrders.expect({ kind: 'resend', acctId }, { action, at: deps.now().toISOString() });
    const sending = { state: 'sending', acctId, cardId, before: null, after: null } as const;
    if ((await progress.begin(action.id, sending)) !== null) return null;
    try {
      await run.lease.confirm();
      await deps.card.requestVirtualCardData({ AcctId: acctId });
      return { state: 'done', apiWords: null, note: null };
    } catch (error) {
      if (!(error instanceof CardApiError)) throw error;
      const explanation = { apiWords: error.apiMessage, note: noteOf(error) };
      if (error.outcome === 'unknown') return { state: 'unknown', ...explanation };
      // Nothing was sent, so a colleague's resend is not this one.
      await deps.awaitedOrders.forget({ kind: 'resend', acctId }, action.id);
      if (error.retryable && !run.isLast) {
        await progress.write(action.id, { state: 'asked' });
        throw error;
      }
      return { state: 'failed', ...explanation };
    }
  }

  /** Safe to repeat. */
  async function report(action: Action, acctId: number, reportedState: ReportedState): Promise<void> {
    const { at, result } = reportedState;
    const { card, apiWords, note } = result;
    const state = result.state === 'done' || result.state === 'failed' ? result.state : 'unknown';
    const outcome = [outcomeWords[state], apiWords].filter(Boolean).join(': ');
    const line = { did: 'asked for the details of', card, at, outcome };
    await deps.record(action, { event: state, acctId, cardId: card.cardId, detail: apiWords ?? note, line });
    await deps.responses.answer(action, resendAnswer({ state, apiWords, note, card, ref: action.id.slice(-8) }));
    await progress.write(action.id, { ...reportedState, isNotified: true });
  }
}

const unknown: Sent = { state: 'unknown', apiWords: null, note: null };
const outcomeWords = { done: 'sent again', failed: 'failed, nothing was sent', unknown: 'outcome not known' } as const;
