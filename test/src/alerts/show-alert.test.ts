import { expect, it } from 'vitest';
import { createShowAlert } from '../../../src/alerts/show-alert.ts';
import { batchMessage } from '../../../templates/outbox/batch.ts';
import { transactionAlert } from '../../templates/fixtures.ts';

const alert = transactionAlert();

function show(holdersChannel: string | null, at = alert.event.receivedAt) {
  return createShowAlert({
    alerts: { get: async () => alert },
    visibilityOf: async (channel) => (channel.startsWith('D') ? 'direct' : 'public'),
    isOfHolder: async (channel, acctId) => acctId === alert.event.acctId && channel === holdersChannel,
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
