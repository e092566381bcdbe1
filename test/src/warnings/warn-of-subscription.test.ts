import { beforeEach, expect, it } from 'vitest';
import type { TransactionAlert } from '../../../src/alerts/alert.ts';
import { createAlerts } from '../../../src/alerts/alert-store.ts';
import { createCardHistory } from '../../../src/alerts/card-history.ts';
import { createPreferences } from '../../../src/holders/preference-store.ts';
import { createWarnOfSubscription, mayBeSubscription } from '../../../src/warnings/warn-of-subscription.ts';
import { createWarnBoth, createWarned } from '../../../src/warnings/warned-store.ts';
import { useRedis } from '../../support/on-redis.ts';
import { declined, outcome, transactionAlert } from '../../templates/fixtures.ts';

const redis = useRedis();
let alerts: Map<string, TransactionAlert>;
let payments: string[];
let told: string[];
/** A message is posted once per id. */
let ids: Set<string>;
/** Until everybody's quiet hours end. */
let quietMs: number;
/** What a mute withheld from the channel. */
let muted: string[];
/** Who holds the card, and since when. */
let holder: { userId: string; at: string };

beforeEach(() => {
  alerts = new Map();
  payments = [];
  muted = [];
  quietMs = 0;
  told = [];
  ids = new Set();
  holder = { userId: 'U0HUGO', at: '2026-01-01T00:00:00.000Z' };
});

/** An attempt of the subscription on a day of November. The newest is the last decline. */
function tried(day: number, event: Partial<TransactionAlert['event']> = {}, isPaid = false): string {
  const id = `evt_00000000000000${String(day).padStart(2, '0')}`;
  const alert = declined('decline.rule.velocity', 'Transaction exceeded daily spend limit');
  const occurredAt = `2026-11-${String(day).padStart(2, '0')}T15:00:00.000Z`;
  const outcomes = isPaid ? [outcome({ verb: 'paid', by: null })] : [];
  const times = { occurredAt, receivedAt: occurredAt };
  alerts.set(id, { ...alert, outcomes, event: { ...alert.event, isCardPresent: false, ...event, id, ...times } });
  return id;
}

function warn(alertId: string, warned = createWarned(redis())): Promise<number | null> {
  return createWarnOfSubscription({
    alerts: { get: async (id) => alerts.get(id) ?? null },
    history: {
      async recentAlerts(_acctId, kind, limit) {
        const declines = [...alerts.keys()].filter((id) => !payments.includes(id)).toReversed();
        return (kind === 'payments' ? payments : declines).slice(0, limit);
      },
    },
    warnBoth: createWarnBoth({
      links: {
        ofAccount: async (acctId) => ({ acctId, provedBy: 'email', by: 'U0HUGO', ...holder }),
      },
      preferences: createPreferences(redis()),
      warned,
      quietLeftMs: async () => quietMs,
      postNotice: async (channel, id, { text }) => tell(channel, id, text),
      notifyUnasked: async (userId, id, { text }) => tell(userId, id, text),
    }),
    warned,
    eventLog: {
      read: async (id) =>
        muted.includes(id) ? [{ step: 'muted', at: '', channel: 'C0DECLINES', text: 'The card is muted.' }] : [],
    },
    channel: 'C0DECLINES',
    dayOf: (instant) => instant.slice(0, 10),
    now: () => new Date('2026-11-25T00:00:00.000Z'),
  })(alertId);
}

function tell(to: string, id: string, text: string): void {
  ids.add(id);
  told.push(`${to} ${text}`);
}

it('warns in one message when a worker is killed after posting it and another decline follows', async () => {
  tried(2);
  tried(3);
  const killed = { ...createWarned(redis()), add: () => Promise.reject(new Error('killed')) };
  const last = tried(4);
  await expect(warn(last, killed)).rejects.toThrow('killed');

  await warn(tried(5));
  await warn(last);

  expect(ids.size, 'one in the channel, one to the holder').toBe(2);
});

it('asks the channel and the holder once, after failures on three days, whether to raise the limit or cancel', async () => {
  tried(2);
  tried(3);
  const last = tried(4);

  await warn(last);
  await warn(last);
  await warn(tried(5));

  expect(told).toHaveLength(2);
  expect(told[0]).toMatch(
    /^C0DECLINES Subscription keeps failing: \$84\.10 at Blue Bottle Coffee, Jane Doe · card 1212\./,
  );
  expect(told[1]).toMatch(
    /^U0HUGO .* your card 1212\. Declined on 3 days .*Ask for a higher limit, or cancel the subscription\?$/,
  );
});

it('tells a new holder nothing of the declines of the one before, and is a warning of their own', async () => {
  tried(2);
  tried(3);
  await warn(tried(4));
  holder = { userId: 'U0VERA', at: '2026-11-04T18:00:00.000Z' };
  tried(5);
  await warn(tried(6));
  expect(told.map((each) => each.split(' ')[0])).toEqual(['C0DECLINES', 'U0HUGO']);

  await warn(tried(7));

  expect(told[2]).toMatch(/^U0VERA .*Declined on 3 days/);
});

