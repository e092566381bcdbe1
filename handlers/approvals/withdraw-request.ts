import { requestTarget } from '../../src/approvals/request.ts';
import type { ListenerDeps } from '../deps.ts';
import type { ButtonArgs } from '../dispatch/button-args.ts';
import { ofButton } from '../dispatch/interaction.ts';

/** *Withdraw* on a request of one's own, in App Home. The answer comes directly. */
export function withdrawRequest(deps: ListenerDeps) {
  return async ({ ack, body, action }: ButtonArgs): Promise<void> => {
    await ack();
    const interaction = ofButton(body, deps);
    const target = requestTarget(action.value ?? '');
    await deps.requestAction({ ...interaction, verb: 'withdraw', target, input: {} }, interaction.notify);
  };
}
