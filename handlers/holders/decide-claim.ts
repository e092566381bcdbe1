import type { ListenerDeps } from '../deps.ts';
import type { ButtonArgs } from '../dispatch/button-args.ts';
import { ofButton } from '../dispatch/interaction.ts';

/** *Confirm* and *Refuse* on a claim: the value is the claim's id and, to confirm, which of its cards. */
export function decideClaim(deps: ListenerDeps) {
  return async ({ ack, body, action }: ButtonArgs): Promise<void> => {
    await ack();
    const interaction = ofButton(body, deps);
    const [claimId = '', index] = (action.value ?? '').split('.');
    const choice = index === undefined ? null : Number(index);
    await deps.requestAction(
      { ...interaction, verb: 'decide-claim', target: { kind: 'claim', claimId, choice }, input: {} },
      interaction.notify,
    );
  };
}
