import type { Refusal } from '../../templates/policy/refusal.ts';
import type { ActionTools, Rights } from '../actions/action-tools.ts';
import { askOthersWords } from '../actions/ask-others.ts';
import type { OrderPermit } from '../virtual-cards/permit-order.ts';
import { type Approver, countApprovers, fullyCounted } from './count-approvers.ts';
import {
  type Approval,
  type ApprovalClick,
  type ApprovalRequest,
  accountIn,
  isAboutRules,
  isVoidOf,
  openedAtMs,
  orderIn,
  type VoidApproval,
} from './request.ts';

/** Why a click does not count. */
export interface WhyNot extends Pick<Refusal, 'why' | 'whoCan' | 'isOutdated'> {
  readonly isNotPermitted?: boolean;
}

/** Who may decide a request, and who may still get it, by the roles, the links and the policy of this moment. */
export type Eligibility = ReturnType<typeof createEligibility>;

interface Deps extends Pick<ActionTools, 'now' | 'person'> {
  readonly rights: Pick<Rights, 'authorize' | 'approvesFor' | 'isOwnCard'>;
  readonly orderPermit: Pick<OrderPermit, 'isOwn'>;
  readonly links: { isHeldBy(userId: string, acctId: number): Promise<boolean> };
}

export function createEligibility(deps: Deps) {
  return {
    /** Why a person may not decide a request, and what to do instead; null when they may. */
    async whyNotAllowed(click: ApprovalClick, request: ApprovalRequest): Promise<WhyNot | null> {
      const { action, approvals, voided } = request;
      const by = click.actor.userId;
      const acctId = accountIn(request);
      const given = approvals.map((one) => one.by);
      const counted = fullyCounted(await approversOf(given, request, deps));
      const verdict = await deps.rights.authorize(click, {
        ...(acctId === null ? { bands: [] } : { acctId }),
        isOwn: (userId) => isOwn(userId, request, deps),
        notInPlaceOf: [action.actor.userId, ...given, ...counted],
        // An approver who asked may approve again after their first approval became void. This does not permit an
        // emergency override.
        isOwnAction:
          (action.actor.userId === by && (click.verb === 'emergency-override' || !isVoidOf(by, voided))) ||
          given.includes(by),
        ageMs: deps.now().getTime() - openedAtMs(request),
        raiseCents: isLoosening(request) ? 1 : 0,
      });
      if (verdict.kind === 'late') return waited;
      if (verdict.kind !== 'refused') return null;
      return { why: verdict.why, whoCan: askOthersWords[verdict.who ?? 'approver'], isNotPermitted: true };
    },
    /**
     * Which approvals do not count besides the one of this click: those of people who are no longer approvers, who are
     * approvers only as delegates of people for whom another approval counts, or who now hold the card.
     */
    async voidNow(click: ApprovalClick, request: ApprovalRequest, given: readonly Approval[]): Promise<VoidApproval[]> {
      const people = [click.actor.userId, ...given.map(({ by }) => by)];
      const approvers = await approversOf(people, request, deps);
      const counted = countApprovers(approvers);
      const isCounted = (by: string) => [...counted.values()].some((one) => one.by === by);
      return approvers.slice(1).flatMap(({ by, inPlaceOf }): VoidApproval[] => {
        if (isCounted(by)) return [];
        const standsInFor = inPlaceOf.find((userId) => counted.has(userId)) ?? null;
        return [{ by, why: standsInFor === null ? 'rights' : 'same', standsInFor }];
      });
    },
    /** Why people get no more what they asked for themselves. Null: they may, or an approver asked for somebody else. */
    async whyAskerLeft({ action, acctId, isOwnCard }: ApprovalRequest): Promise<string | null> {
      if (action.verb !== 'ask' && !isOwnCard) return null;
      const { userId } = action.actor;
      // An approver may ask for any card.
      if (action.verb === 'ask' && !(await deps.links.isHeldBy(userId, acctId)))
        return 'Whoever asked for it no longer holds the card.';
      const isDeactivated = (await deps.person(userId))?.isDeactivated === true;
      return isDeactivated ? 'The Slack account of whoever asked for it is deactivated.' : null;
    },
  };
}

const waited = {
  why: 'Your click waited longer than 10 minutes, so it does not count.',
  whoCan: 'Look at the request, and click again if you still agree.',
} as const;

/**
 * Whose approval each of these people's counts as. Nobody stands in for a person whose card it is, nor for the one who
 * asked, unless that is for one of these people to count as.
 */
async function approversOf(
  people: readonly string[],
  request: ApprovalRequest,
  deps: Pick<Deps, 'rights' | 'orderPermit'>,
): Promise<readonly Approver[]> {
  const asker = request.action.actor.userId;
  const mayNot = async (userId: string) =>
    (userId === asker && !people.includes(asker)) || (await isOwn(userId, request, deps));
  const approvesFor = (by: string) => deps.rights.approvesFor(by, accountIn(request), isLoosening(request), { mayNot });
  return await Promise.all(
    people.map(async (by): Promise<Approver> => ({ by, inPlaceOf: (await mayNot(by)) ? [] : await approvesFor(by) })),
  );
}

/** Whether a request is about the person's own card, also one that they held when it was asked for, or orders one for them. */
async function isOwn(
  userId: string,
  request: ApprovalRequest,
  { rights, orderPermit }: Pick<Deps, 'rights' | 'orderPermit'>,
): Promise<boolean> {
  if (userId === request.holder) return true;
  const order = orderIn(request);
  if (order !== null) return await orderPermit.isOwn(userId, order);
  return isAboutRules(request) && (await rights.isOwnCard(userId, request.acctId, true));
}

/** Blocking cards must not wait, neither for a second click nor for Slack. */
function isLoosening({ action }: ApprovalRequest): boolean {
  return action.verb !== 'block-all';
}
