import { expect, it } from 'vitest';
import { ALERT_TTL_SECONDS } from '../../../src/alerts/alert.ts';
import { createAlerts } from '../../../src/alerts/alert-store.ts';
import { createCardHistory } from '../../../src/alerts/card-history.ts';
import { createTrackCard } from '../../../src/alerts/track-card.ts';
import { AccountDetails } from '../../../src/card-api/schema-account.ts';
import type { WhichCard } from '../../../src/core/event.ts';
import type { Message } from '../../../src/slack/message.ts';
import { unanswered } from '../../support/card-api-errors.ts';
import { useRedis } from '../../support/on-redis.ts';
import { acctId, ask, byCommand } from '../../support/perform-world.ts';
import { card, shippingAlert } from '../../templates/fixtures.ts';

const redis = useRedis();

/** An account with two cards, the newer one not activated. */
async function tracking({ isAway = false, shipped = [1221] }: { isAway?: boolean; shipped?: (number | null)[] } = {}) {
  const alerts = createAlerts(redis(), () => new Date());
  const history = createCardHistory(redis());
  const answers: Message[] = [];
  const asked: WhichCard[] = [];
  const orders: number[] = [];
  for (const [index, cardOrderId] of shipped.entries()) {
    await alerts.record(shippingAlert({ id: `evt_000000000000000${index}`, cardOrderId, last4: '2222' }), []);
  }
  const trackCard = createTrackCard({
    card: {
      getAccount: async () =>
        AccountDetails.parse({
          AccountId: acctId,
          CardList: [
            { CardId: 1, Last4CardNumber: '1111', CardStatus: 'BLOCKED' },
            { CardId: 2, Last4CardNumber: '2222', CardStatus: 'INACTIVE' },
          ],
        }),
      async getCardOrder(cardOrderId) {
        orders.push(cardOrderId);
        if (isAway) throw unanswered();
        return { cardOrderId, orderedAt: '2026-11-02T09:00:00', cards: [] };
      },
    },
    factsOf: async (_acctId, which = {}) => {
      asked.push(which);
      return card;
    },
    history,
    alerts,
    now: () => new Date('2026-11-20T14:14:05Z'),
    toInstant: (local) => (local === '' ? null : `${local}Z`),
    responses: {
      answer: async (_action, message) => void answers.push(message),
    },
  });
  const track = (cardId: number | null, asHolder = false) =>
    trackCard({ action: ask('track', { ...byCommand, asHolder }), acctId, cardId });
  return { track, answers, asked, orders, shown: () => JSON.stringify(answers.at(-1)?.blocks) };
}

it('says when the order of a shipment was placed, and asks the card service once for each order', async () => {
  const { track, orders, shown } = await tracking({ shipped: [1221, 1221, 1222, null] });

  await track(2);

  expect(orders.toSorted((a, b) => a - b)).toEqual([1221, 1222]);
  expect(shown()).toContain(String(Date.parse('2026-11-02T09:00:00Z') / 1000));
});

it('still shows the shipment if the card service does not return the order', async () => {
  const { track, answers, shown } = await tracking({ isAway: true });

  await track(2);

  expect(answers[0]?.text).toContain('Shipped with USPS');
  expect(shown()).toMatch(/ordered as 1221/i);
});

it('is about the card that was asked for, and about the newest one if the account was', async () => {
  const { track, asked } = await tracking();

  await track(1);
  await track(null);

  expect(asked).toEqual([{ cardId: 1 }, { cardId: 2 }]);
});

it('says that it knows of no shipment of the last month if none was reported', async () => {
  const { track, answers, orders, shown } = await tracking({ shipped: [] });

  await track(2);

  expect(answers[0]?.text).toContain('I know of no shipment in the last 30 days. Not activated yet.');
  expect(shown()).toContain('I remember shipments for 30 days. For older ones, see the card program’s portal.');
  expect(ALERT_TTL_SECONDS).toBe(30 * 24 * 3600);
  expect(orders).toEqual([]);
});

it('shows only what is true of the card that was asked for, and advises whoever asks', async () => {
  const { track, answers, shown } = await tracking();

  await track(1);
  expect(answers.at(-1)?.text).toContain('card 1111: I know of no shipment of card 1111');
  expect(answers.at(-1)?.text).toContain('The card is blocked.');
  await track(null);
  expect(answers.at(-1)?.text).toContain('card 2222: Shipped with USPS');
  expect(shown()).toContain('`/card activate 2222`');
  await track(null, true);
  expect(shown()).toContain('tell an operator when it arrives.');
});
