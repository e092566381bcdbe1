import type { Choice, Origin, Target } from '../../src/actions/action.ts';
import type { ListenerDeps } from '../../src/app/compose-web.ts';
import { contentId } from '../../src/core/content-id.ts';
import { SlackError } from '../../src/core/errors.ts';
import { commandCode } from '../../src/core/installation.ts';
import type { CardSeal } from '../../src/core/seal.ts';
import { toCardFacts } from '../../src/directory/account.ts';
import { askOf, type Refused } from '../../src/dispatch/request-action.ts';
import { helpNow, isPermitted, permissionOf } from '../../src/dispatch/verbs.ts';
import type { Role } from '../../src/policy/decide-action.ts';
import { answerView } from '../../src/slack/answer.ts';
import type { Message } from '../../src/slack/message.ts';
import {
  cardPicker,
  type PickedCard,
  type PickedVerb,
  pickedSaid,
  pickedVerbs,
  readingCard,
} from '../../templates/directory/card-picker.ts';
import { help } from '../../templates/dispatch/help.ts';
import { type Interaction, notifyAt } from './interaction.ts';
import { look } from './look.ts';
import { onPress, type Press, type PressListener } from './press.ts';
import { formTooOld, inForm, refuseChoice, refused } from './refused.ts';

/** `/card` alone. People who may not view cards get the list of commands instead, without even cardholder names. */
export async function openPicker(triggerId: string, interaction: Interaction, deps: ListenerDeps): Promise<void> {
  const { rolesOf } = deps.rights;
  const { roles } = await rolesOf(interaction.actor.userId);
  if (!isPermitted('show', roles)) {
    await interaction.notify(help(await helpNow(interaction.actor.userId, rolesOf)));
    return;
  }
  const show = async (): Promise<undefined> => {
    const privateMetadata = await deps.pending.put({ kind: 'place', origin: interaction.origin });
    await deps.openView(triggerId, cardPicker({ privateMetadata, picked: null, notice: null }));
  };
  await look(interaction, { target: { kind: 'own' }, seen: 'picker' }, show, deps);
}

const fits: Readonly<Record<PickedVerb, readonly (string | null)[]>> = {
  show: ['ACTIVE', 'INACTIVE', 'BLOCKED', 'CLOSED', null],
  activate: ['INACTIVE', null],
  block: ['ACTIVE', 'INACTIVE', null],
  unblock: ['BLOCKED', null],
  limit: ['ACTIVE', 'INACTIVE', 'BLOCKED', null],
};

/** What this person can do with a card in this status. Each control has its own opaque id. */
async function controlsOf(
  asker: { readonly actor: Choice['actor']; readonly roles: readonly Role[]; readonly origin: Origin },
  card: { readonly acctId: number; readonly cardId: number | null },
  status: string | null,
  deps: ListenerDeps,
): Promise<{ verb: PickedVerb; value: string }[]> {
  const { actor, roles, origin } = asker;
  const isOwn = roles.includes('holder');
  const mayUse = (verb: PickedVerb): boolean =>
    isPermitted(verb, roles) && !(isOwn && permissionOf(verb).notOwnCard !== undefined);
  const verbs = pickedVerbs.filter((verb) => fits[verb].includes(status) && mayUse(verb));
  return await Promise.all(
    verbs.map(async (verb) => {
      const target = { kind: 'card', acctId: card.acctId, cardId: card.cardId, alertId: null } as const;
      const choice = { verb, target, reason: '', actor, origin, input: {} };
      const value = await deps.pending.put({ kind: 'choice', choice, questionId: null });
      return { verb, value };
    }),
  );
}

/**
 * Replaces the content of the picker, also if it has changed meanwhile. Of two choices at nearly the same time, Slack keeps
 * the one that reaches it last.
 */
async function showInPicker(
  { id, private_metadata: privateMetadata }: NonNullable<Press['body']['view']>,
  content: Pick<Parameters<typeof cardPicker>[0], 'picked' | 'notice'>,
  { updateView }: ListenerDeps,
): Promise<void> {
  try {
    await updateView({ viewId: id }, cardPicker({ privateMetadata, ...content }));
  } catch (error) {
    const isClosed = error instanceof SlackError && error.slackError.startsWith('not_found');
    if (!isClosed) throw error;
  }
}

