import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/actions/action-state.ts';
import type { TransactionAlert } from '../../../src/alerts/alert.ts';
import { createCardHistory } from '../../../src/alerts/card-history.ts';
import { createResolveDeclines } from '../../../src/alerts/resolve-declines.ts';
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
  { meanwhile = null, approvers = [] }: { meanwhile?: TransactionAlert | null; approvers?: string[] } = {},
) {
  const history = createCardHistory(redis());
  const alerts = new Map(stored.map((alert) => [alert.event.id, alert]));
  for (const { event: each } of stored) {
    const kind = each.kind === 'decline' ? 'declines' : 'payments';
    await history.addAlert(each.acctId, kind, each.id, Date.parse(each.occurredAt));
  }
  const shown: string[] = [];
  const told: string[] = [];
  const resolveDeclines = createResolveDeclines({
    history,
    alerts: { get: async (id) => alerts.get(id) ?? null },
    async withLock(name, work) {
      expect(name).toBe(`account:${event.acctId}`);
      if (meanwhile !== null) alerts.set(meanwhile.event.id, meanwhile);
      return await work({ confirm: async () => {} });
    },
    approversOf: async () => approvers,
    showOutcome: async (alertId, id, { verb, at }) => void shown.push(`${alertId} ${id} ${verb} ${at}`),
    notifyDirectly: async (userId, id, { text }) => void told.push(`${userId} ${id} ${text}`),
  });
  await resolveDeclines(event);
  return { shown, told };
}

it('shows on the decline that its retry was paid, and notifies the approver with the time it took', async () => {
  const { shown, told } = await resolve(paid(), { ...declined, outcomes: [approved] });

  expect(shown).toEqual([`${declined.event.id} paid-evt_paid paid 2026-11-20T14:21:00Z`]);
  expect(told).toHaveLength(1);
  expect(told[0]).toContain(
    `U0ANA paid-${declined.event.id} Paid: $84.10 at Blue Bottle Coffee, Jane Doe · card 1212.`,
  );
  expect(told[0]).toMatch(/Approved by <@U0ANA>, paid at .*7 minutes/);
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

describe('does not count as a retry:', () => {
  it.each<[string, Partial<TransactionEvent>]>([
    ['a purchase elsewhere', { merchant: { ...declined.event.merchant, name: 'Corner Diner' } }],
    ['a purchase of a very different amount', { amountCents: 300 }],
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
