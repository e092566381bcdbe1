import { chooseCard } from '../../templates/directory/choose-card.ts';
import type { Refusal } from '../../templates/policy/refusal.ts';
import { type Action, alertIdOf, type Resolved } from '../actions/action.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { CardFacts } from '../core/card-facts.ts';
import { splitCardAndRest } from './card-query.ts';
import type { Directory } from './directory.ts';
import type { CardMatch } from './index-entries.ts';

/** Candidates of a question: each is one thing that the verb can be done to. */
interface Candidate {
  readonly acctId: number;
  readonly cardId: number | null;
  readonly last4: string | null;
  readonly status: string | null;
}

interface Deps {
  readonly directory: Pick<Directory, 'find' | 'findKnown' | 'status'>;
  readonly links: {
    readonly ofAccount: (acctId: number) => Promise<{ readonly userId: string } | null>;
    readonly ofUser: (userId: string) => Promise<readonly { readonly acctId: number }[]>;
  };
  /** Which card an alert is about, as far as it says; null when the alert is no longer known. */
  readonly cardOfAlert: (
    alertId: string,
  ) => Promise<{ readonly acctId: number | null; readonly cardId: number | null } | null>;
  readonly factsOf: (acctId: number, which: { readonly last4?: string }) => Promise<CardFacts>;
  /** Keeps an action that is done when its button is pressed. @returns the button's value. */
  readonly putChoice: (action: Action, questionId: string | null) => Promise<string>;
  readonly reply: Pick<ActionTools, 'answer' | 'refuse' | 'record'>;
}

/** @returns null when there is no such card, or more than one: the person has then been told, or asked which. */
export type ResolveCard = <A extends Action>(action: A) => Promise<Resolved<A> | null>;

/** Finds the card that a person means. */
export function createResolveCard({ directory, links, cardOfAlert, factsOf, putChoice, reply }: Deps): ResolveCard {
  return async function resolveCard<A extends Action>(action: A) {
    if (action.target.kind === 'own') return await ownCard(action);
    const resolved = await findCard(action);
    if (resolved === null || (await mayActOn(resolved.acctId, action))) return resolved;
    const whoCan = 'If it should be yours, say so with `/card link` and the last four digits.';
    await reply.refuse(action, { what: 'That', why: 'This card is not linked to you.', whoCan }, resolved);
    return null;
  };

  /** The only card that the person holds. */
  async function ownCard<A extends Action>(action: A): Promise<Resolved<A> | null> {
    const [only, ...others] = await links.ofUser(action.actor.userId);
    if (only !== undefined && others.length === 0) return { action, acctId: only.acctId, cardId: null };
    const why = only === undefined ? 'No card is linked to you.' : 'You have more than one card.';
    const whoCan =
      only === undefined
        ? 'Say which one you hold with `/card link` and the last four digits.'
        : 'Write the last four digits of the one that you mean.';
    await reply.refuse(action, { what: 'That', why, whoCan });
    return null;
  }

  /** Who may do it as a holder only may do it to the own card only: the link of this moment decides. */
  async function mayActOn(acctId: number, { asHolder, actor }: Action): Promise<boolean> {
    return !asHolder || (await links.ofAccount(acctId))?.userId === actor.userId;
  }

  async function findCard<A extends Action>(action: A): Promise<Resolved<A> | null> {
    const { target } = action;
    if (target.kind === 'card') return { action, acctId: target.acctId, cardId: target.cardId };
    if (target.kind === 'alert') return await ofAlert(action, target.alertId);
    if (target.kind !== 'words') return null;

    // Only block and unblock take a reason behind the card; for the others every word names the card.
    const isWhole = action.verb !== 'block' && action.verb !== 'unblock';
    const split = isWhole
      ? { card: target.words.join(' '), rest: [] }
      : await splitCardAndRest(target.words, async (text) => (await directory.findKnown(text)).length > 0);
    const query = split?.card ?? target.words.join(' ');
    const reason = [action.reason, ...(split?.rest ?? [])].filter(Boolean).join(' ').slice(0, 500);
    const meant = { ...action, reason };

    const matches: CardMatch[] = [];
    for (const match of await directory.find(query)) {
      // A holder hears of no other card, not even that it exists.
      if (await mayActOn(match.acctId, action)) matches.push(match);
    }
    const candidates = candidatesOf(meant, matches);
    const [only] = candidates;
    const isClear = candidates.length === 1 && !mayBeSomebodyElse(split?.rest ?? [], matches[0]);
    if (only !== undefined && isClear) return { action: meant, acctId: only.acctId, cardId: only.cardId };
    if (only === undefined) await refuseUnknown(meant, query);
    else await askWhich(meant, query, candidates);
    return null;
  }

  async function ofAlert<A extends Action>(action: A, alertId: string): Promise<Resolved<A> | null> {
    const card = await cardOfAlert(alertId);
    if (card !== null && card.acctId !== null) return { action, acctId: card.acctId, cardId: card.cardId };
    const why = 'This alert names no card account, so I cannot act from it.';
    await reply.refuse(action, card === null ? tooOld : { ...tooOld, why });
    return null;
  }

  async function refuseUnknown(action: Action, query: string): Promise<void> {
    // What was typed may be somebody's name: the record does not need it.
    const onRecord = { why: 'no card matches' };
    if (action.asHolder) {
      const whoCan = 'Use the last four digits of a card that is linked to you.';
      return await reply.refuse(action, { what: action.verb, why: `You hold no card “${query}”.`, whoCan }, onRecord);
    }
    const { accounts } = await directory.status();
    const why =
      accounts === 0 ? 'I could not read the list of cards from the card service yet.' : `No card matches “${query}”.`;
    const whoCan =
      accounts === 0
        ? 'Try again in a minute.'
        : 'Use the last four digits, a card id, an account id, a CustomId or the holder’s name.';
    await reply.refuse(action, { what: `${action.verb} ${query}`, why, whoCan }, onRecord);
  }

  async function askWhich(action: Action, query: string, candidates: readonly Candidate[]): Promise<void> {
    await reply.record(action, { event: 'asked', detail: 'asked back which card' });
    const choices = [];
    // Looking at one card keeps nobody from looking at the next; of what changes something the first answer counts.
    const questionId = action.verb === 'show' ? null : action.id;
    for (const { acctId, cardId, last4, status } of candidates.slice(0, CHOICES_MAX + 1)) {
      const target = { kind: 'card', acctId, cardId, alertId: alertIdOf(action) } as const;
      const chosen: Action = { ...action, target };
      const value = await putChoice(chosen, questionId);
      choices.push({ value, card: await factsOf(acctId, last4 === null ? {} : { last4 }), status });
    }
    await reply.answer(action, chooseCard({ verb: action.verb, query, choices }));
  }
}

