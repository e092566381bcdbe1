import { vi } from 'vitest';
import type * as Judging from '../../../src/approvals/judge-click.ts';
import type * as RuleChanges from '../../../src/card-api/rule-change.ts';
import type * as Changing from '../../../src/limits/change-rule.ts';
import type * as Ending from '../../../src/limits/decide-temporary-change.ts';
import type * as Raising from '../../../src/limits/raise-amount.ts';
import type { TemporaryChanges } from '../../../src/limits/temporary-change-store.ts';
import type * as Authorizing from '../../../src/policy/authorize.ts';
import type * as Ordering from '../../../src/virtual-cards/permit-order.ts';
import type * as Running from './run.ts';

/** Past security holes of the code, which the property over sequences must detect. */
export type Hole =
  | 'the earlier value of a temporary change counts'
  | 'putting back is no raise'
  | 'approvals count for numbers that moved'
  | 'whoever approved stays an approver'
  | 'the roles of the click count'
  | 'the own card can be silenced'
  | 'orders are not summed up'
  | 'what is opened for a time counts as the purchase'
  | 'some verbs are not authorized';

let open: Hole | null = null;
let loaded: Promise<typeof Running> | undefined;

const isOpen = (hole: Hole): boolean => open === hole;

/**
 * Runs sequences over the code with one open hole, until the next is opened. The code is loaded once, with a switch for
 * each hole. Call {@link closeHoles} at the end.
 */
export async function openHole(hole: Hole): Promise<typeof Running.runSequence> {
  open = hole;
  loaded ??= loadWithHoles();
  return (await loaded).runSequence;
}

async function loadWithHoles(): Promise<typeof Running> {
  vi.resetModules();
  vi.doMock('../../../src/policy/authorize.ts', async (load) => withAuthorization(await load()));
  vi.doMock('../../../src/limits/change-rule.ts', async (load) => withPermitChange(await load()));
  vi.doMock('../../../src/limits/raise-amount.ts', async (load) => withRaiseAmounts(await load()));
  vi.doMock('../../../src/limits/decide-temporary-change.ts', async (load) => withDecision(await load()));
  vi.doMock('../../../src/approvals/judge-click.ts', async (load) => withJudgeClick(await load()));
  vi.doMock('../../../src/virtual-cards/permit-order.ts', async (load) => withOrders(await load()));
  return await import('./run.ts');
}

/** Makes later tests load the code without holes. */
export function closeHoles(): void {
  open = null;
  loaded = undefined;
  for (const path of [
    'policy/authorize',
    'limits/change-rule',
    'limits/raise-amount',
    'limits/decide-temporary-change',
  ])
    vi.doUnmock(`../../../src/${path}.ts`);
  for (const path of ['approvals/judge-click', 'virtual-cards/permit-order']) vi.doUnmock(`../../../src/${path}.ts`);
  vi.resetModules();
}

function withAuthorization(code: typeof Authorizing): typeof Authorizing {
  return {
    ...code,
    createAuthorization(deps) {
      const own = code.createAuthorization(deps);
      if (isOpen('whoever approved stays an approver')) return { ...own, approvesFor: async (userId) => [userId] };
      if (isOpen('the roles of the click count'))
        return {
          ...own,
          rolesNow: async ({ roles }) => [...roles],
          async authorize(asked, about) {
            const known = { roles: [...asked.roles], isComplete: true, isGroupKnown: true };
            const then = { ...deps, rolesOf: async () => known, rolesForCard: async () => known };
            return await code.createAuthorization(then).authorize(asked, about);
          },
        };
      if (isOpen('the own card can be silenced'))
        return {
          ...own,
          async authorize(asked, about) {
            const isSilencing = asked.verb === 'mute' || asked.verb === 'travel';
            return isSilencing && asked.roles.includes('operator')
              ? { kind: 'allowed' }
              : await own.authorize(asked, about);
          },
        };
      if (isOpen('some verbs are not authorized'))
        return {
          ...own,
          async authorize(asked, about) {
            const isFree = ['block', 'activate', 'order-virtual'].includes(asked.verb);
            return isFree ? { kind: 'allowed' } : await own.authorize(asked, about);
          },
        };
      return own;
    },
  };
}

