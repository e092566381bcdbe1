import type { App } from '@slack/bolt';
import { alertIdInFraudValue } from '../src/alerts/alert.ts';
import type { ListenerDeps } from '../src/app/compose-web.ts';
import { requestTarget } from '../src/approvals/request.ts';
import { claimTarget } from '../src/holders/claim-store.ts';
import { actionId, callbackId } from '../src/slack/action-id.ts';
import { blockTestedCard, blockTestedCards } from './actions/block-tested-cards.ts';
import { explainDecline } from './alerts/explain-decline.ts';
import { findAlert, openAlert, showDetails } from './alerts/open-alert.ts';
import {
  actOnHomeCard,
  chooseProgram,
  endDelegation,
  nameDelegate,
  setDelegate,
  setPreference,
  turnPage,
} from './app-home/home-controls.ts';
import { askForRaise, askForSubscription, requestIncrease } from './approvals/ask-for-raise.ts';
import { openDecideForm, submitDecideForm } from './approvals/decide-form.ts';
import { findCards } from './directory/find-cards.ts';
import { ackWhenDone } from './dispatch/ack-when-done.ts';
import { card, openCommandForm, runCommandForm, slashCommands } from './dispatch/card-command.ts';
import { activateCard, chooseCard } from './dispatch/choose-card.ts';
import { actOnPicked, pickCard } from './dispatch/picker.ts';
import { asks, type Pressed, type PressListener } from './dispatch/press.ts';
import { appHomeOpened, channelChanged, personChanged, userGroupChanged } from './dispatch/slack-events.ts';
import type { FormListener } from './dispatch/submission.ts';
import { limitCard, limitPicked } from './limits/limit-card.ts';
import { approveRemedy, fixSubscription, raiseLimit } from './limits/raise-limit.ts';
import { orderVirtual } from './virtual-cards/order-virtual.ts';

const ofAlert = (alertId: string) => ({ kind: 'alert', alertId }) as const;
const ofTemporaryChange = (temporaryChangeId: string) => ({ kind: 'temporary-change', temporaryChangeId }) as const;

/** Every button and menu that exists, and what it asks for or who listens to it. */
const buttons: Readonly<Record<string, PressListener>> = {
  [actionId.approveRemedy]: approveRemedy,
  [actionId.fixSubscription]: fixSubscription,
  // On the holder's message *It wasn't me*, which opens a fraud case as well.
  [actionId.blockCard]: asks((value) => {
    const reported = alertIdInFraudValue(value);
    return { verb: 'block', target: ofAlert(reported ?? value), input: reported === null ? {} : { isFraud: true } };
  }),
  [actionId.activateCard]: activateCard,
  [actionId.acknowledgeAlert]: asks((value) => ({ verb: 'acknowledge', target: ofAlert(value), input: {} })),
  [actionId.blockTestedCard]: blockTestedCard,
  [actionId.blockTestedCards]: blockTestedCards,
  [actionId.chooseCard]: chooseCard,
  [actionId.askPermission]: chooseCard,
  [actionId.confirmOwnCard]: chooseCard,
  [actionId.confirmClaim]: asks((value) => ({ verb: 'decide-claim', target: claimTarget(value, true), input: {} })),
  [actionId.refuseClaim]: asks((value) => ({ verb: 'decide-claim', target: claimTarget(value, false), input: {} })),
  [actionId.recognize]: asks((value) => ({ verb: 'recognize', target: ofAlert(value), input: {} })),
  [actionId.closeFraudCase]: asks((value) => ({ verb: 'close-fraud-case', target: ofAlert(value), input: {} })),
  [actionId.decideRequestApprove]: decides(true),
  [actionId.decideRequestDeny]: decides(false),
  [actionId.withdrawRequest]: asks((value) => ({ verb: 'withdraw', target: requestTarget(value), input: {} })),
  [actionId.homeActivate]: actOnHomeCard('activate'),
  [actionId.homeBlock]: actOnHomeCard('block'),
  [actionId.homeAsk]: actOnHomeCard('ask'),
  [actionId.setPreference]: setPreference,
  [actionId.chooseProgram]: chooseProgram,
  [actionId.previousPage]: turnPage,
  [actionId.nextPage]: turnPage,
  [actionId.nameDelegate]: nameDelegate,
  [actionId.endDelegation]: endDelegation,
  [actionId.openAlert]: openAlert,
  [actionId.pickCard]: pickCard,
  [actionId.pickedShow]: actOnPicked,
  [actionId.pickedActivate]: actOnPicked,
  [actionId.pickedBlock]: actOnPicked,
  [actionId.pickedUnblock]: actOnPicked,
  [actionId.pickedLimit]: limitPicked,
  [actionId.changeRequest]: openDecideForm('change'),
  [actionId.denyWithNote]: openDecideForm('deny'),
  [actionId.overrideRequest]: openDecideForm('override'),
  [actionId.requestIncrease]: requestIncrease,
  [actionId.askForSubscription]: askForSubscription,
  [actionId.revertNow]: asks((value) => ({ verb: 'revert', target: ofTemporaryChange(value), input: {} })),
  // Where somebody changed it meanwhile.
  [actionId.restore]: completes(true),
  [actionId.leaveIt]: completes(false),
  [actionId.undoBlock]: asks((actionId) => ({ verb: 'undo-block', target: { kind: 'action', actionId }, input: {} })),
  [actionId.showDetails]: showDetails('team'),
  [actionId.showHolderDetails]: showDetails('holder'),
  // The browser has the link; Slack only wants to hear that the click arrived.
  [actionId.trackShipment]:
    () =>
    async ({ ack }) =>
      await ack(),
};