/** A payment to the same merchant. */
function paid(day: number, event: Partial<TransactionAlert['event']> = {}): void {
  payments.unshift(tried(day, { kind: 'authorization', decline: null, ...event }));
}

it('counts failures anew after the subscription was paid, even days after a failure', async () => {
  tried(2);
  tried(3);
  paid(6);
  await warn(tried(9));
  expect(told).toEqual([]);

  tried(10);
  await warn(tried(11));
  expect(told[0]).toMatch(/Declined on 3 days/);
});

it('counts failures anew after it was paid, also if the card paid for much else since', async () => {
  tried(2);
  tried(3);
  paid(6);
  const [subscription = ''] = payments;
  payments = [...Array.from({ length: 60 }, (_, index) => `evt_other${index}`), subscription];

  await warn(tried(9));

  expect(told).toEqual([]);
});

it('is no warning any more if it was paid during the quiet hours of those who get it', async () => {
  tried(2);
  tried(3);
  const last = tried(4);
  quietMs = 60_000;
  expect(await warn(last)).toBe(60_000);
  quietMs = 0;
  paid(5);

  expect(await warn(last)).toBeNull();
  expect(told).toEqual([]);
});

it('is not stopped by a payment that was reversed in full', async () => {
  tried(2);
  tried(3);
  paid(6, { networkTransactionId: '990006' });
  paid(7, { kind: 'reversal', networkType: 'Reversal', direction: 'credit', networkTransactionId: '990006' });
  await warn(tried(8));

  expect(told).toHaveLength(2);
});

it('is not stopped by a payment of another amount', async () => {
  tried(2);
  tried(3);
  paid(6, { amountCents: 1 });
  await warn(tried(9));

  expect(told[0]).toMatch(/Declined on 3 days/);
});

it.each<[string, () => string]>([
  [
    'on only two days',
    () => {
      tried(2);
      return tried(3);
    },
  ],
  [
    'for different amounts',
    () => {
      tried(2);
      tried(3, { amountCents: 1 });
      return tried(4);
    },
  ],
  [
    'with the card at a till',
    () => {
      for (const day of [2, 3]) tried(day, { isCardPresent: true });
      return tried(4, { isCardPresent: true });
    },
  ],
  [
    'and was paid in between',
    () => {
      tried(2);
      tried(3, {}, true);
      tried(4);
      return tried(5);
    },
  ],
])('does not warn about a charge that failed %s', async (_name, tries) => {
  await warn(tries());

  expect(told).toEqual([]);
});

it('skips recipients who switched it off', async () => {
  await createPreferences(redis()).set('C0DECLINES', 'failing-subscriptions', false);
  tried(2);
  tried(3);

  await warn(tried(4));

  expect(told.map((line) => line.split(' ')[0])).toEqual(['U0HUGO']);
});

it('tells the channel nothing of a decline that a mute withheld from it, until one is posted there', async () => {
  tried(2);
  tried(3);
  muted = [tried(4)];
  await warn(muted[0] ?? '');
  expect(told.map((line) => line.split(' ')[0])).toEqual(['U0HUGO']);

  await warn(tried(5));

  expect(told[1]).toMatch(/^C0DECLINES .*card 1212/);
});

it.each([
  ['three nights in a row, the last one a minute after midnight', [0, 24, 24 + 1 / 60], false, true],
  ['two days, one of them an hour shorter', [0, 23], false, true],
  ['an afternoon', [0, 1, 2, 3], false, false],
  ['a single decline', [0], false, false],
  ['a month, with the card present', [0, 240, 480, 720], true, false],
])('checks whether declines of %s could be a failing subscription', async (_what, hours, isCardPresent, isWorth) => {
  const history = createCardHistory(redis());
  const alerts = createAlerts(redis(), () => new Date());
  const startMs = Date.parse('2026-11-01T00:00:00Z');
  const { event } = declined('decline.rule.velocity', 'Transaction exceeded daily spend limit');
  for (const [index, hour] of hours.entries()) {
    const occurredAt = new Date(startMs + hour * 3_600_000).toISOString();
    await alerts.record(transactionAlert({ ...event, id: `evt_${String(index).padStart(16, '0')}`, occurredAt }), []);
  }

  expect(await mayBeSubscription({ ...event, isCardPresent }, history)).toBe(isWorth);
});

it('warns the channel at the next failure after it switched the warning on again', async () => {
  const preferences = createPreferences(redis());
  await preferences.set('C0DECLINES', 'failing-subscriptions', false);
  tried(2);
  tried(3);
  await warn(tried(4));
  await preferences.set('C0DECLINES', 'failing-subscriptions', true);

  await warn(tried(5));
  await warn(tried(6));

  expect(told.map((line) => line.split(' ')[0])).toEqual(['U0HUGO', 'C0DECLINES']);
});
