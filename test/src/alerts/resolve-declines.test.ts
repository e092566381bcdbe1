import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/actions/action-state.ts';
import type { TransactionAlert } from '../../../src/alerts/alert.ts';
import { createCardHistory } from '../../../src/alerts/card-history.ts';
import { createResolveDeclines } from '../../../src/alerts/resolve-declines.ts';
import { createSaveAlert } from '../../../src/alerts/save-alerts.ts';
import type { TransactionEvent } from '../../../src/core/event.ts';
import { useRedis } from '../../support/on-redis.ts';
import { transactionAlert } from '../../templates/fixtures.ts';

const redis = useRedis();

const declined = transactionAlert();
const approved: Outcome = { verb: 'limit', by: 'U0ANA', at: '2026-11-20T14:18:00Z', state: 'done', text: '' };
const paid = (over: Partial<TransactionEvent> = {}): TransactionEvent => ({
  ...declined.event,
  id: 'evt_paid',
  kind: 'authorization',
  occurredAt: '2026-11-20T14:21:00Z',
  decline: null,
  ...over,
});

/** @param meanwhile the alert once the account's lock is free, if it changed meanwhile. */
async function resolve(
  event: TransactionEvent,
  alert: TransactionAlert = declined,
  meanwhile = alert,
  approvers: string[] = [],
) {
  const purchase = { ...alert, event };
  return await resolveAmong(event, [alert, purchase], { meanwhile, approvers });
}

/** What happens when an event is received, if these alerts are stored and listed. */
async function resolveAmong(
  event: TransactionEvent,
  stored: readonly TransactionAlert[],
  given: { meanwhile?: TransactionAlert | null; approvers?: string[] } = {},
) {
  const account = await accountWith(stored, given);
  await account.receive(event);
  return account;
}

/** An account on which these alerts are stored and listed. */
async function accountWith(
  stored: readonly TransactionAlert[],
  { meanwhile = null, approvers = [] }: { meanwhile?: TransactionAlert | null; approvers?: string[] } = {},
) {
  const history = createCardHistory(redis());
  const save = createSaveAlert(redis(), () => new Date());
  const alerts = new Map<string, TransactionAlert>();
  const store = async (alert: TransactionAlert): Promise<void> => {
    alerts.set(alert.event.id, alert);
    await save(alert, Buffer.from('kept above'), []);
  };
  for (const alert of stored) await store(alert);
  const shown: string[] = [];
  const updated: string[] = [];
  let updatesFail = false;
  const byAction = new Map<string, Outcome>();
  const told: string[] = [];
  /** What requests were refreshed for. */
  const refreshed: string[] = [];
  const receive = createResolveDeclines({
    history,
    alerts: {
      get: async (id) => alerts.get(id) ?? null,
      async setOutcome(alertId, id, outcome) {
        shown.push(`${alertId} ${id} ${outcome.verb} ${outcome.at}`);
        const alert = alerts.get(alertId);
        const isOther = (one: Outcome) =>
          one !== byAction.get(`${alertId} ${id}`) && (one.verb !== outcome.verb || one.at !== outcome.at);
        const others = alert?.outcomes.filter(isOther) ?? [];
        byAction.set(`${alertId} ${id}`, outcome);
        if (alert !== undefined) alerts.set(alertId, { ...alert, outcomes: [...others, outcome] });
      },
    },
    async withLock(name, work) {
      expect(name).toBe(`account:${declined.event.acctId}`);
      if (meanwhile !== null) alerts.set(meanwhile.event.id, meanwhile);
      return await work({ confirm: async () => {} });
    },
    approversOf: async () => approvers,
    async updateAlert(id) {
      if (updatesFail) throw new Error('the worker was killed');
      updated.push(id);
    },
    notifyDirectly: async (userId, id, { text }) => void told.push(`${userId} ${id} ${text}`),
    cardChanged: async (acctId) => {
      expect(acctId).toBe(declined.event.acctId);
      refreshed.push(...shown.slice(refreshed.length));
    },
  });
  /** Which payments each decline is shown as paid by. */
  const paidBy = () =>
    Object.fromEntries(
      [...alerts].flatMap(([id, { event, outcomes }]) => {
        if (event.kind !== 'decline') return [];
        const times = outcomes
          .filter(({ verb, state }) => verb === 'paid' && state === 'done')
          .map(({ at }) => at.slice(11, 16));
        return [[id, times.join(' ')]];
      }),
    );
  /** The worker is killed before it can update a message. */
  const killedDuring = async (event: TransactionEvent) => {
    updatesFail = true;
    await expect(receive(event)).rejects.toThrow('killed');
    updatesFail = false;
  };
  return {
    shown,
    updated,
    refreshed,
    told,
    store,
    receive,
    killedDuring,
    paidBy,
    alertOf: (id: string) => alerts.get(id),
  };
}

