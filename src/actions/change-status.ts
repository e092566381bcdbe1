import { CLOSED, orderNewCard, statusWord } from '../../templates/core/card-words.ts';
import { sentences } from '../../templates/core/change-words.ts';
import type { CardClient } from '../card-api/client.ts';
import type { AccountDetails } from '../card-api/schema-account.ts';
import { CardApiError } from '../core/errors.ts';
import { digitsNamed, type Resolved } from './action.ts';
import { isUnseen, type Result } from './action-state.ts';
import type { ActionTools, LockedRun } from './action-tools.ts';
import type { ConfirmedClosing, PermitStatus } from './permit-status.ts';
import type { LatestChanges } from './progress-store.ts';
import type { Reports } from './report.ts';
import type { Finish } from './send-change.ts';
import { cardInUse, type SendStatus, type StatusVerb, wantedStatus } from './send-status.ts';

type Card = AccountDetails['cards'][number];

const blockMayCome =
  'The card is active for the moment, but a block of it may still be carried out: look again in two minutes.';

/** How long a block waits to read the card's current status. */
const BLOCK_READ_MS = 4000;

/**
 * Blocks, unblocks or activates a card once.
 *
 * Reads the card before writing. If the card already has the status, no write is needed. Stores what it
 * is about to send before sending it. After a crash or a missing answer it reads the card again before it repeats
 * anything. Runs under the account's lock.
 *
 * @param confirmed other cards of the account of which the person has confirmed that they are closed for good. Not those
 *   that have been added or become active since.
 * @throws CardApiError when the job should be retried.
 */
export type ChangeStatus = (
  verb: StatusVerb,
  resolved: Resolved,
  run: LockedRun,
  confirmed?: ConfirmedClosing,
) => Promise<unknown>;

interface Deps extends Pick<ActionTools, 'progress' | 'factsOf'> {
  readonly card: Pick<CardClient, 'getAccount'>;
  readonly latestChanges: Pick<LatestChanges, 'alreadyInEffect' | 'forgetBlocks' | 'blocksWanted'>;
  /** The open fraud case of an account; null: none. */
  readonly fraudCases: { readonly openOf: (acctId: number) => Promise<string | null> };
  readonly reports: Pick<Reports, 'report'>;
  readonly permitStatus: PermitStatus;
  readonly sendStatus: SendStatus;
}

export function createChangeStatus(deps: Deps): ChangeStatus {
  const { progress, sendStatus } = deps;
  return async function changeStatus(verb, asked, run, confirmed = {}) {
    const { action, acctId, cardId } = asked;
    const last4 = digitsNamed(asked);
    const account = verb === 'block' ? await readQuickly(acctId, deps.card) : await deps.card.getAccount(acctId);
    const hasFraudCase = (await deps.fraudCases.openOf(acctId)) !== null;
    const card = account === null ? undefined : cardToChange(verb, account, { cardId, last4 });
    // Without its id, a card that is not listed would get the digits of the one that is. Of an unread account, the card in use
    // is changed, whatever digits were shown.
    const facts = await deps.factsOf(acctId, card ?? (account === null ? { cardId } : { cardId, last4 }));
    const status = card?.status ?? null;
    const before = status === null ? null : statusWord(status);
    const written = await progress.read(action.id);
    const finish: Finish = (state, { note, ...rest } = {}) => {
      const unsent = { state, card: facts, before, after: null, apiWords: null };
      return deps.reports.report(action, verb, { ...unsent, ...rest, note: sentences(note, asked.note) || null });
    };
    const from = { before, card: facts, written, hasFraudCase };
    // Blocking is idempotent, so it may be sent without knowing the card's current status.
    if (account === null) return await sendStatus.send(verb, asked, from, finish, run);

    if (written?.state === 'sending' && status === wantedStatus[verb] && written.before !== before) {
      const closed = account.cards.filter((other) => confirmed.closes?.includes(other.cardId));
      const made = { before: written.before, closes: closed };
      return await sendStatus.foundMade(verb, asked, made, finish);
    }
    // Unblocked outside Slack since someone wanted it blocked, unless an earlier block is just not visible yet.
    if (verb === 'block' && status === 'ACTIVE' && !(await isOtherBlockSent(asked, deps)))
      await deps.latestChanges.forgetBlocks(acctId);
    const found = obstacleTo(verb, card, account, hasFraudCase);
    const isSo = found?.state === 'unchanged';
    const isBlocked = isSo && verb === 'block';
    const obstacle = isBlocked && (await sendStatus.mayBecomeActive(acctId)) ? null : found;
    if (isSo && verb !== 'block' && (await sendStatus.mayBecomeBlocked(acctId)))
      return await finish('unchanged', { note: blockMayCome });
    // Whoever blocked the card first must not undo a block that others rely on. An unblock that changes nothing stops no block.
    if (isBlocked && obstacle !== null)
      await deps.latestChanges.alreadyInEffect(acctId, { kind: 'status', status: 'BLOCKED', cardId }, action);
    const wasSending = written?.state === 'sending';
    const resolved = { ...asked, cardId: card?.cardId ?? null };
    const ending = verb === 'activate' && card !== undefined ? closedBy(card, account) : [];
    const send = (whyNot: string | null): Promise<Result> =>
      sendStatus.send(verb, resolved, { ...from, closes: ending, whyNot }, finish, run);
    if (obstacle?.state === 'failed' && wasSending) return await send(obstacle.note);
    if (obstacle !== null) return await finish(obstacle.state, { note: obstacle.note });

    const activation = { card: facts, ending, confirmed };
    if (verb !== 'block' && !(await deps.permitStatus(resolved, activation, wasSending ? send : null))) return null;
    return await send(null);
  };
}

