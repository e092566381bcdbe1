import { expect, it } from 'vitest';
import type { Enqueue } from '../../../src/app/enqueue.ts';
import { createSweep } from '../../../src/app/maintenance.ts';
import { createClaims, type OpenClaim } from '../../../src/holders/claim-store.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask, byCommand } from '../../support/perform-world.ts';
import { storeSigner } from '../../support/store-signer.ts';
import { temporaryChangeOf } from '../../support/temporary-changes.ts';

const redis = useRedis();
const none = async (): Promise<never[]> => [];

interface Added {
  readonly name: string;
  readonly data: object;
  readonly id?: string;
}

/** The jobs that the sweep adds if only the given work is left over. */
async function swept(
  left: Partial<Parameters<typeof createSweep>[0]['waiting']>,
  measureOverdue: (ms: number) => void = () => {},
): Promise<Added[]> {
  const added: Added[] = [];
  const enqueue: Enqueue = async (name, data, when) =>
    void added.push({ name, data, ...(when?.id !== undefined && { id: when.id }) });
  await createSweep({
    enqueue,
    now: () => new Date(),
    waiting: {
      outbox: { channels: none, waiting: async () => 0, dueAt: async () => null },
      temporaryChanges: { all: none },
      ruleWrites: { accounts: none },
      mutes: { inForce: none, ended: none },
      progress: { awaited: none },
      claims: { open: none },
      requests: { open: none },
      ...left,
    },
    hasEdits: async () => false,
    measureOverdue,
    keepTimers: async () => {},
    holdAsQuiet: async () => 0,
  })();
  return added;
}

it('ends an expired claim that lost its timer, and leaves an unexpired one open', async () => {
  const claims = createClaims(redis(), storeSigner);
  const claim = (id: string, endsInMs: number): OpenClaim => ({
    id,
    action: ask('claim', byCommand),
    card: { acctId: 7, isSameName: false, isSameEmail: false },
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

  expect(await swept({ claims })).toEqual([{ name: 'end-claim', data: { claimId: 'clm_late' } }]);
});

it('wakes outboxes with waiting messages', async () => {
  const outbox = {
    channels: async () => ['C0FULL', 'C0EMPTY'],
    waiting: async (channel: string) => (channel === 'C0FULL' ? 3 : 0),
    dueAt: async () => Date.now(),
  };

  expect(await swept({ outbox })).toEqual([{ name: 'flush-outbox', data: { channel: 'C0FULL' } }]);
});

it('measures how long ago the message of a channel that waits longest should have been posted, without direct messages', async () => {
  const dueMinutesAgo: Readonly<Record<string, number>> = { C0ONE: 3, C0OTHER: 8, G0PRIVATE: 7, D0PERSON: 90 };
  const measured: number[] = [];
  const outbox = {
    channels: async () => [...Object.keys(dueMinutesAgo), 'C0EMPTY'],
    waiting: async (channel: string) => (channel in dueMinutesAgo ? 1 : 0),
    dueAt: async (channel: string) => Date.now() - (dueMinutesAgo[channel] ?? 0) * 60_000,
  };

  await swept({ outbox }, (ms) => measured.push(ms));
  await swept({}, (ms) => measured.push(ms));

  expect(measured.map((ms) => Math.round(ms / 60_000))).toEqual([8, 0]);
});

it('looks again at an unconfirmed temporary change before its time is over, and leaves others that run alone', async () => {
  const endsAt = new Date(Date.now() + 3_600_000).toISOString();
  const running = temporaryChangeOf({ id: 'act_runs', endsAt });
  const unconfirmed = temporaryChangeOf({ id: 'act_late', endsAt, certainty: 'unconfirmed' });

  expect(await swept({ temporaryChanges: { all: async () => [running, unconfirmed] } })).toEqual([
    { name: 'end-temporary-change', data: { temporaryChangeId: 'act_late' }, id: 'temporary-change-act_late-now' },
  ]);
});
