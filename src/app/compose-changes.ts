import type { Resolved } from '../actions/action.ts';
import type { ActionRun } from '../actions/action-tools.ts';
import { createChangeOnce } from '../actions/change-once.ts';
import { createChangeStatus } from '../actions/change-status.ts';
import { createConcludeAction, createNotifyOfVerdict, createVerifiedResult } from '../actions/conclude-action.ts';
import { createFailChange, createFailures, createNotifyRetrying, type Failures } from '../actions/fail-action.ts';
import { createPermitStatus } from '../actions/permit-status.ts';
import { createSendChange } from '../actions/send-change.ts';
import { createSendStatus } from '../actions/send-status.ts';
import { createEndUndo, createUndoBlock, createWhyNotUndo } from '../actions/undo-block.ts';
import type { BlockAction } from '../actions/verbs.ts';
import { createConcludeLocked, createVerifyAction, type RequestsOfActions } from '../actions/verify-action.ts';
import { createFillForm } from '../alerts/fill-form.ts';
import { createBlockAndReport, createCloseFraudCase, createEndCase, createOpenCase } from '../alerts/fraud-case.ts';
import { createNotifyOfLoss } from '../approvals/notify-of-loss.ts';
import { toCardFacts } from '../directory/account.ts';
import type { Handlers } from '../dispatch/perform-action.ts';
import {
  createChangeRule,
  createPermitChangeOrAsk,
  createResumeChange,
  type OpenRequest,
} from '../limits/change-rule.ts';
import {
  createAnswerBack,
  createDecideTemporaryChange,
  createPermitDecisionOrAsk,
} from '../limits/decide-temporary-change.ts';
import { createEndPurchaseChanges } from '../limits/end-purchase-changes.ts';
import { createConfirmIfMade, createEndTemporaryChange, createShowMadeLate } from '../limits/end-temporary-change.ts';
import { createForgetIfNotMade, createWasMade } from '../limits/forget-if-not-made.ts';
import { createTermsWithLosses } from '../limits/lost-raise.ts';
import { createNotifyEnd, createRecordEnd, createReportEnd, createShowTemporaryChange } from '../limits/notify-end.ts';
import { createTemporaryTerms, type TemporaryTerms } from '../limits/open-temporary-change.ts';
import { createPlanChange } from '../limits/plan-change.ts';
import { createKeepRules, createPutRules, type PutRules } from '../limits/put-rules.ts';
import { createRestore, type Restore } from '../limits/restore.ts';
import {
  createReportOverwritten,
  createRestoreFirst,
  createRestoreOverwritten,
  type RestoreOverwritten,
} from '../limits/restore-overwritten.ts';
import { createApplyLateConfirmation, createSendRules } from '../limits/send-rules.ts';
import { createSupersede } from '../limits/supersede.ts';
import type { RemedyAction, RuleAction } from '../limits/verbs.ts';
import type { Tools } from './compose-tools.ts';

/** Blocks, unblocks and activates cards. */
export function composeStatus(tools: Tools) {
  const changeOnce = createChangeOnce(tools);
  const sendStatus = createSendStatus({ ...tools, sendChange: createSendChange(tools) });
  const changeStatus = createChangeStatus({ ...tools, permitStatus: createPermitStatus(tools), sendStatus });
  const block = (resolved: Resolved<BlockAction>, run: ActionRun) =>
    changeOnce(resolved, run, (locked) => changeStatus('block', resolved, locked));
  return {
    block,
    endUndo: createEndUndo(tools),
    handlers: {
      block: createBlockAndReport({ ...tools, block, openCase: createOpenCase(tools) }),
      'close-fraud-case': createCloseFraudCase({ ...tools, endCase: createEndCase(tools) }),
      activate: (resolved, run) =>
        changeOnce(resolved, run, (locked) => changeStatus('activate', resolved, locked, resolved.action)),
      unblock: (resolved, run) => changeOnce(resolved, run, (locked) => changeStatus('unblock', resolved, locked)),
      'undo-block': createUndoBlock({ ...tools, changeStatus, whyNotUndo: createWhyNotUndo(tools) }),
    } satisfies Partial<Handlers>,
  };
}

/** Handles actions that will not be retried. */
export function composeFailures(tools: Tools): Failures {
  // Answers the person anyway, with the facts that are certain.
  const factsOf = (acctId: number) => tools.factsOf(acctId).catch(() => toCardFacts(acctId, null));
  const failures = createFailures({ ...tools, failChange: createFailChange({ ...tools, factsOf }) });
  return { ...failures, notifyRetrying: createNotifyRetrying(tools) };
}

