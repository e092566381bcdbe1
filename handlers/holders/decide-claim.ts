import { claimTarget } from '../../src/holders/claim-store.ts';
import type { ListenerDeps } from '../deps.ts';
import type { ButtonArgs } from '../dispatch/button-args.ts';
import { ofButton } from '../dispatch/interaction.ts';

/** *Confirm* and *Refuse* on a claim. */
export function decideClaim(deps: ListenerDeps) {
  return async ({ ack, body, action }: ButtonArgs): Promise<void> => {
    await ack();
    const interaction = ofButton(body, deps);
    await deps.requestAction(
      { ...interaction, verb: 'decide-claim', target: claimTarget(action.value ?? ''), input: {} },
      interaction.notify,
    );
  };
}
