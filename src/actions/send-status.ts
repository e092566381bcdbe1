import { setTimeout as sleep } from 'node:timers/promises';
import type { CallOptions } from '../card-api/call.ts';
import type { CardClient } from '../card-api/client.ts';
import { orNull } from '../card-api/errors.ts';
import type { CardFacts } from '../core/card-facts.ts';
import type { CardStatus, StatusRecord } from '../core/event.ts';
import type { Resolved } from './action.ts';
import type { ActionState, Result } from './action-state.ts';
import type { LockedRun } from './action-tools.ts';
import type { LatestChanges } from './progress-store.ts';
import { type Finish, type SendChange, superseded } from './send-change.ts';
import type { OfferUndo } from './undo-block.ts';

export const wantedStatus = { block: 'BLOCKED', unblock: 'ACTIVE', activate: 'ACTIVE' } as const;
export type StatusVerb = keyof typeof wantedStatus;

/**
 * What was asked for later, and done first, that stands in the way of a change of the status: everything in the way of an
 * unblock or an activation; a block is always sent, unless somebody has unblocked the card since.
 */
const countsAgainst =
  (verb: StatusVerb) =>
  (later: string): boolean =>
    verb !== 'block' || later === 'unblock' || later === 'undo-block';

/** The webhook of a change follows it at once. */
const WEBHOOK_MS = 1500;

interface Deps {
  readonly card: Pick<CardClient, 'getAccount' | 'setCardStatus' | 'activateCard'>;
  readonly latestChanges: Pick<LatestChanges, 'alreadyInEffect'>;
  readonly whyOvertaken: WhyOvertaken;
  /** Whose click a status event will be. */
  readonly history: {
    expectStatus(acctId: number, status: CardStatus, by: { userId: string; actionId: string }): Promise<void>;
    forgetExpected(acctId: number, status: CardStatus): Promise<void>;
    /** What the card service told of a card's status, oldest first. */
    statuses(cardId: number): Promise<readonly Pick<StatusRecord, 'eventId' | 'status'>[]>;
  };
  readonly offerUndo: OfferUndo;
  readonly sendChange: SendChange;
}

export type SendStatus = ReturnType<typeof createSendStatus>;

export function createSendStatus({ card: api, latestChanges, history, whyOvertaken, offerUndo, sendChange }: Deps) {
  return {
    /** Writes down what is about to be asked, asks once, and tells how it ended: see {@link SendChange}. */
    async send(verb: StatusVerb, resolved: Resolved, from: SentFrom, finish: Finish, run: LockedRun): Promise<Result> {
      const { action, acctId, cardId } = resolved;
      const { before, card, written, whyNot = null } = from;
      const status = wantedStatus[verb];
      const why = written?.state === 'sending' ? null : await whyOvertaken(verb, resolved);
      if (why !== null) return await finish('failed', { note: why });
      const expects = { kind: 'status', status, cardId } as const;
      const basis = await basisOf(history, cardId ?? card.cardId, status);
      const sides = { before, after: wordOf(status) };
      const change = { action, verb, acctId, cardId: card.cardId, expects, sides, basis, written, whyNot };
      const steps = {
        prepare: () => history.expectStatus(acctId, status, { userId: action.actor.userId, actionId: action.id }),
        write: () => (verb === 'activate' ? api.activateCard(acctId, cardId ?? 0) : api.setCardStatus(acctId, status)),
        async look() {
          let now = await readBack(acctId, cardId, api);
          if (now !== status) {
            // Blocked and unblocked again looks as if nothing had happened, but for the webhooks.
            await sleep(WEBHOOK_MS);
            now = await readBack(acctId, cardId, api);
          }
          if (now === status) return 'made';
          if (now === null) return 'unread';
          return basis === (await basisOf(history, cardId ?? card.cardId, status)) ? 'unmade' : 'changed';
        },
        async made(confirmation) {
          if (confirmation === 'confirmed') return await foundMade(verb, resolved, before, finish);
          const undo = await offerUndo(resolved, before);
          return await finish('done', { after: sides.after, confirmation, expects, ...undo });
        },
        /** What has changed since then may be this very change, which could not be read a moment ago. */
        supersede: async () =>
          (await readBack(acctId, cardId, api)) === status
            ? await foundMade(verb, resolved, before, finish)
            : await finish('unknown', { note: superseded }),
        async fail(said) {
          await history.forgetExpected(acctId, status);
          return await finish('failed', said);
        },
        leave: () => finish('unknown', { expects }),
      } satisfies Parameters<SendChange>[1];
      if (whyNot !== null && hasMovedSince(verb, from)) return await steps.supersede();
      return await sendChange({ ...change, counts: countsAgainst(verb) }, steps, run);
    },
    foundMade,
    /** The card has the status already. */
    alreadyInEffect: (verb: StatusVerb, { action, acctId, cardId }: Resolved) =>
      latestChanges.alreadyInEffect(acctId, { kind: 'status', status: wantedStatus[verb], cardId }, action),
  };

  /** What a worker sent before it died, or what no answer came to, is there. */
  async function foundMade(verb: StatusVerb, resolved: Resolved, before: string | null, finish: Finish) {
    const undo = await offerUndo(resolved, before);
    return await finish('done', { before, after: wordOf(wantedStatus[verb]), confirmation: 'confirmed', ...undo });
  }
}

