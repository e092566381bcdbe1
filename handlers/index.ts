import type { App, BlockAction, ButtonAction, ExternalSelectAction, StaticSelectAction } from '@slack/bolt';
import { actionId, callbackId } from '../src/slack/action-id.ts';
import { activateCard } from './actions/activate-card.ts';
import { blockCard } from './actions/block-card.ts';
import { blockTestedCard, blockTestedCards } from './actions/block-tested-cards.ts';
import { undoBlock } from './actions/undo-block.ts';
import { explainDecline } from './alerts/explain-decline.ts';
import { findAlert } from './alerts/find-alert.ts';
import { openAlert } from './alerts/open-alert.ts';
import { showDetails } from './alerts/show-details.ts';
import { trackShipment } from './alerts/track-shipment.ts';
import { appHomeOpened } from './app-home/app-home-opened.ts';
import { endDelegation, nameDelegate, setDelegate } from './app-home/delegate.ts';
import { actOnHomeCard } from './app-home/home-card.ts';
import { setPreference } from './app-home/set-preference.ts';
import { turnPage } from './app-home/turn-page.ts';
import { askForRaise } from './approvals/ask-for-raise.ts';
import { openDecideForm } from './approvals/decide-form.ts';
import { decideRequest } from './approvals/decide-request.ts';
import { decideRequestForm } from './approvals/decide-request-form.ts';
import { requestIncrease } from './approvals/request-increase.ts';
import { withdrawRequest } from './approvals/withdraw-request.ts';
import type { ListenerDeps } from './deps.ts';
import { findCards } from './directory/find-cards.ts';
import { ackWhenDone } from './dispatch/ack-when-done.ts';
import { actOnAlert } from './dispatch/act-on-alert.ts';
import { actOnPicked } from './dispatch/act-on-picked.ts';
import type { ButtonArgs } from './dispatch/button-args.ts';
import { card, slashCommands } from './dispatch/card-command.ts';
import { chooseCard } from './dispatch/choose-card.ts';
import { openCommandForm, runCommandForm } from './dispatch/command-form.ts';
import { pickCard } from './dispatch/pick-card.ts';
import { decideClaim } from './holders/decide-claim.ts';
import { approveRemedy } from './limits/approve-remedy.ts';
import { limitCard } from './limits/limit-card.ts';
import { limitPicked } from './limits/limit-picked.ts';
import { raiseLimit } from './limits/raise-limit.ts';
import { resolveTemporaryChange, revertNow } from './limits/temporary-change.ts';
import { personChanged, userGroupChanged } from './policy/roles-changed.ts';
import { channelChanged } from './routing/channel-changed.ts';
import { orderVirtual } from './virtual-cards/order-virtual.ts';

/** Every button that exists, and who listens to it. */
const buttons: Readonly<Record<string, (deps: ListenerDeps) => (args: ButtonArgs) => Promise<void>>> = {
  [actionId.approveRemedy]: approveRemedy,
  [actionId.blockCard]: blockCard,
  [actionId.activateCard]: activateCard,
  [actionId.acknowledgeAlert]: actOnAlert('acknowledge'),
  [actionId.blockTestedCards]: blockTestedCards,
  [actionId.chooseCard]: chooseCard,
  [actionId.askPermission]: chooseCard,
  [actionId.confirmOwnCard]: chooseCard,
  [actionId.confirmClaim]: decideClaim,
  [actionId.refuseClaim]: decideClaim,
  [actionId.recognize]: actOnAlert('recognize'),
  [actionId.closeFraudCase]: actOnAlert('close-fraud-case'),
  [actionId.decideRequestApprove]: decideRequest(true),
  [actionId.decideRequestDeny]: decideRequest(false),
  [actionId.withdrawRequest]: withdrawRequest,
  [actionId.homeActivate]: actOnHomeCard('activate'),
  [actionId.homeBlock]: actOnHomeCard('block'),
  [actionId.homeAsk]: actOnHomeCard('ask'),
  [actionId.setPreference]: setPreference,
  [actionId.previousPage]: turnPage,
  [actionId.nextPage]: turnPage,
  [actionId.nameDelegate]: nameDelegate,
  [actionId.endDelegation]: endDelegation,
  [actionId.pickedShow]: actOnPicked,
  [actionId.pickedActivate]: actOnPicked,
  [actionId.pickedBlock]: actOnPicked,
  [actionId.pickedUnblock]: actOnPicked,
  [actionId.pickedLimit]: limitPicked,
  [actionId.changeRequest]: openDecideForm('change'),
  [actionId.denyWithNote]: openDecideForm('deny'),
  [actionId.overrideRequest]: openDecideForm('override'),
  [actionId.requestIncrease]: requestIncrease,
  [actionId.revertNow]: revertNow,
  [actionId.restore]: resolveTemporaryChange(true),
  [actionId.leaveIt]: resolveTemporaryChange(false),
  [actionId.undoBlock]: undoBlock,
  [actionId.showDetails]: showDetails('team'),
  [actionId.showHolderDetails]: showDetails('holder'),
  [actionId.trackShipment]: trackShipment,
};

