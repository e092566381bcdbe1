import type { PurchaseTimeline } from './purchase-timeline.ts';

type Step = PurchaseTimeline['steps'][number];

const nothing = {
  /** What its authorizations asked for. */
  authorized: 0,
  /** What is neither captured nor released. After a capture, the card service may have ended the hold. */
  held: 0,
  /** What settlements captured. */
  settled: 0,
  /** What was debited with a PIN. */
  paid: 0,
  /** What reversals released before a capture. */
  released: 0,
  /** What reversals released of the rest of a hold, after a capture. */
  restReleased: 0,
  /** What reversals credited back after it was captured or debited. */
  credited: 0,
  /** What reversals gave back of something that is not known. */
  unexplained: 0,
  refunded: 0,
};

type Fact = keyof typeof nothing;
/** The money of a purchase, in whole cents. */
export type PurchaseState = Readonly<Record<Fact, number>>;

/** The order of steps with the same time. */
const kinds: readonly Step['kind'][] = ['authorization', 'pin', 'settlement', 'reversal'];

/**
 * The steps in the order in which they took effect. That is the order of their times, except that clocks differ: nothing
 * comes before the authorization or the PIN purchase that it follows.
 */
export function inOrder(steps: readonly Step[]): Step[] {
  const [openedAt = ''] = steps.flatMap((step) => (isOpening(step) ? [step.at] : [])).toSorted();
  const effectiveAt = ({ at }: Step): string => (at < openedAt ? openedAt : at);
  return steps.toSorted(
    (a, b) =>
      effectiveAt(a).localeCompare(effectiveAt(b)) ||
      Number(isOpening(b)) - Number(isOpening(a)) ||
      a.at.localeCompare(b.at) ||
      kinds.indexOf(a.kind) - kinds.indexOf(b.kind) ||
      a.eventId.localeCompare(b.eventId),
  );
}

/** @param steps in any order. */
export function purchaseStateOf(steps: readonly Step[]): PurchaseState {
  return inOrder(steps).reduce<PurchaseState>(afterStep, nothing);
}

/** What one step of a purchase changed, and the state after it. Without the step, nothing. */
export function effectOf(steps: readonly Step[], eventId: string) {
  const ordered = inOrder(steps);
  const index = ordered.findIndex((step) => step.eventId === eventId);
  const before = ordered.slice(0, Math.max(0, index)).reduce<PurchaseState>(afterStep, nothing);
  const after = ordered.slice(0, index + 1).reduce<PurchaseState>(afterStep, nothing);
  const effect = { ...nothing };
  for (const fact of Object.keys(nothing) as Fact[]) effect[fact] = after[fact] - before[fact];
  return { effect, after };
}

/** What was captured or debited. */
export function taken({ settled, paid }: PurchaseState): number {
  return settled + paid;
}

export function isOpening({ kind }: Pick<Step, 'kind'>): boolean {
  return kind === 'authorization' || kind === 'pin';
}

function afterStep(state: PurchaseState, { kind, direction, cents }: Step): PurchaseState {
  if (kind === 'reversal') return reversed(state, cents);
  if (direction === 'credit') return { ...state, refunded: state.refunded + cents };
  switch (kind) {
    case 'authorization':
      return { ...state, authorized: state.authorized + cents, held: state.held + cents };
    case 'pin':
      return { ...state, paid: state.paid + cents };
    case 'settlement':
      return { ...state, settled: state.settled + cents, held: Math.max(0, state.held - cents) };
  }
}

/**
 * A reversal does not say what it reverses. Before a capture, it releases a hold. After one, it releases the rest of the
 * hold if that is enough; otherwise it credits back what was taken.
 */
function reversed(state: PurchaseState, cents: number): PurchaseState {
  const isTaken = taken(state) > 0;
  const open = Math.max(0, taken(state) - state.credited - state.refunded);
  const isOfHold = !isTaken || cents <= state.held;
  const released = Math.min(isOfHold ? cents : Math.max(0, cents - open), state.held);
  const hold = isTaken ? 'restReleased' : 'released';
  const rest = isTaken ? 'credited' : 'unexplained';
  return {
    ...state,
    held: state.held - released,
    [hold]: state[hold] + released,
    [rest]: state[rest] + cents - released,
  };
}
