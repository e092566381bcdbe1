import type { Resolved } from '../actions/action.ts';
import type { Attempt } from '../actions/action-tools.ts';
import { createChangeOnce } from '../actions/change-once.ts';
import { createAskFirst, createChangeStatus, createPermitStatus } from '../actions/change-status.ts';
import { createFailures, type Failures } from '../actions/fail-action.ts';
import { createSendStatus } from '../actions/send-status.ts';
import { createEndUndo, createOfferUndo, createUndoBlock, createWhyNotOwn } from '../actions/undo-block.ts';
import type { ActivateAction } from '../actions/verbs.ts';
import { toCardFacts } from '../directory/account.ts';
import type { ActionBase } from './action-base.ts';
import type { Tools } from './compose-tools.ts';

/** What blocks, unblocks and activates cards. */
export function composeStatus({ base, tools }: { readonly base: ActionBase; readonly tools: Tools }) {
  const { stores, cards, people, timers, settings } = base;
  const changeOnce = createChangeOnce(tools);
  const offerUndo = createOfferUndo({ ...stores, ...timers, ...settings });
  const changeStatus = createChangeStatus({
    ...stores,
    ...tools,
    permit: createPermitStatus({ ...tools, ...people }),
    card: cards.card,
    sendStatus: createSendStatus({ ...stores, ...tools, card: cards.card, offerUndo }),
    askFirst: createAskFirst(tools),
  });
  return {
    changeOnce,
    activate: (resolved: Resolved<ActivateAction>, attempt: Attempt) => {
      const isConfirmed = resolved.action.confirmed;
      return changeOnce(resolved, 'activate', (lease) =>
        changeStatus('activate', resolved, { ...attempt, lease }, { isConfirmed }),
      );
    },
    block: (resolved: Resolved, attempt: Attempt) =>
      changeOnce(resolved, 'block', (lease) => changeStatus('block', resolved, { ...attempt, lease })),
    unblock: (resolved: Resolved, attempt: Attempt) =>
      changeOnce(resolved, 'unblock', (lease) => changeStatus('unblock', resolved, { ...attempt, lease })),
    undoBlock: createUndoBlock({ ...stores, ...tools, ...settings, changeStatus, whyNotOwn: createWhyNotOwn(stores) }),
    endUndo: createEndUndo({ ...stores, ...tools }),
  };
}

/** How what is not tried again ends. */
export function composeFailures({ base, tools }: { readonly base: ActionBase; readonly tools: Tools }): Failures {
  return createFailures({
    ...tools,
    blocks: base.stores.blocks,
    // Whoever asked is told all the same, with what is certain.
    factsOf: (acctId) => base.cards.factsOf(acctId).catch(() => toCardFacts(acctId, null)),
  });
}
