import { z } from 'zod';
import { PositiveAmount, PurchaseRequest } from '../engine/purchase-request.ts';
import { VIRTUAL_ERRORS } from '../engine/virtual-card.ts';
import type { Simulation } from '../simulation.ts';
import { CARD_STATUSES } from '../state/account.ts';
import { WEBHOOK_KINDS } from '../webhook/kind.ts';
import { bodyOf } from './request-parts.ts';

const FollowUp = z.strictObject({ NetworkTransactionId: z.int().positive(), Amount: PositiveAmount.optional() });
const StatusChange = z.strictObject({
  AcctId: z.int().positive(),
  CardStatus: z.string().toUpperCase().pipe(z.enum(CARD_STATUSES)),
});
const PinPurchase = PurchaseRequest.extend({ Pin: z.enum(['correct', 'wrong']).default('correct') });
const Mischief = z.strictObject({
  copies: z.int().min(1).max(10).optional(),
  reorder: z.int().min(1).max(100).optional(),
  repeat: z.enum(WEBHOOK_KINDS).or(z.literal(true)).optional(),
});

/** The steering wheel, `POST /simulate/NAME`: what the outside world and the holders would do. */
export const SIMULATE_ROUTES: Readonly<Record<string, (simulation: Simulation, body: unknown) => object>> = {
  purchase: (simulation, body) => simulation.purchase(bodyOf(PurchaseRequest, body)),
  pin: (simulation, body) => simulation.purchase(bodyOf(PinPurchase, body)),
  settle: (simulation, body) => simulation.settle(bodyOf(FollowUp, body)),
  reverse: (simulation, body) => simulation.reverse(bodyOf(FollowUp, body)),
  refund: (simulation, body) => simulation.refund(bodyOf(FollowUp, body)),
  ship: (simulation, body) => simulation.ship(bodyOf(z.strictObject({ CardOrderId: z.int().positive() }), body)),
  status: (simulation, body) => {
    simulation.setStatus(bodyOf(StatusChange, body));
    return {};
  },
  'activate-later': (simulation, body) => {
    simulation.activateLater(
      bodyOf(z.strictObject({ AcctId: z.int().positive(), Seconds: z.number().min(0).default(60) }), body),
    );
    return {};
  },
  outage: (simulation, body) => ({ stored: simulation.outage(bodyOf(z.strictObject({ on: z.boolean() }), body).on) }),
  remote: (simulation, body) => {
    simulation.setRemoteDecision(bodyOf(z.strictObject({ Decision: z.enum(['approve', 'decline']) }), body).Decision);
    return {};
  },
  'virtual-errors': (simulation, body) => {
    simulation.failNextVirtualCard(bodyOf(z.strictObject({ Errors: z.array(z.enum(VIRTUAL_ERRORS)) }), body).Errors);
    return {};
  },
  webhooks: (simulation, body) => {
    const { copies, reorder, repeat } = bodyOf(Mischief, body);
    if (copies !== undefined || reorder !== undefined) {
      simulation.misbehave({
        ...(copies === undefined ? {} : { copies }),
        ...(reorder === undefined ? {} : { reorder }),
      });
    }
    if (repeat !== undefined) simulation.repeatWebhook(repeat === true ? undefined : repeat);
    return {};
  },
};
