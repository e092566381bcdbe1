import type { CardFacts } from '../alert/alert.ts';
import { Action } from '../authority/action.ts';
import type { LimitRequest } from '../store/requests.ts';
import type { PerformDeps } from './deps.ts';

/** A request that nobody decides ends by itself. Never a yes by silence. */
const REQUEST_MS = 24 * 3_600_000;

/** Turns a raise into a request that a second approver decides. The one who asked counts as the first. */
export async function askForSecond(
  action: Action,
  acctId: number,
  card: CardFacts,
  fromCents: number | null,
  deps: PerformDeps,
): Promise<void> {
  const now = deps.now();
  const request: LimitRequest = {
    id: `req_${action.id.slice(4)}`,
    action: Action.parse(action),
    acctId,
    card,
    fromCents,
    approvals: [{ by: action.actor.userId, at: now.toISOString() }],
    state: 'open',
    decidedBy: null,
    decidedAt: null,
    decision: null,
    expiresAt: new Date(now.getTime() + REQUEST_MS).toISOString(),
    ref: null,
  };
  // The same action again after a crash finds its request; what others decided meanwhile stays.
  if ((await deps.requests.get(request.id)) === null) await deps.requests.save(request);
  await deps.postRequest(request);
}
