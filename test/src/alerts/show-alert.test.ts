import { expect, it } from 'vitest';
import { createShowAlert } from '../../../src/alerts/show-alert.ts';
import { transactionAlert } from '../../templates/fixtures.ts';

const alert = transactionAlert();

function show(holdersChannel: string | null) {
  return createShowAlert({
    alerts: { get: async () => alert },
    visibilityOf: async (channel) => (channel.startsWith('D') ? 'direct' : 'public'),
    isOfHolder: async (channel, acctId) => acctId === alert.event.acctId && channel === holdersChannel,
    isLong: async () => false,
    notifyOps: async () => {},
  });
}

const toHolder = { channel: 'D0SAM', audience: 'holder' } as const;

it('shows a holder’s message only in the conversation of the current holder', async () => {
  expect(await show('D0SAM').render(alert, toHolder)).toMatchObject({ text: expect.stringMatching(/^Your card 1212/) });
  expect(await show('D0LENA').render(alert, toHolder), 'linked to someone else').toBeNull();
  expect(await show(null).render(alert, toHolder), 'unlinked').toBeNull();
});

it('shows the team’s message in any channel, also in a direct conversation', async () => {
  for (const channel of ['C0DECLINES', 'D0TRAVELER'])
    expect(await show(null).render(alert, { channel, audience: 'team' })).not.toBeNull();
});
