import { setTimeout as sleep } from 'node:timers/promises';
import { statusWord } from '../../templates/core/card-words.ts';
import { sentences } from '../../templates/core/change-words.ts';
import type { CallOptions } from '../card-api/call.ts';
import type { CardClient } from '../card-api/client.ts';
import { orNull } from '../card-api/errors.ts';
import type { CardFacts } from '../core/card-facts.ts';
import type { CardStatus, StatusRecord } from '../core/event.ts';
import { CLOCK_SKEW_MS } from '../core/service-time.ts';
import type { Action, Resolved } from './action.ts';
import { isUnseen, type Result } from './action-state.ts';
import type { ActionTools, LockedRun } from './action-tools.ts';
import type { Counts, LatestChanges } from './progress-store.ts';
import { type Change, changedSince, type Finish, mayStillBeMade, type SendChange } from './send-change.ts';
import { type OfferDeps, offerUndo } from './undo-block.ts';

export const wantedStatus = { block: 'BLOCKED', unblock: 'ACTIVE', activate: 'ACTIVE' } as const;
export type StatusVerb = keyof typeof wantedStatus;

/**
 * Which later requests, completed first, prevent a status change. An unblock or activation is prevented by any of them.
 * A block is always sent unless someone has unblocked the card since. An *Undo* ends only blocks of the same person.
 */
const countsAgainst =
  (verb: StatusVerb, { actor }: Pick<Action, 'actor'>): Counts =>
  (later, by) =>
    verb !== 'block' || later === 'unblock' || (later === 'undo-block' && by === actor.userId);

/** The webhook of a change usually arrives within this time. */
const WEBHOOK_MS = 1500;

/** An action that changes the status of a card. */
export interface StatusChanger {
  readonly userId: string;
  readonly actionId: string;
  /**
   * When the card's last known change was, by the card service's clock; '' if none is known. Webhooks may be delayed, and
   * those of earlier changes do not belong to this action.
   */
  readonly after: string;
  /**
   * When this change was sent, less what correct clocks differ by. Counts only if an earlier action still waits for the
   * same status: otherwise the card service's clock may be as slow as it likes.
   */
  readonly notBefore: string;
}

/** Statuses of cards, as the card service reported them, and which of them actions made. */
export interface StatusHistory {
  /** Attributes a status event to a click. */
  expectStatus(acctId: number, status: CardStatus, by: StatusChanger, cardId?: number | null): Promise<void>;
  forgetExpected(acctId: number, status: CardStatus, cardId?: number | null): Promise<void>;
  /** Statuses of a card received from the card service, oldest first. */
  statuses(cardId: number): Promise<readonly StatusRecord[]>;
  /** Whether a Cardbell action made, or will have made, the change behind an event. */
  isExpected(acctId: number, event: Pick<StatusRecord, 'status' | 'eventId' | 'callbackAt'>): Promise<boolean>;
  /** The event that showed the status an action asked for; null: none. */
  confirmedBy(acctId: number, status: CardStatus, actionId: string): Promise<string | null>;
}

interface Deps extends OvertakenDeps, OfferDeps {
  readonly progress: Pick<ActionTools['progress'], 'read'>;
  readonly card: Pick<CardClient, 'getAccount' | 'setCardStatus' | 'activateCard'>;
  readonly latestChanges: OvertakenDeps['latestChanges'] & Pick<LatestChanges, 'activations' | 'blocksWanted'>;
  readonly history: OvertakenDeps['history'] & Pick<StatusHistory, 'expectStatus' | 'forgetExpected'>;
  readonly sendChange: SendChange;
}

export type SendStatus = ReturnType<typeof createSendStatus>;

