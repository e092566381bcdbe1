import { describe, expect, it } from 'vitest';
import { askForRaise, askForSubscription, requestIncrease } from '../../../handlers/approvals/ask-for-raise.ts';
import { formInput } from '../../../templates/limits/form-inputs.ts';
import { transactionAlert } from '../../templates/fixtures.ts';

interface Input {
  action_id: string;
  initial_value?: string;
  initial_option?: { text: { text: string } };
  initial_date?: string;
}

/** Presses *Ask for more*. @returns the form. */
async function formOpened(listener: typeof requestIncrease, amountCents = 8410) {
  const opened: { blocks: { element?: Input }[] }[] = [];
  const deps = {
    alerts: { get: async () => transactionAlert({ amountCents }) },
    pending: { put: async () => 'p_1' },
    today: () => '2026-11-20',
    openView: async (_trigger: string, view: (typeof opened)[0]) => void opened.push(view),
    seals: { reply: { seal: (url: string) => url } },
    requestAction: async ({ input }: { input: () => Promise<unknown> }) => void (await input()),
  };
  const body = {
    trigger_id: 't1',
    user: { id: 'U1' },
    team: { id: 'T1' },
    actions: [{ type: 'button', value: 'evt_0123456789abcdef', action_ts: '1.2' }],
    channel: { id: 'D1' },
    container: { type: 'message', channel_id: 'D1', message_ts: '1.1' },
    message: { ts: '1.1' },
    response_url: 'https://hooks.slack.test/1',
  };
  await listener(deps as never)({ ack: async () => {}, body } as never);
  const inputs = opened[0]?.blocks.flatMap(({ element }) => element ?? []) ?? [];
  const inputOf = (name: string) => inputs.find(({ action_id }) => action_id === name);
  return { inputOf, text: JSON.stringify(opened[0]?.blocks) };
}

/** Submits the form. @returns the error next to the amount. */
async function errorOf(amount: string): Promise<string | undefined> {
  const acked: ({ errors: Record<string, string> } | undefined)[] = [];
  const form = { kind: 'ask', alertId: 'evt_1', words: [], channel: 'D1', messageTs: null };
  const deps = { pending: { get: async () => form }, today: () => '2026-11-20', requestAction: async () => {} };
  const values = {
    amount: { [formInput.amount]: { value: amount } },
    term: { [formInput.term]: { selected_option: { value: JSON.stringify({ kind: 'purchase' }) } } },
    reason: { [formInput.reason]: { value: 'A hotel' } },
  };
  const args = {
    ack: async (answer?: (typeof acked)[0]) => void acked.push(answer),
    body: { view: { id: 'V1' }, user: { id: 'U1' }, team: { id: 'T1' } },
    view: { private_metadata: 'p_1', state: { values } },
  };
  await askForRaise(deps as never)(args as never);
  return acked[0]?.errors['amount'];
}

describe('asking for more on a decline', () => {
  it('fills in what was declined, but no zero: a card check does not say what the person wants to pay', async () => {
    const amountFilledIn = async (cents: number) =>
      (await formOpened(requestIncrease, cents)).inputOf(formInput.amount)?.initial_value;

    expect(await amountFilledIn(8410)).toBe('84.10');
    expect(await amountFilledIn(0)).toBeUndefined();
  });

  it('suggests one purchase on a decline, and on the warning of a subscription the time until after the next charge', async () => {
    const decline = await formOpened(requestIncrease);
    const warning = await formOpened(askForSubscription);

    expect(decline.inputOf(formInput.term)?.initial_option?.text.text).toMatch(/^This purchase only/);
    expect(decline.text).not.toContain('subscription');
    expect(warning.inputOf(formInput.term)?.initial_option?.text.text).toBe('Until the end of the day below');
    expect(warning.inputOf(formInput.day)?.initial_date).toBe('2026-12-21');
    expect(warning.text).toContain('A subscription is charged again on another day: choose until when.');
  });

  it.each([
    ['a lot', 'Write dollars such as 84.10 or 1,250.'],
    ['0.00', 'Enter an amount above $0.'],
    ['84.10', undefined],
  ])('with %s as the amount', async (amount, error) => {
    expect(await errorOf(amount)).toBe(error);
  });
});
