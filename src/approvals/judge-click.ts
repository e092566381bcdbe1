import type { Refusal } from '../../templates/policy/refusal.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import { cardInUse } from '../actions/send-status.ts';
import type { CardClient } from '../card-api/client.ts';
import { isSameRule } from '../card-api/rule.ts';
import { changesFrom, goalsOf, isLooser, isMade, type RuleChange, reversed } from '../card-api/rule-change.ts';
import { termWords } from '../limits/change-request.ts';
import type { RaiseAmounts } from '../limits/raise-amount.ts';
import { ruleMoves, ruleStates } from '../limits/rule-words.ts';
import type { IsOwnRequest, Recount, WhyNotAllowed } from './decide-request.ts';
import { type Approval, type ApprovalClick, hasSeen, isAboutRules, type OpenRequest } from './request.ts';
import type { Requests } from './request-store.ts';

/** A click that counts: the request by what is true now, and its changes from what the rules are at this moment. */
export interface JudgedClick {
  readonly kind: 'counts';
  readonly request: OpenRequest;
  readonly now: readonly RuleChange[];
}

/**
 * Whether a click that approves counts. Who approved earlier must still be allowed to; and everybody must have seen what
 * is true now: where a rule was changed or the card was blocked since, earlier approvals are void, the request says so and
 * asks again.
 */
export type JudgeClick = (
  click: ApprovalClick,
  request: OpenRequest,
) => Promise<JudgedClick | ({ readonly kind: 'refused' } & Pick<Refusal, 'why' | 'whoCan'>)>;

interface Deps extends Pick<ActionTools, 'approvesFor' | 'updateRequest'> {
  readonly whyNotAllowed: WhyNotAllowed;
  readonly recount: Recount;
  readonly card: Pick<CardClient, 'getSpendRules' | 'getAccount'>;
  readonly changesFromBase: RaiseAmounts['changesFromBase'];
  /** Whether a request is about somebody's own card, or one that is ordered for them. */
  readonly isOwn: IsOwnRequest;
  readonly requests: Pick<Requests, 'save'>;
}

export function createJudgeClick(deps: Deps): JudgeClick {
  return async function judgeClick(click, request) {
    const why = await deps.whyNotAllowed(click, request);
    if (why !== null) return { kind: 'refused', why, whoCan: 'Ask another approver.' };
    // There is no card yet whose rules could have moved.
    if (!isAboutRules(request)) return { kind: 'counts', request: await withoutVoid(click, request, request), now: [] };
    const { rules } = await deps.card.getSpendRules(request.acctId);
    const all = changesFrom(rules, goalsOf(request.changes));
    // Approving never lowers a limit: what is above it by now stays.
    const now = all.filter((change) => !isLooser(reversed([change])));
    const changes = await deps.changesFromBase(now, request.term, request.acctId);
    const account = await deps.card.getAccount(request.acctId);
    const isBlocked = cardInUse(account, request.card.cardId)?.status === 'BLOCKED';
    const current = await withoutVoid(
      click,
      { ...request, isBlocked, changes: changes.length > 0 ? changes : all },
      request,
    );
    // Nothing is left to be changed, whoever did it: whoever approves that closes the request.
    if (isMade(all)) return { kind: 'counts', request: current, now };
    const moved = whatMoved(current, request);
    const kept = moved === null ? current : { ...allVoid(current), ...(await deps.recount(current, click)) };
    if (JSON.stringify(kept) !== JSON.stringify(request)) {
      await deps.requests.save(kept);
      await deps.updateRequest(kept.id);
    }
    if (!isLooser(now) && !isLooser(changes)) {
      const nothing = `It is enough already: ${ruleStates(all, 'from')}.`;
      return {
        kind: 'refused',
        why: nothing,
        whoCan: 'Nothing is left to approve. Deny the request, or let it expire.',
      };
    }
    if (moved !== null) return { kind: 'refused', why: moved, whoCan: again };
    if (hasSeen(click, request)) return { kind: 'counts', request: kept, now };
    await deps.updateRequest(kept.id);
    const shown = `${ruleMoves(kept.changes)}, ${termWords(kept.term)}`;
    return { kind: 'refused', why: `It was changed since you saw it. It is now: ${shown}.`, whoCan: seen };
  };

  /**
   * Whoever is no approver any more, or only in the place of who clicks or of somebody whose approval counts, or holds the
   * card by now, has not approved.
   */
  async function withoutVoid(click: ApprovalClick, current: OpenRequest, request: OpenRequest): Promise<OpenRequest> {
    const approvals: Approval[] = [];
    const voided = [...current.voided];
    const acctId = isAboutRules(request) ? request.acctId : null;
    const counted = [click.actor.userId];
    for (const approval of current.approvals) {
      const approvers = await deps.approvesFor(approval.by, acctId, counted);
      if (approvers !== null && !(await deps.isOwn(approval.by, request))) {
        approvals.push(approval);
        counted.push(approval.by, ...approvers);
      } else voided.push(approval.by);
    }
    return { ...current, approvals, voided };
  }
}

const seen = 'Look at the request: it shows that now. Approve again if you agree.';
const again = 'No approval counts any more. Look at the request: it shows what is true now, and asks again.';

function allVoid(request: OpenRequest): OpenRequest {
  const voided = [...request.voided, ...request.approvals.map(({ by }) => by)];
  return { ...request, approvals: [], voided, revision: request.revision + 1 };
}

/** What is not as the request showed it, one sentence; null: nothing. */
function whatMoved(current: OpenRequest, shown: OpenRequest): string | null {
  const moved = current.changes.filter(({ rule, from }) =>
    shown.changes.some((before) => isSameRule(before.rule, rule) && before.from !== from),
  );
  if (moved.length > 0) return `Somebody changed it since it was asked for. Now: ${ruleStates(moved, 'from')}.`;
  return current.isBlocked && !shown.isBlocked ? 'The card was blocked since it was asked for.' : null;
}

/** True when the card may do less by one of the changes. */
export function lowers(changes: readonly RuleChange[]): boolean {
  return isLooser(reversed(changes));
}
