import { type Refusal, refusal } from '../../templates/policy/refusal.ts';
import { type ActionState, isUnsent, type RefusedState } from '../actions/action-state.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { Progress } from '../actions/progress-store.ts';
import type { Statement } from '../audit/audit-record.ts';
import type { RecentRaises } from '../limits/recent-raise-store.ts';
import { blockIdOf } from './block-all.ts';
import { type ApprovalClick, type ApprovalInFlight, type ApprovalRequest, withoutInFlight } from './request.ts';
import { isExpired, mayAskAgain, whyExpired } from './request-expiry.ts';
import type { Requests } from './request-store.ts';

interface Deps extends Pick<ActionTools, 'now'> {
  readonly progress: Pick<Progress, 'read' | 'begin'>;
}

/** What others may still decide while an approval is in flight. */
export function createInFlight({ progress, now }: Deps) {
  return {
    mayBeAtCard,
    /** Why nobody can act for the approvers right now; null: they can. */
    async whyNotYet(request: ApprovalRequest): Promise<Refusal | null> {
      if (isExpired(request, now())) return expired(request);
      return notYet(await firstOf(request, mayBeAtCard));
    },
    /**
     * Ends approvals that were begun but not sent, so that the request can be closed. A paused worker that resumes
     * sends nothing any more. None is stopped unless all can be.
     *
     * @returns why the request cannot be closed now; null when nothing is left that may be sent.
     */
    async stop(request: ApprovalRequest): Promise<Refusal | null> {
      const sent =
        (await firstOf(request, isLeft(progress.read))) ??
        (await firstOf(
          request,
          isLeft((actionId) => progress.begin(actionId, stopped(request, now()))),
        ));
      return notYet(sent);
    },
  };

  /** Begun is not sent: if a job died before it recorded sending, the card service has received nothing. */
  async function mayBeAtCard({ state, actionId }: ApprovalInFlight): Promise<boolean> {
    return state !== 'begun' || !isUnsent(await progress.read(actionId));
  }
}

/** Whether something of an approval may be at the card service, or is still to be reported. */
function isLeft(stateOfClick: (actionId: string) => Promise<ActionState | null>) {
  return async ({ state, actionId }: ApprovalInFlight): Promise<boolean> => {
    if (state !== 'begun') return true;
    const stands = await stateOfClick(actionId);
    return !(isUnsent(stands) || (stands.state === 'failed' && stands.isNotified));
  };
}

/** How a click ends that was stopped before anything was sent: only the person who pressed is told. */
function stopped(request: ApprovalRequest, now: Date): RefusedState {
  const { acctId, cardId } = request.card;
  const ended = { why: 'The request ended before anything was sent.', whoCan: 'Look at the request.' };
  const words = isExpired(request, now) ? expired(request) : ended;
  const { text, blocks } = refusal(words);
  const kind = { isNotPermitted: false, isCertain: true, hasBegun: true } as const;
  return { state: 'refused', pending: { acctId, cardId, why: words.why, ...kind, answer: { text, blocks } } };
}

function expired(request: ApprovalRequest): Refusal {
  return { why: whyExpired(request), whoCan: mayAskAgain };
}

/** The first undecided approval of which this is so. All of them are asked. */
async function firstOf(
  { inFlight }: ApprovalRequest,
  isSo: (approval: ApprovalInFlight) => Promise<boolean>,
): Promise<ApprovalInFlight | undefined> {
  const undecided = inFlight.filter(({ state }) => state !== 'unconfirmed');
  return undecided[(await Promise.all(undecided.map(isSo))).indexOf(true)];
}

/** @param sent what may be in effect already; undefined: nothing. */
function notYet(sent: ApprovalInFlight | undefined): Refusal | null {
  if (sent === undefined) return null;
  const did = sent.kind === 'override' ? 'used the emergency override' : 'approved it';
  return {
    why: `Somebody ${did} just now, and whether the card service took it is not clear yet.`,
    whoCan: 'Wait two minutes: the request says what became of it.',
  };
}

interface DropDeps extends Pick<ActionTools, 'withLock'> {
  readonly progress: Pick<Progress, 'read'>;
  readonly requests: Pick<Requests, 'get' | 'save'>;
  readonly recentRaises: Pick<RecentRaises, 'releaseOverride'>;
}

/**
 * The job of a click is over. If the click was refused, or came too late, after an earlier attempt had begun its change,
 * nothing of that attempt may remain: others decide the request, and an emergency override was not used. Idempotent.
 */
export type DropApproval = (click: ApprovalClick) => Promise<void>;

export function createDropApproval({ withLock, progress, requests, recentRaises }: DropDeps): DropApproval {
  return async function dropApproval({ id, verb, target: { requestId } }) {
    await withLock(`request:${requestId}`, async (lease) => {
      const request = await requests.get(requestId);
      if (request === null || !isUnsent(await progress.read(id))) return;
      await lease.confirm();
      if (verb === 'emergency-override') await recentRaises.releaseOverride(request.acctId, id);
      const dropped = withoutInFlight(request, id);
      if (dropped.inFlight.length < request.inFlight.length) await requests.save(dropped);
    });
  };
}

/** The verbs under which an approved change is made. */
const made: ReadonlySet<string> = new Set(['limit', 'allow', 'order-virtual', 'block']);

type Change = Pick<Statement, 'verb' | 'actionId' | 'acctId'>;

/**
 * Who approved a change, while it is being made; empty: nobody had to. Of an emergency override too: nobody approved
 * what the operator made of the request, whatever had been approved before.
 */
export function createApproversInFlight({ requests }: { readonly requests: Pick<Requests, 'open'> }) {
  return async function approversInFlight(change: Change): Promise<string[]> {
    if (!made.has(change.verb)) return [];
    const inFlight = (await requests.open()).flatMap((request) => request.inFlight);
    const approval = inFlight.find((one) => one.kind === 'approval' && isMadeBy(one, change));
    return approval?.approvals.map(({ by }) => by) ?? [];
  };
}

/** A change runs under the id of the last approval; the block of each of several cards, under an id made from it. */
function isMadeBy({ actionId }: ApprovalInFlight, change: Change): boolean {
  if (change.verb !== 'block') return change.actionId === actionId;
  return change.acctId !== null && change.actionId === blockIdOf(actionId, change.acctId);
}
