import { resendAnswer } from '../../templates/virtual-cards/order.ts';
import type { Resolved } from '../actions/action.ts';
import { reported, stateOf } from '../actions/action-state.ts';
import type { ActionRun, ActionTools } from '../actions/action-tools.ts';
import { noteOf } from '../actions/send-change.ts';
import { CardApiError } from '../core/errors.ts';
import type { VirtualOrders } from './order.ts';

interface Deps extends Pick<ActionTools, 'progress' | 'factsOf' | 'record' | 'refuse' | 'answer' | 'now'> {
  /** Asks the card service to send the details again. @throws CardApiError */
  readonly requestVirtualCardData: (request: { readonly AcctId: number }) => Promise<void>;
  readonly virtualOrders: Pick<VirtualOrders, 'expect'>;
}

interface Sent {
  readonly state: 'done' | 'failed' | 'unknown';
  readonly apiWords: string | null;
  readonly note: string | null;
}

/**
 * Asks the service to send a virtual card's details to the configured receiver again. Runs under the account's lock.
 *
 * Sent once. If no answer came, a second request could send them twice at worst, so the person decides.
 *
 * The returned function throws CardApiError when it was certainly not sent and the job should be retried.
 */
export function createResendVirtual(deps: Deps) {
  return async function resendVirtual({ action, acctId }: Resolved, run: ActionRun): Promise<void> {
    const card = await deps.factsOf(acctId);
    const { cardId } = card;
    const written = await deps.progress.read(action.id);
    if (reported(written) !== null) return;
    if (card.isVirtual === false) {
      const refusal = {
        what: 'Your resend',
        why: 'This card is not virtual.',
        whoCan: 'Plastic cards come by mail.',
      };
      return await deps.refuse(action, refusal, { acctId, cardId });
    }
    await deps.record(action, { event: 'asked', isFirst: true, acctId, cardId });
    // The worker died while sending: the answer is lost.
    const wasSending = written?.state === 'sending';
    const sent = wasSending ? unknown : await send({ action, acctId, cardId }, run);
    const { state, apiWords, note } = sent;
    const at = deps.now().toISOString();
    const outcome = [outcomeWords[state], apiWords].filter(Boolean).join(': ');
    const line = { did: 'asked for the details of', card, at, outcome };
    await deps.record(action, { event: state, acctId, cardId, detail: apiWords ?? note, line });
    await deps.answer(action, resendAnswer({ ...sent, card, ref: action.id.slice(-8) }));
    const known = stateOf({ ...sent, card, before: null, after: null }, at);
    await deps.progress.write(action.id, { ...known, isTold: true });
  };

  async function send({ action, acctId, cardId }: Resolved, run: ActionRun): Promise<Sent> {
    await deps.record(action, { event: 'sent', acctId, cardId });
    await deps.virtualOrders.expect({ kind: 'resend', acctId }, { action, at: deps.now().toISOString() });
    await deps.progress.write(action.id, { state: 'sending', before: null, after: null });
    try {
      await deps.requestVirtualCardData({ AcctId: acctId });
      return { state: 'done', apiWords: null, note: null };
    } catch (error) {
      if (!(error instanceof CardApiError)) throw error;
      if (error.outcome !== 'unknown' && error.retryable && !run.isLast) {
        await deps.progress.write(action.id, { state: 'asked' });
        throw error;
      }
      const state = error.outcome === 'unknown' ? 'unknown' : 'failed';
      return { state, apiWords: error.apiMessage, note: noteOf(error) };
    }
  }
}

const unknown: Sent = { state: 'unknown', apiWords: null, note: null };
const outcomeWords = { done: 'sent again', failed: 'failed, nothing was sent', unknown: 'outcome not known' } as const;
