import { fundedWords, orderAnswer } from '../../templates/virtual-cards/order.ts';
import type { Action } from '../actions/action.ts';
import { isUnsent, type ReportedState, type Result, reported, stateOf } from '../actions/action-state.ts';
import type { ActionRun, ActionTools, LockedRun, Responses } from '../actions/action-tools.ts';
import type { Cause, Failures } from '../actions/fail-action.ts';
import type { RecordEntry } from '../actions/record.ts';
import { noteOf } from '../actions/send-change.ts';
import type { CardClient } from '../card-api/client.ts';
import { type CardFacts, noCard } from '../core/card-facts.ts';
import { CardApiError, TooLateError } from '../core/errors.ts';
import { commandCode } from '../core/installation.ts';
import type { Lease } from '../core/lock.ts';
import type { OrderNotices, VirtualOrder } from './order.ts';
import type { OrderApproved, OrderPermit, OrderVerdict } from './permit-order.ts';
import type { OrderVirtualAction } from './verbs.ts';

export type State = Extract<Result['state'], 'done' | 'failed' | 'unknown'>;

/**
 * Makes a permitted order, once per action, and reports the outcome to the person who asked.
 *
 * @throws CardApiError when the order was certainly not sent and the job should be retried.
 */
export type PlaceOrder = (action: OrderVirtualAction, approved: OrderApproved, run: ActionRun) => Promise<Result>;

interface PlaceDeps extends Pick<ActionTools, 'withLock' | 'now' | 'progress' | 'record'> {
  readonly responses: Pick<Responses, 'answer' | 'refuse'>;
  readonly notices: Pick<OrderNotices, 'awaitOrder' | 'awaitName'>;
  readonly card: Pick<CardClient, 'orderVirtualCards'>;
  readonly orderPermit: Pick<OrderPermit, 'read' | 'count' | 'forget'>;
}

/**
 * Orders one virtual card, once.
 *
 * The service identifies an order by the number in its answer and cannot list orders, so an order with a lost answer
 * cannot be looked up. It is never sent again: the person who asked is told so, and again when its webhook arrives.
 */
export function createPlaceOrder(deps: PlaceDeps): PlaceOrder {
  const { progress } = deps;
  return placeOrder;

  async function placeOrder(...[action, approved, run]: Parameters<PlaceOrder>): Promise<Result> {
    const order = deps.orderPermit.read(action);
    if (order === null) return await refuseUnread(action, deps);
    const placeUnderLock = async (lease: Lease): Promise<Result> => {
      const written = await progress.read(action.id);
      const reportedState = reported(written);
      if (reportedState !== null) {
        if (!reportedState.isNotified) await reportOrder(action, order, reportedState, deps);
        return reportedState.result;
      }
      // The worker died while sending: the answer is lost.
      if (written?.state === 'sending')
        return await complete(action, order, { state: 'unknown', at: written.sentAt }, deps);

      const why = await deps.orderPermit.count(action, order, approved);
      if (why !== null) return await complete(action, order, { state: 'failed', note: why }, deps);
      await deps.record(action, { event: 'sent', acctId: null, after: summaryOf(order) });
      const sentAt = deps.now().toISOString();
      const sending = { state: 'sending', before: null, after: summaryOf(order), sentAt } as const;
      const standing = await progress.begin(action.id, sending);
      if (standing?.state === 'refused' || standing?.state === 'failed') {
        await deps.orderPermit.forget(action);
        // The record is only ever added to.
        const detail = 'not sent: another worker has ended it';
        await deps.record(action, { event: 'superseded', acctId: null, detail });
        throw new TooLateError('another worker has ended it');
      }
      // This process was paused for longer than its lock. Another one has sent the order, or is about to.
      if (standing !== null) return resultOf(order, 'unknown');
      return await send(action, order, { ...run, lease, sentAt });
    };
    return await deps.withLock(`order:${action.id}`, placeUnderLock, run.lease);
  }

  async function send(action: OrderVirtualAction, order: VirtualOrder, run: SendRun): Promise<Result> {
    try {
      await run.lease.confirm();
      const { virtualCardOrderId } = await deps.card.orderVirtualCards({ VirtualCards: [toRequest(order)] });
      return await complete(action, order, { state: 'done', note: String(virtualCardOrderId) }, deps);
    } catch (error) {
      if (!(error instanceof CardApiError)) throw error;
      if (error.outcome === 'unknown') return await complete(action, order, { state: 'unknown', at: run.sentAt }, deps);
      // Also before a retry: the retry may be refused, and otherwise the order is counted again.
      await deps.orderPermit.forget(action);
      if (error.retryable && !run.isLast) {
        await progress.write(action.id, { state: 'asked' });
        throw error;
      }
      const failed = { state: 'failed', apiWords: error.apiMessage, note: noteOf(error) } as const;
      return await complete(action, order, failed, deps);
    }
  }
}

