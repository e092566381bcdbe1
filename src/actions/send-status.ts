import { setTimeout as sleep } from 'node:timers/promises';
import type { CallOptions } from '../card-api/call.ts';
import type { CardClient } from '../card-api/client.ts';
import type { AccountDetails } from '../card-api/schema-account.ts';
import type { CardFacts } from '../core/card-facts.ts';
import { CardApiError } from '../core/errors.ts';
import type { CardStatus, StatusRecord } from '../core/event.ts';
import type { Action, Resolved } from './action.ts';
import type { ActionState, Expected, Result, SendingState } from './action-state.ts';
import type { ActionTools, LockedAttempt } from './action-tools.ts';
import type { LatestChanges } from './progress-store.ts';
import type { Reports } from './report.ts';
import type { OfferUndo } from './undo-block.ts';

export const wantedStatus = { block: 'BLOCKED', unblock: 'ACTIVE', activate: 'ACTIVE' } as const;
export type StatusVerb = keyof typeof wantedStatus;

/**
 * What was asked for later, and done first, that stands in the way of a change of the status: everything in the way of an
 * unblock or an activation; a block is always sent, unless somebody has unblocked the card since.
 */
export const countsAgainst =
  (verb: StatusVerb) =>
  (later: string): boolean =>
    verb !== 'block' || later === 'unblock' || later === 'undo-block';

/** The webhook of a change follows it at once. */
const WEBHOOK_MS = 1500;

/** An older action that is tried again must not undo a newer one. */
export const superseded =
  'It is not certain whether the card service made this change, and the card was changed again since then. I did not repeat it. Look at the card, and ask again if you still want it.';

/** Tells how a change of a status ended. What is left out is as it was before anything was sent. */
export type Finish = (state: Result['state'], rest?: Partial<Result>) => Promise<void>;

export interface SendStatus {
  /**
   * Writes down what is about to be asked, asks once, and tells how it ended.
   *
   * @param from.written how far an attempt before got; null: this is the first.
   * @throws CardApiError when the job should run again, and TooLateError when it is not for this process to write.
   */
  send(
    verb: StatusVerb,
    resolved: Resolved,
    from: { readonly before: string | null; readonly card: CardFacts; readonly written: ActionState | null },
    finish: Finish,
    attempt: LockedAttempt,
  ): Promise<void>;
  /** What a worker sent before it died is there. */
  foundMade(verb: StatusVerb, resolved: Resolved, before: string | null, finish: Finish): Promise<void>;
  /** The card has the status already. */
  foundSo(verb: StatusVerb, resolved: Resolved): Promise<void>;
}

interface Deps extends Pick<ActionTools, 'progress' | 'record'> {
  readonly card: Pick<CardClient, 'getAccount' | 'setCardStatus' | 'activateCard'>;
  readonly latestChanges: Pick<LatestChanges, 'changedBy' | 'changed' | 'isSuperseded' | 'foundSo' | 'notMade'>;
  readonly whyOvertaken: WhyOvertaken;
  /** Whose click a status event will be. */
  readonly history: {
    expectStatus(acctId: number, status: CardStatus, by: { userId: string; actionId: string }): Promise<void>;
    forgetExpected(acctId: number, status: CardStatus): Promise<void>;
    /** What the card service told of a card's status, oldest first. */
    statuses(cardId: number): Promise<readonly Pick<StatusRecord, 'eventId' | 'status'>[]>;
  };
  readonly reports: Pick<Reports, 'resume'>;
  readonly offerUndo: OfferUndo;
}

