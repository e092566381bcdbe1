import { confirmActivation } from '../../templates/actions/confirm-activation.ts';
import type { CallOptions } from '../card-api/call.ts';
import type { AccountDetails } from '../card-api/schema-account.ts';
import type { CardFacts } from '../core/card-facts.ts';
import { CardApiError } from '../core/errors.ts';
import type { CardStatus } from '../core/event.ts';
import { type Action, alertIdOf, type Resolved } from './action.ts';
import type { ActionDeps } from './deps.ts';
import { offerUndo } from './offer-undo.ts';
import { auditRecord, endOf, notify, report } from './report.ts';
import type { Expected, Result } from './result.ts';

type Card = AccountDetails['cards'][number];

const wished = { block: 'BLOCKED', unblock: 'ACTIVE', activate: 'ACTIVE' } as const;
type StatusVerb = keyof typeof wished;

/** How long a block waits to learn what the card was before. */
const BLOCK_READ_MS = 4000;

/**
 * Blocks, unblocks or activates, once.
 *
 * The card is read before it is written: what is already so needs no call, whoever asked for it. What is about to be
 * sent is written down first; after a crash, and after an answer that never came, the card is read again before
 * anything is repeated. Runs under the account's lock.
 *
 * @param options.isConfirmed the person has read that other cards of the account end for good.
 * @throws CardApiError when the job should run again.
 */
export async function changeStatus(
  verb: StatusVerb,
  { action, acctId, cardId }: Resolved,
  deps: ActionDeps,
  { isConfirmed = false }: { readonly isConfirmed?: boolean } = {},
): Promise<void> {
  // Also where it turns out to be blocked already: who blocked it first must not undo what others rely on.
  if (verb === 'block') await deps.blocks.want(acctId, action.actor.userId);
  const account = verb === 'block' ? await readQuickly(acctId, deps) : await deps.card.getAccount(acctId);
  if (account === null) return await blockUnread({ action, acctId, cardId }, deps);
  const card = verb === 'activate' ? cardToActivate(account, cardId) : cardInUse(account, cardId);
  const facts = await factsOf(acctId, card, deps);
  const before = card?.status ?? null;
  const progress = await deps.progress.read(action.id);
  const finish: Finish = async (state, rest = {}) => {
    const sides = { before: word(before), after: null };
    // The card is active, whoever made it so: what was wanted before counts no more.
    if (verb !== 'block' && (state === 'done' || state === 'unchanged')) await deps.blocks.forgetWanted(acctId);
    await report(action, verb, { state, card: facts, ...sides, apiWords: null, note: null, ...rest }, deps);
  };

  if (progress?.state === 'sending' && before === wished[verb]) {
    const undo = await offerUndo({ action, acctId, cardId }, progress.before, deps);
    const sides = { before: progress.before, after: word(before) };
    return await finish('done', { ...sides, confirmation: 'confirmed', ...undo });
  }
  // Unblocked outside Slack since somebody wanted it: unless that block is only not to be seen yet.
  if (verb === 'block' && before === 'ACTIVE' && !(await isBlockAwaited(acctId, deps)))
    await deps.blocks.wantAnew(acctId, action.actor.userId);
  const obstacle = obstacleTo(verb, card);
  if (obstacle !== null) return await finish(obstacle.state, { note: obstacle.note });

  if (verb === 'activate' && card !== undefined && !isConfirmed) {
    const ending = account.cards.filter(
      (other) => other.cardId !== card.cardId && other.status !== 'CLOSED' && other.status !== null,
    );
    if (ending.length > 0) return await askFirst(action, acctId, card, ending, deps);
  }

  const expects: Expected = { kind: 'status', status: wished[verb], cardId: card?.cardId ?? null };
  if (
    progress?.state === 'sending' &&
    (await deps.confirmations.isSuperseded(acctId, expects, action.id, progress.followed))
  )
    return await finish('unknown', { note: superseded });

  await send(
    verb,
    { action, acctId, cardId: card?.cardId ?? null },
    { before: word(before), card: facts },
    finish,
    deps,
  );
}