const CHOICES_MAX = 20;

/**
 * "Jane Dow", when only a Jane Smith is known, is not Jane Smith with the reason "Dow": found by a name, and followed by
 * what looks like more of a name, it is asked back.
 */
function mayBeSomebodyElse(rest: readonly string[], match: CardMatch | undefined): boolean {
  return match?.matchedBy === 'name' && /^\p{Lu}\p{Ll}+$/u.test(rest[0] ?? '');
}

/** Of a button on an alert that is no longer known. */
export const tooOld: Refusal = {
  what: 'That',
  why: 'This alert is too old, so I cannot act from it.',
  whoCan: 'Use `/card` with the card’s last four digits.',
};

/** Block, unblock and limits are the account's; activation and display are of one card. */
function candidatesOf(action: Action, matches: readonly CardMatch[]): Candidate[] {
  const isOfAccount = action.verb !== 'activate';
  return matches.flatMap((match): Candidate[] => {
    const open = match.cards.filter((card) => card.status !== 'CLOSED');
    // A closed card is only meant when nothing else is: it cannot be acted on, and the person is told so.
    const cards = open.length > 0 ? open : match.cards;
    if (isOfAccount) {
      const [first] = cards;
      return [{ acctId: match.acctId, cardId: null, last4: first?.last4 ?? null, status: first?.status ?? null }];
    }
    const inactive = cards.filter((card) => card.status === 'INACTIVE');
    const chosen = inactive.length > 0 ? inactive : cards.slice(0, 1);
    return chosen.length === 0
      ? [{ acctId: match.acctId, cardId: null, last4: null, status: null }]
      : chosen.map(({ cardId, last4, status }) => ({ acctId: match.acctId, cardId, last4, status }));
  });
}
