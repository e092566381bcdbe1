import { countOf } from '../../templates/core/blocks.ts';
import { sentences } from '../../templates/core/change-words.ts';
import { chooseCard } from '../../templates/directory/choose-card.ts';
import type { Refusal } from '../../templates/policy/refusal.ts';
import { type Action, alertIdOf, digitsNamed, type Resolved } from '../actions/action.ts';
import { sentCard } from '../actions/action-state.ts';
import type { ActionTools, Responses, Rights } from '../actions/action-tools.ts';
import { cardInUse } from '../actions/send-status.ts';
import { commandCode } from '../core/installation.ts';
import { mentioned } from '../slack/mrkdwn.ts';
import { cardWithDigits, type DirectoryAccount } from './account.ts';
import { askedBesides } from './asked-besides.ts';
import { type AskerDeps, type Candidate, candidatesOf, heldBy, heldByAsker, type Match } from './candidates.ts';
import type { Directory } from './directory.ts';
import { mayBeSomebodyElse } from './may-be-somebody-else.ts';
import { redactReason, splitWords } from './typed-words.ts';
import { type CardDirectory, mayAlsoHave, refuseUnknown, typedOnRecord, type UnknownCardDeps } from './unknown-card.ts';

interface CardOfAlert {
  readonly acctId: number | null;
  /** Set if the alert is about this card alone, not about the account and so its card in use. */
  readonly cardId: number | null;
  /** The card as the alert names it. Neither: it names none. */
  readonly named: Pick<Candidate, 'cardId' | 'last4'>;
}

/** @returns null when there is no such card, or more than one: the person was then told, or asked which. */
export type ResolveCard = <A extends Action>(action: A) => Promise<Resolved<A> | null>;

interface Deps {
  readonly findCard: ResolveCard;
  readonly responses: Pick<Responses, 'refuse'>;
  readonly rights: Pick<Rights, 'mayAct'>;
  readonly progress: Pick<ActionTools['progress'], 'read'>;
  readonly directory: CardDirectory;
  readonly links: UnknownCardDeps['links'];
  /** True for verbs that change what all cards of an account share. */
  readonly isOfAccount: (verb: string) => boolean;
  readonly changesCard: AskerDeps['changesCard'];
}

/** Finds the card that a person means, and reads what they asked besides. */
export function createResolveCard(deps: Deps): ResolveCard {
  const { findCard, responses } = deps;

  return async function resolveCard<A extends Action>(action: A) {
    // Permitted and found before it was sent, so its outcome has to be determined.
    const sent = sentCard(await deps.progress.read(action.id));
    if (sent !== null) return await withNote({ action: await withReason(action, deps.directory), ...sent }, true);
    const found = await findCard(action);
    const card = found && (await withDigitsNow(found));
    return card === null || (await isAnotherMeant(card)) ? null : await withNote(card, false);
  };

  /** A block says what it does not do. An unblock that asks for more is refused. */
  async function withNote<A extends Action>(card: Resolved<A>, isSent: boolean): Promise<Resolved<A> | null> {
    const { action, acctId, cardId } = card;
    const notRead = action.verb === 'block' ? await unreadNote(action, deps) : null;
    const besides = await askedBesides(card, { rights: deps.rights, findKnown: deps.directory.findKnown });
    if (besides === null) return notRead === null ? card : { ...card, note: notRead };
    const { note, ...no } = besides;
    if (isSent || action.verb === 'block') return { ...card, note: sentences(notRead, note) };
    await responses.refuse(action, no, { acctId, cardId });
    return null;
  }

  /**
   * Refuses a change of an account's rules for a card that was named by digits which it does not have at the card service. A
   * status is compared when it is changed, with what is read then: a stolen card must not wait for two reads.
   *
   * @returns the card that has these digits there: after a renewal, it may be another one.
   */
  async function withDigitsNow<A extends Action>(card: Resolved<A>): Promise<Resolved<A> | null> {
    const { action, acctId, cardId } = card;
    const last4 = digitsNamed(card);
    const isOfRules = deps.isOfAccount(action.verb) && deps.changesCard(action.verb);
    if (cardId === null || last4 === null || !isOfRules) return card;
    const account = await deps.directory.current(acctId);
    if (account === null) return card;
    const named = account.cards.find((one) => one.cardId === cardId && (one.last4 ?? last4) === last4);
    const now = named ?? cardWithDigits(account.cards, last4);
    if (now !== undefined) return { ...card, cardId: now.cardId };
    const why = `At the card service, this account has no card ${last4}.`;
    const whoCan = 'I have read its cards again. Ask once more, or write the holder’s name.';
    await responses.refuse(action, { why, whoCan }, { acctId, cardId });
    return null;
  }

  /** Refuses a change of the account, and so of its card in use, for which another of its cards was named. */
  async function isAnotherMeant({ action, acctId, cardId }: Resolved): Promise<boolean> {
    if (cardId === null || action.target.kind === 'alert' || !deps.isOfAccount(action.verb)) return false;
    const known = await deps.directory.account(acctId);
    if (known === null || usedInstead(known, cardId) === null) return false;
    // It may have been activated a moment ago.
    const instead = usedInstead((await deps.directory.reload(acctId)) ?? known, cardId);
    if (instead === null) return false;
    const { named, inUse } = instead;
    const is = named.status === 'CLOSED' ? 'closed for good' : 'not activated';
    const why = `Card ${named.last4 ?? cardId} is ${is}.`;
    const whoCan = `This would apply to the account’s card in use. Write ${inUse.last4 ?? acctId} if you mean that one.`;
    await responses.refuse(action, { why, whoCan }, { acctId, cardId });
    return true;
  }
}

