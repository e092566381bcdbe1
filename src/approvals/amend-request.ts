import { isLooser, isSameGoals, withGoals } from '../card-api/rule-change.ts';
import type { RaiseAmounts } from '../limits/raise-amount.ts';
import type { JudgedClick, Recount } from './judge-click.ts';
import { type OpenRequest, wantedGoals, withVoid } from './request.ts';
import type { DecideAction } from './verbs.ts';

interface Deps {
  readonly recount: Recount;
  readonly raises: Pick<RaiseAmounts, 'changesFromBase'>;
}

/**
 * *Change and approve*: earlier approvals were for something else, so they no longer count. If the change only became
 * smaller, the approval of an approver who asked stays: nobody has approved more than was requested. If nothing was
 * changed, all of them stay, with their notes.
 *
 * The number of needed approvals is counted again, including what single approvers added meanwhile.
 */
export type AmendRequest = (action: DecideAction, judged: JudgedClick) => Promise<OpenRequest>;

export function createAmendRequest({ recount, raises }: Deps): AmendRequest {
  return async function amendRequest(action, { request, nowFor, factsWith }) {
    const { goals, term } = action.changeRequest ?? { goals: request.changes, term: request.term };
    const isSameTerm = JSON.stringify(term) === JSON.stringify(request.term);
    const isSame = isSameTerm && isSameGoals(goals, request.changes);
    // The value that a temporary change goes back to counts only if it ends before this term does.
    const from = isSameTerm ? request.changes : await raises.changesFromBase(await nowFor(term), term, request.acctId);
    const changes = withGoals(from, goals);
    const beyondAsked = changes.map(({ rule, to }, index) => ({ rule, from: request.changes[index]?.to ?? null, to }));
    const isWithin = isSameTerm && !isLooser(beyondAsked);
    const own = request.approvals.filter(({ by }) => isWithin && by === request.action.actor.userId);
    const others = request.approvals.filter((one) => !own.includes(one));
    const reasons = others.map(({ by }) => ({ by, why: 'values', standsInFor: null }) as const);
    // The newest first: the end of a long note may be cut.
    const note = [action.reason, request.note].filter(Boolean).join('; ');
    const changed = isSame
      ? { ...request, note }
      : {
          ...withVoid(request, reasons),
          changes,
          facts: factsWith(goals),
          amended: withGoals(wantedGoals(request), goals),
          term,
          note: action.reason,
          revision: request.revision + 1,
        };
    const { needed: byAmount, counted, orderWhy } = await recount(changed, action);
    const needed = Math.max(byAmount, own.length + 1);
    // The reason on the request stays until more approvals are needed.
    const isMore = byAmount > request.needed;
    const why = isMore ? { orderWhy } : {};
    return isSame
      ? {
          ...changed,
          ...why,
          needed: Math.max(request.needed, needed),
          counted: isMore ? counted : (request.counted ?? counted),
        }
      : { ...changed, needed, counted };
  };
}
