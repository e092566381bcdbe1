import type { JudgedClick } from '../../src/approvals/judge-click.ts';
import type { ApprovalInFlight, OpenRequest } from '../../src/approvals/request.ts';
import { noFacts } from '../../src/approvals/request-facts.ts';
import { goalsOf, type RuleChange } from '../../src/card-api/rule-change.ts';
import { card } from '../templates/fixtures.ts';
import { acctId, ask } from './perform-world.ts';

export const askedAt = '2026-11-20T15:00:00.000Z';

/** Raises the daily limit from $400 to $900. */
export const raiseDaily: RuleChange = {
  rule: { kind: 'limit', period: 'daily', category: null },
  from: 40_000,
  to: 90_000,
};

/** What the approver reads whose approval was stopped, because the request had ended before anything was sent. */
export function stoppedWords(end: string): string {
  const why =
    end === 'expired'
      ? 'It was not decided within 24 hours. The request has expired. Whoever asked can ask again.'
      : 'The request ended before anything was sent. Look at the request.';
  return `U0BEN: Not done. ${why} Nothing changed.`;
}

/** A holder's undecided request. */
export function openRequestOf(over: Partial<OpenRequest> = {}): OpenRequest {
  const changes = over.changes ?? [raiseDaily];
  return {
    id: 'req_ask1',
    action: ask('ask', {
      actor: { userId: 'U0HUGO', teamId: 'T1' },
      roles: ['holder'],
      ask: { amountCents: 90_000, term: { kind: 'duration', ms: 3_600_000 } },
      askedAt,
    }),
    acctId,
    card,
    holder: 'U0HUGO',
    orderCents: null,
    isOwnCard: false,
    goals: goalsOf(changes),
    changes,
    temporary: [],
    term: { kind: 'duration', ms: 3_600_000 },
    needed: 1,
    approvals: [],
    voided: [],
    isBlocked: false,
    facts: noFacts,
    counted: null,
    inFlight: [],
    note: '',
    expiresAt: '2026-11-21T15:00:00.000Z',
    remindedAt: null,
    revision: 0,
    state: 'open',
    ...over,
  };
}

/** A click on it that counts, as long as the card is as the request shows it. */
export function clickThatCounts(request: OpenRequest): JudgedClick {
  const now = request.changes;
  return { kind: 'counts', request, now, nowFor: async () => now, factsWith: () => request.facts };
}

export function inFlight(state: ApprovalInFlight['state'], actionId = 'act_ben'): ApprovalInFlight {
  const { changes, term } = openRequestOf();
  const approvals = [{ by: 'U0BEN', at: askedAt, actionId }];
  return {
    kind: 'approval',
    state,
    actionId,
    by: 'U0BEN',
    at: askedAt,
    changes,
    term,
    note: '',
    approvals,
    counted: null,
  };
}
