import type { Target } from '../../src/actions/action.ts';
import type { ListenerDeps } from '../../src/app/compose-web.ts';
import type { Refused } from '../../src/dispatch/request-action.ts';
import type { Interaction } from './interaction.ts';

/**
 * Shows something without changing anything, if the person may see it. Views are recorded in the same place as other
 * actions.
 *
 * @param seen what was shown, for the record.
 * @param show returns a refusal if it cannot be shown.
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