interface FindDeps extends UnknownCardDeps, Pick<AskerDeps, 'isLook' | 'changesCard'> {
  readonly directory: CardDirectory;
  /** The card of an alert; null when the alert is no longer stored. */
  readonly cardOfAlert: (alertId: string) => Promise<CardOfAlert | null>;
  readonly askWhich: ReturnType<typeof createAskWhich>;
}

/** Finds the card of a button, of the person, or of the words that were typed. */
export function createFindCard(deps: FindDeps): ResolveCard {
  const { responses } = deps;
  const ofAlert = createOfAlert(deps);
  return findCard;

  /** The person's only card. */
  async function ownCard<A extends Action>(action: A): Promise<Resolved<A> | null> {
    const [only, ...others] = await heldByAsker(action, deps);
    if (only !== undefined && others.length === 0) return { action, acctId: only.acctId, cardId: null };
    await responses.refuse(action, only === undefined ? holdsNone() : holdsSeveral());
    return null;
  }

  async function findCard<A extends Action>(action: A): Promise<Resolved<A> | null> {
    const { target } = action;
    if (target.kind === 'own') return await ownCard(action);
    if (target.kind === 'card') return { action, acctId: target.acctId, cardId: target.cardId };
    if (target.kind === 'alert') return await ofAlert(action, target.alertId);
    if (target.kind !== 'words') return null;

    await deps.directory.untilListed();
    const { query, rest } = await splitWords(action.verb, target.words, deps.directory);
    const meant = await withRest(action, rest, deps.directory);
    // People must not learn that cards exist that they may not see.
    const mayAct = async ({ acctId }: { readonly acctId: number }) =>
      (await deps.rights.mayAct(action, acctId)) === true;
    const person = mentioned(query);
    const matches =
      person === null
        ? await deps.directory.find(query, mayAct)
        : await heldBy(person, mayAct, deps.changesCard(meant.verb), deps);
    const candidates = candidatesOf(meant, matches);
    const [only] = candidates;
    if (only === undefined) {
      await refuseUnknown(meant, query, rest, deps);
      return null;
    }
    const unread = await mayAlsoHave(query, meant, deps);
    // A stolen card is blocked at once: the answer names the card and says so, and a block can be undone.
    const isUnsure = unread > 0 && meant.verb !== 'block' && !deps.isLook(meant.verb);
    if (candidates.length > 1 || isUnsure || (await mayBeSomebodyElse(meant, query, rest, matches[0], deps)))
      await deps.askWhich(meant, query, candidates, unread);
    else return { action: meant, acctId: only.acctId, cardId: only.cardId, ...typedDigits(matches[0], only) };
    return null;
  }
}

function typedDigits(match: Match | undefined, { last4 }: Candidate): Pick<Resolved, 'last4'> {
  return match?.matchedBy === 'last4' && last4 !== null ? { last4 } : {};
}

/** A block by four digits is done at once, also while other accounts' cards are not read. Null: they are, or need not be. */
async function unreadNote(action: Action, deps: Pick<Deps, 'directory' | 'links'>): Promise<string | null> {
  const { verb, target } = action;
  if (target.kind !== 'words') return null;
  const { query } = await splitWords(verb, target.words, deps.directory);
  const unread = await mayAlsoHave(query, action, deps);
  return unread === 0
    ? null
    : `The cards of ${countOf(unread, 'account')} are not read yet: check that this is the one.`;
}

