import { type OrderProgress, type OrderStep, orderSteps, type ShippingAlert } from '../../src/alerts/alert.ts';
import type { CardStatus } from '../../src/core/event.ts';
import { dateAfter } from '../../src/slack/mrkdwn.ts';

const words: Readonly<Record<OrderStep, string>> = {
  created: 'created',
  shipped: 'shipped',
  activated: 'activated',
  used: 'first used',
  closed: 'closed',
};

/** `Card order 1221: created Nov 10 → shipped Nov 12 → activated Nov 16`; null when there is only one step. */
export function progressLine(progress: OrderProgress | null | undefined): string | null {
  if (progress === null || progress === undefined) return null;
  const done = orderSteps.flatMap((step) => {
    const at = progress[step];
    return at === null ? [] : [{ step, at }];
  });
  if (done.length < 2) return null;
  const steps = done.map(({ step, at }) => dateAfter(words[step], at, '{date_short_pretty}'));
  return `Card order ${progress.cardOrderId}: ${steps.join(' → ')}`;
}

/** The status of a card on its way, as far as known: a card of which nothing is known is new. */
export function statusOnTheWay({ progress, card }: Pick<ShippingAlert, 'progress' | 'card'>): CardStatus {
  if ((progress?.closed ?? null) !== null || card.status === 'CLOSED') return 'CLOSED';
  if (card.status === 'BLOCKED') return 'BLOCKED';
  const isActivated = (progress?.activated ?? progress?.used ?? null) !== null;
  return isActivated ? 'ACTIVE' : (card.status ?? 'INACTIVE');
}

/** True while the card waits to be activated. */
export function isAwaited(alert: Pick<ShippingAlert, 'progress' | 'card'>): boolean {
  return statusOnTheWay(alert) === 'INACTIVE';
}
