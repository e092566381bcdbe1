import { expect, it, vi } from 'vitest';
import { OutboxEntry } from '../../../src/outbox/entry.ts';
import { createMeasurePosted } from '../../../src/outbox/record-posted.ts';
import { transactionAlert } from '../../templates/fixtures.ts';

const alert = transactionAlert({});
const afterwards = new Date(Date.parse(alert.event.receivedAt) + 2_500);
const entry = (more: object = {}): OutboxEntry =>
  OutboxEntry.parse({ kind: 'tracked', id: 'e1', subject: { kind: 'alert', id: 'evt_1' }, ...more });

async function measured(entries: readonly OutboxEntry[], isStored = true) {
  const alertPosted = vi.fn<(kind: string, durationMs: number) => void>();
  const { kind, receivedAt } = alert.event;
  const alerts = { arrivalOf: async () => (isStored ? { kind, receivedAt } : null) };
  await createMeasurePosted({ alerts, alertPosted, now: () => afterwards })(entries);
  return alertPosted.mock.calls;
}

it("measures from the webhook's arrival, by kind of event", async () => {
  expect(await measured([entry()])).toEqual([[alert.event.kind, 2_500]]);
});

it('measures every alert of a message that shows several', async () => {
  expect(await measured([entry(), entry({ id: 'e2' })])).toHaveLength(2);
});

it.each([
  ['was backfilled after a gap', { late: true }],
  ['was held for quiet hours', { notBefore: 1 }],
  ["goes to the card's holder", { audience: 'holder' }],
  ['is about a request', { subject: { kind: 'request', id: 'req_1' } }],
])('does not measure an entry that %s', async (_case, more) => {
  expect(await measured([entry(more)])).toEqual([]);
});

it('does not measure an alert that no longer exists', async () => {
  expect(await measured([entry()], false)).toEqual([]);
});
