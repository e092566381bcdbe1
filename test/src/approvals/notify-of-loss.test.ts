import { expect, it } from 'vitest';
import { createNotifyOfLoss } from '../../../src/approvals/notify-of-loss.ts';
import type { ApprovalRequest } from '../../../src/approvals/request.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { openRequestOf } from '../../support/limit-requests.ts';
import { ask } from '../../support/perform-world.ts';
import { temporaryChangeOf } from '../../support/temporary-changes.ts';
import { card } from '../../templates/fixtures.ts';

/** Who is told that somebody took back what Ana approved for Hugo. */
async function toldBy(
  by: string,
  { request = openRequestOf(), isHeld = true, requestId = 'req_ask1' as string | null } = {},
): Promise<string[]> {
  const told: string[] = [];
  const notifyOfLoss = createNotifyOfLoss({
    requests: { get: async (): Promise<ApprovalRequest> => request },
    links: { isHeldBy: async () => isHeld },
    notifyDirectly: async (userId, id) => void told.push(`${userId} ${id}`),
    factsOf: async () => card,
  });
  const raise = temporaryChangeOf({ requestId });
  await notifyOfLoss({ raise, by, goals: [limitGoal('daily', 40_000)], term: null });
  return told;
}

it('tells the holder and the approver, but not whoever did it', async () => {
  expect(await toldBy('U0OTTO')).toEqual(['U0HUGO lost-act_1', 'U0ANA lost-act_1']);
  expect(await toldBy('U0ANA')).toEqual(['U0HUGO lost-act_1']);
  expect(await toldBy('U0HUGO')).toEqual(['U0ANA lost-act_1']);
});

it('tells everybody who approved it', async () => {
  const approvals = ['U0BEN', 'U0ANA'].map((by) => ({ by, at: '2026-11-20T15:00:00.000Z', actionId: `act_${by}` }));

  expect(await toldBy('U0OTTO', { request: openRequestOf({ approvals }) })).toEqual([
    'U0HUGO lost-act_1',
    'U0BEN lost-act_1',
    'U0ANA lost-act_1',
  ]);
});

it('tells no holder who no longer holds the card', async () => {
  expect(await toldBy('U0OTTO', { isHeld: false })).toEqual(['U0ANA lost-act_1']);
});

it('tells nobody of a change that no holder asked for', async () => {
  expect(await toldBy('U0OTTO', { request: openRequestOf({ action: ask('limit') }) })).toEqual([]);
  expect(await toldBy('U0OTTO', { requestId: null })).toEqual([]);
});
