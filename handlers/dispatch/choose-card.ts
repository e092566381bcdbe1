import { contentId } from '../../src/core/content-id.ts';
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
    await deps.requestAction(
      {
        id: contentId('act_', ['choice', pending.questionId ?? pendingId]),
        verb: asked.verb,
        target: asked.target,
        ...(asked.changeRequest === null ? {} : { changeRequest: asked.changeRequest }),
        ...(asked.ask === null ? {} : { ask: asked.ask }),
        reason: asked.reason,
        details: asked.details,
        confirmed: asked.confirmed,
        ...(asked.subject === null ? {} : { subject: asked.subject }),
        actor: interaction.actor,
        isExternal: interaction.isExternal,
        origin: { ...interaction.origin, replace: true },
      },
      interaction.notify,
    );
  };
}
