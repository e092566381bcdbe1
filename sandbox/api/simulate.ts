import { z } from 'zod';
import { FollowUp, FollowUpAnswer, PurchaseAnswer, PurchaseRequest } from '../engine/purchase-request.ts';
import { VIRTUAL_ERRORS } from '../engine/virtual-card.ts';
import type { Simulation } from '../simulation.ts';
import { CARD_STATUSES } from '../state/account.ts';
import { WEBHOOK_KINDS } from '../webhook/kind.ts';
import { bodyOf } from './request-parts.ts';
import { Empty } from './response-parts.ts';

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
const ActivateLater = z.strictObject({ AcctId: z.int().positive(), Seconds: z.number().min(0).default(60) });

interface SimulateRoute {
  /** One line for the OpenAPI document. */
  readonly does: string;
  readonly request: z.ZodType;
  readonly response: z.ZodType;
  act(simulation: Simulation, body: unknown): object;
}

function simulate<T, A extends object>(
  does: string,
  request: z.ZodType<T>,
  response: z.ZodType<A>,
  act: (simulation: Simulation, body: T) => A,
): SimulateRoute {
  return { does, request, response, act: (simulation, body) => act(simulation, bodyOf(request, body)) };
}

/** The same, without an answer. */
function simulateQuietly<T>(does: string, request: z.ZodType<T>, act: (simulation: Simulation, body: T) => unknown) {
  return simulate(does, request, Empty, (simulation, body) => {
    act(simulation, body);
    return {};
  });
}

/** Controls the simulation, `POST /simulate/NAME`: what the outside world and the holders would do. */
export const SIMULATE_ROUTES: Readonly<Record<string, SimulateRoute>> = {
  purchase: simulate('A merchant asks for money', PurchaseRequest, PurchaseAnswer, (to, body) => to.purchase(body)),
  pin: simulate('The same with a PIN', PinPurchase, PurchaseAnswer, (to, body) => to.purchase(body)),
  settle: simulate('The merchant captures an authorization', FollowUp, FollowUpAnswer, (to, body) => to.settle(body)),
  reverse: simulate('The merchant takes a purchase back', FollowUp, FollowUpAnswer, (to, body) => to.reverse(body)),
  refund: simulate('The merchant gives money back', FollowUp, FollowUpAnswer, (to, body) => to.refund(body)),
  ship: simulate(
    'Ships the cards of an order',
    z.strictObject({ CardOrderId: z.int().positive() }),
    z.strictObject({ TrackingNumber: z.string() }),
    (to, body) => to.ship(body),
  ),
  status: simulateQuietly('A change in the admin portal', StatusChange, (to, body) => to.setStatus(body)),
  'activate-later': simulateQuietly('The holder activates by telephone', ActivateLater, (to, body) =>
    to.activateLater(body),
  ),
  outage: simulate(
    'Stores webhooks, or releases them',
    z.strictObject({ on: z.boolean() }),
    z.strictObject({ stored: z.int() }),
    (to, { on }) => ({ stored: to.outage(on) }),
  ),
  remote: simulateQuietly(
    "What the customer's own decision service says",
    z.strictObject({ Decision: z.enum(['approve', 'decline']) }),
    (to, { Decision }) => to.setRemoteDecision(Decision),
  ),
  'virtual-errors': simulateQuietly(
    'What the next virtual card will meet',
    z.strictObject({ Errors: z.array(z.enum(VIRTUAL_ERRORS)) }),
    (to, { Errors }) => to.failNextVirtualCard(Errors),
  ),
  webhooks: simulateQuietly('Duplicates, another order, the latest one again', Mischief, misbehave),
};

function misbehave(simulation: Simulation, { copies, reorder, repeat }: z.infer<typeof Mischief>): void {
  simulation.misbehave({ ...(copies === undefined ? {} : { copies }), ...(reorder === undefined ? {} : { reorder }) });
  if (repeat !== undefined) simulation.repeatWebhook(repeat === true ? undefined : repeat);
}
