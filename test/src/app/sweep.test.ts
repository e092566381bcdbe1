import { expect, it } from 'vitest';
import type { WorkerParts } from '../../../src/app/compose-worker.ts';
import { sweep } from '../../../src/app/sweep.ts';
import { createClaims, type OpenClaim } from '../../../src/holders/claim-store.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask, byCommand } from '../../support/perform-world.ts';

const redis = useRedis();
const none = async (): Promise<never[]> => [];

/** A worker with nothing left lying but these claims. @returns the claims that were woken. */
async function swept(claims: ReturnType<typeof createClaims>): Promise<string[]> {
  const woken: string[] = [];
  const parts = {
    queues: { queue: (name: string) => ({ name }), endClaim: async (id: string) => void woken.push(id) },
    outbox: { channels: none },
    temporaryChanges: { all: none },
    confirmations: { all: none },
    requests: { open: none },
    actionDeps: { routing: { mutes: { inForce: none, ended: none }, quietHours: { all: none } } },
    claims,
    now: () => new Date(),
  };
  await sweep(parts as unknown as WorkerParts, redis());
  return woken;
}

it('a claim whose end nobody was woken for is ended by the sweep; one whose time is not over is left alone', async () => {
  const claims = createClaims(redis());
  const claim = (id: string, endsInMs: number): OpenClaim => ({
    id,
    action: ask('claim', byCommand),
    acctIds: [],
    state: 'open',
    expiresAt: new Date(Date.now() + endsInMs).toISOString(),
  });
  await claims.save(claim('clm_late', -60_000));
  await claims.save(claim('clm_waits', 600_000));
  await claims.save({
    ...claim('clm_decided', -60_000),
    state: 'refused',
    decision: { actionId: 'act_no', by: 'U0ANA', at: new Date().toISOString() },
  });

  expect(await swept(claims)).toEqual(['clm_late']);
});