it('shows on the decline that its retry was paid, and notifies the approver with the time it took', async () => {
  const { shown, refreshed, told } = await resolve(paid(), { ...declined, outcomes: [approved] });

  expect(shown).toEqual([`${declined.event.id} paid-evt_paid paid 2026-11-20T14:21:00Z`]);
  expect(refreshed, 'requests for it').toEqual(shown);
  expect(told).toHaveLength(1);
  expect(told[0]).toContain(
    `U0ANA paid-${declined.event.id} Paid: $84.10 at Blue Bottle Coffee, Jane Doe · card 1212.`,
  );
  expect(told[0]).toMatch(/Approved by <@U0ANA>, paid at .*7 minutes/);
});

it('takes no purchase for the retry if neither says at which merchant', async () => {
  const merchant = { ...declined.event.merchant, id: '', name: '' };
  const bare = { ...declined, event: { ...declined.event, merchant }, outcomes: [approved] };

  const { shown, told } = await resolve(paid({ merchant, networkTransactionId: '2265018' }), bare);

  expect([shown, told]).toEqual([[], []]);
});

it('notifies the approver even if the retry was faster than the card service’s response', async () => {
  const { told } = await resolve(paid(), declined, { ...declined, outcomes: [approved] });

  expect(told).toHaveLength(1);
});

it('notifies each approver once if it took two', async () => {
  const alert = { ...declined, outcomes: [approved] };
  const { told } = await resolve(paid(), alert, alert, ['U0ANA', 'U0ZOE']);

  expect(told.map((line) => line.split(' ')[0])).toEqual(['U0ANA', 'U0ZOE']);
});

it('notifies no approver of a payment that the holder has reported as fraud', async () => {
  const reported: Outcome = { ...approved, verb: 'report-fraud', by: 'U0MAX', at: '2026-11-20T14:19:00Z' };
  const { shown, told } = await resolve(paid(), { ...declined, outcomes: [approved, reported] });

  expect(shown).toHaveLength(1);
  expect(told).toEqual([]);
});

it('notifies nobody if the purchase went through without help', async () => {
  const { shown, told } = await resolve(paid());

  expect([shown.length, told.length]).toEqual([1, 0]);
});

it('accepts a tip or a lower amount as the same purchase', async () => {
  expect((await resolve(paid({ amountCents: 9900 }))).shown).toHaveLength(1);
  expect((await resolve(paid({ amountCents: 7000 }))).shown).toHaveLength(1);
});

it('shows on a decline that arrives after its retry that it was paid', async () => {
  const later = paid({ id: 'evt_later', occurredAt: '2026-11-20T14:30:00Z' });
  const stored = [declined, ...[later, paid()].map((event) => ({ ...declined, event }))];

  const { shown } = await resolveAmong(declined.event, stored);

  expect(shown).toEqual([`${declined.event.id} paid-evt_paid paid 2026-11-20T14:21:00Z`]);
});

it('resolves the first of thirty attempts, whose message shows them all', async () => {
  const attempts = Array.from({ length: 30 }, (_, second) => ({
    ...declined,
    event: { ...declined.event, id: `evt_${second}`, occurredAt: `2026-11-20T14:14:${10 + second}Z` },
  }));

  const { shown } = await resolveAmong(paid(), attempts);

  expect(shown).toHaveLength(30);
  expect(shown).toContain('evt_0 paid-evt_paid paid 2026-11-20T14:21:00Z');
});