/** All entry points from Slack, on one page. Those of webhooks are in `src/webhooks/kind.ts` and `src/webhooks/http-server.ts`. */
export function registerListeners(app: App, deps: ListenerDeps): void {
  for (const [command, verb] of slashCommands()) app.command(command, ackWhenDone(card(verb, deps)));
  for (const [action_id, listener] of Object.entries(buttons)) {
    app.action<BlockAction<ButtonAction>>({ type: 'block_actions', action_id }, ackWhenDone(listener(deps)));
  }
  app.action<BlockAction<StaticSelectAction>>(
    { type: 'block_actions', action_id: actionId.blockTestedCard },
    ackWhenDone(blockTestedCard(deps)),
  );
  app.action<Parameters<ReturnType<typeof openAlert>>[0]['body']>(
    { type: 'block_actions', action_id: actionId.openAlert },
    openAlert(deps),
  );
  app.options<'block_suggestion'>({ type: 'block_suggestion', action_id: actionId.openAlert }, findAlert(deps));
  app.view({ type: 'view_submission', callback_id: callbackId.raiseLimit }, ackWhenDone(raiseLimit(deps)));
  app.view({ type: 'view_submission', callback_id: callbackId.limitCard }, ackWhenDone(limitCard(deps)));
  app.shortcut({ type: 'message_action', callback_id: callbackId.explainDecline }, explainDecline(deps));
  app.shortcut({ type: 'shortcut', callback_id: callbackId.cardCommand }, openCommandForm(deps));
  app.view({ type: 'view_submission', callback_id: callbackId.cardCommand }, ackWhenDone(runCommandForm(deps)));
  app.view({ type: 'view_submission', callback_id: callbackId.orderVirtual }, ackWhenDone(orderVirtual(deps)));
  app.options({ type: 'block_suggestion', action_id: actionId.pickCard }, findCards(deps));
  app.action<BlockAction<ExternalSelectAction>>(
    { type: 'block_actions', action_id: actionId.pickCard },
    ackWhenDone(pickCard(deps)),
  );
  app.view({ type: 'view_submission', callback_id: callbackId.decideRequest }, ackWhenDone(decideRequestForm(deps)));
  app.view({ type: 'view_submission', callback_id: callbackId.askForRaise }, ackWhenDone(askForRaise(deps)));
  app.view({ type: 'view_submission', callback_id: callbackId.delegate }, ackWhenDone(setDelegate(deps)));
  app.event('app_home_opened', appHomeOpened(deps));
  for (const event of ['subteam_updated', 'subteam_members_changed'] as const) app.event(event, userGroupChanged(deps));
  app.event('user_change', personChanged(deps));
  for (const event of ['channel_shared', 'channel_unshared'] as const) app.event(event, channelChanged(deps));
}
