import type { CallOptions } from '../card-api/call.ts';
import type { CardClient } from '../card-api/client.ts';
import type { AccountDetails } from '../card-api/schema-account.ts';
import type { CardFacts } from '../core/card-facts.ts';
import { CardApiError } from '../core/errors.ts';
import type { CardStatus } from '../core/event.ts';
import type { Resolved } from './action.ts';
import type { Expected, Result } from './action-state.ts';
import type { ActionTools, Attempt } from './action-tools.ts';
import type { LatestChanges } from './progress-store.ts';
import type { Reports } from './report.ts';
import type { OfferUndo } from './undo-block.ts';

export const wantedStatus = { block: 'BLOCKED', unblock: 'ACTIVE', activate: 'ACTIVE' } as const;
export type StatusVerb = keyof typeof wantedStatus;

/** Tells how a change of a status ended. What is left out is as it was before anything was sent. */
export type Finish = (state: Result['state'], rest?: Partial<Result>) => Promise<void>;

export interface SendStatus {
  /**
   * Writes down what is about to be asked, asks, and tells how it ended.
   *
   * @throws CardApiError when the job should run again.
   */
  send(
    verb: StatusVerb,
    resolved: Resolved,
    from: { readonly before: string | null; readonly card: CardFacts },
    finish: Finish,
    attempt: Attempt,
  ): Promise<void>;
  /** What a worker sent before it died is there. */
  foundMade(verb: StatusVerb, resolved: Resolved, before: string | null, finish: Finish): Promise<void>;
}

interface Deps extends Pick<ActionTools, 'progress' | 'record'> {
  readonly card: Pick<CardClient, 'getAccount' | 'setCardStatus' | 'activateCard'>;
  readonly latestChanges: Pick<LatestChanges, 'changedBy' | 'changed'>;
  /** Whose click a status event will be. */
  readonly history: {
    expectStatus(acctId: number, status: CardStatus, by: { userId: string; actionId: string }): Promise<void>;
    forgetExpected(acctId: number, status: CardStatus): Promise<void>;
  };
  readonly reports: Pick<Reports, 'resume'>;
  readonly offerUndo: OfferUndo;
}

export function createSendStatus(deps: Deps): SendStatus {
  const { card: api, progress, latestChanges, history } = deps;
  return { send, foundMade };

  async function foundMade(verb: StatusVerb, resolved: Resolved, before: string | null, finish: Finish): Promise<void> {
    const undo = await deps.offerUndo(resolved, before);
    await finish('done', { before, after: wordOf(wantedStatus[verb]), confirmation: 'confirmed', ...undo });
  }

  async function send(
    ...[verb, { action, acctId, cardId }, { before, card }, finish, attempt]: Parameters<SendStatus['send']>
  ): Promise<void> {
    const status = wantedStatus[verb];
    const after = wordOf(status);
    const expects = { kind: 'status', status, cardId } as const;
    const followed = await latestChanges.changedBy(acctId, expects);
    const stands = await progress.write(action.id, { state: 'sending', before, after, expects, followed });
    if ((await deps.reports.resume(action, verb, stands)) !== null) return;
    await deps.record(action, { event: 'sent', acctId: card.acctId, cardId: card.cardId, before, after });
    await latestChanges.changed(acctId, expects, action.id);
    await history.expectStatus(acctId, status, { userId: action.actor.userId, actionId: action.id });
    try {
      if (verb === 'activate') await api.activateCard(acctId, cardId ?? 0);
      else await api.setCardStatus(acctId, status);
    } catch (error) {
      if (!(error instanceof CardApiError)) throw error;
      return await resolveFailure(error, acctId, expects, finish, attempt);
    }
    const undo = await deps.offerUndo({ action, acctId, cardId }, before);
    await finish('done', { after, confirmation: 'sent', expects, ...undo });
  }

  /** The call failed: read back what became of it, and tell. */
  async function resolveFailure(
    error: CardApiError,
    acctId: number,
    expects: Extract<Expected, { kind: 'status' }>,
    finish: Finish,
    { isLast }: Attempt,
  ): Promise<void> {
    if (error.outcome === 'unknown') {
      const now = await readBack(acctId, expects.cardId, api);
      if (now === expects.status) return await finish('done', { after: wordOf(now), confirmation: 'confirmed' });
      if (now === null) {
        if (!isLast) throw error;
        return await finish('unknown', { expects });
      }
    }
    if (error.retryable && !isLast) throw error;
    await history.forgetExpected(acctId, expects.status);
    await finish('failed', { apiWords: error.apiMessage, note: noteOf(error) });
  }
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
