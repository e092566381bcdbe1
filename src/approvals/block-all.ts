import { actionResult } from '../../templates/actions/action-result.ts';
import type { Resolved } from '../actions/action.ts';
import type { Result } from '../actions/action-state.ts';
import type { ActionTools, Attempt } from '../actions/action-tools.ts';
import type { BlockAction, BlockAllAction } from '../actions/verbs.ts';
import { contentId } from '../core/content-id.ts';
import { permanent } from '../limits/change-request.ts';
import type { RequestedChange } from './open-request.ts';

const severalCards = { acctId: null, cardId: null, last4: null, holder: null, customId: null, isVirtual: null };

/** Blocks cards, each as an action of its own, once. @throws CardApiError when the job should run again. */
export type BlockAll = (action: BlockAllAction, attempt: Attempt) => Promise<Result>;

export function createBlockAll(block: (resolved: Resolved<BlockAction>, attempt: Attempt) => Promise<void>): BlockAll {
  return async function blockAll({ acctIds, names: _names, ...asked }, attempt) {
    for (const acctId of acctIds) {
      const id = contentId('act_', [asked.id, acctId]);
      const target = { kind: 'card', acctId, cardId: null, alertId: asked.target.alertId } as const;
      await block({ action: { ...asked, id, verb: 'block', target }, acctId, cardId: null }, attempt);
    }
    return {
      state: 'done',
      card: { ...severalCards, group: null },
      before: null,
      after: null,
      apiWords: null,
      note: null,
    };
  };
}

interface Deps extends Pick<ActionTools, 'record' | 'answer' | 'now' | 'withLock'> {
  readonly openRequest: (asked: RequestedChange) => Promise<string>;
}

/** *Block all* above five cards: an approver has to agree, in the channel for requests. Safe to repeat. */
export function createRequestBlockAll(deps: Deps): (action: BlockAllAction) => Promise<void> {
  return async function requestBlockAll(action) {
    await deps.withLock(`alert:${action.target.alertId}`, async () => {
      const card = { ...severalCards, group: null };
      const detail = `${action.acctIds.length} cards`;
      await deps.record(action, { event: 'waiting', isFirst: true, detail });
      const change = { changes: [], term: permanent, counted: null };
      const note = await deps.openRequest({ action, acctId: 0, card, ...change, others: 1 });
      const at = deps.now().toISOString();
      const shown = { state: 'waiting', card, before: null, after: null, apiWords: null, reason: null } as const;
      const by = action.actor.userId;
      await deps.answer(action, actionResult({ ...shown, verb: 'block', by, at, note, ref: action.id.slice(-8) }));
    });
  };
}
