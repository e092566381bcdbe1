import type { App, BlockAction, ButtonAction, ExternalSelectAction, StaticSelectAction } from '@slack/bolt';
import { actionId, callbackId } from '../src/slack/action-id.ts';
import { ackWhenDone } from './ack-when-done.ts';
import { acknowledgeAlert } from './actions/acknowledge-alert.ts';
import { actOnPicked } from './actions/act-on-picked.ts';
import { activateCard } from './actions/activate-card.ts';
import { approveRemedy } from './actions/approve-remedy.ts';
import { blockCard } from './actions/block-card.ts';
import { blockTestedCard, blockTestedCards } from './actions/block-tested-cards.ts';
import type { ButtonArgs } from './actions/button-args.ts';
import { chooseCard } from './actions/choose-card.ts';
import { decideClaim } from './actions/decide-claim.ts';
import { openDecideForm } from './actions/decide-form.ts';
import { decideRequest } from './actions/decide-request.ts';
import { revertNow, settleLease } from './actions/lease.ts';
import { limitPicked } from './actions/limit-picked.ts';
import { openAlert } from './actions/open-alert.ts';
import { pickCard } from './actions/pick-card.ts';
import { recognizePurchase } from './actions/recognize-purchase.ts';
import { requestIncrease } from './actions/request-increase.ts';
import { trackShipment } from './actions/track-shipment.ts';
import { undoBlock } from './actions/undo-block.ts';
import { card, verbOf } from './commands/card.ts';
import type { ListenerDeps } from './deps.ts';
import { appHomeOpened } from './events/app-home-opened.ts';
import { channelChanged } from './events/channel-changed.ts';
import { userGroupChanged } from './events/user-group-changed.ts';
import { findAlert } from './options/find-alert.ts';
import { findCards } from './options/find-cards.ts';
import { explainDecline } from './shortcuts/explain-decline.ts';
import { askForMore } from './views/ask-for-more.ts';
import { decideRequestForm } from './views/decide-request.ts';
import { limitCard } from './views/limit-card.ts';
import { orderVirtual } from './views/order-virtual.ts';
import { raiseLimit } from './views/raise-limit.ts';

/** Every button that exists, and who listens to it. */
const buttons: Readonly<Record<string, (deps: ListenerDeps) => (args: ButtonArgs) => Promise<void>>> = {
  [actionId.approveRemedy]: approveRemedy,
  [actionId.blockCard]: blockCard,
  [actionId.activateCard]: activateCard,
  [actionId.acknowledgeAlert]: acknowledgeAlert,
  [actionId.blockTestedCards]: blockTestedCards,
  [actionId.chooseCard]: chooseCard,
  [actionId.confirmOwnCard]: chooseCard,
  [actionId.confirmClaim]: decideClaim,
  [actionId.refuseClaim]: decideClaim,
  [actionId.recognize]: recognizePurchase,
  [actionId.decideRequestApprove]: decideRequest(true),
  [actionId.decideRequestDeny]: decideRequest(false),
  [actionId.pickedShow]: actOnPicked,
  [actionId.pickedActivate]: actOnPicked,
  [actionId.pickedBlock]: actOnPicked,
  [actionId.pickedUnblock]: actOnPicked,
  [actionId.pickedLimit]: limitPicked,
  [actionId.changeRequest]: openDecideForm('change'),
  [actionId.denyWithNote]: openDecideForm('deny'),
  [actionId.breakGlass]: openDecideForm('glass'),
  [actionId.requestIncrease]: requestIncrease,
  [actionId.revertNow]: revertNow,
  [actionId.putBack]: settleLease(true),
  [actionId.leaveIt]: settleLease(false),
  [actionId.undoBlock]: undoBlock,
  [actionId.trackShipment]: trackShipment,
};

/** All doors on Slack's side, on one page. The webhooks' doors are in `src/card/kind.ts` and `src/door.ts`. */
export function registerListeners(app: App, deps: ListenerDeps): void {
  for (const command of Object.keys(verbOf)) app.command(command, ackWhenDone(card(deps)));
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
  app.view({ type: 'view_submission', callback_id: callbackId.orderVirtual }, ackWhenDone(orderVirtual(deps)));
  app.options({ type: 'block_suggestion', action_id: actionId.pickCard }, findCards(deps));
  app.action<BlockAction<ExternalSelectAction>>(
    { type: 'block_actions', action_id: actionId.pickCard },
    ackWhenDone(pickCard(deps)),
  );
  app.view({ type: 'view_submission', callback_id: callbackId.decideRequest }, ackWhenDone(decideRequestForm(deps)));
  app.view({ type: 'view_submission', callback_id: callbackId.askForMore }, ackWhenDone(askForMore(deps)));
  app.event('app_home_opened', appHomeOpened(deps));
  for (const event of ['subteam_updated', 'subteam_members_changed'] as const) app.event(event, userGroupChanged(deps));
  for (const event of ['channel_shared', 'channel_unshared'] as const) app.event(event, channelChanged(deps));
}
