import type { ListenerDeps } from '../deps.ts';
import type { ButtonArgs } from '../dispatch/button-args.ts';
import { ofButton } from '../dispatch/interaction.ts';

/** *Approve* and *Deny* on a request for a raise: the value is the request's id. */
export function decideRequest(approve: boolean) {
  return (deps: ListenerDeps) =>
    async ({ ack, body, action }: ButtonArgs): Promise<void> => {
      await ack();
      const interaction = ofButton(body, deps);
      const input = { approve, changeRequest: null };
      const target = { kind: 'request', requestId: action.value ?? '' } as const;
      await deps.requestAction({ ...interaction, verb: 'decide', target, input }, interaction.notify);
    };
}