/** Rule changes measured from the values before temporary changes, ignoring changes made since. */
async function backdated(
  changes: readonly RuleChanges.RuleChange[],
  acctId: number,
  { temporaryChanges }: { readonly temporaryChanges: TemporaryChanges },
): Promise<RuleChanges.RuleChange[]> {
  const { ruleKey } = await import('../../../src/card-api/rule.ts');
  const open = (await temporaryChanges.all()).filter((one) => one.acctId === acctId && one.state === 'open');
  return changes.map((change) => {
    const set = open.flatMap((one) => one.changes).find(({ rule }) => ruleKey(rule) === ruleKey(change.rule));
    return set === undefined ? change : { ...change, from: set.from };
  });
}

function withPermitChange(code: typeof Changing): typeof Changing {
  return {
    ...code,
    createPermitChangeOrAsk(
      deps: Parameters<typeof code.createPermitChangeOrAsk>[0] & { temporaryChanges: TemporaryChanges },
    ) {
      const permit = code.createPermitChangeOrAsk(deps);
      // The approvals of one person were not counted again at execution.
      const bands = [{ upToCents: null, approvals: 1 }];
      const policyOfCard = async (acctId: number) => ({ ...(await deps.rights.policyOfCard(acctId)), bands });
      const permitUncounted = code.createPermitChangeOrAsk({ ...deps, rights: { ...deps.rights, policyOfCard } });
      return async (made, approval, card, mayAsk) => {
        const { isLooser, reversed } = await import('../../../src/card-api/rule-change.ts');
        if (isOpen('approvals count for numbers that moved') && approval !== null)
          return isLooser(reversed(made.changes))
            ? null
            : await permitUncounted(made, { ...approval, judged: [] }, card, mayAsk);
        if (isOpen('the earlier value of a temporary change counts')) {
          if (!isLooser(await backdated(made.changes, made.acctId, deps))) return null;
        }
        return await permit(made, approval, card, mayAsk);
      };
    },
  } as typeof Changing;
}

function withRaiseAmounts(code: typeof Raising): typeof Raising {
  return {
    ...code,
    createRaiseAmounts(deps) {
      const own = code.createRaiseAmounts(deps);
      if (!isOpen('what is opened for a time counts as the purchase')) return own;
      return {
        ...own,
        count: (action, acctId, raise, people, unanswered) =>
          own.count(
            action,
            acctId,
            raise.term.kind === 'duration' ? { ...raise, term: { kind: 'purchase' } } : raise,
            people,
            unanswered,
          ),
      };
    },
  };
}

function withDecision(code: typeof Ending): typeof Ending {
  return {
    ...code,
    createPermitDecisionOrAsk(deps) {
      const permit = code.createPermitDecisionOrAsk(deps);
      if (!isOpen('putting back is no raise')) return permit;
      return async (action, change) => await permit(action, { ...change, meanwhile: null });
    },
  };
}

function withJudgeClick(code: typeof Judging): typeof Judging {
  return {
    ...code,
    createJudgeClick(deps) {
      const judge = code.createJudgeClick(deps);
      if (!isOpen('approvals count for numbers that moved')) return judge;
      return async (click, request) => {
        const notAllowed = await deps.eligibility.whyNotAllowed(click, request);
        return notAllowed === null
          ? {
              kind: 'counts',
              request,
              now: request.changes,
              nowFor: async () => request.changes,
              factsWith: () => request.facts,
            }
          : { kind: 'refused', ...notAllowed };
      };
    },
  };
}

function withOrders(code: typeof Ordering): typeof Ordering {
  return {
    ...code,
    createOrderPermit(deps) {
      if (!isOpen('orders are not summed up')) return code.createOrderPermit(deps);
      return code.createOrderPermit({ ...deps, recentRaises: { ...deps.recentRaises, list: async () => [] } });
    },
  };
}
