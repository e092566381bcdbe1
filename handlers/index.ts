import type { App, BlockAction, ButtonAction, StaticSelectAction } from '@slack/bolt';
import { actionId, callbackId } from '../src/slack/action-id.ts';
import { acknowledgeAlert } from './actions/acknowledge-alert.ts';
import { activateCard } from './actions/activate-card.ts';
import { approveRemedy } from './actions/approve-remedy.ts';
import { blockCard } from './actions/block-card.ts';
import { blockTestedCard, blockTestedCards } from './actions/block-tested-cards.ts';
import type { ButtonArgs } from './actions/button-args.ts';
import { chooseCard } from './actions/choose-card.ts';
import { decideClaim } from './actions/decide-claim.ts';
import { decideRequest } from './actions/decide-request.ts';
import { recognizePurchase } from './actions/recognize-purchase.ts';
import { trackShipment } from './actions/track-shipment.ts';
import { card, verbOf } from './commands/card.ts';
import type { ListenerDeps } from './deps.ts';
import { userGroupChanged } from './events/user-group-changed.ts';
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
  [actionId.trackShipment]: trackShipment,
};

/** All doors on Slack's side, on one page. The webhooks' doors are in `src/card/kind.ts` and `src/door.ts`. */
export function registerListeners(app: App, deps: ListenerDeps): void {
  for (const command of Object.keys(verbOf)) app.command(command, card(deps));
  for (const [action_id, listener] of Object.entries(buttons)) {
    app.action<BlockAction<ButtonAction>>({ type: 'block_actions', action_id }, listener(deps));
  }
  app.action<BlockAction<StaticSelectAction>>(
    { type: 'block_actions', action_id: actionId.blockTestedCard },
    blockTestedCard(deps),
  );
  app.view({ type: 'view_submission', callback_id: callbackId.raiseLimit }, raiseLimit(deps));
  for (const event of ['subteam_updated', 'subteam_members_changed'] as const) app.event(event, userGroupChanged(deps));
}
