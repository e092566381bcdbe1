import type { ListenerDeps } from '../deps.ts';
import type { ButtonArgs } from '../dispatch/button-args.ts';
import { ofButton } from '../dispatch/interaction.ts';

/** *Take back now* on a temporary change: the value is its id. */
export function revertNow(deps: ListenerDeps) {
  return async ({ ack, body, action }: ButtonArgs): Promise<void> => {
    await ack();
    const interaction = ofButton(body, deps);
    const target = { kind: 'temporary-change', temporaryChangeId: action.value ?? '' } as const;
    await deps.requestAction({ ...interaction, verb: 'revert', target, input: {} }, interaction.notify);
  };
}

/** *Put back* and *Leave it*, where somebody changed it meanwhile. */
export function resolveTemporaryChange(restore: boolean) {
  return (deps: ListenerDeps) =>
    async ({ ack, body, action }: ButtonArgs): Promise<void> => {
      await ack();
      const interaction = ofButton(body, deps);
      const target = { kind: 'temporary-change', temporaryChangeId: action.value ?? '' } as const;
      await deps.requestAction(
        { ...interaction, verb: 'complete-temporary-change', target, input: { restore } },
        interaction.notify,
      );
    };
}