/** The card of an alert on which somebody pressed a button. */
function createOfAlert({
  directory,
  cardOfAlert,
  responses,
}: Pick<FindDeps, 'directory' | 'cardOfAlert' | 'responses'>) {
  return ofAlert;

  async function ofAlert<A extends Action>(action: A, alertId: string): Promise<Resolved<A> | null> {
    const card = await cardOfAlert(alertId);
    if (card !== null && card.acctId !== null) {
      const { acctId, cardId, named } = card;
      return action.verb === 'activate' ? await toActivate(action, acctId, named) : { action, acctId, cardId };
    }
    const why = 'This alert names no card account, so I cannot act from it.';
    await responses.refuse(action, card === null ? tooOld() : { ...tooOld(), why });
    return null;
  }

  /** Not the account's new card by now: nobody saw that one, and it may still be in the mail. */
  async function toActivate<A extends Action>(action: A, acctId: number, { cardId, last4 }: CardOfAlert['named']) {
    if (cardId !== null || last4 === null) return { action, acctId, cardId };
    const idIn = (account: Pick<DirectoryAccount, 'cards'> | null) =>
      cardWithDigits(account?.cards ?? [], last4)?.cardId ?? null;
    const found = idIn(await directory.account(acctId)) ?? idIn(await directory.reload(acctId));
    if (found !== null) return { action, acctId, cardId: found };
    const why = `The account no longer has card ${last4}, which this alert is about.`;
    await responses.refuse(action, { ...tooOld(), why }, { acctId });
    return null;
  }
}

/** The words after the card are the reason. */
async function withReason<A extends Action>(action: A, directory: Pick<Directory, 'findKnown'>): Promise<A> {
  const { target, verb } = action;
  if (target.kind !== 'words') return action;
  return await withRest(action, (await splitWords(verb, target.words, directory)).rest, directory);
}

/** Redacted here too: the web process may not have known the card yet. */
async function withRest<A extends Action>(
  action: A,
  rest: readonly string[],
  directory: Pick<Directory, 'findKnown'>,
): Promise<A> {
  const reason = await redactReason([action.reason, ...rest].filter(Boolean).join(' '), directory);
  return { ...action, reason: reason.slice(0, 500) };
}

const holdsNone = () => ({
  why: 'No card is linked to you.',
  whoCan: `Say which one you hold with ${commandCode('link')} and the last four digits.`,
});
const holdsSeveral = () => ({
  why: 'You have more than one card.',
  whoCan: `Write the last four digits of the one that you mean, or type ${commandCode()} to pick it.`,
});

interface AskWhichDeps extends Pick<ActionTools, 'record' | 'factsOf' | 'putChoice'> {
  readonly responses: Pick<Responses, 'answer'>;
  /** A verb in words, followed by the card: `change a limit of`. */
  readonly doing: (verb: string) => string;
}

/** Asks back which of several cards is meant. */
export function createAskWhich({ responses, record, putChoice, factsOf, doing }: AskWhichDeps) {
  /** @param unread accounts that may have more such cards. */
  return async function askWhich(action: Action, query: string, candidates: readonly Candidate[], unread: number) {
    await record(action, { event: 'asked', detail: `asked back which card ${typedOnRecord(query)} is` });
    // A change accepts only the first answer. `show` accepts every answer, so that one card can be shown after another.
    const questionId = action.verb === 'show' ? null : action.id;
    const choices = [];
    for (const { acctId, cardId, last4, status } of candidates.slice(0, CHOICES_MAX)) {
      const named = last4 === null ? {} : { last4 };
      const target = { kind: 'card', acctId, cardId, ...named, alertId: alertIdOf(action) } as const;
      const value = await putChoice({ ...action, target }, questionId);
      choices.push({ value, card: await factsOf(acctId, { cardId, last4 }), status });
    }
    const matches = candidates.length;
    await responses.answer(action, chooseCard({ doing: doing(action.verb), query, choices, matches, unread }));
  };
}

const CHOICES_MAX = 20;

/** The answer to a button on an alert that is no longer stored. */
export const tooOld = (): Refusal => ({
  why: 'This alert is too old, so I cannot act from it.',
  whoCan: `Use ${commandCode('show')} with the card’s last four digits, or type ${commandCode()} to pick the card.`,
});

/** The card in use, if a card that cannot be used was named instead. */
function usedInstead({ cards }: Pick<DirectoryAccount, 'cards'>, cardId: number) {
  const named = cards.find((card) => card.cardId === cardId);
  const inUse = cardInUse({ cards }, null);
  const isUnused = named?.status === 'CLOSED' || named?.status === 'INACTIVE';
  if (named === undefined || inUse === undefined || !isUnused || inUse.status === named.status) return null;
  return { named, inUse };
}
