import { contentId } from '../../src/core/content-id.ts';
import { askOf, inputOf } from '../../src/dispatch/request-action.ts';
import type { ListenerDeps } from '../deps.ts';
import type { ButtonArgs } from './button-args.ts';
import { ofButton } from './interaction.ts';
import { refuseChoice } from './refused.ts';

/**
 * *This one*, after "Which card?", and *Activate* after "this ends other cards for good".
 *
 * The button stands for the action that was asked for, with its card settled. Only who asked may go on with it, with
 * the permissions of now; pressing twice is asking once.
 */
export function chooseCard(deps: ListenerDeps) {
  return async ({ ack, body, action }: ButtonArgs): Promise<void> => {
    await ack();
    const interaction = ofButton(body, deps);
    const pendingId = action.value ?? '';
    const pending = await deps.pending.get(pendingId);
    if (pending?.kind !== 'choice') {
      const why = 'This question is more than 30 minutes old.';
      const no = { what: 'Your choice', why, whoCan: 'Ask again with the command.' };
      return await refuseChoice(interaction, { kind: 'action', actionId: pendingId }, no, deps);
    }
    const asked = pending.action;
    if (asked.actor.userId !== interaction.actor.userId) {
      const why = 'Somebody else asked this.';
      const no = { what: 'Your choice', why, whoCan: 'Only the person who asked can choose.' };
      return await refuseChoice(interaction, asked.target, no, deps);
    }
    const { verb, target, reason } = asked;
    const { actor, isExternal, notify } = interaction;
    const id = contentId('act_', ['choice', pending.questionId ?? pendingId]);
    const origin = { ...interaction.origin, replace: true };
    await deps.requestAction(
      askOf({ id, verb, target, reason, actor, isExternal, origin, input: inputOf(asked) }),
      notify,
    );
  };
}
