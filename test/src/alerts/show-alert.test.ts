import { expect, it } from 'vitest';
import type { TransactionAlert } from '../../../src/alerts/alert.ts';
import { atLastTry, createShowAlert } from '../../../src/alerts/show-alert.ts';
import { renderAlert } from '../../../templates/alerts/alert.ts';
import { renderHolderAlert } from '../../../templates/holders/holder-alert.ts';
import { batchMessage } from '../../../templates/outbox/batch.ts';
import { limitRaise, remedyOf } from '../../support/limit-goals.ts';
import { declined, outcome, transactionAlert } from '../../templates/fixtures.ts';
import { shown } from '../../templates/shown.ts';

const alert = transactionAlert();

function show(holdersChannel: string | null, at = alert.event.receivedAt) {
  return createShowAlert({
    alerts: { get: async () => alert },
    visibilityOf: async (channel) => (channel.startsWith('D') ? 'direct' : 'public'),
    isOfHolder: async (channel, acctId) => acctId === alert.event.acctId && channel === holdersChannel,
    personOf: async () => 'U0SAM',
    isLong: async () => false,
    notifyOps: async () => {},
    now: () => new Date(at),
  });
}

const toHolder = { channel: 'D0SAM', audience: 'holder' } as const;

it('shows a holder’s message only in the conversation of the current holder', async () => {
  expect(await show('D0SAM').render(alert.event.id, toHolder)).toMatchObject({
    text: expect.stringMatching(/^Your card 1212/),
  });
  expect(await show('D0LENA').render(alert.event.id, toHolder), 'linked to someone else').toBeNull();
  expect(await show(null).render(alert.event.id, toHolder), 'unlinked').toBeNull();
});

it('shows the team’s message in any channel, also in a direct conversation', async () => {
  for (const channel of ['C0DECLINES', 'D0TRAVELER'])
    expect(await show(null).render(alert.event.id, { channel, audience: 'team' })).not.toBeNull();
});

it('shows the day of a decline that is posted long after it happened, alone and in a list', async () => {
  const today = '<!date^1795184040^{time}|';
  const withDay = '<!date^1795184040^{date_short_pretty} at {time}|';
  const shownAt = async (at: string): Promise<string> => {
    const { render, rowsOf } = show('D0SAM', at);
    const [row, next] = await rowsOf(['evt_a', 'evt_b'], 'C0DECLINES');
    if (row === undefined || next === undefined) throw new Error('no rows');
    return JSON.stringify([
      await render(alert.event.id, { channel: 'C0DECLINES', audience: 'team' }),
      await render(alert.event.id, toHolder),
      batchMessage({ rows: [row, next], why: 'held', form: 'list', hasChart: false }),
    ]);
  };
  const count = (text: string, token: string): number => text.split(token).length - 1;

  expect(count(await shownAt('2026-11-20T23:00:00Z'), today)).toBe(4);
  expect(count(await shownAt('2026-11-23T14:14:00Z'), today)).toBe(0);
  expect(count(await shownAt('2026-11-23T14:14:00Z'), withDay)).toBe(4);
});

/** Friday, November 20, 2026, at 11:58 PM and 12:01 AM Eastern time. */
const [beforeMidnight, afterMidnight] = ['2026-11-21T04:58:00Z', '2026-11-21T05:01:00Z'];
const over = (id: string, at: string, left: number): TransactionAlert =>
  transactionAlert(
    { id, occurredAt: at, receivedAt: at, amountCents: 14_500, availableCents: left },
    { remedy: remedyOf(limitRaise('daily', 15_000, 15_000 - left + 14_500, { remainingCents: left })) },
  );
const last = over('evt_0000000000000002', afterMidnight, 500);
const repeats = {
  count: 2,
  firstAt: beforeMidnight,
  lastAt: afterMidnight,
  minCents: 14_500,
  maxCents: 14_500,
};
const first: TransactionAlert = {
  ...over('evt_0000000000000001', beforeMidnight, 2_000),
  repeats: { C1: repeats },
  newest: { C1: 'evt_0000000000000002' },
};
const alerts = { get: async (id: string) => (id === 'evt_0000000000000002' ? last : null) };
const view = { place: 'private', channel: 'C1' } as const;

it('shows the numbers of the last try with its time, and the message of the first', async () => {
  const alert = await atLastTry(first, 'C1', alerts);
  const text = shown(renderAlert(alert, view).blocks);
  const long = shown(renderAlert(alert, { ...view, isLong: true }).blocks);
  const toHolder = JSON.stringify(renderHolderAlert(alert, view)?.blocks);

  expect(alert.event.id).toBe('evt_0000000000000001');
  expect(text).toContain('Declined 2 times: $145.00');
  expect(text).toContain('$140.00 more than the $5.00 left. ');
  expect(text).toContain('|Resets Nov 22, 2026, 12:00 AM ET>');
  expect(long).toContain('at least $290.00');
  expect(toHolder).toContain('pay $5.00 or less');
});

it('counts the time to the payment from the first try', async () => {
  const paid = outcome({ verb: 'paid', by: null, at: '2026-11-21T05:05:00Z' });
  const alert = await atLastTry({ ...first, outcomes: [paid] }, 'C1', alerts);

  expect(shown(renderAlert(alert, view).blocks)).toContain('7 minutes after the decline');
});

it.each<[string, TransactionAlert, string]>([
  ['in a channel without repeats', first, 'C2'],
  ['while the last try is not known', { ...first, newest: { C1: 'evt_0000000000000003' } }, 'C1'],
  ['if another try is the last', { ...first, repeats: { C1: { ...repeats, lastAt: '2026-11-21T05:09:00Z' } } }, 'C1'],
  ['for a blocked card, which has no numbers', { ...first, remedy: { kind: 'unblock' } }, 'C1'],
  ['without repeats', declined('decline', ''), 'C1'],
])('shows the first try %s', async (_what, alert, channel) => {
  expect(await atLastTry(alert, channel, alerts)).toBe(alert);
});
