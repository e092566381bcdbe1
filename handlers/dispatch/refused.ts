import type { Target } from '../../src/actions/action.ts';
import { commandCode } from '../../src/core/installation.ts';
import type { Refused } from '../../src/dispatch/request-action.ts';
import { type Refusal, refusal } from '../../templates/policy/refusal.ts';
import type { ListenerDeps } from '../deps.ts';
import type { Interaction } from './interaction.ts';

/** A no that is found here: told with its reason and who can, and on record. */
export function refused(no: Refusal): Refused {
  return { kind: 'refused', why: no.why, message: refusal(no) };
}

export function alertTooOld(): Refused {
  const whoCan = `Use ${commandCode('show')} with the card’s last four digits.`;
  return refused({ what: 'The alert', why: 'It is more than 30 days old.', whoCan });
}

/** What was picked stands for nothing any more: told so, and on record. */
export async function refuseChoice(
  interaction: Interaction,
  target: Target,
  no: Refusal,
  deps: ListenerDeps,
): Promise<void> {
  await deps.requestAction({ ...interaction, verb: 'choose', target, input: async () => refused(no) });
}

/** A click in an open form: what is wrong is said there, not where it was opened. */
export function inForm(interaction: Interaction): Interaction {
  return { ...interaction, notify: async () => {} };
}

export const formTooOld = (): Refusal => ({
  what: 'Your choice',
  why: 'This form was open for more than 30 minutes.',
  whoCan: `Close it and type ${commandCode()} again.`,
});