interface SendRun extends LockedRun {
  readonly sentAt: string;
}

interface Ended extends Partial<Pick<Result, 'apiWords' | 'note'>> {
  readonly state: State;
  /** If the answer was lost: when the order was sent, because its webhook may have arrived since then. Else now. */
  readonly at?: string | undefined;
}

async function complete(
  action: Action,
  order: VirtualOrder,
  { state, at, ...rest }: Ended,
  deps: PlaceDeps,
): Promise<Result> {
  const own = stateOf({ ...resultOf(order, state), ...rest }, at ?? deps.now().toISOString());
  const reportedState = reported(await deps.progress.write(action.id, own));
  if (reportedState === null) throw new TooLateError('another worker has refused it');
  await reportOrder(action, order, reportedState, deps);
  return reportedState.result;
}

interface RefuseDeps {
  readonly progress: Pick<ActionTools['progress'], 'read'>;
  readonly responses: Pick<Responses, 'refuse'>;
}

async function refuseUnread(action: Action, { progress, responses }: RefuseDeps): Promise<Result> {
  const written = await progress.read(action.id);
  const isSent = !isUnsent(written) && reported(written)?.result.state !== 'failed';
  const words = isSent ? unreadAndSent : unread();
  await responses.refuse(action, words);
  const nothing = { card: cardOfOrder(null), before: null, after: null, apiWords: null } as const;
  return { ...nothing, state: isSent ? 'unknown' : 'failed', note: words.why };
}

interface Deps extends Pick<ActionTools, 'progress' | 'record'> {
  readonly responses: Pick<Responses, 'refuse'>;
  readonly orderPermit: Pick<OrderPermit, 'read' | 'permit'>;
  /** Opens a request for an order that the policy does not allow one person to make, and answers what happens now. */
  readonly requestOrder: (
    action: OrderVirtualAction,
    order: VirtualOrder,
    verdict: Extract<OrderVerdict, { kind: 'request' }>,
  ) => Promise<void>;
  /** @returns true when an earlier attempt requested approval. The person has been told how that stands. */
  readonly resumeOrder: (action: OrderVirtualAction, order: VirtualOrder) => Promise<boolean>;
  readonly placeOrder: PlaceOrder;
}

/** Orders what one person may order; anything else becomes a request. */
export function createOrderVirtual(deps: Deps) {
  const { progress, record, responses, orderPermit, requestOrder, resumeOrder, placeOrder } = deps;
  return async function orderVirtual(action: OrderVirtualAction, run: ActionRun): Promise<void> {
    const order = orderPermit.read(action);
    if (order === null) return void (await refuseUnread(action, deps));
    // Permitted before it was sent, so its outcome has to be determined.
    const written = await progress.read(action.id);
    const isUnsent = written === null || written.state === 'asked';
    // Others would still approve the request, and a second card would be ordered.
    if (isUnsent && (await resumeOrder(action, order))) return;
    const verdict: OrderVerdict = isUnsent ? await orderPermit.permit(action, order) : { kind: 'allowed' };
    if (verdict.kind === 'refused')
      return await responses.refuse(action, verdict, { isNotPermitted: verdict.isNotPermitted });
    if (verdict.kind === 'request') return await requestOrder(action, order, verdict);
    const about = verdict.isUnchecked === true ? uncheckedBy(order) : {};
    await record(action, { event: 'asked', begins: true, acctId: null, after: summaryOf(order), ...about });
    await placeOrder(action, approvedAlone(action), run);
  };
}

/** Nobody else decides about the order, so it is on record, and in the audit channel. */
function uncheckedBy(order: VirtualOrder): Pick<RecordEntry, 'detail' | 'line'> {
  const outcome = 'their email address in Slack is not known, so nobody checked whether it is for themselves';
  const line = { did: 'asked to order a virtual card for', card: cardOfOrder(order), outcome };
  return { detail: outcome, line };
}

