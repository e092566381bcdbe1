import { createAmendRequest } from '../../src/approvals/amend-request.ts';
import { createDecisions } from '../../src/approvals/decide-request.ts';
import { createRecount } from '../../src/approvals/judge-click.ts';
import type { ApprovalRequest } from '../../src/approvals/request.ts';
import type { DecideAction } from '../../src/approvals/verbs.ts';
import { type ApprovalPolicy, approvalPolicyOf } from '../../src/policy/approval-policy.ts';
import { held } from './held.ts';
import { clickThatCounts, openRequestOf, raiseDaily } from './limit-requests.ts';
import { ask, type Over } from './perform-world.ts';

/** Ben approves the request. */
export const clickOfBen = (over: Over = {}): DecideAction =>
  ask('decide', {
    id: 'act_ben',
    target: { kind: 'request', requestId: 'req_ask1' },
    approve: true,
    actor: { userId: 'U0BEN', teamId: 'T1' },
    ...over,
  });

/**
 * The real decisions about a request, with what they did.
 *
 * @param raiseCents what the request raises, counted with the earlier raise of Ben if he approves it.
 * @param why why no approval counts; null: all do.
 */
export function decisionsOf(
  raiseCents = 0,
  addedByBen = 0,
  why: string | null = null,
  policy: Partial<ApprovalPolicy> = {},
) {
  const recorded: unknown[] = [];
  const saved: ApprovalRequest[] = [];
  const executed: unknown[] = [];
  const told: unknown[] = [];
  const finished: ApprovalRequest[] = [];
  const recount = createRecount({
    orderPermit: { approvals: async () => ({ needed: 2, why: null }) },
    rights: {
      policyOfCard: async () => ({ ...approvalPolicyOf({ twoPersonAboveCents: 100_000 }), ...policy }),
    },
    raises: {
      async count(_action, _acctId, _raise, people) {
        const ownCents = raiseCents - (people.includes('U0BEN') ? addedByBen : 0);
        const earlier =
          raiseCents === ownCents ? [] : [{ by: 'U0BEN', at: '2026-11-20T14:12:00.000Z', cents: addedByBen }];
        return { rule: raiseDaily.rule, ownCents, earlier, aboveCents: 100_000, cap: null };
      },
    },
  });
  const { approve, deny } = createDecisions({
    progress: { read: async () => null },
    requests: { save: async (request) => void saved.push(request) },
    execution: {
      execute: async (_click, _request, approved) => void executed.push(approved),
      resume: async () => false,
    },
    judgeClick: async (_action, request) =>
      why === null ? clickThatCounts(request) : { kind: 'refused', why, whoCan: 'Ask another approver.' },
    amend: createAmendRequest({ recount, raises: { changesFromBase: async (changes) => [...changes] } }),
    record: async (_action, { event, detail, line }) => {
      recorded.push({ detail, counted: line?.counted ?? null });
      told.push({ event, outcome: line?.outcome, ...(line?.outcomeOf && { outcomeOf: line.outcomeOf }) });
    },
    updateRequest: async () => {},
    finish: async (request) => void finished.push(request),
  });
  const run = (action: DecideAction, request = openRequestOf()) =>
    approve(action, request, { isLast: false, lease: held });
  const refuse = (action: DecideAction, request = openRequestOf()) => deny(action, request, held);
  return { run, refuse, saved, executed, recorded, told, finished };
}
