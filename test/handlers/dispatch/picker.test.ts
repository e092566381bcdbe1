import { expect, it } from 'vitest';
import { actOnPicked, pickCard } from '../../../handlers/dispatch/picker.ts';
import { SlackError } from '../../../src/core/errors.ts';
import type { Role } from '../../../src/policy/decide-action.ts';
import { accountOf } from '../../support/directories.ts';
import { buttonIds } from '../../templates/shown.ts';

/** Picks a card. @returns the buttons that the form shows then. */
async function controls(
  status: 'ACTIVE' | 'BLOCKED',
  roles: readonly Role[],
  failure: SlackError | null = null,
): Promise<string[]> {
  const shown: { blocks: Parameters<typeof buttonIds>[0] }[] = [];
  const cards = [{ cardId: 1, last4: '1111', status, seenAt: '2026-11-20T00:00:00Z' }];
  const origin = { kind: 'command', channel: 'C1', messageTs: null, reply: null, replace: false };
  const deps = {
    seals: { card: { open: () => ({ acctId: 7378, cardId: 1 }) } },
    rolesForCard: async () => ({ roles, isComplete: true }),
    pending: { get: async () => ({ kind: 'place', origin }), put: async () => 'p_2' },
    directory: { account: async () => accountOf({ cards }) },
    async updateView(_place: unknown, view: (typeof shown)[0]) {
      if (failure !== null) throw failure;
      shown.push(view);
    },
    requestAction: async ({ input }: { input: () => Promise<unknown> }) => void (await input()),
  };
  const body = {
    view: { id: 'V1', hash: 'h1', private_metadata: 'p_1' },
    user: { id: 'U1' },
    team: { id: 'T1' },
    actions: [{ type: 'external_select', selected_option: { value: 'sealed' } }],
  };
  await pickCard(deps as never)({ ack: async () => {}, body } as never);
  return buttonIds(shown.flatMap(({ blocks }) => blocks));
}

it('offers nobody to unblock their own card, because that is always refused', async () => {
  expect(await controls('BLOCKED', ['approver'])).toEqual(['picked_show', 'picked_unblock', 'picked_limit']);
  expect(await controls('BLOCKED', ['approver', 'holder'])).toEqual(['picked_show', 'picked_limit']);
  expect(await controls('ACTIVE', ['holder'])).toEqual(['picked_show', 'picked_block']);
});

/** A press of *Block card* in the picker. @returns what was requested. */
async function pressBlock(updateView: (form: object) => Promise<void>): Promise<unknown[]> {
  const asked: unknown[] = [];
  const origin = { kind: 'command', channel: 'C1', messageTs: null, reply: null, replace: false };
  const target = { kind: 'card', acctId: 7378, cardId: 1, alertId: null };
  const choice = { verb: 'block', target, reason: '', actor: { userId: 'U1', teamId: 'T1' }, origin, input: {} };
  const deps = {
    pending: { get: async () => ({ kind: 'choice', choice }) },
    updateView,
    requestAction: async (ask: unknown) => void asked.push(ask),
    log: { warn() {} },
  };
  const body = {
    view: { id: 'V1', hash: 'h1', private_metadata: 'p_1' },
    user: { id: 'U1' },
    team: { id: 'T1' },
    actions: [{ type: 'button', value: 'p_2' }],
  };
  await actOnPicked(deps as never)({ ack: async () => {}, body } as never);
  return asked;
}

it('does not fail once the action is requested, although its form cannot say so', async () => {
  const silent = new SlackError('views.update', 'unknown', 'no_answer');

  expect(await pressBlock(() => Promise.reject(silent))).toHaveLength(1);
});

it('shows the latest choice, although an earlier one has changed the form meanwhile', async () => {
  const forms: object[] = [];
  await pressBlock(async (form) => void forms.push(form));

  expect(forms).toEqual([{ viewId: 'V1' }]);
});

it('fails if a choice cannot be shown, unless the form is closed by now', async () => {
  const failed = (code: string) => controls('ACTIVE', ['operator'], new SlackError('views.update', 'refused', code));

  await expect(failed('fatal')).rejects.toThrow('fatal');
  expect(await failed('not_found')).toEqual([]);
});

it('shows a refusal in the form that waits for the limits, or tells the person if that is closed', async () => {
  const shown: object[] = [];
  const told: object[] = [];
  let isClosed = false;
  const origin = { kind: 'command', channel: 'C1', messageTs: null, reply: null, replace: false };
  const target = { kind: 'card', acctId: 7378, cardId: 1, alertId: null };
  const choice = { verb: 'show', target, reason: '', actor: { userId: 'U1', teamId: 'T1' }, origin, input: {} };
  const refusal = { text: 'Not done', blocks: [{ type: 'divider' }] };
  const deps = {
    pending: { get: async () => ({ kind: 'choice', choice }) },
    pushView: async () => ({ viewId: 'V2', hash: 'h2' }),
    async updateView(form: object, { blocks }: { blocks: object[] }) {
      if (isClosed) throw new SlackError('views.update', 'refused', 'not_found');
      shown.push({ ...form, blocks });
    },
    postEphemeral: async (_channel: string, _userId: string, message: object) => void told.push(message),
    requestAction: async ({ notify }: { notify: (message: object) => Promise<void> }) => await notify(refusal),
    log: { warn() {} },
  };
  const body = {
    view: { id: 'V1', hash: 'h1', private_metadata: 'p_1' },
    user: { id: 'U1' },
    team: { id: 'T1' },
    actions: [{ type: 'button', value: 'p_2' }],
  };
  const press = () => actOnPicked(deps as never)({ ack: async () => {}, body } as never);
  await press();
  isClosed = true;
  await press();

  expect(shown).toEqual([{ viewId: 'V2', hash: 'h2', blocks: refusal.blocks }]);
  expect(told).toEqual([refusal]);
});
