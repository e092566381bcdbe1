import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { restoreBackup, takeBackup } from '../../../bin/backup/backup.ts';
import { claimFormat, FORMAT, RESTORING } from '../../../src/app/stored-format.ts';
import { intakeKey, QUEUE_PREFIX, queuePrefix, restoredKey, stateKey } from '../../../src/core/keys.ts';
import { createClaims } from '../../../src/holders/claim-store.ts';
import { createLinks } from '../../../src/holders/link-store.ts';
import { createTemporaryChanges } from '../../../src/limits/temporary-change-store.ts';
import { useRedis } from '../../support/on-redis.ts';
import { acctId, ask } from '../../support/perform-world.ts';
import { storeSigner } from '../../support/store-signer.ts';
import { temporaryChangeOf } from '../../support/temporary-changes.ts';

const redis = useRedis();
const now = (): Date => new Date();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cardbell-restore-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

let made = 0;
/** Backs up the content of Redis and empties it. */
async function backUp(): Promise<string> {
  made += 1;
  const file = join(folder, String(made));
  await takeBackup(redis(), file, now);
  await redis().flushall();
  return file;
}

it('restores every type of value unchanged, with its expiry', async () => {
  await claimFormat(redis());
  await redis().hset(stateKey('links'), 'U1', Buffer.from([0, 255, 10]));
  await redis().xadd(intakeKey('webhooks'), '1-1', 'entry', '{}');
  await redis().set(stateKey('alert:1'), 'x', 'EX', 100);
  const file = await backUp();

  const restored = await restoreBackup(redis(), file, now);

  expect(restored).toMatchObject({ keys: 3 });
  expect(await redis().hgetBuffer(stateKey('links'), 'U1')).toEqual(Buffer.from([0, 255, 10]));
  expect(await redis().xlen(intakeKey('webhooks'))).toBe(1);
  expect(await redis().ttl(stateKey('alert:1'))).toBeGreaterThan(60);
  expect(await redis().get(stateKey('format'))).toBe(String(FORMAT));
});

it('restores sharded data with the number of shards', async () => {
  await claimFormat(redis(), 16);
  await redis().xadd(intakeKey('webhooks', 7), '1-1', 'entry', '{}');
  await redis().set(`${queuePrefix(9)}:bursts:one`, 'x');
  const file = await backUp();

  expect(await restoreBackup(redis(), file, now)).toMatchObject({ keys: 2 });

  expect(await redis().xlen(intakeKey('webhooks', 7))).toBe(1);
  await claimFormat(redis(), 16);
  await expect(claimFormat(redis())).rejects.toThrow(/REDIS_SHARDS: expected 16/);
});

it('skips data that could change a card again, or that was decided since: queued actions, open requests and claims', async () => {
  const acting = [
    intakeKey('actions'),
    `${QUEUE_PREFIX}:actions:act_1`,
    `${QUEUE_PREFIX}:actions:wait`,
    stateKey('requests-open'),
    stateKey('request:req_1'),
    stateKey('claims-open'),
    stateKey('claim:clm_1'),
    stateKey('pending:p1'),
  ];
  const kept = [
    stateKey('claims-of:U1'),
    stateKey('performed:act_0'),
    stateKey('progress:act_0'),
    `${QUEUE_PREFIX}:alerts:wait`,
  ];
  for (const key of [...acting, ...kept]) await redis().set(key, 'x');
  const file = await backUp();

  expect(await restoreBackup(redis(), file, now)).toMatchObject({ keys: kept.length });

  expect(await redis().exists(...acting)).toBe(0);
  expect(await redis().exists(...kept)).toBe(kept.length);
});

it('does not let people decide about a card that they claimed, although the claim is left out', async () => {
  const action = ask('claim', { target: { kind: 'own' }, actor: { userId: 'U0HUGO', teamId: 'T1' } });
  const card = { acctId, isSameName: null, isSameEmail: null };
  const open = { id: 'clm_1', action, card, state: 'open', expiresAt: '2026-11-21T15:00:00.000Z' } as const;
  const over = { ...open, id: 'clm_2', card: { ...card, acctId: acctId + 1 }, state: 'expired' } as const;
  const claims = createClaims(redis(), storeSigner);
  await claims.save(open);
  await claims.save({ ...over, state: 'open' });
  await claims.save(over);
  const file = await backUp();

  await restoreBackup(redis(), file, now);

  const links = createLinks(redis(), now);
  expect(await links.wasHolderLately('U0HUGO', acctId)).toBe(true);
  expect(await links.wasHolderLately('U0HUGO', acctId + 1)).toBe(false);
  expect(await claims.get('clm_1')).toBeNull();
});