/** The value says which request, and what of it the person sees. */
function decides(approve: boolean): PressListener {
  return asks((value) => ({ verb: 'decide', target: requestTarget(value), input: { approve, changeRequest: null } }));
}

function completes(restore: boolean): PressListener {
  return asks((value) => ({ verb: 'complete-temporary-change', target: ofTemporaryChange(value), input: { restore } }));
}

/** Every form that can be submitted. */
const forms: Readonly<Record<string, FormListener>> = {
  [callbackId.raiseLimit]: raiseLimit,
  [callbackId.limitCard]: limitCard,
  [callbackId.cardCommand]: runCommandForm,
  [callbackId.orderVirtual]: orderVirtual,
  [callbackId.decideRequest]: submitDecideForm,
  [callbackId.askForRaise]: askForRaise,
  [callbackId.delegate]: setDelegate,
};

/** All entry points from Slack, on one page. Those of webhooks are in `src/webhooks/kind.ts` and `src/webhooks/http-server.ts`. */
export function registerListeners(app: App, deps: ListenerDeps): void {
  for (const [command, verb] of slashCommands()) app.command(command, ackWhenDone(card(verb, deps)));
  for (const [action_id, listener] of Object.entries(buttons))
    app.action<Pressed>({ type: 'block_actions', action_id }, ackWhenDone(listener(deps)));
  for (const [callback_id, listener] of Object.entries(forms))
    app.view({ type: 'view_submission', callback_id }, ackWhenDone(listener(deps)));
  app.options<'block_suggestion'>({ type: 'block_suggestion', action_id: actionId.openAlert }, findAlert(deps));
  app.options({ type: 'block_suggestion', action_id: actionId.pickCard }, findCards(deps));
  app.shortcut({ type: 'message_action', callback_id: callbackId.explainDecline }, explainDecline(deps));
  app.shortcut({ type: 'shortcut', callback_id: callbackId.cardCommand }, openCommandForm(deps));
  app.event('app_home_opened', appHomeOpened(deps));
  for (const event of ['subteam_updated', 'subteam_members_changed'] as const) app.event(event, userGroupChanged(deps));
  app.event('user_change', personChanged(deps));
  for (const event of ['channel_shared', 'channel_unshared'] as const) app.event(event, channelChanged(deps));
}
