import { auditLine } from '../../templates/audit/audit-line.ts';
import { orderAnswer } from '../../templates/virtual-cards/order.ts';
import type { Action } from '../actions/action.ts';
import { noteOf } from '../actions/change-status.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { refuse } from '../actions/record-refusal.ts';
import { auditRecord, endOf } from '../actions/report.ts';
import type { Result } from '../actions/result.ts';
import { CardApiError } from '../core/errors.ts';
import { formatCents } from '../core/money.ts';
import { notifyIfAnswer, notifyOrdered } from './notify-ordered.ts';
import { VirtualOrder } from './order.ts';

type State = Extract<Result['state'], 'done' | 'failed' | 'unknown'>;

/**
 * Orders one virtual card, once.
 *
 * The service knows an order only by the number that its answer gives, and lists no orders: one whose answer was lost
 * cannot be looked up. So it is never sent again; whoever asked is told so, and told again when its webhook comes.
 *
 * @throws CardApiError when it was certainly not sent and the job should run again.
 */
export async function orderVirtual(action: Action, deps: ActionDeps): Promise<void> {
  const { progress } = deps;
  const order = orderOf(action, deps);
  if (order === null) {
    const whoCan = 'Type `/card virtual order` again.';
    return await refuse(action, { what: 'Your order', why: 'It can no longer be read.', whoCan }, deps);
  }
  await deps.withLock(`order:${action.id}`, async () => {
    const written = await progress.read(action.id);
    if (written?.state === 'told') return;
    if (written?.state === 'settled') return await notify(action, order, written, deps);
    const facts = { acctId: null, cardId: null, after: summaryOf(order) };
    if (written === null) await deps.audit.append(auditRecord(action, 'asked', facts, deps));
    // Killed while it was being sent: nobody heard the answer.
    if (written?.state === 'sending') return await settle(action, order, 'unknown', {}, deps);

    await deps.audit.append(auditRecord(action, 'sent', facts, deps));
    const stands = await progress.begin(action.id, { state: 'sending', before: null, after: summaryOf(order) });
    // We stood still for longer than our lock: somebody else has sent it, or is about to.
    if (stands !== null) return;
    try {
      const { virtualCardOrderId } = await deps.card.orderVirtualCards({ VirtualCards: [toRequest(order)] });
      await settle(action, order, 'done', { note: String(virtualCardOrderId) }, deps);
    } catch (error) {
      if (!(error instanceof CardApiError)) throw error;
      if (error.outcome === 'unknown') return await settle(action, order, 'unknown', {}, deps);
      if (error.retryable && !deps.isLastAttempt) {
        await progress.write(action.id, { state: 'asked' });
        throw error;
      }
      await settle(action, order, 'failed', { apiWords: error.apiMessage, note: noteOf(error) }, deps);
    }
  });
}

/** There is no account before the card service has made one. */
const nobodyYet = { acctId: null, cardId: null, last4: null, customId: null, isVirtual: true, group: null };

async function settle(
  action: Action,
  order: VirtualOrder,
  state: State,
  rest: Partial<Pick<Result, 'apiWords' | 'note'>>,
  deps: ActionDeps,
): Promise<void> {
  const card = { ...nobodyYet, holder: nameOf(order) };
  const after = summaryOf(order);
  const result: Result = { state, card, before: null, after, apiWords: null, note: null, ...rest };
  const end = { state: 'settled', at: deps.now().toISOString(), result } as const;
  await notify(action, order, endOf(await deps.progress.write(action.id, end)) ?? end, deps);
}

const outcomeWords = {
  done: 'ordered, its result follows',
  failed: 'failed, nothing was ordered',
  unknown: 'outcome not known',
} as const;

async function notify(
  action: Action,
  order: VirtualOrder,
  { at, result }: { at: string; result: Result },
  deps: ActionDeps,
): Promise<void> {
  const state = result.state as State;
  const { apiWords, note, card, after } = result;
  const facts = { acctId: null, cardId: null, after, detail: apiWords ?? note, api: outcomeWords[state] };
  await deps.audit.append(auditRecord(action, state, facts, deps));
  const line = auditLine({
    by: action.actor.userId,
    did: 'ordered a virtual card for',
    card,
    at,
    before: null,
    after,
    reason: action.reason || null,
    outcome: [outcomeWords[state], apiWords].filter(Boolean).join(': '),
    ref: action.id.slice(-8),
  });
  await deps.postAuditLine(`audit-${action.id}-${state}`, line);
  const orderId = state === 'done' ? Number(note) : null;
  const shown = { state, name: nameOf(order), summary: after ?? '', orderId, apiWords, ref: action.id.slice(-8) };
  await deps.answer(action, orderAnswer({ ...shown, note: orderId === null ? note : null }));
  if (orderId !== null) {
    const eventId = await deps.virtualOrders.expect({ kind: 'order', orderId }, { action, at });
    if (eventId !== null) await notifyOrdered(action, eventId, deps);
  } else if (state === 'unknown') {
    const asked = { action, at: action.askedAt };
    const eventId = await deps.virtualOrders.expect({ kind: 'name', name: nameOf(order) }, asked);
    // Its notice came while nobody knew yet that the answer was lost.
    if (eventId !== null) await notifyIfAnswer(asked, eventId, deps);
  }
  await deps.progress.write(action.id, { state: 'told', at, result });
}

function orderOf({ target }: Action, { unseal }: ActionDeps): VirtualOrder | null {
  const text = target.kind === 'order' ? unseal(target.sealed) : null;
  return text === null ? null : VirtualOrder.parse(JSON.parse(text));
}

function nameOf({ firstName, lastName }: VirtualOrder): string {
  return `${firstName} ${lastName}`;
}

/** What the record says of it: no address, no date of birth. */
function summaryOf({ fundCents, groupId, rulesetId }: VirtualOrder): string {
  return [
    'virtual card',
    fundCents === 0 ? 'not funded' : `funded with ${formatCents(fundCents)}`,
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