/** Somebody's block of the account was sent, and nothing has shown it yet. */
async function isBlockAwaited(acctId: number, { confirmations }: ActionDeps): Promise<boolean> {
  const awaited = await confirmations.all();
  return awaited.some((one) => one.acctId === acctId && one.verb === 'block');
}

/** An older wish that is tried again must not undo a newer one. */
export const superseded =
  'Whether the card service did this at first is not certain, and something else was asked for since then. I did not repeat it.';

type Finish = (state: Result['state'], rest?: Partial<Result>) => Promise<void>;

/** Writes down what is about to be asked, asks, and tells how it ended. */
async function send(
  verb: StatusVerb,
  { action, acctId, cardId }: Resolved,
  { before, card }: { before: string | null; card: CardFacts },
  finish: Finish,
  deps: ActionDeps,
): Promise<void> {
  const after = word(wished[verb]);
  const expects: Expected = { kind: 'status', status: wished[verb], cardId };
  const followed = await deps.confirmations.changedBy(acctId, expects);
  const end = endOf(await deps.progress.write(action.id, { state: 'sending', before, after, expects, followed }));
  if (end !== null) return await notify(action, verb, end, deps);
  await deps.audit.append(auditRecord(action, 'sent', { ...card, before, after }, deps));
  await deps.confirmations.changed(acctId, expects, action.id);
  await deps.history.expectStatus(acctId, wished[verb], { userId: action.actor.userId, actionId: action.id });
  try {
    if (verb === 'activate') await deps.card.activateCard(acctId, cardId ?? 0);
    else await deps.card.setCardStatus(acctId, wished[verb]);
  } catch (error) {
    if (!(error instanceof CardApiError)) throw error;
    return await resolveFailure(error, verb, acctId, expects, finish, deps);
  }
  const undo = await offerUndo({ action, acctId, cardId }, before, deps);
  await finish('done', { after, confirmation: 'sent', expects, ...undo });
}

/** A stolen card must not wait for its details: what cannot be read soon is blocked unread. */
async function readQuickly(acctId: number, deps: ActionDeps): Promise<AccountDetails | null> {
  try {
    return await deps.card.getAccount(acctId, { deadlineMs: BLOCK_READ_MS, maxRetries: 1 });
  } catch (error) {
    if (error instanceof CardApiError && (error.retryable || error.code === 'bad_answer')) return null;
    throw error;
  }
}

/** Blocking is safe to repeat, so it may be sent without knowing what the card was before. */
async function blockUnread({ action, acctId, cardId }: Resolved, deps: ActionDeps): Promise<void> {
  const account = await deps.directory.account(acctId);
  const card = deps.toFacts(acctId, account, cardId === null ? {} : { cardId });
  const finish: Finish = async (state, rest = {}) => {
    const sides = { before: null, after: null };
    await report(action, 'block', { state, card, ...sides, apiWords: null, note: null, ...rest }, deps);
  };
  await send('block', { action, acctId, cardId }, { before: null, card }, finish, deps);
}

/** The call failed: read back what became of it, and tell. */
async function resolveFailure(
  error: CardApiError,
  verb: StatusVerb,
  acctId: number,
  expects: Extract<Expected, { kind: 'status' }>,
  finish: Finish,
  deps: ActionDeps,
): Promise<void> {
  if (error.outcome === 'unknown') {
    const now = await readBack(acctId, expects.cardId, deps);
    if (now === wished[verb]) return await finish('done', { after: word(now), confirmation: 'confirmed' });
    if (now === null) {
      if (!deps.isLastAttempt) throw error;
      return await finish('unknown', { expects });
    }
  }
  if (error.retryable && !deps.isLastAttempt) throw error;
  await deps.history.forgetExpected(acctId, wished[verb]);
  await finish('failed', { apiWords: error.apiMessage, note: noteOf(error) });
}

