import type { Statement } from '../../../src/audit/audit-record.ts';
import type { WorldDeps } from '../perform-world.ts';
import type { CardService } from './card-service.ts';

/** An action of a person that a worker performed. */
export interface Performed {
  readonly id: string;
  readonly verb: string;
  readonly target: { readonly kind: string; readonly requestId?: string };
}

interface Seen {
  readonly performed: readonly Performed[];
  /** Ids of all requests. */
  readonly requests: readonly string[];
  readonly audit: readonly Statement[];
  readonly writes: CardService['writes'];
}

/** How an action can end, and how its verification can. What waits for others may turn out to be asked for already. */
const endings: readonly string[] = ['done', 'failed', 'unchanged', 'unknown', 'ended'];
const verdicts: readonly string[] = ['confirmed', 'unconfirmed', 'superseded'];

/**
 * One sentence about what is on record or shown, but is not what happened at the card service, after everything has come
 * to its end. Null: all of it agrees.
 */
export async function whatIsWrong(seen: Seen, deps: WorldDeps): Promise<string | null> {
  for (const action of seen.performed) {
    const fault = wrongAbout(action, seen);
    if (fault !== null) return `${action.id} (${action.verb}): ${fault}`;
  }
  for (const id of seen.requests) {
    const fault = await wrongAboutRequest(id, seen, deps);
    if (fault !== null) return `${id}: ${fault}`;
  }
  return await wrongOnAlert(deps);
}

/** Each change is made at most once, has one end on record, and that end is true. */
function wrongAbout({ id }: Performed, { audit, writes }: Seen): string | null {
  const about = audit.filter(({ actionId }) => actionId === id);
  const own = about.filter(({ actor }) => actor !== null).map(({ event }) => String(event));
  // The end of a temporary change, or of a request, that came by itself.
  const byItself = about.filter(({ actor }) => actor === null).map(({ event }) => String(event));
  if (new Set(byItself).size < byItself.length) return `it ended by itself twice: ${byItself.join(', ')}`;
  const ends = own.filter((event) => endings.includes(event));
  if (ends.length > 1) return `it is on record with ${ends.length} ends: ${own.join(', ')}`;
  if (own.filter((event) => event === 'waiting').length > 1) return `it waits twice: ${own.join(', ')}`;
  if (own.filter((event) => verdicts.includes(event)).length > 1) return `it was verified twice: ${own.join(', ')}`;
  const made = writes.filter(({ by }) => by === id);
  const [end] = ends;
  if (made.length === 0) return null;
  if (made.filter(({ isLate }) => !isLate).length > 1) return `it changed the card ${made.length} times`;
  if (end === undefined) return `it changed the card, and no end is on record: ${own.join(', ')}`;
  if (end !== 'done' && end !== 'unknown' && end !== 'ended') return `it changed the card, and is on record as ${end}`;
  return null;
}

/** A request is decided by a change that was made, or by nobody’s. */
async function wrongAboutRequest(id: string, { performed, audit, writes }: Seen, deps: WorldDeps) {
  const request = await deps.requests.get(id);
  if (request === null || request.state === 'open') return null;
  if (request.state === 'approved' || request.state === 'overridden') {
    const { actionId } = request.decision;
    const events = audit.filter((one) => one.actionId === actionId).map(({ event }) => String(event));
    const isMade = events.some((event) => ['done', 'unchanged', 'confirmed'].includes(event));
    const isOrder = request.action.verb === 'order-virtual';
    return isMade || isOrder
      ? null
      : `it is ${request.state} by ${actionId}, which is on record as ${events.join(', ')}`;
  }
  const clicks = performed.filter(({ target }) => target.requestId === id).map(({ id: click }) => click);
  const made = writes.find(({ by }) => by !== null && clicks.includes(by));
  const isKnown = request.inFlight.some(({ actionId }) => actionId === made?.by);
  return made === undefined || isKnown ? null : `it is ${request.state}, and ${made.by} changed the card`;
}

/** Nothing waits on the alert that is decided, and nothing is left to verify. */
async function wrongOnAlert({ alerts, requests, temporaryChanges }: WorldDeps): Promise<string | null> {
  const outcomes = (await alerts.get('evt_0123456789abcdef'))?.outcomes ?? [];
  const unverified = outcomes.find(({ confirmation }) => confirmation === 'sent');
  if (unverified !== undefined) return `the alert still shows ${unverified.verb} as sent`;
  const open = [
    ...(await requests.open()).map(({ action }) => action.target),
    ...(await temporaryChanges.all()).filter(({ state }) => state === 'asking'),
  ];
  const waiting = outcomes.find(({ state }) => state === 'waiting');
  return waiting === undefined || open.length > 0 ? null : `the alert shows ${waiting.verb} as waiting, and nothing is`;
}
