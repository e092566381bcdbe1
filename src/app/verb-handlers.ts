import type { Handlers } from '../dispatch/perform-action.ts';
import type { Capabilities } from './compose-verbs.ts';

/** Every verb and who does it. */
export function verbHandlers(capabilities: Capabilities): Handlers {
  const { tools, status, limits, approvals, holders, virtualCards, channels, mutes, looks, responses, fraudCases } =
    capabilities;
  const { withLock } = tools;
  return {
    show: looks.show,
    activate: status.activate,
    block: fraudCases.block,
    'block-all': approvals.requestBlockAll,
    unblock: status.unblock,
    'undo-block': status.undoBlock,
    limit: (resolved, attempt) =>
      status.changeOnce(resolved, 'limit', (lease) => limits.changeRule(resolved, null, { ...attempt, lease })),
    allow: (resolved, attempt) =>
      status.changeOnce(resolved, 'allow', (lease) => limits.changeRule(resolved, null, { ...attempt, lease })),
    remedy: capabilities.fillForm,
    revert: limits.decideTemporaryChange,
    'complete-temporary-change': limits.decideTemporaryChange,
    ask: (resolved) => withLock(`account:${resolved.acctId}`, () => approvals.askForRaise(resolved)),
    'ask-permission': approvals.askPermission,
    decide: (action, attempt) =>
      withLock(`request:${action.target.requestId}`, () => approvals.decideRequest(action, attempt)),
    'emergency-override': (action, attempt) =>
      withLock(`request:${action.target.requestId}`, () => approvals.overrideRequest(action, attempt)),
    claim: holders.claimCard,
    link: holders.linkCard,
    unlink: holders.unlinkCard,
    'decide-claim': holders.decideClaim,
    'order-virtual': virtualCards.orderVirtual,
    'resend-virtual': (resolved, attempt) =>
      withLock(`account:${resolved.acctId}`, () => virtualCards.resendVirtual(resolved, attempt)),
    recover: capabilities.startRecovery,
    digest: channels.setDigest,
    notify: capabilities.setPreference,
    delegate: capabilities.setDelegate,
    acknowledge: responses.acknowledge,
    recognize: ({ action }) => responses.recognize(action),
    'close-fraud-case': fraudCases.closeFraudCase,
    declines: looks.declines,
    track: looks.track,
    why: channels.explainRouting,
    subscribe: channels.subscribe,
    unsubscribe: channels.unsubscribe,
    subscriptions: channels.list,
    quiet: channels.setQuiet,
    alerts: channels.setAlertLength,
    warnings: channels.setWarnings,
    mutes: mutes.list,
    mute: mutes.mute,
    unmute: mutes.unmute,
    travel: mutes.mute,
    // It was shown when it was asked for; that it was is on record.
    look: async () => {},
    // What was picked is the action that it stands for; by itself it is only ever refused.
    choose: async () => {},
  };
}
