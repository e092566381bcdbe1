import { Redis } from 'ioredis';
import { startRedis } from '../local/redis.ts';
import { createEventLog } from '../src/alerts/event-log.ts';
import type { CardFacts } from '../src/core/card-facts.ts';
import { TransactionEvent } from '../src/core/event.ts';
import { createQuietHours, createSubscriptions } from '../src/routing/channel-rules-store.ts';
import { createMutes } from '../src/routing/mute-store.ts';
import { createRoute, createRoutingRules } from '../src/routing/route.ts';
import { compareWithLast, type Figures, figureOf } from './figures.ts';
import { stopRedis } from './worker.ts';

const ROUNDS = 9;
const EVENTS = 4000;
/** As many as one worker job routes at once. */
const TOGETHER = 200;
const FEW = 5;
const MANY = 500;

/** Two filters that match each decline below. All others match none. */
const fitting = ['declines', 'declines and over $50.00'];
/** Taken in turn, so that every kind of condition is included. */
const others = [
  (n: number) => `declines and group "Team ${n}"`,
  (n: number) => `declines and merchant "Store ${n}"`,
  (n: number) => `declines and holder "Person ${n}"`,
  (n: number) => `declines and over $${1000 + n}.00`,
  (n: number) => `declines and country ${['PT', 'GB', 'NO', 'IN', 'DE'][n % 5]} and over $${n}.00`,
  (n: number) => `settlements and over $${n}.00`,
  (n: number) => `declines and code decline.rule.mcc and not group "Team ${n}"`,
];

const card: CardFacts = {
  acctId: 7378,
  cardId: 501,
  last4: '4242',
  holder: 'Jane Doe',
  customId: null,
  isVirtual: false,
  group: 'Field Ops',
};
const at = '2026-11-20T14:14:00.0000000Z';

interface Options {
  readonly json: boolean;
  readonly save: boolean;
}

/** Processor time for routing one decline with 500 subscribed channels, compared with five. */
export async function benchRouting(options: Options): Promise<void> {
  const [few, many] = [await startRouting(FEW), await startRouting(MANY)];
  const rounds = { few: [] as number[], many: [] as number[] };
  for (let round = -1; round < ROUNDS; round += 1) {
    const spent = { few: await few.measure(), many: await many.measure() };
    // The first round opens connections and loads code.
    if (round < 0) continue;
    rounds.few.push(spent.few);
    rounds.many.push(spent.many);
  }
  for (const one of [few, many]) await one.stop();
  const figures: Figures = { 'routing us': figureOf(rounds.many, rounds.few) };
  await compareWithLast(figures, {
    ...options,
    title: `Routing one decline with ${MANY} subscribed channels, beside ${FEW}`,
    note: `Of each, ${fitting.length} fit. ${ROUNDS} rounds of ${EVENTS} declines, ${TOGETHER} at once.`,
  });
}

async function startRouting(count: number) {
  const server = await startRedis();
  const redis = new Redis(server.url);
  const subscriptions = createSubscriptions(redis);
  for (let n = 0; n < count; n += 1) {
    const filter = fitting[n] ?? others[n % others.length]?.(n) ?? 'declines';
    await subscriptions.add({ channel: `C0TEAM${n}`, filter, by: 'U0ANA', at });
  }
  const mutes = createMutes(redis, () => new Date());
  const channels = { fallback: 'C0', decline: 'C0', shipping: 'C0', status: 'C0', virtual: 'C0', spend: null };
  const route = createRoute({
    channels,
    rules: createRoutingRules(redis, { subscriptions, quietHours: createQuietHours(redis), mutes }),
    mutes,
    visibilityOf: async () => 'public',
    whyMutePasses: async () => null,
    notifySharedChannel: async () => {},
    eventLog: createEventLog(redis, () => new Date()),
    now: () => new Date(),
  });
  let sent = 0;
  return {
    /** Microseconds per decline. */
    async measure(): Promise<number> {
      const events = Array.from({ length: EVENTS }, (_, index) => decline(sent + index));
      sent += EVENTS;
      const before = process.cpuUsage();
      while (events.length > 0) {
        const delivered = await Promise.all(events.splice(0, TOGETHER).map((event) => route(event, card, false)));
        if (delivered.some(({ deliveries }) => deliveries.length !== 1 + fitting.length))
          throw new Error('routed elsewhere');
      }
      const { user, system } = process.cpuUsage(before);
      return (user + system) / EVENTS;
    },
    stop: () => stopRedis(redis, server),
  };
}

function decline(sequence: number): TransactionEvent {
  return TransactionEvent.parse({
    id: `evt_${String(sequence).padStart(16, '0')}`,
    kind: 'decline',
    callbackAt: at,
    receivedAt: '2026-11-20T14:14:01.000Z',
    acctId: 7378 + (sequence % 500),
    occurredAt: at,
    requestedAt: at,
    settledAt: null,
    networkTransactionId: String(sequence),
    authTransactionId: null,
    networkType: 'Auth',
    amountCents: 8410 + (sequence % 100),
    direction: 'debit',
    requestedCents: null,
    availableCents: null,
    ledgerCents: null,
    merchant: { name: `BLUE BOTTLE COFFEE ${sequence % 50}`, city: 'AUSTIN', state: 'TX', country: 'US', id: '1' },
    mcc: '5814',
    isCardPresent: true,
    decline: { code: 'decline.rule.velocity', message: 'Transaction exceeded daily spend limit' },
  });
}
