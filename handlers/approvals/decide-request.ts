import { requestTarget } from '../../src/approvals/request.ts';
import type { ListenerDeps } from '../deps.ts';
import type { ButtonArgs } from '../dispatch/button-args.ts';
import { ofButton } from '../dispatch/interaction.ts';

/** *Approve* and *Deny* on a request: the value says which, and what of it the person sees. */
export function decideRequest(approve: boolean) {
  return (deps: ListenerDeps) =>
    async ({ ack, body, action }: ButtonArgs): Promise<void> => {
      await ack();
      const interaction = ofButton(body, deps);
      const input = { approve, changeRequest: null };
      const target = requestTarget(action.value ?? '');
      await deps.requestAction({ ...interaction, verb: 'decide', target, input }, interaction.notify);
    };
}
