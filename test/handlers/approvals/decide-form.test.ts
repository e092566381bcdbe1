import { expect, it } from 'vitest';
import { openDecideForm, submitDecideForm } from '../../../handlers/approvals/decide-form.ts';
import { approvalPolicyOf } from '../../../src/policy/approval-policy.ts';
import { limitChange } from '../../support/limit-goals.ts';
import { openRequestOf } from '../../support/limit-requests.ts';

const daily = limitChange('daily', 40_000, 90_000);
const weekly = limitChange('weekly', 60_000, 95_000);

/** Submits *Change and approve*. @param typed the amounts, by input, of the limits that the form shows. */
async function submit(changes: readonly (typeof daily)[], typed: Readonly<Record<string, string>>) {
  const asked: unknown[] = [];
  const acked: unknown[] = [];
  const form = {
    kind: 'decide',
    requestId: 'req_ask1',
    revision: 0,
    purpose: 'change',
    channel: 'C1',
    messageTs: '1.1',
  };
  const deps = {
    pending: { get: async () => form },
    requests: { get: async () => openRequestOf({ changes }) },
    today: () => '2026-11-20',
    requestAction: async (ask: { input: { changeRequest: { goals: unknown } } }) =>
      void asked.push(ask.input.changeRequest.goals),
  };
  const amounts = Object.entries(typed).map(([action, value]) => [`block-${action}`, { [action]: { value } }] as const);
  const values = {
    term: { term: { selected_option: { value: JSON.stringify({ kind: 'duration', ms: 3_600_000 }) } } },
    reason: { reason: { value: null } },
    ...Object.fromEntries(amounts),
  };
  const args = {
    ack: async (answer?: { errors: unknown }) => void acked.push(answer?.errors),
    body: { view: { id: 'V1' }, user: { id: 'U0ANA' }, team: { id: 'T1' } },
    view: { private_metadata: 'p_1', state: { values } },
  };
  await submitDecideForm(deps as unknown as Parameters<typeof submitDecideForm>[0])(args as never);
  return { asked, errors: acked[0] };
}

/** Presses a button that opens a form. @returns the titles of the opened forms, and why none was opened. */
async function press(
  purpose: 'override' | 'deny',
  bands: { upToCents: number | null; approvals: number }[],
  by = 'U0OLGA',
) {
  const opened: string[] = [];
  const refused: string[] = [];
  const deps = {
    requests: { get: async () => openRequestOf() },
    pending: { put: async () => 'p_1' },
    policyFor: () => ({ ...approvalPolicyOf({ twoPersonAboveCents: 0 }), bands }),
    today: () => '2026-11-20',
    openView: async (_trigger: string, view: { title: { text: string } }) => void opened.push(view.title.text),
    seals: { reply: { seal: (url: string) => url } },
    async requestAction({ input }: { input: () => Promise<{ kind: string; why?: string }> }) {
      const prepared = await input();
      if (prepared.kind === 'refused') refused.push(prepared.why ?? '');
    },
  };
  const body = {
    user: { id: by, team_id: 'T1' },
    team: { id: 'T1' },
    trigger_id: 't1',
    channel: { id: 'C1' },
    message: { ts: '1.1' },
    container: {},
    actions: [{ action_id: 'override', value: 'req_ask1', type: 'button' }],
  };
  const listener = openDecideForm(purpose)(deps as unknown as Parameters<ReturnType<typeof openDecideForm>>[0]);
  await listener({ ack: async () => {}, body } as never);
  return { opened, refused };
}

it('opens no emergency override where the policy lets nobody raise a limit alone', async () => {
  const two = { upToCents: null, approvals: 2 };
  const never = 'The policy lets nobody raise the limits of this card alone, so the emergency override cannot either.';

  expect(await press('override', [two])).toEqual({ opened: [], refused: [never] });
  expect(await press('override', [{ upToCents: 100_000, approvals: 1 }, two])).toEqual({
    opened: ['Emergency override'],
    refused: [],
  });
  expect((await press('deny', [two])).opened).toEqual(['Deny with a note']);
});

it('opens no emergency override for whoever asked, or holds the card', async () => {
  const alone = { upToCents: null, approvals: 1 };
  const own = 'You can’t use the emergency override for your own request.';

  expect(await press('override', [alone], 'U0HUGO')).toEqual({ opened: [], refused: [own] });
});

const both = { 'amount:daily': '500', 'amount:weekly': '700' };

it('asks for the typed amounts of the limits that are still to be raised', async () => {
  const goals = [
    { rule: daily.rule, to: 50_000 },
    { rule: weekly.rule, to: 70_000 },
  ];
  expect(await submit([daily, weekly], both)).toEqual({ asked: [goals], errors: undefined });
  expect(await submit([weekly], both)).toEqual({ asked: [goals.slice(1)], errors: undefined });
  expect(await submit([daily], { amount: '500' })).toEqual({ asked: [goals.slice(0, 1)], errors: undefined });
});

it('says which amount cannot be read, and that the form is too old', async () => {
  expect((await submit([daily, weekly], { ...both, 'amount:weekly': 'lots' })).errors).toEqual({
    'block-amount:weekly': 'Write dollars such as 450 or 1,250.50.',
  });
  expect((await submit([daily, weekly], { amount: '500' })).errors).toEqual({
    reason: 'The request was changed since you opened this form. Close it and look again.',
  });
});
