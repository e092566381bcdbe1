import type { Target } from '../../src/actions/action.ts';
import type { Alert } from '../../src/alerts/alert.ts';
import type { ListenerDeps } from '../../src/app/compose-web.ts';
import { commandCode } from '../../src/core/installation.ts';
import type { Refused } from '../../src/dispatch/request-action.ts';
import { notLinked } from '../../templates/policy/not-permitted.ts';
import { type Refusal, refusal } from '../../templates/policy/refusal.ts';
import type { Interaction } from './interaction.ts';

/** A refusal in the web process. The person gets the reason and who can help; it is recorded. */
export function refused(no: Refusal): Refused {
  return { kind: 'refused', why: no.why, message: refusal(no) };
}

export function alertTooOld(): Refused {
  const whoCan = `Use ${commandCode('show')} with the card’s last four digits.`;
  return refused({ why: 'This alert is more than 30 days old.', whoCan });
}

/** A direct message stays with a person who no longer holds the card. What happened later is not theirs to read. */
export async function refuseFormerHolder(
  { actor, origin }: Pick<Interaction, 'actor' | 'origin'>,
  { event }: Alert,
  { rolesForCard }: Pick<ListenerDeps, 'rolesForCard'>,
): Promise<Refused | null> {
  if (!origin.channel.startsWith('D') || event.acctId === null) return null;
  const { roles } = await rolesForCard(actor.userId, event.acctId);
  return roles.length > 0 ? null : refused(notLinked());
}

/** The picked option is no longer valid. Notifies the person and records the refusal. */
export async function refuseChoice(
  interaction: Interaction,
  target: Target,
  no: Refusal,
  deps: ListenerDeps,
): Promise<void> {
  await deps.requestAction({ ...interaction, verb: 'choose', target, input: async () => refused(no) });
}

/** For a click in an open form: the form shows the error, so the original conversation gets no message. */
export function inForm(interaction: Interaction): Interaction {
  return { ...interaction, notify: async () => {} };
}

/** A button of App Home that was sealed before the bot token was replaced, or whose value cannot be read. */
export async function refuseButton(interaction: Interaction, deps: ListenerDeps): Promise<void> {
  const no = { why: 'This button no longer works.', whoCan: 'Open the Home tab and use the one there.' };
  await refuseChoice(interaction, { kind: 'own' }, no, deps);
}

export const formTooOld = (): Refusal => ({
  why: 'This form was open for more than 30 minutes.',
  whoCan: `Close it and type ${commandCode()} again.`,
});
