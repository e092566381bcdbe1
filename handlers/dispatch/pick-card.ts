import type { Target } from '../../src/actions/action.ts';
import { commandCode } from '../../src/core/installation.ts';
import type { CardSeal } from '../../src/core/seal.ts';
import { toCardFacts } from '../../src/directory/account.ts';
import type { Prepared, Refused } from '../../src/dispatch/request-action.ts';
import { type InputOf, isPermitted } from '../../src/dispatch/verbs.ts';
import { cardPicker, type PickedCard } from '../../templates/directory/card-picker.ts';
import type { ListenerDeps } from '../deps.ts';
import { controlsOf } from './picker.ts';
import { onPress } from './press.ts';
import { inForm, refused } from './refused.ts';

/** A card was picked. The form shows the card and what this person can do with it now. */
export const pickCard = onPress(async ({ value, body, interaction }, deps) => {
  const { view, user } = body;
  if (view === undefined) return;
  const privateMetadata = view.private_metadata;
  const show = async (rest: Pick<Parameters<typeof cardPicker>[0], 'picked' | 'notice'>): Promise<void> =>
    await deps.updateView({ viewId: view.id, hash: view.hash }, cardPicker({ privateMetadata, ...rest }));
  const chosen = deps.seals.card.open(value);
  const { roles, isComplete } =
    chosen === null ? await deps.permissions.rolesOf(user.id) : await deps.rolesForCard(user.id, chosen.acctId);
  const target: Target = chosen === null ? { kind: 'own' } : { kind: 'card', ...chosen, alertId: null };
  const asked = inForm(interaction);
  const refuse = async (notice: string): Promise<Refused> => {
    await show({ picked: null, notice });
    return refused({ why: notice, whoCan: '' });
  };
  const input = async (): Promise<Prepared<InputOf<'look'>>> => {
    if (!isPermitted('show', roles)) return await refuse(isComplete ? NOT_THEIRS : NOT_KNOWN);
    const pending = await deps.pending.get(privateMetadata);
    if (pending?.kind !== 'place' || chosen === null) return await refuse(tooOld());
    const picked = await pickedCard({ actor: asked.actor, roles, origin: pending.origin }, chosen, deps);
    await show({ picked, notice: null });
    return { kind: 'input', input: { seen: 'picker' } };
  };
  await deps.requestAction({ ...asked, verb: 'look', target, input });
});

const NOT_THEIRS = 'Only operators and approvers may see cards, and holders their own.';
const NOT_KNOWN = 'Slack does not say just now who may see cards. Choose again in a minute.';
const tooOld = () => `This form was open for more than 30 minutes. Close it and type ${commandCode()} again.`;

/** A card as the form shows it, with the actions this person can take. */
async function pickedCard(
  asker: Parameters<typeof controlsOf>[0],
  { acctId, cardId }: NonNullable<ReturnType<CardSeal['open']>>,
  deps: ListenerDeps,
): Promise<PickedCard> {
  const card = toCardFacts(acctId, await deps.directory.account(acctId), { cardId });
  const status = card.status ?? null;
  return { card, status, controls: await controlsOf(asker, { acctId, cardId }, status, deps) };
}