describe('one payment pays one purchase', () => {
  const at = (time: string, cents = 8410): TransactionAlert => {
    const event = { ...declined.event, id: `evt_${time}`, occurredAt: `2026-11-20T${time}:00Z`, amountCents: cents };
    return { ...declined, event };
  };
  const paidAt = (time: string, cents = 8410): TransactionAlert => ({
    ...declined,
    event: paid({ id: `evt_paid_${time}`, occurredAt: `2026-11-20T${time}:00Z`, amountCents: cents }),
  });
  const receiveAll = async (stored: TransactionAlert[], ...received: TransactionAlert[]) => {
    const account = await accountWith(stored);
    for (const { event } of received) await account.receive(event);
    return account.paidBy();
  };

  it('of the same amount, not another one of a similar amount', async () => {
    const [coffee, lunch, payment] = [at('14:00'), at('14:02', 9000), paidAt('14:21', 9000)];

    expect(await receiveAll([coffee, lunch, payment], payment)).toEqual({ 'evt_14:00': '', 'evt_14:02': '14:21' });
  });

  it('of a similar amount only if it can be just one', async () => {
    const payment = paidAt('14:21', 8800);

    expect(await receiveAll([at('14:00'), at('14:02', 9000), payment], payment)).toEqual({
      'evt_14:00': '',
      'evt_14:02': '',
    });
    expect(await receiveAll([at('14:00'), at('14:09'), payment], payment)).toMatchObject({
      'evt_14:00': '14:21',
      'evt_14:09': '14:21',
    });
  });

  it('not another one of a similar amount, after the one of its own amount was paid', async () => {
    const [first, second] = [paidAt('14:21'), paidAt('16:00')];

    expect(await receiveAll([at('14:00'), at('14:02', 9000), first, second], first, second)).toEqual({
      'evt_14:00': '14:21',
      'evt_14:02': '',
    });
  });

  it('the latest, if the same amount was declined long before', async () => {
    const payment = paidAt('14:21');

    expect(await receiveAll([at('08:00'), at('14:00'), at('14:08'), payment], payment)).toEqual({
      'evt_08:00': '',
      'evt_14:00': '14:21',
      'evt_14:08': '14:21',
    });
  });

  it('each, whichever of two payments arrives first', async () => {
    const [first, second] = [paidAt('14:02'), paidAt('14:07')];
    const stored = [at('14:00'), first, at('14:05'), second];

    for (const order of [[first, second], [second, first], [second], [second, first, second, first]])
      expect(await receiveAll(stored, ...order)).toEqual({ 'evt_14:00': '14:02', 'evt_14:05': '14:07' });
  });

  it('the other one, if the first was paid already', async () => {
    const [first, second] = [paidAt('14:21'), paidAt('14:30')];
    const stored = [at('08:00'), at('14:00'), first, second];

    expect(await receiveAll(stored, first, second)).toEqual({ 'evt_08:00': '14:30', 'evt_14:00': '14:21' });
    expect(await receiveAll(stored, second, first)).toEqual({ 'evt_08:00': '14:30', 'evt_14:00': '14:21' });
  });

  it('the one that it was shown for, although another one arrives that fits as well', async () => {
    const [coffee, late, payment] = [at('14:00'), at('14:12'), paidAt('14:21')];
    const account = await accountWith([coffee, payment]);
    await account.receive(payment.event);
    await account.store(late);
    await account.receive(late.event);
    await account.receive(payment.event);

    expect(account.paidBy()).toEqual({ 'evt_14:00': '14:21', 'evt_14:12': '' });
  });

  it('with all of its attempts, also one that arrives late', async () => {
    const [first, second, payment] = [at('14:00'), at('14:05'), paidAt('14:21')];
    const account = await accountWith([second, payment]);
    await account.receive(payment.event);
    await account.store(first);
    await account.receive(first.event);

    expect(account.paidBy()).toEqual({ 'evt_14:00': '14:21', 'evt_14:05': '14:21' });
  });

  it('also if so many other payments followed that it is no longer listed', async () => {
    const later = Array.from({ length: 60 }, (_, index) => paidAt(`15:${String(index).padStart(2, '0')}`, 100));
    const payment = paidAt('14:21');

    expect(await receiveAll([at('14:00'), payment, ...later], payment)).toEqual({ 'evt_14:00': '14:21' });
  });

  it('and says how much, if that is not what was declined', async () => {
    const { told } = await resolve(paid({ amountCents: 9900 }), { ...declined, outcomes: [approved] });

    expect(told[0]).toMatch(/Approved by <@U0ANA>, paid \$99\.00 at /);
  });
});

describe('does not count as a retry:', () => {
  it.each<[string, Partial<TransactionEvent>]>([
    ['a purchase elsewhere', { merchant: { ...declined.event.merchant, name: 'Corner Diner' } }],
    ['a purchase of a very different amount', { amountCents: 300, requestedCents: 300 }],
    ['a purchase before the decline', { occurredAt: '2026-11-20T14:00:00Z' }],
    ['a purchase two days later', { occurredAt: '2026-11-22T14:14:00Z' }],
    ['another decline', { kind: 'decline' }],
  ])('%s', async (_what, over) => {
    expect((await resolve(paid(over))).shown).toEqual([]);
  });

  it('a second purchase after the retry', async () => {
    const first: Outcome = { verb: 'paid', by: null, at: '2026-11-20T14:20:00Z', state: 'done', text: '' };

    expect((await resolve(paid(), { ...declined, outcomes: [first] })).shown).toEqual([]);
  });
});