interface FailDeps extends Pick<ActionTools, 'progress'> {
  readonly placeOrder: PlaceOrder;
  readonly failures: Pick<Failures, 'failUnchanged'>;
}

/** Fails an order that will not be retried. One that was sent is reported as uncertain, and waits for its webhook. */
export function createFailOrder({ progress, placeOrder, failures }: FailDeps) {
  return async function failOrder(action: OrderVirtualAction, cause: Cause): Promise<void> {
    if (!isUnsent(await progress.read(action.id))) {
      try {
        // It is never sent again.
        await placeOrder(action, approvedAlone(action), { isLast: true });
        return;
      } catch {
        // Whatever keeps the order from being read must not keep the person from being told.
      }
    }
    await failures.failUnchanged(action, cause);
  };
}

function approvedAlone({ actor }: Action): OrderApproved {
  return { by: actor.userId, approvers: [actor.userId] };
}

function resultOf(order: VirtualOrder, state: State): Result {
  return { state, card: cardOfOrder(order), before: null, after: summaryOf(order), apiWords: null, note: null };
}

/** The card service has not created an account yet. */
export function cardOfOrder(order: VirtualOrder | null): CardFacts {
  return { ...noCard, isVirtual: true, holder: order === null ? null : nameOf(order) };
}

const outcomeWords = {
  done: 'ordered, its result follows',
  failed: 'failed, nothing was ordered',
  unknown: 'outcome not known',
} as const;

/**
 * First the record, then the person who asked, then what the service has already reported about the order. Idempotent.
 */
async function reportOrder(
  action: Action,
  order: VirtualOrder,
  reportedState: ReportedState,
  { progress, record, responses, notices }: PlaceDeps,
): Promise<void> {
  const { at, result } = reportedState;
  const state = result.state as State;
  const { apiWords, note, card, after } = result;
  const api = outcomeWords[state];
  const line = {
    did: state === 'done' ? 'ordered a virtual card for' : 'asked to order a virtual card for',
    card,
    at,
    after,
    outcome: [api, apiWords].filter(Boolean).join(': '),
  };
  await record(action, { event: state, acctId: null, after, detail: apiWords ?? note, api, line });
  const orderId = state === 'done' ? Number(note) : null;
  const shown = { state, name: nameOf(order), summary: after ?? '', orderId, apiWords, ref: action.id.slice(-8) };
  await responses.answer(action, orderAnswer({ ...shown, note: orderId === null ? note : null }));
  if (orderId !== null) await notices.awaitOrder(action, at, orderId);
  else if (state === 'unknown') await notices.awaitName(action, at, nameOf(order));
  await progress.write(action.id, { ...reportedState, isNotified: true });
}

const unread = () => ({
  why: 'The order can no longer be read.',
  whoCan: `Type ${commandCode('virtual order')} again.`,
});

/** Whoever orders again now may get and pay for two cards. */
const unreadAndSent = {
  why: 'The order was sent, and can no longer be read, so the card may or may not be ordered. I won’t order it again.',
  whoCan: 'Check the card program’s portal before you order again.',
  isUnsure: true,
} as const;

function nameOf({ firstName, lastName }: VirtualOrder): string {
  return `${firstName} ${lastName}`;
}

/** The order for the record: no address, no date of birth. */
function summaryOf({ fundCents, groupId, rulesetId }: VirtualOrder): string {
  return [
    'virtual card',
    fundedWords(fundCents),
    rulesetId === null ? '' : `ruleset ${rulesetId}`,
    groupId === null ? '' : `group ${groupId}`,
  ]
    .filter(Boolean)
    .join(', ');
}

function toRequest(order: VirtualOrder): Record<string, unknown> {
  const { firstName, lastName, phone, email, address, fundCents, groupId, rulesetId } = order;
  const [year = '', month = '', day = ''] = order.dateOfBirth.split('-');
  return {
    FirstName: firstName,
    LastName: lastName,
    DateOfBirth: `${month}-${day}-${year}`,
    Phone: phone,
    Email: email,
    ProfileAddress: {
      AddressLine1: address.line1,
      ...(address.line2 === '' ? {} : { AddressLine2: address.line2 }),
      City: address.city,
      State: address.state,
      PostalCode: address.postalCode,
    },
    ...(groupId === null ? {} : { GroupId: groupId }),
    ...(rulesetId === null ? {} : { RulesetId: rulesetId }),
    FundCardAmount: fundCents / 100,
  };
}
