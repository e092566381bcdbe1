import { turnOf } from '../../src/app-home/home-page.ts';
import type { ListenerDeps } from '../deps.ts';
import type { ButtonArgs } from '../dispatch/button-args.ts';
import { ofButton } from '../dispatch/interaction.ts';
import { formTooOld, refuseChoice } from '../dispatch/refused.ts';

/** *Previous* and *Next* below a list of App Home. */
export function turnPage(deps: ListenerDeps) {
  return async ({ ack, body, action }: ButtonArgs): Promise<void> => {
    await ack();
    const turn = turnOf(action.value ?? '');
    if (turn === null) return await refuseChoice(ofButton(body, deps), { kind: 'own' }, formTooOld(), deps);
    await deps.renderHome(body.user.id, true, turn);
  };
}
