import { expect, it } from 'vitest';
import type { RecordEntry } from '../../../src/actions/record.ts';
import { createLooks, createRecordLook } from '../../../src/actions/record-limits.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask } from '../../support/perform-world.ts';

const redis = useRedis();

function createWorld() {
  const entries: RecordEntry[] = [];
  const record = async (_action: unknown, entry: RecordEntry): Promise<void> => void entries.push(entry);
  const recordLook = createRecordLook({ looks: createLooks(redis()), record });
  const look = (id: string, acctId: number | null, alertId: string) =>
    recordLook(ask('acknowledge', { id, target: { kind: 'alert', alertId } }), {
      acctId,
      cardId: null,
      seen: 'details',
    });
  return { look, entries };
}

it('is on record once an hour for each card, whichever alert showed it', async () => {
  const { look, entries } = createWorld();

  await look('act_1', 7, 'evt_1');
  await look('act_2', 7, 'evt_2');
  await look('act_3', 8, 'evt_3');

  expect(entries).toEqual([
    { event: 'asked', acctId: 7, cardId: null, detail: 'details' },
    { event: 'asked', acctId: 8, cardId: null, detail: 'details' },
  ]);
});

it('is on record for each alert that concerns no card', async () => {
  const { look, entries } = createWorld();

  await look('act_1', null, 'evt_1');
  await look('act_2', null, 'evt_2');
  await look('act_3', null, 'evt_2');

  expect(entries).toHaveLength(2);
});