/** A card was picked. The form shows the card and what this person can do with it now. */
export const pickCard = onPress(async ({ value, body, interaction }, deps) => {
  const { view, user } = body;
  if (view === undefined) return;
  const chosen = deps.seals.card.open(value);
  const { roles, isComplete } =
    chosen === null ? await deps.rights.rolesOf(user.id) : await deps.rolesForCard(user.id, chosen.acctId);
  const target: Target = chosen === null ? { kind: 'own' } : { kind: 'card', ...chosen, alertId: null };
  const asked = inForm(interaction);
  const refuse = async (notice: string): Promise<Refused> => {
    await showInPicker(view, { picked: null, notice }, deps);
    return refused({ why: notice, whoCan: '' });
  };
  const show = async (): Promise<Refused | undefined> => {
    if (!isPermitted('show', roles)) return await refuse(isComplete ? NOT_THEIRS : NOT_KNOWN);
    const pending = await deps.pending.get(view.private_metadata);
    if (pending?.kind !== 'place' || chosen === null) return await refuse(tooOld());
    const picked = await pickedCard({ actor: asked.actor, roles, origin: pending.origin }, chosen, deps);
    await showInPicker(view, { picked, notice: null }, deps);
    return undefined;
  };
  await look(asked, { target, seen: 'picker' }, show, deps);
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

/**
 * A button of the picker. The worker performs the action and answers where `/card` was typed. Pressing twice requests
 * it once.
 *
 * *Show limits* is answered in a form on top of the picker, which stays open.
 */
export const actOnPicked = onPicked(async ({ pendingId, asked, body, say }, deps) => {
  const isShow = asked.verb === 'show';
  const shown = isShow ? await deps.pushView(body.trigger_id, readingCard()) : undefined;
  const origin = shown === undefined ? asked.origin : { ...asked.origin, view: shown };
  // Each press is a new request, because each one fills the form that it opened.
  const id = contentId('act_', ['picked', pendingId, shown?.viewId ?? '']);
  const ask = askOf({ ...asked, id, isExternal: false, origin });
  const elsewhere = notifyAt(origin, body.user.id, deps);
  const inPushed = async (message: Message): Promise<void> => {
    if (shown === undefined) return await elsewhere(message);
    await deps.updateView(shown, answerView(message)).catch(() => elsewhere(message));
  };
  await deps.requestAction({ ...ask, notify: inPushed });
  if (isShow) return;
  // The action is requested, so it must not be reported as failed.
  await say(pickedSaid.asked(origin.channel)).catch((err: unknown) =>
    deps.log.warn({ err }, 'could not update a form'),
  );
});

interface Picked extends Pick<Press, 'body'> {
  readonly pendingId: string;
  readonly asked: Choice;
  /** Replaces the content of the picker with a sentence. */
  readonly say: (notice: string) => Promise<void>;
}

/** A button of the picker. If its action has expired, the press is refused in the form. */
export function onPicked(act: (picked: Picked, deps: ListenerDeps) => Promise<void>): PressListener {
  return onPress(async ({ value: pendingId, body, interaction }, deps) => {
    const { view, user } = body;
    if (view === undefined) return;
    const say = (notice: string): Promise<void> => showInPicker(view, { picked: null, notice }, deps);
    const asked = await pickedBy(user.id, pendingId, deps);
    if (asked !== null) return await act({ pendingId, asked, body, say }, deps);
    await refuseChoice(inForm(interaction), { kind: 'action', actionId: pendingId }, formTooOld(), deps);
    await say(pickedSaid.expired());
  });
}

/** What a control of the picker asks for. Null when it has expired or belongs to someone else. */
export async function pickedBy(userId: string, pendingId: string, { pending }: ListenerDeps): Promise<Choice | null> {
  const found = await pending.get(pendingId);
  return found?.kind === 'choice' && found.choice.actor.userId === userId ? found.choice : null;
}
