import type { Resolved } from '../actions/action.ts';
import { changeOnce } from '../actions/change-once.ts';
import { changeStatus } from '../actions/change-status.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { unblock } from '../actions/unblock.ts';
import { undoBlock } from '../actions/undo-block.ts';
import { acknowledgeAlert } from '../alerts/acknowledge-alert.ts';
import { changeRule } from '../limits/change-rule.ts';
import { decideTemporaryChange } from '../limits/decide-temporary-change.ts';
import { fillForm } from '../limits/fill-form.ts';
import { composeApprovals } from './compose-approvals.ts';
import {
  composeChannelVerbs,
  composeLooks,
  composeMutes,
  composeSetDigest,
  composeStartRecovery,
} from './compose-channels.ts';
import { composeHolders, composeRecognizePurchase } from './compose-holders.ts';
import { composeVirtualCards } from './compose-virtual-cards.ts';
import type { ActionOf, Verb, verbs } from './verbs.ts';

/** Who does what is asked for: what is about one card gets that card as well. */
export type Handlers = {
  readonly [V in Verb]: (typeof verbs)[V]['isOfCard'] extends true
    ? (resolved: Resolved<ActionOf<V>>) => Promise<unknown>
    : (action: ActionOf<V>) => Promise<unknown>;
};

/** Every verb and who does it. */
export function createHandlers(deps: ActionDeps): Handlers {
  const { withLock } = deps;
  const attempt = { isLast: deps.isLastAttempt };
  const looks = composeLooks(deps);
  const channels = composeChannelVerbs(deps);
  const mutes = composeMutes(deps);
  const approvals = composeApprovals(deps);
  const recognizePurchase = composeRecognizePurchase(deps);
  const holders = composeHolders(deps);
  const virtualCards = composeVirtualCards(deps);
  return {
    show: looks.show,
    activate: (resolved) => {
      const isConfirmed = resolved.action.confirmed;
      return changeOnce(resolved, 'activate', () => changeStatus('activate', resolved, deps, { isConfirmed }), deps);
    },
    block: (resolved) => changeOnce(resolved, 'block', () => changeStatus('block', resolved, deps), deps),
    unblock: (resolved) => changeOnce(resolved, 'unblock', () => unblock(resolved, deps), deps),
    undo_block: (action) => undoBlock(action, deps),
    limit: (resolved) =>
      changeOnce(resolved, 'limit', () => changeRule(resolved, null, deps, approvals.openRequest), deps),
    allow: (resolved) =>
      changeOnce(resolved, 'allow', () => changeRule(resolved, null, deps, approvals.openRequest), deps),
    remedy: (action) => fillForm(action, deps),
    take_back: (action) => decideTemporaryChange(action, deps),
    settle_lease: (action) => decideTemporaryChange(action, deps),
    ask: (resolved) => withLock(`account:${resolved.acctId}`, () => approvals.askForRaise(resolved)),
    decide: (action) => withLock(`request:${action.target.requestId}`, () => approvals.decideRequest(action, attempt)),
    break_glass: (action) =>
      withLock(`request:${action.target.requestId}`, () => approvals.overrideRequest(action, attempt)),
    claim: holders.claimCard,
    link: holders.linkCard,
    unlink: holders.unlinkCard,
    'decide-claim': holders.decideClaim,
    'order-virtual': (action) => virtualCards.orderVirtual(action, attempt),
    'resend-virtual': (resolved) =>
      withLock(`account:${resolved.acctId}`, () => virtualCards.resendVirtual(resolved, attempt)),
    recover: composeStartRecovery(deps),
    digest: composeSetDigest(deps),
    acknowledge: (action) => acknowledgeAlert(action, deps),
    recognize: ({ action }) => recognizePurchase(action),
    declines: looks.declines,
    track: looks.track,
    why: channels.explainRouting,
    subscribe: channels.subscribe,
    unsubscribe: channels.unsubscribe,
    subscriptions: channels.list,
    quiet: channels.setQuiet,
    mutes: mutes.list,
    mute: mutes.mute,
    unmute: mutes.unmute,
    travel: mutes.mute,
    // What was picked is the action that it stands for; by itself it is only ever refused.
    choose: async () => {},
  };
}