it('marks the temporary changes that were open, because people may have made them permanent since', async () => {
  const store = createTemporaryChanges(redis(), storeSigner);
  await store.save(temporaryChangeOf());
  const file = await backUp();

  await restoreBackup(redis(), file, now);
  await store.save(temporaryChangeOf({ id: 'act_later' }));

  expect(await store.get('act_1')).toMatchObject({ isFromBackup: true });
  expect(await store.get('act_later')).not.toHaveProperty('isFromBackup');
});

it('does not restore keys that expired since the backup', async () => {
  await redis().set(stateKey('lock:1'), 'x', 'PX', 60_000);
  const file = await backUp();

  await restoreBackup(redis(), file, () => new Date(Date.now() + 60_001));

  expect(await redis().exists(stateKey('lock:1'))).toBe(0);
});

it('marks that messages posted since the backup must be searched for, however late web and worker are started', async () => {
  await redis().set(stateKey('links'), 'x');
  const before = Date.now();
  const file = await backUp();

  await restoreBackup(redis(), file, now);

  expect(Number(await redis().get(restoredKey))).toBeGreaterThanOrEqual(before);
  expect(await redis().ttl(restoredKey), 'it does not expire').toBe(-1);
});

it('rejects a backup of another card program and changes nothing', async () => {
  await redis().set(stateKey('alert:1'), 'x');
  const file = await backUp();
  const eu = redis().duplicate({ keyPrefix: 'eu:' });

  await expect(restoreBackup(eu, file, now)).rejects.toThrow(
    /is of the first card program, and PROGRAM says card program eu: correct PROGRAM\. Nothing was changed\.$/,
  );
  expect(await redis().keys('*')).toEqual([]);

  await eu.set(stateKey('alert:1'), 'x');
  const ofEu = join(folder, 'of-eu');
  await takeBackup(eu, ofEu, now);
  await redis().flushall();
  expect(await restoreBackup(eu, ofEu, now)).toMatchObject({ keys: 1 });
  expect(await redis().get(`eu:${stateKey('alert:1')}`)).toBe('x');
  eu.disconnect();
});

it('rejects a Redis that is not empty and changes nothing', async () => {
  await redis().set(stateKey('links'), 'x');
  const file = await backUp();
  await redis().set(stateKey('alert:1'), 'x');

  await expect(restoreBackup(redis(), file, now)).rejects.toThrow(
    'Redis is not empty: it has keys of Cardbell. Restore into an empty Redis. Nothing was changed.',
  );

  expect(await redis().keys('*')).toEqual([stateKey('alert:1')]);
});

it('rejects a backup that was cut off and changes nothing', async () => {
  await redis().set(stateKey('links'), 'x');
  const file = await backUp();
  await writeFile(file, gzipSync(gunzipSync(await readFile(file)).subarray(0, -12)));

  await expect(restoreBackup(redis(), file, now)).rejects.toThrow(/ is cut off\. Nothing was changed\.$/);

  expect(await redis().dbsize()).toBe(0);
});

it('rejects a backup of a newer version and changes nothing', async () => {
  await redis().set(stateKey('format'), FORMAT + 1);
  const file = await backUp();

  await expect(restoreBackup(redis(), file, now)).rejects.toThrow(/a newer Cardbell wrote format/);

  expect(await redis().dbsize()).toBe(0);
});

it('rejects a backup from a newer Redis and changes nothing', async () => {
  await redis().set(stateKey('links'), 'x');
  const file = await backUp();
  const lines = gunzipSync(await readFile(file))
    .toString()
    .split('\n');
  const newer = lines.map((line) => {
    const { dump } = JSON.parse(line === '' ? '{}' : line) as { dump?: string };
    if (dump === undefined) return line;
    const bytes = Buffer.from(dump, 'base64');
    // The format version precedes the eight-byte checksum.
    bytes.writeUInt16LE(0xffff, bytes.length - 10);
    return line.replace(dump, bytes.toString('base64'));
  });
  await writeFile(file, gzipSync(newer.join('\n')));

  await expect(restoreBackup(redis(), file, now)).rejects.toThrow(/this Redis is older/);

  expect(await redis().dbsize()).toBe(0);
});

it('prevents the start after an interrupted restore', async () => {
  await redis().set(stateKey('format'), RESTORING);

  await expect(claimFormat(redis())).rejects.toThrow(/a backup is being restored, or its restore was cut off/);
});
