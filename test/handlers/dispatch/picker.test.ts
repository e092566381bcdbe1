import { expect, it } from 'vitest';
import { pickCard } from '../../../handlers/dispatch/picker.ts';
import type { Role } from '../../../src/policy/decide-action.ts';
import { accountOf } from '../../support/directories.ts';
import { buttonIds } from '../../templates/shown.ts';

/** Picks a card. @returns the buttons that the form shows then. */
async function controls(status: 'ACTIVE' | 'BLOCKED', roles: readonly Role[]): Promise<string[]> {
  const shown: { blocks: Parameters<typeof buttonIds>[0] }[] = [];
  const cards = [{ cardId: 1, last4: '1111', status, seenAt: '2026-11-20T00:00:00Z' }];
  const origin = { kind: 'command', channel: 'C1', messageTs: null, reply: null, replace: false };
  const deps = {
    seals: { card: { open: () => ({ acctId: 7378, cardId: 1 }) } },
    rolesForCard: async () => ({ roles, isComplete: true }),
    pending: { get: async () => ({ kind: 'place', origin }), put: async () => 'p_2' },
    directory: { account: async () => accountOf({ cards }) },
    updateView: async (_place: unknown, view: (typeof shown)[0]) => void shown.push(view),
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