export function createSendStatus(deps: Deps): SendStatus {
  const { card: api, progress, latestChanges, history } = deps;
  return {
    send,
    foundMade,
    foundSo: (verb, { action, acctId, cardId }) =>
      latestChanges.foundSo(acctId, { kind: 'status', status: wantedStatus[verb], cardId }, action),
  };

  async function foundMade(verb: StatusVerb, resolved: Resolved, before: string | null, finish: Finish): Promise<void> {
    const undo = await deps.offerUndo(resolved, before);
    await finish('done', { before, after: wordOf(wantedStatus[verb]), confirmation: 'confirmed', ...undo });
  }

  async function send(
    ...[verb, resolved, { before, card, written }, finish, attempt]: Parameters<SendStatus['send']>
  ): Promise<void> {
    const { action, acctId, cardId } = resolved;
    const status = wantedStatus[verb];
    const after = wordOf(status);
    const expects = { kind: 'status', status, cardId } as const;
    const readBasis = () => basisOf(cardId ?? card.cardId, status);
    const basis = await readBasis();
    const sent = { expects, basis, readBasis };
    const why = written?.state === 'sending' ? null : await deps.whyOvertaken(verb, resolved);
    if (why !== null) return await finish('failed', { note: why });
    if (written?.state === 'sending' && (await isSuperseded(verb, resolved, written, sent))) {
      // What has changed since then may be this very change, which could not be read a moment ago.
      if ((await readBack(acctId, cardId, api)) === status) return await foundMade(verb, resolved, before, finish);
      return await finish('unknown', { note: superseded });
    }
    const followed = await latestChanges.changedBy(acctId, expects);
    const sending = { state: 'sending', before, after, expects, followed } as const;
    const stands = await progress.write(action.id, { ...sending, basis });
    if ((await deps.reports.resume(action, verb, stands)) !== null) return;
    await deps.record(action, { event: 'sent', acctId: card.acctId, cardId: card.cardId, before, after });
    await latestChanges.changed(acctId, expects, action);
    await history.expectStatus(acctId, status, { userId: action.actor.userId, actionId: action.id });
    try {
      await attempt.lease.confirm();
      if (verb === 'activate') await api.activateCard(acctId, cardId ?? 0);
      else await api.setCardStatus(acctId, status);
    } catch (error) {
      if (!(error instanceof CardApiError)) throw error;
      // It was certainly not made: what others do until it is tried again is no reason to leave it.
      if (error.outcome !== 'unknown' && error.retryable) await progress.write(action.id, sending);
      return await resolveFailure(error, { action, acctId, ...sent, finish, isLast: attempt.isLast }, deps);
    }
    const undo = await deps.offerUndo(resolved, before);
    await finish('done', { after, confirmation: 'sent', expects, ...undo });
  }

  /** A worker may have made this change before it died, and something has changed since then. */
  async function isSuperseded(verb: StatusVerb, { action, acctId }: Resolved, written: SendingState, sent: Sent) {
    if (written.basis !== undefined && written.basis !== sent.basis) return true;
    return await latestChanges.isSuperseded(acctId, sent.expects, action.id, written.followed, countsAgainst(verb));
  }

  /** The last time that the card was told to have the status: a later one shows that the change was made. */
  async function basisOf(cardId: number | null, status: CardStatus): Promise<string | undefined> {
    if (cardId === null) return undefined;
    return (await history.statuses(cardId)).findLast((told) => told.status === status)?.eventId ?? 'never';
  }
}

interface FailedStatus extends Sent {
  readonly action: Action;
  readonly acctId: number;
  readonly finish: Finish;
  readonly isLast: boolean;
}

/** The call failed: read back what became of it, and tell. */
async function resolveFailure(
  error: CardApiError,
  { action, acctId, expects, basis, readBasis, finish, isLast }: FailedStatus,
  { card: api, history, latestChanges }: Pick<Deps, 'card' | 'history' | 'latestChanges'>,
): Promise<void> {
  if (error.outcome === 'unknown') {
    let now = await readBack(acctId, expects.cardId, api);
    if (now !== expects.status) {
      // Blocked and unblocked again looks as if nothing had happened, but for the webhooks.
      await sleep(WEBHOOK_MS);
      now = await readBack(acctId, expects.cardId, api);
    }
    if (now === expects.status) return await finish('done', { after: wordOf(now), confirmation: 'confirmed' });
    if (now !== null && basis !== (await readBasis())) return await finish('unknown', { note: superseded });
    if (now === null) {
      if (!isLast) throw error;
      return await finish('unknown', { expects });
    }
  }
  if (error.retryable && !isLast) throw error;
  await history.forgetExpected(acctId, expects.status);
  await latestChanges.notMade(acctId, expects, action);
  await finish('failed', { apiWords: error.apiMessage, note: noteOf(error) });
}

/** What was sent, and what had been told of the card before. */
interface Sent {
  readonly expects: Extract<Expected, { kind: 'status' }>;
  readonly basis: string | undefined;
  readonly readBasis: () => Promise<string | undefined>;
}

/** The status that a card has now; null when it cannot be read. */
export async function readBack(
  acctId: number,
  cardId: number | null,
  api: Pick<CardClient, 'getAccount'>,
  options?: CallOptions,
): Promise<CardStatus | null> {
  try {
    return cardInUse(await api.getAccount(acctId, options), cardId)?.status ?? null;
  } catch (error) {
    if (error instanceof CardApiError) return null;
    throw error;
  }
}

/** The card in people's pocket: the one asked for, else one that was activated, else the newest that is not closed. */
export function cardInUse(account: AccountDetails, cardId: number | null): AccountDetails['cards'][number] | undefined {
  const named = account.cards.find((card) => card.cardId === cardId);
  if (named !== undefined) return named;
  const open = account.cards.filter((card) => card.status !== 'CLOSED');
  return open.find((card) => card.status !== 'INACTIVE') ?? open.at(-1) ?? account.cards.at(-1);
}

/** As people read it. */
export function wordOf(status: CardStatus): string {
  return status.toLowerCase();
}

/** What to say beside, or instead of, the API's own words. */
export function noteOf(error: CardApiError): string | null {
  if (error.code === 'token_dead')
    return 'The card service no longer accepts Cardbell’s token; the ops channel has been told.';
  if (error.code === 'refused')
    return error.apiMessage === null ? 'The card service refused without giving a reason.' : null;
  return 'The card service did not answer properly. Try again in a minute.';
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
export type WhyOvertaken = (verb: StatusVerb, resolved: Resolved) => Promise<string | null>;

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
