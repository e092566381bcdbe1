import { actionResult } from '../../templates/actions/action-result.ts';
import { countOf } from '../../templates/core/blocks.ts';
import type { Resolved } from '../actions/action.ts';
import { type Result, reported } from '../actions/action-state.ts';
import type { ActionRun, ActionTools, Responses } from '../actions/action-tools.ts';
import type { Failures } from '../actions/fail-action.ts';
import type { LatestChanges, Progress } from '../actions/progress-store.ts';
import type { BlockAction, BlockAllAction } from '../actions/verbs.ts';
import { noCard } from '../core/card-facts.ts';
import { contentId } from '../core/content-id.ts';
import { CardApiError, TooLateError } from '../core/errors.ts';
import type { RequestOpened } from '../limits/change-rule.ts';
import { permanent } from '../limits/term.ts';
import type { RequestedChange } from './open-request.ts';
import type { ApprovalRequest, BlockedCard } from './request.ts';

/**
 * Blocks cards, each as a separate action, once. A card that cannot be blocked does not delay the others, and the
 * person who asked is told about each card. Fails when any card could not be blocked.
 *
 * @param approvers want the cards blocked, too: nobody can undo an earlier block alone.
 * @param of.partOf the action that asked for it.
 * @param of.earlier what earlier approvals have blocked. It is not blocked again: somebody may have unblocked it since.
 * @throws CardApiError when the job should be retried.
 */
export type BlockAll = (
  action: BlockAllAction,
  approvers: readonly string[],
  run: ActionRun,
  of?: { readonly partOf: string; readonly earlier?: readonly BlockedCard[] | undefined },
) => Promise<Result>;

interface BlockDeps extends Pick<ActionTools, 'progress' | 'factsOf'> {
  readonly latestChanges: Pick<LatestChanges, 'alreadyInEffect'>;
  readonly block: (resolved: Resolved<BlockAction>, run: ActionRun) => Promise<void>;
  /** How a block ends that will not be retried. */
  readonly failures: Pick<Failures, 'failAction'>;
}

/** The block of each card is a separate action. */
export const blockIdOf = (actionId: string, acctId: number): string => contentId('act_', [actionId, acctId]);

export function createBlockAll({ block, latestChanges, progress, failures, factsOf }: BlockDeps): BlockAll {
  return async function blockAll({ acctIds, names, last4s = [], ...asked }, approvers, run, of) {
    const { partOf = asked.id, earlier = [] } = of ?? {};
    // From here on cards may be blocked, so nobody may decide against it.
    const stands = await progress.begin(asked.id, { state: 'sending', before: null, after: null });
    const ended = reported(stands);
    if (ended !== null) return ended.result;
    if (stands?.state === 'refused') throw new TooLateError('another worker has refused it');
    const [left, unanswered, closed]: [string[], string[], string[]] = [[], [], []];
    let later: CardApiError | null = null;
    const before = (await knownBy(earlier, progress)).filter(({ isCertain }) => isCertain);
    for (const [index, acctId] of acctIds.entries()) {
      if (before.some((card) => card.acctId === acctId)) continue;
      const id = blockIdOf(asked.id, acctId);
      const last4 = last4s[index] ?? null;
      const cardId = last4 === null ? null : (await factsOf(acctId, { last4 })).cardId;
      const named = last4 === null ? {} : { last4 };
      const target = { kind: 'card', acctId, cardId, ...named, alertId: asked.target.alertId } as const;
      const action = { ...asked, id, verb: 'block', target, partOf } as const;
      const resolved = { action, acctId, cardId, isApproved: true } as const;
      try {
        await block(resolved, run);
      } catch (error) {
        if (!(error instanceof CardApiError)) throw error;
        if (error.retryable && !run.isLast) later = error;
        else await failures.failAction(resolved, error);
      }
      const result = reported(await progress.read(id))?.result;
      if (result !== undefined && result.state !== 'failed') await noteApprovers(action, acctId, approvers);
      const name = names[index] ?? String(acctId);
      // A closed card needs no block.
      if (result?.state === 'failed') (result.before === 'closed' ? closed : left).push(name);
      if (result?.state === 'unknown') unanswered.push(name);
    }
    if (later !== null) {
      // Before the retry, others may decide otherwise, unless a card was blocked.
      const isUnsent = (await blockedBy(asked.id, acctIds, progress)).every(({ isSo }) => isSo !== undefined);
      if (isUnsent) await progress.write(asked.id, { state: 'asked' });
      throw later;
    }
    const note = notBlocked({ left, unanswered, closed }, acctIds.length);
    const state = left.length === 0 ? 'done' : 'failed';
    return { state, card: noCard, before: null, after: null, apiWords: null, note };
  };

  /** They want the card blocked as well: an *Undo* of an earlier block needs more than whoever made that. */
  async function noteApprovers(action: BlockAction, acctId: number, approvers: readonly string[]): Promise<void> {
    for (const userId of approvers) {
      const wanted = { ...action, id: contentId('act_', [action.id, userId]), actor: { userId } };
      await latestChanges.alreadyInEffect(acctId, { kind: 'status', status: 'BLOCKED', cardId: null }, wanted);
    }
  }
}

