import { type OrderProgress, type OrderStep, orderSteps, type ShippingAlert } from '../../src/alerts/alert.ts';
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

/** True while the card waits to be activated: as far as known, it is new. */
export function isAwaited({ progress, card }: Pick<ShippingAlert, 'progress' | 'card'>): boolean {
  const isDone = (progress?.activated ?? progress?.used ?? progress?.closed ?? null) !== null;
  return !isDone && (card.status ?? 'INACTIVE') === 'INACTIVE';
}
