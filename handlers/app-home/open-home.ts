import { turnOf } from '../../src/app-home/home-page.ts';
import type { ListenerDeps } from '../deps.ts';
import { onPress } from '../dispatch/press.ts';
import { formTooOld, refuseChoice } from '../dispatch/refused.ts';

interface HomeEvent {
  readonly user?: string;
  readonly tab?: string;
}

/** Someone opened App Home: the worker renders it with their current roles. */
export function appHomeOpened({ renderHome }: ListenerDeps) {
  return async ({ event }: { event: HomeEvent }): Promise<void> => {
    const { user, tab } = event;
    if (user !== undefined && tab === 'home') await renderHome(user, true);
  };
}

/** *Previous* and *Next* below a list of App Home. */
export const turnPage = onPress(async ({ value, body, interaction }, deps) => {
  const turn = turnOf(value);
  if (turn === null) return await refuseChoice(interaction, { kind: 'own' }, formTooOld(), deps);
  await deps.renderHome(body.user.id, true, turn);
});