/** The cards that an approval has blocked, or may have, and those that it found blocked or closed. */
export async function blockedBy(
  actionId: string,
  acctIds: readonly number[],
  progress: Pick<Progress, 'read'>,
): Promise<BlockedCard[]> {
  const blocked = acctIds.map(async (acctId): Promise<BlockedCard[]> => {
    const state = await progress.read(blockIdOf(actionId, acctId));
    const result = reported(state)?.result;
    const card = { acctId, isCertain: true, actionId };
    if (result?.state === 'unchanged') return [{ ...card, isSo: 'blocked' }];
    if (result?.state === 'failed') return result.before === 'closed' ? [{ ...card, isSo: 'closed' }] : [];
    // The card service may have accepted a block that nothing has shown in time.
    if (result?.state === 'done') return [{ ...card, isCertain: result.confirmation !== 'unconfirmed' }];
    return state?.state === 'sending' || result?.state === 'unknown' ? [{ ...card, isCertain: false }] : [];
  });
  return (await Promise.all(blocked)).flat();
}

/** The request with what is known by now of the cards that it blocked, or may have. */
export async function withAnswers<R extends ApprovalRequest>(
  request: R,
  { progress }: { readonly progress: Pick<Progress, 'read'> },
): Promise<R> {
  return request.blocked === undefined ? request : { ...request, blocked: await knownBy(request.blocked, progress) };
}

async function knownBy(
  blocked: readonly BlockedCard[],
  progress: Pick<Progress, 'read'>,
): Promise<readonly BlockedCard[]> {
  const now = blocked.map(async (card) =>
    card.actionId === undefined ? card : await blockedBy(card.actionId, [card.acctId], progress),
  );
  return (await Promise.all(now)).flat();
}

const NAMED_MAX = 5;

interface NotBlocked {
  readonly left: readonly string[];
  readonly unanswered: readonly string[];
  readonly closed: readonly string[];
}

/** Null: all are blocked. */
function notBlocked({ left, unanswered, closed }: NotBlocked, all: number): string | null {
  const said = [
    left.length === 0 ? '' : `${left.length} of ${countOf(all, 'card')} could not be blocked: ${named(left)}.`,
    unanswered.length === 0 ? '' : `No answer came for ${countOf(unanswered.length, 'card')}: ${named(unanswered)}.`,
    closed.length === 0 ? '' : `Closed for good: ${named(closed)}.`,
  ].filter(Boolean);
  return said.length === 0 ? null : said.join(' ');
}

function named(cards: readonly string[]): string {
  const more = cards.length > NAMED_MAX ? ` and ${cards.length - NAMED_MAX} more` : '';
  return `${cards.slice(0, NAMED_MAX).join('; ')}${more}`;
}

interface Deps extends Pick<ActionTools, 'record' | 'now' | 'withLock'> {
  readonly responses: Pick<Responses, 'answer'>;
  readonly openRequest: (asked: RequestedChange) => Promise<RequestOpened>;
}

/** *Block all* for more than five cards: needs an approver, in the approvals channel. Idempotent. */
export function createRequestBlockAll(deps: Deps): (action: BlockAllAction) => Promise<void> {
  return async function requestBlockAll(action) {
    await deps.withLock(`alert:${action.target.alertId}`, async () => {
      const change = { changes: [], term: permanent, counted: null };
      const asked = { action, acctId: 0, card: noCard, ...change, others: 1 };
      const { kind, note } = await deps.openRequest(asked);
      if (kind === 'decided') return;
      if (kind === 'twin') await deps.record(action, { event: 'unchanged', detail: note });
      const at = deps.now().toISOString();
      const state = kind === 'twin' ? 'unchanged' : 'waiting';
      const cards = action.acctIds.length;
      const shown = { state, card: noCard, cards, before: null, after: null, apiWords: null, reason: null } as const;
      const by = action.actor.userId;
      await deps.responses.answer(
        action,
        actionResult({ ...shown, verb: 'block', by, at, note, ref: action.id.slice(-8) }),
      );
    });
  };
}
