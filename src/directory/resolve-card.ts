import { chooseCard } from '../../templates/directory/choose-card.ts';
import type { Refusal } from '../../templates/policy/refusal.ts';
import { Action, alertIdOf } from '../actions/action.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { refuse } from '../actions/record-refusal.ts';
import { auditRecord } from '../actions/report.ts';
import { isForOwnCard } from '../policy/permissions.ts';
import { splitCardAndRest } from './card-query.ts';
import type { CardMatch } from './index-entries.ts';

/** The card that an action is about, and the action with what was left of its words. */
export interface Resolved {
  readonly action: Action;
  readonly acctId: number;
  /** Null: the account decides (block, unblock and limits are the account's). */
  readonly cardId: number | null;
}

/** Candidates of a question: each is one thing that the verb can be done to. */
interface Candidate {
  readonly acctId: number;
  readonly cardId: number | null;
  readonly last4: string | null;
  readonly status: string | null;
}

/**
 * Finds the card that a person means.
 *
 * @returns null when there is none, or more than one: the person has then been told, or asked which.
 */
export async function resolveCard(action: Action, deps: ActionDeps): Promise<Resolved | null> {
  const found = await findCard(action, deps);
  if (found === null || (await mayActOn(found.acctId, action, deps))) return found;
  const whoCan = 'If it should be yours, say so with `/card link` and the last four digits.';
  await refuse(action, { what: 'That', why: 'This card is not linked to you.', whoCan }, deps, found);
  return null;
}

/** Who may do it as a holder only may do it to the own card only: the link of this moment decides. */
async function mayActOn(acctId: number, { verb, roles, actor }: Action, { links }: ActionDeps): Promise<boolean> {
  return !isForOwnCard(verb, roles) || (await links.ofAccount(acctId))?.userId === actor.userId;
}

async function findCard(action: Action, deps: ActionDeps): Promise<Resolved | null> {
  const { target } = action;
  if (target.kind === 'card') return { action, acctId: target.acctId, cardId: target.cardId };
  if (target.kind === 'alert') return await cardOfAlert(action, target.alertId, deps);
  if (target.kind !== 'words') return null;

  // Only block and unblock take a reason behind the card; for the others every word names the card.
  const isWhole = action.verb !== 'block' && action.verb !== 'unblock';
  const split = isWhole
    ? { card: target.words.join(' '), rest: [] }
    : await splitCardAndRest(target.words, async (text) => (await deps.directory.findKnown(text)).length > 0);
  const query = split?.card ?? target.words.join(' ');
  const reason = [action.reason, ...(split?.rest ?? [])].filter(Boolean).join(' ').slice(0, 500);
  const meant = Action.parse({ ...action, reason });

  const matches: CardMatch[] = [];
  for (const match of await deps.directory.find(query)) {
    // A holder hears of no other card, not even that it exists.
    if (await mayActOn(match.acctId, action, deps)) matches.push(match);
  }
  const candidates = candidatesOf(meant, matches);
  const [only] = candidates;
  const isClear = candidates.length === 1 && !mayBeSomebodyElse(split?.rest ?? [], matches[0]);
  if (only !== undefined && isClear) return { action: meant, acctId: only.acctId, cardId: only.cardId };
  if (only === undefined) await notifyNone(meant, query, deps);
  else await askWhich(meant, query, candidates, deps);
  return null;
}

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

async function cardOfAlert(action: Action, alertId: string, deps: ActionDeps): Promise<Resolved | null> {
  const stored = await deps.alerts.get(alertId);
  const acctId = stored?.alert.event.acctId ?? null;
  if (stored === null || acctId === null) {
    const why = 'This alert names no card account, so I cannot act from it.';
    await refuse(action, stored === null ? tooOld : { ...tooOld, why }, deps);
    return null;
  }
  const { alert } = stored;
  const cardId = 'changes' in alert && alert.changes.length === 1 ? (alert.changes[0]?.cardId ?? null) : null;
  return { action, acctId, cardId };
}

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

async function notifyNone(action: Action, query: string, deps: ActionDeps): Promise<void> {
  // What was typed may be somebody's name: the record does not need it.
  const onRecord = { why: 'no card matches' };
  if (isForOwnCard(action.verb, action.roles)) {
    const whoCan = 'Use the last four digits of a card that is linked to you.';
    return await refuse(action, { what: action.verb, why: `You hold no card “${query}”.`, whoCan }, deps, onRecord);
  }
  const { accounts } = await deps.directory.status();
  const why =
    accounts === 0 ? 'I could not read the list of cards from the card service yet.' : `No card matches “${query}”.`;
  const whoCan =
    accounts === 0
      ? 'Try again in a minute.'
      : 'Use the last four digits, a card id, an account id, a CustomId or the holder’s name.';
  await refuse(action, { what: `${action.verb} ${query}`, why, whoCan }, deps, onRecord);
}

const CHOICES_MAX = 20;
const noCard = { acctId: null, cardId: null };

async function askWhich(
  action: Action,
  query: string,
  candidates: readonly Candidate[],
  deps: ActionDeps,
): Promise<void> {
  await deps.audit.append(auditRecord(action, 'asked', { ...noCard, detail: 'asked back which card' }, deps));
  const choices = [];
  // Looking at one card keeps nobody from looking at the next; of what changes something the first answer counts.
  const questionId = action.verb === 'show' ? null : action.id;
  for (const { acctId, cardId, last4, status } of candidates.slice(0, CHOICES_MAX + 1)) {
    const settled = Action.parse({ ...action, target: { kind: 'card', acctId, cardId, alertId: alertIdOf(action) } });
    const value = await deps.pending.put({ kind: 'choice', action: settled, questionId });
    const account = await deps.directory.account(acctId);
    const card = deps.toFacts(acctId, account, last4 === null ? {} : { last4 });
    choices.push({ value, card, status });
  }
  await deps.answer(action, chooseCard({ verb: action.verb, query, choices }));
}
