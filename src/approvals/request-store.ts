import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { Action } from '../actions/action.ts';
import { CardFacts } from '../alerts/alert.ts';
import { RuleChanges } from '../card-api/rule-change.ts';
import { stateKey } from '../core/keys.ts';
import { createOpenRecordStore } from '../core/record-store.ts';
import { Term } from '../limits/change-request.ts';

const KEPT_SECONDS = 30 * 24 * 3600;

const Approvals = z.array(
  z.strictObject({
    by: z.string(),
    at: z.string(),
    /** The click, so that its job knows itself again after a crash. */
    id: z.string().optional(),
  }),
);

/** A yes that was sent, and nobody knows whether the card service took it. What it makes of the request if it did. */
export const UnconfirmedApproval = z.strictObject({
  how: z.enum(['approved', 'override']),
  /** The click. */
  id: z.string(),
  /** Slack user, and when, UTC ISO 8601. */
  by: z.string(),
  at: z.string(),
  changes: RuleChanges,
  term: Term,
  note: z.string(),
  approvals: Approvals,
  /** Nobody looks any more: nothing showed it in time. */
  isOver: z.boolean(),
});
export type UnconfirmedApproval = z.infer<typeof UnconfirmedApproval>;

/** A wish that others have to say yes to: a raise for two, or what a holder asks for. */
export const LimitRequest = z.strictObject({
  id: z.string(),
  /** What was asked, by whom, and where. */
  action: Action,
  acctId: z.int(),
  card: CardFacts,
  /** Slack user who holds the card, if linked: has no say in it. */
  holder: z.string().nullable().default(null),
  /** What an approval does: as asked, or as an approver changed it. From what the rules were when it was asked for. */
  changes: RuleChanges,
  term: Term,
  /** How many different approvers it takes. */
  needed: z.int().min(1),
  approvals: Approvals,
  unsure: UnconfirmedApproval.nullable().default(null),
  /** What clicks have begun and not ended: between two attempts it may have reached the card. */
  inFlight: z.array(UnconfirmedApproval).default([]),
  /** `glass`: an operator broke the glass, because nobody answered. */
  state: z.enum(['open', 'approved', 'denied', 'expired', 'override']),
  /** An approver's word to the one who asked. */
  note: z.string().default(''),
  decidedBy: z.string().nullable(),
  decidedAt: z.string().nullable().default(null),
  /** Id of the click that decided, so that its job knows itself again after a crash. */
  decision: z.string().nullable().default(null),
  expiresAt: z.string(),
  /** When the approvers were reminded; from then on operators may break the glass. */
  remindedAt: z.string().nullable().default(null),
  /** The temporary change that a yes made. */
  temporaryChangeId: z.string().nullable().default(null),
});
export type LimitRequest = z.infer<typeof LimitRequest>;

export interface Requests {
  save(request: LimitRequest): Promise<void>;
  get(id: string): Promise<LimitRequest | null>;
  /** Those that nobody has decided yet, oldest first. */
  open(): Promise<LimitRequest[]>;
}

/** Requests by id. Changes happen under the request's lock, so plain reads and writes do. */
export function createRequests(redis: Redis | Cluster): Requests {
  const store = createOpenRecordStore({
    redis,
    schema: LimitRequest,
    keyOf: (id) => stateKey(`request:${id}`),
    ttlSeconds: KEPT_SECONDS,
    openKey: stateKey('requests-open'),
    orderOf: ({ state, action }) => (state === 'open' ? Date.parse(action.askedAt) : null),
  });
  return { save: (request) => store.put(request.id, request), get: store.get, open: store.open };
}