describe('a payment that was reversed', () => {
  const auth = { ...declined, event: paid({ networkTransactionId: '77' }) };
  const reversal = (amountCents: number, id = 'evt_back') => ({
    ...declined,
    event: paid({ id, kind: 'reversal', networkTransactionId: '77', occurredAt: '2026-11-20T14:40:00Z', amountCents }),
  });
  const orders = ['payment first', 'reversal first'] as const;

  it.each(orders)('in full pays for nothing: %s', async (order) => {
    const account = await accountWith([declined]);
    const arriving = order === 'payment first' ? [auth, reversal(8410)] : [reversal(8410), auth];
    for (const alert of arriving) {
      await account.store(alert);
      await account.receive(alert.event);
    }

    expect(account.paidBy()).toEqual({ [declined.event.id]: '' });
    expect(account.refreshed, 'requests for it').toEqual(account.shown);
    expect(account.shown.at(-1)?.endsWith('paid 2026-11-20T14:40:00Z') ?? false).toBe(order === 'payment first');
  });

  it('still pays if only the masked ids are alike, and another merchant reversed', async () => {
    const masked = '4111••••••••1111';
    const { merchant } = declined.event;
    const elsewhere = { networkTransactionId: masked, merchant: { ...merchant, name: 'Elsewhere', id: 'other' } };
    const arriving = [paid({ networkTransactionId: masked }), { ...reversal(8410).event, ...elsewhere }];
    const account = await accountWith([declined]);
    for (const event of arriving) {
      await account.store({ ...declined, event });
      await account.receive(event);
    }

    expect(account.paidBy()).not.toEqual({ [declined.event.id]: '' });
  });

  it('in part still pays, until the rest is reversed too', async () => {
    const account = await accountWith([declined]);
    for (const alert of [auth, reversal(4000)]) {
      await account.store(alert);
      await account.receive(alert.event);
    }
    expect(account.paidBy()).toEqual({ [declined.event.id]: '14:21' });

    await account.store(reversal(4410, 'evt_rest'));
    await account.receive(reversal(4410, 'evt_rest').event);
    expect(account.paidBy()).toEqual({ [declined.event.id]: '' });
  });

  it('still pays if the amount of only one of its two authorizations is reversed, until both are', async () => {
    const account = await accountWith([declined]);
    const more = { ...auth, event: paid({ id: 'evt_more', networkTransactionId: '77', amountCents: 5000 }) };
    for (const alert of [auth, more, reversal(8410)]) {
      await account.store(alert);
      await account.receive(alert.event);
    }
    expect(account.paidBy()).toEqual({ [declined.event.id]: '14:21' });

    await account.store(reversal(5000, 'evt_rest'));
    await account.receive(reversal(5000, 'evt_rest').event);
    expect(account.paidBy()).toEqual({ [declined.event.id]: '' });
  });

  it('leaves the decline to the next payment', async () => {
    const account = await accountWith([declined]);
    const again = {
      ...auth,
      event: paid({ id: 'evt_again', networkTransactionId: '78', occurredAt: '2026-11-20T14:50:00Z' }),
    };
    for (const alert of [auth, reversal(8410), again]) {
      await account.store(alert);
      await account.receive(alert.event);
    }

    expect(account.paidBy()).toEqual({ [declined.event.id]: '14:50' });
  });

  it('leaves the decline to a second payment that was there before', async () => {
    const again = paid({ id: 'evt_again', networkTransactionId: '78', occurredAt: '2026-11-20T14:30:00Z' });
    const account = await accountWith([declined]);
    for (const alert of [auth, { ...declined, event: again }]) {
      await account.store(alert);
      await account.receive(alert.event);
    }
    expect(account.paidBy()).toEqual({ [declined.event.id]: '14:21' });

    await account.store(reversal(8410));
    await account.killedDuring(reversal(8410).event);
    await account.receive(reversal(8410).event);

    expect(account.paidBy()).toEqual({ [declined.event.id]: '14:30' });
  });

  it('pays for nothing if the reversal comes a week later and many other purchases were made between them', async () => {
    const account = await accountWith([declined, auth]);
    await account.receive(auth.event);
    for (let index = 0; index < 60; index += 1) {
      const occurredAt = new Date(Date.parse('2026-11-21T14:00:00Z') + index * 3_600_000).toISOString();
      const other = {
        id: `evt_other${index}`,
        amountCents: 100,
        requestedCents: null,
        networkTransactionId: `8${index}`,
        occurredAt,
      };
      await account.store({ ...declined, event: paid(other) });
    }
    const late = { ...reversal(8410), event: { ...reversal(8410).event, occurredAt: '2026-11-27T14:00:00Z' } };

    await account.store(late);
    await account.receive(late.event);

    expect(account.paidBy()).toEqual({ [declined.event.id]: '' });
  });

  it('is not the payment of another purchase', async () => {
    const account = await accountWith([declined, { ...declined, event: paid({ networkTransactionId: '9' }) }]);
    await account.receive(paid({ networkTransactionId: '9' }));
    await account.store(reversal(8410));
    await account.receive(reversal(8410).event);

    expect(account.paidBy()).toEqual({ [declined.event.id]: '14:21' });
  });
});

