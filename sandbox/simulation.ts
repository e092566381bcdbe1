import { refund, reverse, settle } from './engine/after-purchase.ts';
import { placeOrder, processOrder, ship } from './engine/card-order.ts';
import { activate, setStatusInPortal } from './engine/card-status.ts';
import { holderRequest } from './engine/create-account.ts';
import { purchase } from './engine/purchase.ts';
import type { FollowUp, FollowUpAnswer, PurchaseAnswer, PurchaseRequest } from './engine/purchase-request.ts';
import type { VirtualError } from './engine/virtual-card.ts';
import { ServiceError } from './service-error.ts';
import type { Account, CardStatus } from './state/account.ts';
import { findAccount, type World } from './state/world.ts';
import type { Deliveries } from './webhook/deliveries.ts';
import type { WebhookKind } from './webhook/kind.ts';
import type { DeliveryMischief } from './webhook/outbox.ts';

/** A holder to order a card for. The rest of the order is filled in. */
export interface OrderInput {
  readonly FirstName: string;
  readonly LastName: string;
  readonly CustomId?: string;
  readonly VirtualCard?: boolean;
  readonly AutoActivation?: boolean;
  readonly FundCardAmount?: number;
  readonly GroupId?: number;
  readonly RulesetId?: number;
  readonly ShippingMethod?: string;
}

/** What merchants, holders, printers and outages do. The `/simulate` routes and the story call these. */
export interface Simulation {
  purchase(request: PurchaseRequest): PurchaseAnswer;
  settle(request: FollowUp): FollowUpAnswer;
  reverse(request: FollowUp): FollowUpAnswer;
  refund(request: FollowUp): FollowUpAnswer;
  ship(request: { CardOrderId: number }): { TrackingNumber: string };
  /** A change made in the admin portal. */
  setStatus(request: { AcctId: number; CardStatus: CardStatus }): void;
  /** The holder activates the card by telephone after a while. */
  activateLater(request: { AcctId: number; Seconds?: number }): void;
  /** Stores webhooks (true) or releases them (false). Returns how many are, or were, stored. */
  outage(on: boolean): number;
  /** Orders a card, as the admin portal does, and makes it immediately. */
  createOrder(input: OrderInput): { CardOrderId: number; AcctId: number; CardId: number };
  setRemoteDecision(decision: 'approve' | 'decline'): void;
  failNextVirtualCard(errors: readonly VirtualError[]): void;
  /** Sends each webhook more than once, or in a different order, until changed. */
  misbehave(mischief: Partial<DeliveryMischief>): void;
  /** Sends the latest webhook again. False when there was none. */
  repeatWebhook(kind?: WebhookKind): boolean;
}

/** Combines the engine's functions over one world. */
export function createSimulation(world: World, deliveries: Deliveries): Simulation {
  const accountOf = (acctId: number): Account => {
    const account = findAccount(world, acctId);
    if (account === undefined) throw new ServiceError(400, 'Invalid card account ID');
    return account;
  };
  return {
    purchase: (request) => purchase(world, request),
    settle: (request) => settle(world, request),
    reverse: (request) => reverse(world, request),
    refund: (request) => refund(world, request),
    ship: (request) => ship(world, request),
    setStatus: ({ AcctId, CardStatus }) => setStatusInPortal(world, accountOf(AcctId), CardStatus),
    activateLater({ AcctId, Seconds = 60 }) {
      accountOf(AcctId);
      world.later('activate-card', { acctId: AcctId }, Seconds);
    },
    outage: (on) => deliveries.outage(on),
    createOrder(input) {
      const order = placeOrder(world, [holderRequest(input)], { isVirtual: input.VirtualCard ?? false });
      processOrder(world, order.orderId);
      const [card] = order.cards;
      return { CardOrderId: order.orderId, AcctId: card?.acctId ?? 0, CardId: card?.cardId ?? 0 };
    },
    setRemoteDecision(decision) {
      world.state.remoteDecision = decision;
    },
    failNextVirtualCard: (errors) => void world.state.virtualErrors.push([...errors]),
    misbehave(mischief) {
      Object.assign(deliveries.mischief, mischief);
      if (deliveries.mischief.reorder <= 1) deliveries.flush();
    },
    repeatWebhook: (kind) => deliveries.repeat(kind),
  };
}

/** Runs delayed work. */
export function doLaterWork(world: World, type: string, data: { orderId?: number; acctId?: number }): void {
  if (type === 'process-order' && data.orderId !== undefined) processOrder(world, data.orderId);
  if (type === 'activate-card' && data.acctId !== undefined) {
    const account = findAccount(world, data.acctId);
    // The card may have been activated already. The holder then learns this on the telephone, and nothing changes.
    if (account?.cards.some(({ status }) => status === 'INACTIVE')) activate(world, account, undefined, true);
  }
}
