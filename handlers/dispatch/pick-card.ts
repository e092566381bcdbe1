import type { AllMiddlewareArgs, BlockAction, ExternalSelectAction, SlackActionMiddlewareArgs } from '@slack/bolt';
import type { CardTarget } from '../../src/actions/action.ts';
import { commandCode } from '../../src/core/installation.ts';
import { isPermitted } from '../../src/dispatch/verbs.ts';
import { cardPicker } from '../../templates/directory/card-picker.ts';
import type { ListenerDeps } from '../deps.ts';
import { controlsOf, ofChoice } from './picker.ts';
import { inForm } from './refused.ts';

type Args = AllMiddlewareArgs & SlackActionMiddlewareArgs<BlockAction<ExternalSelectAction>>;

/** A card was picked: the form shows it, with what this person may do with it now. */
export function pickCard(deps: ListenerDeps) {
  return async ({ ack, body, action }: Args): Promise<void> => {
    await ack();
    const { view, user } = body;
    if (view === undefined) return;
    const privateMetadata = view.private_metadata;
    const show = async (rest: Pick<Parameters<typeof cardPicker>[0], 'picked' | 'said'>): Promise<void> =>
      await deps.updateView({ viewId: view.id, hash: view.hash }, cardPicker({ privateMetadata, ...rest }));

    const chosen = ofChoice(action.selected_option?.value ?? '', deps);
    const { roles, isComplete } =
      chosen === null ? await deps.permissions.rolesOf(user.id) : await deps.rolesForCard(user.id, chosen.acctId);
    if (!isPermitted('show', roles)) {
      // Refused where every other action is, so that it is on record.
      const { notify, ...asked } = inForm(body, deps);
      const target: CardTarget = chosen === null ? { kind: 'own' } : { kind: 'card', ...chosen, alertId: null };
      await deps.requestAction({ ...asked, verb: 'show', target, input: async () => ({ kind: 'none' }) }, notify);
      const said = isComplete
        ? 'Only operators and approvers may see cards, and holders their own.'
        : 'Slack does not say just now who may see cards. Choose again in a minute.';
      return await show({ picked: null, said });
    }
    const pending = await deps.pending.get(privateMetadata);
    if (pending?.kind !== 'place' || chosen === null) {
      return await show({
        picked: null,
        said: `This form was open for more than 30 minutes. Close it and type ${commandCode()} again.`,
      });
    }
    const account = await deps.directory.account(chosen.acctId);
    const card = account?.cards.find(({ cardId }) => cardId === chosen.cardId) ?? null;
    const facts = {
      acctId: chosen.acctId,
      cardId: chosen.cardId,
      last4: card?.last4 ?? null,
      holder: [account?.firstName, account?.lastName].filter(Boolean).join(' ') || null,
      customId: account?.customId ?? null,
      isVirtual: account?.isVirtual ?? null,
      group: account?.group ?? null,
    };
    const status = card?.status ?? null;
    const actor = { userId: user.id, teamId: body.team?.id ?? '' };
    const controls = await controlsOf({ actor, roles, origin: pending.origin }, facts, status, deps);
    await show({ picked: { card: facts, status, controls }, said: null });
  };
}