/** What a change of the status is sent from. */
interface SentFrom {
  /** The status of the card now, in words; null: it could not be read. */
  readonly before: string | null;
  readonly card: CardFacts;
  /** How far an attempt before got; null: this is the first. */
  readonly written: ActionState | null;
  /** Of what an attempt before may have sent: why it is not sent again. */
  readonly whyNot?: string;
}

/** An attempt before may have made the change, and the card has another status now: nobody can say that nothing changed. */
function hasMovedSince(verb: StatusVerb, { before, written }: SentFrom): boolean {
  if (written?.state !== 'sending' || written.before === before) return false;
  // What was certainly not made is left without a basis; only a block is sent where there is none.
  return written.basis !== undefined || verb === 'block';
}

/** The last time that the card was told to have the status: a later one shows that the change was made. */
async function basisOf(
  { statuses }: Pick<Deps['history'], 'statuses'>,
  cardId: number | null,
  status: CardStatus,
): Promise<string | undefined> {
  if (cardId === null) return undefined;
  return (await statuses(cardId)).findLast((told) => told.status === status)?.eventId ?? 'never';
}

/** The status that a card has now; null when it cannot be read. */
export async function readBack(
  acctId: number,
  cardId: number | null,
  api: Pick<CardClient, 'getAccount'>,
  options?: CallOptions,
): Promise<CardStatus | null> {
  const account = await orNull(api.getAccount(acctId, options));
  return account === null ? null : (cardInUse(account, cardId)?.status ?? null);
}

/** The card in people's pocket: the one asked for, else one that was activated, else the newest that is not closed. */
export function cardInUse<Card extends { readonly cardId: number | null; readonly status: CardStatus | null }>(
  account: { readonly cards: readonly Card[] },
  cardId: number | null,
): Card | undefined {
  const named = cardId === null ? undefined : account.cards.find((card) => card.cardId === cardId);
  if (named !== undefined) return named;
  const open = account.cards.filter((card) => card.status !== 'CLOSED');
  return open.find((card) => card.status !== 'INACTIVE') ?? open.at(-1) ?? account.cards.at(-1);
}

/** As people read it. */
export function wordOf(status: CardStatus): string {
  return status.toLowerCase();
}

/** What to say of an action that waited while somebody asked for something else, which was done first. */
export function overtaken(what: string): string {
  return `Somebody asked for another change of the ${what} after you did, so I did not make yours. Look at the card, and ask again if you still want it.`;
}

const changedOutside =
  'The card’s status was changed outside Slack after you asked, so I left it as it is. Look at the card, and ask again if you still want it.';

/**
 * Why the status of a card is not for an action to change, of which nothing was sent yet: what was decided later stands
 * already. Null: nothing speaks against it.
 */
type WhyOvertaken = (verb: StatusVerb, resolved: Resolved) => Promise<string | null>;

interface OvertakenDeps {
  readonly latestChanges: Pick<LatestChanges, 'isOvertaken'>;
  readonly history: {
    /** What the card service told of a card's status, oldest first. */
    statuses(cardId: number): Promise<readonly StatusRecord[]>;
    /** Whether an action of ours made, or will have made, the change that an event tells of. */
    isExpected(acctId: number, status: CardStatus, eventId: string): Promise<boolean>;
  };
}

export function createWhyOvertaken({ latestChanges, history }: OvertakenDeps): WhyOvertaken {
  return async function whyOvertaken(verb, { action, acctId, cardId }) {
    const expects = { kind: 'status', status: wantedStatus[verb], cardId } as const;
    if (await latestChanges.isOvertaken(acctId, expects, action, countsAgainst(verb)))
      return overtaken('card’s status');
    const told = cardId === null ? [] : await history.statuses(cardId);
    const last = told.at(-1);
    if (last === undefined || !wouldUndo(verb, told)) return null;
    // By the service's clock and by ours: neither of them alone is to be trusted.
    const isLater = last.callbackAt > action.askedAt && last.receivedAt > action.askedAt;
    return isLater && !(await history.isExpected(acctId, last.status, last.eventId)) ? changedOutside : null;
  };
}

/** Whether the verb would take back what was told of the card last: {@link countsAgainst} of what was done outside. */
function wouldUndo(verb: StatusVerb, told: readonly StatusRecord[]): boolean {
  const [before, last] = [told.at(-2)?.status, told.at(-1)?.status];
  return verb === 'block' ? before === 'BLOCKED' && last === 'ACTIVE' : last === 'BLOCKED';
}
