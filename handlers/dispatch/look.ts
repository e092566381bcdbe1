import type { Target } from '../../src/actions/action.ts';
import type { Refused } from '../../src/dispatch/request-action.ts';
import type { ListenerDeps } from '../deps.ts';
import type { Interaction } from './interaction.ts';

/**
 * Shows what changes nothing, if the person may see it; who has seen what goes on record where every other action does.
 *
 * @param seen for the record: what was shown.
 * @param show answers why it cannot be shown.
 */
export async function look(
  interaction: Interaction,
  { target, seen }: { readonly target: Target; readonly seen: string },
  show: () => Promise<Refused | undefined>,
  deps: Pick<ListenerDeps, 'requestAction'>,
): Promise<void> {
  const input = async () => (await show()) ?? ({ kind: 'input', input: { seen } } as const);
  await deps.requestAction({ ...interaction, verb: 'look', target, input });
}