export function createSendStatus(deps: Deps) {
  const { card: api, latestChanges, history, sendChange } = deps;
  return {
    /** Stores what is about to be sent, sends it once and reports the outcome: see {@link SendChange}. */
    async send(verb: StatusVerb, resolved: Resolved, from: SentFrom, finish: Finish, run: LockedRun): Promise<Result> {
      const { action, acctId, cardId } = resolved;
      const { before, card, written, whyNot = null, closes = [], hasFraudCase } = from;
      const status = wantedStatus[verb];
      const wasSending = written?.state === 'sending';
      const why = verb === 'block' && hasFraudCase ? null : await whyOvertaken(verb, resolved, deps);
      if (why !== null && !wasSending) return await finish('failed', { note: why });
      const closed = closedWords(closes);
      const expects = { kind: 'status', status, cardId, ...(closed !== null && { closed }) } as const;
      // An unread card is known at most from the directory.
      const likelyId = cardId ?? card.cardId;
      const readNow = () => readBack(acctId, cardId, api);
      const basisNow = () => basisOf(history, likelyId, status);
      const basis = await basisNow();
      const sides = { before, after: statusWord(status) };
      // Then the card does not show whether this change was made.
      const wasSo = before === sides.after;
      const on = { action, verb, acctId, cardId: card.cardId, expects, counts: countsAgainst(verb, action) };
      const detail = closing('This closes for good:', closes);
      const change = { ...on, sides, basis, written, whyNot, detail };
      const steps = {
        ...expectations(deps, { ...resolved, cardId: likelyId }, status, closes),
        write: () => (verb === 'activate' ? api.activateCard(acctId, cardId ?? 0) : api.setCardStatus(acctId, status)),
        checkMade: async () =>
          wasSo ? 'unread' : await readAfterwards(status, readNow, async () => basis === (await basisNow())),
        made: (confirmation) =>
          foundMade(verb, resolved, from, finish, confirmation === 'sent' ? { confirmation, expects } : undefined),
        /** The newer change may be this very change, which could not be read a moment ago. */
        stopAsChanged: async () =>
          !wasSo && (await readNow()) === status
            ? await foundMade(verb, resolved, from, finish)
            : await finish('unknown', { note: sentences(whyNot, changedSince) }),
        fail: (explanation) => finish('failed', explanation),
        leave: ({ note }) => finish('unknown', { ...sides, note, expects }),
      } satisfies Parameters<SendChange>[1];
      const isOver = why !== null || (whyNot !== null && hasMovedSince(verb, from));
      if (wasSending && isOver) return await steps.stopAsChanged();
      return await sendChange(change, steps, run);
    },
    foundMade,
    /** Whether an unblock was sent that nothing has shown yet. Then a block is sent after it, also of a blocked card. */
    mayBecomeActive: async (acctId: number): Promise<boolean> =>
      await mayStillCome('unblock', await latestChanges.activations(acctId), deps),
    /** Whether a block was sent that nothing has shown yet. Then an active card may soon be blocked. */
    mayBecomeBlocked: async (acctId: number): Promise<boolean> =>
      await mayStillCome('block', await latestChanges.blocksWanted(acctId), deps),
  };

  /** A change that a worker sent before it died, or that got no answer, is in effect. */
  async function foundMade(
    verb: StatusVerb,
    resolved: Resolved,
    { before, closes = [] }: Pick<SentFrom, 'before' | 'closes'>,
    finish: Finish,
    shown: Pick<Result, 'confirmation' | 'expects'> = { confirmation: 'confirmed' },
  ) {
    const undo = await offerUndo(resolved, before, deps);
    const made = { before, after: statusWord(wantedStatus[verb]), note: closedWords(closes) };
    return await finish('done', { ...made, ...shown, ...undo });
  }
}

/** Whether one of these was sent that nothing has shown yet. */
async function mayStillCome(
  verb: StatusVerb,
  requests: readonly Pick<Action, 'id'>[],
  { progress, now }: Pick<Deps, 'progress' | 'now'>,
): Promise<boolean> {
  const states = await Promise.all(requests.map(({ id }) => progress.read(id)));
  return states.some((state) => isUnseen(state) || mayStillBeMade(state, verb, now()));
}

/** Attributes the events of a change to the person who asked for it, also those of the cards that it closes. */
function expectations(
  { history, now }: Pick<Deps, 'history' | 'now'>,
  { action, acctId, cardId: ownId }: Resolved,
  status: CardStatus,
  closes: readonly ClosedCard[],
) {
  const by = async (cardId: number | null): Promise<StatusChanger> => {
    const known = cardId === null ? [] : await history.statuses(cardId);
    const notBefore = new Date(now().getTime() - CLOCK_SKEW_MS).toISOString();
    const after = known.at(-1)?.callbackAt ?? '';
    return { userId: action.actor.userId, actionId: action.id, after, notBefore };
  };
  return {
    async prepare(): Promise<void> {
      await history.expectStatus(acctId, status, await by(ownId));
      for (const { cardId } of closes) await history.expectStatus(acctId, 'CLOSED', await by(cardId), cardId);
    },
    async forget(): Promise<void> {
      await history.forgetExpected(acctId, status);
      for (const { cardId } of closes) await history.forgetExpected(acctId, 'CLOSED', cardId);
    },
  };
}

/** Whether a change that got no answer was made. */
async function readAfterwards(
  status: CardStatus,
  readNow: () => Promise<CardStatus | null>,
  hasSameBasis: () => Promise<boolean>,
) {
  let now = await readNow();
  if (now !== status) {
    // A card that was blocked and unblocked again looks unchanged. Only the webhooks show it.
    await sleep(WEBHOOK_MS);
    now = await readNow();
  }
  if (now === status) return 'made';
  if (now === null) return 'unread';
  return (await hasSameBasis()) ? 'unmade' : 'changed';
}

