import { expect, it } from 'vitest';
import { intakeKey } from '../../../src/core/keys.ts';
import { createRecoveries } from '../../../src/recovery/recovery-store.ts';
import { createNoteArrival, isSent } from '../../../src/recovery/sent-kinds.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const nowMs = Date.parse('2026-11-20T12:00:00Z');

it('takes a kind for sent if one of its webhooks has arrived, and declines always', async () => {
  const recoveries = createRecoveries(redis());
  const noteArrival = createNoteArrival(recoveries, () => new Date(nowMs));
  for (const kind of ['settlement', 'card-status'] as const) await noteArrival({ kind });

  const sent = await Promise.all(
    (['decline', 'settlement', 'reversal', 'authorization', 'pin'] as const).map((kind) => isSent(kind, recoveries)),
  );

  expect(sent).toEqual([true, true, false, false, false]);
  expect(await redis().ttl(intakeKey('recovery:webhooks-settlement'))).toBeGreaterThan(29 * 24 * 3600);
});

it('notes the arrival of a kind once an hour', async () => {
  const written: string[] = [];
  let atMs = nowMs;
  const noteArrival = createNoteArrival({ write: async (id) => void written.push(id) }, () => new Date(atMs));

  for (atMs of [nowMs, nowMs + 3_599_000, nowMs + 3_600_000]) await noteArrival({ kind: 'pin' });
  await noteArrival({ kind: 'reversal' });

  expect(written).toEqual(['webhooks-pin', 'webhooks-pin', 'webhooks-reversal']);
});
