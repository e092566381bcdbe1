import type { ListenerDeps } from '../deps.ts';
import type { ButtonArgs } from '../dispatch/button-args.ts';
import { ofButton } from '../dispatch/interaction.ts';

/** *Undo*, for a minute after a block: the value is the id of the action that blocked. */
export function undoBlock(deps: ListenerDeps) {
  return async ({ ack, body, action }: ButtonArgs): Promise<void> => {
    await ack();
    const interaction = ofButton(body, deps);
    const target = { kind: 'action', actionId: action.value ?? '' } as const;
    await deps.requestAction({ ...interaction, verb: 'undo-block', target, input: {} }, interaction.notify);
  };
}
