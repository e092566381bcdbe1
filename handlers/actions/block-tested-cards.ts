import { type CardTestingAlert, readTestedCardValue, type TriedCard } from '../../src/alerts/alert.ts';
import type { ListenerDeps } from '../../src/app/compose-web.ts';
import { contentId } from '../../src/core/content-id.ts';
import { commandCode } from '../../src/core/installation.ts';
import { isPermitted, rolesAtClick } from '../../src/dispatch/verbs.ts';
import { BLOCKED_ALONE_MAX, withoutHolder } from '../../src/policy/decide-action.ts';
import { stillOpen } from '../../templates/alerts/card-testing.ts';
import { cardOfHolderRaw } from '../../templates/core/card-words.ts';
import type { Refusal } from '../../templates/policy/refusal.ts';
import type { Interaction } from '../dispatch/interaction.ts';
import { onPress } from '../dispatch/press.ts';
import { refused } from '../dispatch/refused.ts';

/** *Block one card…* on a card-testing warning. */
export const blockTestedCard = onPress(async ({ value, interaction }, deps) => {
  if (value === '') throw new Error('no option was chosen in the menu');
  const { warningId, alertId } = readTestedCardValue(value);
  await blockCards(interaction, warningId, (card) => card.alertId === alertId, deps);
});

/** *Block all cards* on a card-testing warning. Each card gets its own action, permission check and audit entry. */
export const blockTestedCards = onPress(async ({ value, interaction }, deps) => {
  const { warningId, alertId } = readTestedCardValue(value);
  // Up to the last card that the button showed.
  const isShown: IsMeant = (card, { tried }) =>
    tried.indexOf(card) <= tried.findIndex((one) => one.alertId === alertId);
  await blockCards(interaction, warningId, isShown, deps);
});

/** Cards are named by the alert of their first decline. */
type IsMeant = (card: TriedCard, warning: CardTestingAlert) => boolean;

const warningTooOld = (): Refusal => ({
  why: 'This warning is too old.',
  whoCan: `Use ${commandCode('block')} with the last four digits.`,
});
const nothingLeft: Refusal = {
  why: 'These cards are blocked or closed already, or about to be.',
  whoCan: 'Nothing is left to block here.',
};

async function blockCards(
  interaction: Interaction,
  warningId: string,
  isMeant: IsMeant,
  deps: ListenerDeps,
): Promise<void> {
  const warning = await deps.alerts.get(warningId);
  const target = { kind: 'alert', alertId: warningId } as const;
  const cards = warning?.kind === 'card-testing' ? stillOpen(warning).filter((card) => isMeant(card, warning)) : [];
  if (cards.length === 0) {
    const no = warning === null ? warningTooOld() : nothingLeft;
    return await deps.requestAction({ ...interaction, verb: 'block', target, input: async () => refused(no) });
  }
  if (cards.length > BLOCKED_ALONE_MAX) {
    const names = cards.map(cardOfHolderRaw);
    const input = { acctIds: cards.map(({ acctId }) => acctId), names, last4s: cards.map(({ last4 }) => last4) };
    return await deps.requestAction({ ...interaction, verb: 'block-all', target, input });
  }
  const { actor, isExternal } = interaction;
  const isForAll = !isExternal && (await mayBlockAny(actor.userId, deps.rights));
  const asked = isForAll ? cards : onlyOwn(cards, isExternal ? [] : await deps.accountsOf(actor.userId));
  // Several answers to one press would replace the same message, and only the last would stay.
  const origin = { ...interaction.origin, replace: interaction.origin.replace && asked.length === 1 };
  for (const { acctId, last4 } of asked) {
    const id = contentId('act_', [interaction.id, acctId]);
    // The warning stays for days, and the account may have another card by now.
    const named = last4 === null ? {} : { last4 };
    const card = { kind: 'card', acctId, cardId: null, ...named, alertId: warningId } as const;
    await deps.requestAction({ ...interaction, id, origin, verb: 'block', target: card, input: {} });
  }
}

/** Also if a holder may have a role that Slack does not tell now: the worker waits for it. */
async function mayBlockAny(userId: string, { rolesOf }: ListenerDeps['rights']): Promise<boolean> {
  const { roles, isComplete } = await rolesAtClick('block', userId, rolesOf);
  if (isPermitted('block', withoutHolder(roles))) return true;
  if (!roles.includes('holder')) return false;
  if (!isComplete) return true;
  // A holder may block, so an older list of a user group was enough, and they may have joined since.
  const now = await rolesOf(userId);
  return !now.isComplete || isPermitted('block', withoutHolder(now.roles));
}

/** The person's own cards, and one other: somebody who may not block it gets one refusal and one record. */
function onlyOwn(cards: readonly TriedCard[], accounts: readonly number[]): readonly TriedCard[] {
  const isOwn = ({ acctId }: TriedCard): boolean => acctId !== null && accounts.includes(acctId);
  return [...cards.filter(isOwn), ...cards.filter((card) => !isOwn(card)).slice(0, 1)];
}