/** A card that an activation closes for good. */
interface ClosedCard {
  readonly cardId: number | null;
  readonly last4: string | null;
}

/** `This closes for good: card 3434 and card 5656.`: what else an activation does; null: nothing. */
function closing(does: string, closes: readonly ClosedCard[]): string | null {
  const cards = closes.map(({ cardId, last4 }) => last4 ?? cardId ?? 'without a number');
  return cards.length === 0 ? null : `${does} card ${cards.join(' and card ')}.`;
}

function closedWords(closes: readonly ClosedCard[]): string | null {
  return closing('Closed for good by this:', closes);
}

interface SentFrom extends Pick<Change, 'written' | 'whyNot'> {
  /** The card's current status, in words; null: it could not be read. */
  readonly before: string | null;
  readonly card: CardFacts;
  readonly closes?: readonly ClosedCard[];
  /** The account has an open fraud case, so a block is made whatever others have asked for since. */
  readonly hasFraudCase: boolean;
}

/**
 * An earlier attempt may have made the change, and the card has another status now. It cannot be ruled out that
 * something changed.
 */
function hasMovedSince(verb: StatusVerb, { before, written }: SentFrom): boolean {
  if (written?.state !== 'sending' || written.before === before) return false;
  // Only a block is sent without a basis.
  return written.basis !== undefined || verb === 'block';
}

/** The last event that gave the card this status. A later one shows that the change was made. */
async function basisOf(
  { statuses }: Pick<Deps['history'], 'statuses'>,
  cardId: number | null,
  status: CardStatus,
): Promise<string | undefined> {
  if (cardId === null) return undefined;
  return (await statuses(cardId)).findLast((reported) => reported.status === status)?.eventId ?? 'never';
}

/** The card's current status; null when it cannot be read. */
export async function readBack(
  acctId: number,
  cardId: number | null,
  api: Pick<CardClient, 'getAccount'>,
  options?: CallOptions,
): Promise<CardStatus | null> {
  const account = await orNull(api.getAccount(acctId, options));
  return account === null ? null : (cardInUse(account, cardId)?.status ?? null);
}

/** Of the cards of an account, the one with the first of these is in use. */
const inUseOrder: readonly (CardStatus | null)[] = ['ACTIVE', 'BLOCKED', null, 'INACTIVE', 'CLOSED'];

/** The card in use: the requested one, else the newest active one, else the newest that comes closest to that. */
export function cardInUse<Card extends { readonly cardId: number | null; readonly status: CardStatus | null }>(
  account: { readonly cards: readonly Card[] },
  cardId: number | null,
): Card | undefined {
  const { cards } = account;
  const named = cardId === null ? undefined : cards.find((card) => card.cardId === cardId);
  const newest = inUseOrder.map((status) => cards.findLast((card) => card.status === status));
  return named ?? newest.find((card) => card !== undefined);
}

/** The answer for an action that waited while someone requested a different change that was made first. */
export function overtaken(what: string, wasSent = false): string {
  const done = wasSent ? 'send yours again' : 'make yours';
  return `Somebody asked for another change of the ${what} after you did, so I did not ${done}. Look at the card, and ask again if you still want it.`;
}

const changedOutside =
  'The card’s status was changed outside Slack after you asked, so I left it as it is. Look at the card, and ask again if you still want it.';

interface OvertakenDeps {
  readonly latestChanges: Pick<LatestChanges, 'isOvertaken'>;
  readonly history: Pick<StatusHistory, 'statuses' | 'isExpected'>;
}

/** Why an action must not change a card's status any more: a later decision is already in effect. Null: it may. */
export async function whyOvertaken(
  verb: StatusVerb,
  { action, acctId, cardId }: Resolved,
  { latestChanges, history }: OvertakenDeps,
): Promise<string | null> {
  const expects = { kind: 'status', status: wantedStatus[verb], cardId } as const;
  if (await latestChanges.isOvertaken(acctId, expects, action, countsAgainst(verb, action)))
    return overtaken('card’s status');
  const statuses = cardId === null ? [] : await history.statuses(cardId);
  const last = statuses.at(-1);
  if (last === undefined || !wouldUndo(verb, statuses)) return null;
  // Later by both the card service's clock and ours: neither can be trusted alone.
  const isLater = last.callbackAt > action.askedAt && last.receivedAt > action.askedAt;
  return isLater && !(await history.isExpected(acctId, last)) ? changedOutside : null;
}

/** Whether the verb would revert the latest status received: {@link countsAgainst} for changes made outside Slack. */
function wouldUndo(verb: StatusVerb, statuses: readonly StatusRecord[]): boolean {
  const [before, last] = [statuses.at(-2)?.status, statuses.at(-1)?.status];
  return verb === 'block' ? before === 'BLOCKED' && last === 'ACTIVE' : last === 'BLOCKED';
}