/** A stolen card must not wait for a slow read. If the read takes too long, the card is blocked without it. */
async function readQuickly(acctId: number, api: Deps['card']): Promise<AccountDetails | null> {
  try {
    return await api.getAccount(acctId, { deadlineMs: BLOCK_READ_MS, maxRetries: 1 });
  } catch (error) {
    if (error instanceof CardApiError && (error.retryable || error.code === 'bad_answer')) return null;
    throw error;
  }
}

/**
 * Why the card API need not (`unchanged`: already in effect), cannot or must not be called (`failed`). Null when nothing prevents
 * the call.
 */
function obstacleTo(verb: StatusVerb, card: Card | undefined, account: AccountDetails, hasFraudCase: boolean) {
  const cannot = (note: string) => ({ state: 'failed', note }) as const;
  if (card === undefined) return cannot('The card service does not list this card. Look at the account.');
  const inUse = cardInUse(account, null);
  if (card.status === 'CLOSED') {
    if (inUse === undefined || inUse.status === 'CLOSED' || inUse.last4 === null) return cannot(CLOSED);
    const replaced = 'The card is closed for good. The account’s card';
    return cannot(
      inUse.status === 'INACTIVE'
        ? `${replaced} ${inUse.last4} is not activated yet.`
        : `${replaced} in use is ${inUse.last4}.`,
    );
  }
  if (verb === 'unblock' && card.status === 'INACTIVE') {
    return cannot('The card was never activated: use activate instead of unblock.');
  }
  // Also of an active card: its block may be on its way.
  if (verb === 'unblock' && hasFraudCase)
    return cannot(`${orderNewCard} If it was not fraud, or this is the new card, close the fraud case first.`);
  if (card.status === wantedStatus[verb]) {
    return { state: 'unchanged', note: `The card is ${verb === 'block' ? 'blocked' : 'active'} already.` } as const;
  }
  // The card service sets the status of the account, so it would block the card in use instead.
  if (verb === 'block' && card.status === 'INACTIVE' && inUse !== undefined && inUse.cardId !== card.cardId) {
    const which = inUse.last4 === null ? 'another card of this account' : `card ${inUse.last4}`;
    return cannot(
      `The card is not activated, so nobody can pay with it. A block would stop ${which} instead${whichIs(inUse)}.`,
    );
  }
  if (verb === 'activate' && card.status === 'BLOCKED') {
    return cannot('The card is blocked, not new: an approver can unblock it.');
  }
  return null;
}

/** `, which is blocked already` */
function whichIs({ status }: Card): string {
  if (status === 'BLOCKED') return ', which is blocked already';
  return status === 'INACTIVE' ? ', which is not activated either' : '';
}

/** Never another card than the one asked for. Without an id or digits nobody named one: then it is the newest. */
function cardToChange(
  verb: StatusVerb,
  { cards }: AccountDetails,
  { cardId, last4 }: { readonly cardId: number | null; readonly last4: string | null },
): Card | undefined {
  const isOther = (card: Card): boolean => last4 !== null && card.last4 !== null && card.last4 !== last4;
  if (cardId !== null) return cards.find((card) => card.cardId === cardId && !isOther(card));
  const fresh = verb === 'activate' ? cards.findLast((card) => card.status === 'INACTIVE') : undefined;
  const newest = fresh ?? cardInUse({ cards }, null);
  // Digits that the card service does not tell cannot be compared.
  if (last4 === null || newest?.last4 === null) return newest;
  return cardInUse({ cards: cards.filter((card) => card.last4 === last4) }, null);
}

/** The other cards of the account that are or may be open: activating a card closes them for good. */
function closedBy(card: Card, { cards }: AccountDetails): readonly Card[] {
  return cards.filter(({ cardId, status }) => cardId !== card.cardId && status !== 'CLOSED');
}

/** Whether another block was sent, and nothing has shown it yet. */
async function isOtherBlockSent(
  { action, acctId }: Resolved,
  { latestChanges, progress }: Pick<Deps, 'latestChanges' | 'progress'>,
): Promise<boolean> {
  const others = (await latestChanges.blocksWanted(acctId)).filter(({ id }) => id !== action.id);
  const states = await Promise.all(others.map(({ id }) => progress.read(id)));
  return states.some(isUnseen);
}