/** Changes the spend rules of cards, permanently or for a time. */
export function composeLimits(tools: Tools, openRequest: OpenRequest) {
  const showTemporaryChange = createShowTemporaryChange(tools);
  const reportEnd = createReportEnd({ ...tools, recordEnd: createRecordEnd(tools), showTemporaryChange });
  const notifyOfLoss = createNotifyOfLoss(tools);
  const notifyEnd = createNotifyEnd({ ...tools, reportEnd, showTemporaryChange, notifyOfLoss });
  const supersede = createSupersede({ ...tools, notifyEnd });
  const terms = createTermsWithLosses({
    ...tools,
    terms: createTemporaryTerms({ ...tools, supersede }),
    notifyOfLoss,
  });
  const confirmIfMade = createConfirmIfMade({ ...tools, showMadeLate: createShowMadeLate(tools) });
  const putRules = createPutRules(tools);
  const restoreOverwritten = createRestoreOverwritten({ ...tools, putRules, report: createReportOverwritten(tools) });
  const restoreFirst = createRestoreFirst(restoreOverwritten);
  const restoreRules = createRestore({ ...tools, putRules, notifyEnd });
  const restore: Restore = async (temporaryChange, by, lease) => {
    await restoreFirst(temporaryChange.acctId, lease);
    return await restoreRules(temporaryChange, by, lease);
  };
  const permitDecisionOrAsk = createPermitDecisionOrAsk({ ...tools, openRequest });
  const changeOnce = createChangeOnce(tools);
  const resumeChange = createResumeChange(tools);
  const changeRule = composeChangeRule(tools, { openRequest, terms, putRules, restoreFirst });
  const changeAlone = (resolved: Resolved<RuleAction>, run: ActionRun) =>
    changeOnce(
      resolved,
      run,
      async (locked) => (await resumeChange(resolved)) ?? (await changeRule(resolved, null, locked)),
    );
  const decideTemporaryChange = createDecideTemporaryChange({
    ...tools,
    answerBack: createAnswerBack(tools),
    permitDecisionOrAsk,
    confirmIfMade,
    restore,
    notifyEnd,
  });
  const fillForm = composeFillForm(tools);
  return {
    changeRule,
    handlers: {
      limit: changeAlone,
      allow: changeAlone,
      remedy: ({ action }) => fillForm(action),
      revert: decideTemporaryChange,
      'complete-temporary-change': decideTemporaryChange,
    } satisfies Partial<Handlers>,
    ends: {
      endTemporaryChange: createEndTemporaryChange({ ...tools, confirmIfMade, restore, notifyEnd }),
      endPurchaseChanges: createEndPurchaseChanges(tools),
      restoreOverwritten: (acctId: number) =>
        tools.withLock(`account:${acctId}`, (lease) => restoreOverwritten(acctId, lease)),
    },
    applyLateConfirmation: createApplyLateConfirmation({ ...tools, terms }),
  };
}

interface RuleChangeParts {
  readonly openRequest: OpenRequest;
  readonly terms: TemporaryTerms;
  readonly putRules: PutRules;
  readonly restoreFirst: RestoreOverwritten;
}

function composeChangeRule(tools: Tools, { openRequest, terms, putRules, restoreFirst }: RuleChangeParts) {
  const changeRule = createChangeRule({
    ...tools,
    plan: createPlanChange(tools),
    permitOrAsk: createPermitChangeOrAsk({ ...tools, openRequest }),
    send: createSendRules({ ...tools, putRules, terms, sendChange: createSendChange(tools) }),
    terms: { ...terms, keep: createKeepRules({ ...tools, terms }) },
  });
  return async (...[resolved, approval, run]: Parameters<typeof changeRule>) => {
    await restoreFirst(resolved.acctId, run.lease);
    return await changeRule(resolved, approval, run);
  };
}

/** Checks whether the card service shows the changes that were sent. */
export function composeVerification(
  tools: Tools,
  requests: RequestsOfActions,
  { applyLateConfirmation }: Pick<ReturnType<typeof composeLimits>, 'applyLateConfirmation'>,
) {
  const { reload } = tools.directory;
  const verifiedResult = createVerifiedResult({ ...tools, applyLateConfirmation, reload });
  const notifyOfVerdict = createNotifyOfVerdict(tools);
  const conclude = createConcludeAction({ ...tools, requests, verifiedResult, notifyOfVerdict });
  return createVerifyAction({
    ...tools,
    requests,
    conclude: createConcludeLocked({ ...tools, requests, conclude }),
    forgetIfNotMade: createForgetIfNotMade({ ...tools, wasMade: createWasMade(tools) }),
  });
}

function composeFillForm({ pending, ...tools }: Tools): (action: RemedyAction) => Promise<void> {
  return createFillForm({
    ...tools,
    async keepFound(pendingId, found) {
      const form = await pending.get(pendingId);
      if (form?.kind !== 'form') return null;
      return { pendingId: await pending.put({ ...form, ...found }), isSubscription: form.isSubscription };
    },
  });
}