it.each([
  ['a part of the purchase', { amountCents: 2_000, requestedCents: 8_410 }, { text: '$20.00 of $84.10', isPart: true }],
  ['a similar amount', { amountCents: 7_500, requestedCents: 7_500 }, { text: '$75.00' }],
  ['the same amount', { requestedCents: null }, { text: '' }],
])('says what was paid if it is %s', async (_what, over, amount) => {
  const { alertOf } = await resolve(paid(over));

  expect(alertOf(declined.event.id)?.outcomes).toMatchObject([{ verb: 'paid', state: 'done', ...amount }]);
});

it('a check of the card for $0.00 pays for nothing, also if such a check was declined', async () => {
  const free = { amountCents: 0, requestedCents: 0 };
  const check = { ...declined, event: { ...declined.event, ...free }, outcomes: [approved] };

  expect(await resolve(paid(free), check, check, ['U0ANA'])).toMatchObject({ shown: [], told: [] });
});

describe('a decline of a blocked card that another purchase’s message counts', () => {
  const leader = {
    ...declined,
    event: {
      ...declined.event,
      id: 'evt_first',
      amountCents: 2000,
      merchant: { ...declined.event.merchant, id: 'M9', name: 'Corner' },
    },
  };
  const repeat: TransactionAlert = { ...declined, leaders: { C1: 'evt_first', D1: 'evt_first' } };
  const outcomesOf = (alert: TransactionAlert | undefined) =>
    alert?.outcomes.map(({ verb, state, text }) => `${verb} ${state} ${text}`);

  it('is shown there as paid, and as unpaid when the payment goes back', async () => {
    const account = await resolveAmong(paid({ networkTransactionId: '77' }), [leader, repeat]);

    expect(outcomesOf(account.alertOf('evt_first'))).toEqual(['repeat-paid done $84.10 at Blue Bottle Coffee']);
    expect(account.updated).toEqual([declined.event.id, 'evt_first']);

    const over = { id: 'evt_back', kind: 'reversal', networkTransactionId: '77' } as const;
    const back = paid({ ...over, occurredAt: '2026-11-20T14:40:00Z' });
    for (const event of [paid({ networkTransactionId: '77' }), back]) await account.store({ ...declined, event });
    await account.receive(back);
    expect(outcomesOf(account.alertOf('evt_first'))).toEqual(['repeat-paid failed $84.10 at Blue Bottle Coffee']);
  });

  it('leaves the other purchase to its own payment', async () => {
    const account = await resolveAmong(paid(), [leader, repeat]);
    const { merchant, amountCents } = leader.event;

    const own = { merchant, amountCents, requestedCents: null, networkTransactionId: '78' };
    await account.receive(paid({ id: 'evt_paid2', ...own, occurredAt: '2026-11-20T14:30:00Z' }));

    expect(account.paidBy()).toEqual({ evt_first: '14:30', [declined.event.id]: '14:21' });
  });

  it('is not shown a second time on an attempt at the same purchase', async () => {
    const first = { ...declined, event: { ...declined.event, id: 'evt_first' } };
    const account = await resolveAmong(paid(), [first, repeat]);

    expect(outcomesOf(account.alertOf('evt_first'))).toEqual(['paid done ']);
  });
});