/** The status that a card has now; null when it cannot be read. */
export async function readBack(
  acctId: number,
  cardId: number | null,
  deps: Pick<ActionDeps, 'card'>,
  options?: CallOptions,
): Promise<CardStatus | null> {
  try {
    return cardInUse(await deps.card.getAccount(acctId, options), cardId)?.status ?? null;
  } catch (error) {
    if (error instanceof CardApiError) return null;
    throw error;
  }
}

/** What to say beside, or instead of, the API's own words. */
export function noteOf(error: CardApiError): string | null {
  if (error.code === 'token_dead')
    return 'The card service no longer accepts Cardbell’s token; the ops channel has been told.';
  if (error.code === 'refused')
    return error.apiMessage === null ? 'The card service refused without giving a reason.' : null;
  return 'The card service did not answer properly. Try again in a minute.';
}

interface Obstacle {
  /** `unchanged`: it is so already. `failed`: it cannot be. */
  readonly state: 'unchanged' | 'failed';
  readonly note: string;
}

/** Why nothing needs to be, or can be, asked of the card API. Null when the way is free. */
function obstacleTo(verb: StatusVerb, card: Card | undefined): Obstacle | null {
  const cannot = (note: string): Obstacle => ({ state: 'failed', note });
  if (card === undefined) return cannot('This account has no card.');
  if (card.status === 'CLOSED') return cannot('The card is closed. That is final: order a new one.');
  if (card.status === wished[verb]) {
    return { state: 'unchanged', note: `The card is ${verb === 'block' ? 'blocked' : 'active'} already.` };
  }
  if (verb === 'unblock' && card.status === 'INACTIVE') {
    return cannot('The card was never activated: use activate instead of unblock.');
  }
  if (verb === 'activate' && card.status === 'BLOCKED') {
    return cannot('The card is blocked, not new: an approver can unblock it.');
  }
  return null;
}

async function askFirst(
  action: Action,
  acctId: number,
  card: Card,
  ending: readonly Card[],
  deps: ActionDeps,
): Promise<void> {
  const target = { kind: 'card', acctId, cardId: card.cardId, alertId: alertIdOf(action) } as const;
  const confirmed: Action & { confirmed: true } = { ...action, confirmed: true, target };
  const value = await deps.pending.put({ kind: 'choice', action: confirmed, questionId: action.id });
  const others = [];
  for (const other of ending)
    others.push({ card: await factsOf(acctId, other, deps), status: other.status ?? 'UNKNOWN' });
  await deps.answer(action, confirmActivation({ value, card: await factsOf(acctId, card, deps), ending: others }));
}

/** The card in people's pocket: the one asked for, else one that was activated, else the newest that is not closed. */
function cardInUse(account: AccountDetails, cardId: number | null): Card | undefined {
  const named = account.cards.find((card) => card.cardId === cardId);
  if (named !== undefined) return named;
  const open = account.cards.filter((card) => card.status !== 'CLOSED');
  return open.find((card) => card.status !== 'INACTIVE') ?? open.at(-1) ?? account.cards.at(-1);
}

function cardToActivate(account: AccountDetails, cardId: number | null): Card | undefined {
  const named = account.cards.find((card) => card.cardId === cardId);
  return named ?? account.cards.findLast((card) => card.status === 'INACTIVE') ?? cardInUse(account, null);
}

async function factsOf(acctId: number, card: Card | undefined, deps: ActionDeps) {
  const account = await deps.directory.account(acctId);
  const facts = deps.toFacts(acctId, account, card === undefined ? {} : { cardId: card.cardId });
  return card === undefined ? facts : { ...facts, last4: facts.last4 ?? card.last4 };
}

function word(status: CardStatus | null): string | null {
  return status === null ? null : status.toLowerCase();
}
