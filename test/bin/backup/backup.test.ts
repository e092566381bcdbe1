import { mkdtemp, readdir, readFile, readlink, rm, stat, symlink, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BackupError, readBackup, restoreBackup, takeBackup } from '../../../bin/backup/backup.ts';
import { moveToShards } from '../../../bin/shards/move-shards.ts';
import { claimFormat, FORMAT } from '../../../src/app/stored-format.ts';
import {
  auditKey,
  intakeKey,
  outboxKey,
  QUEUE_PREFIX,
  queuePrefix,
  stateKey,
  webKeys,
} from '../../../src/core/keys.ts';
import { seenKey } from '../../../src/intake/intake.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const now = (): Date => new Date();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cardbell-backup-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function lines(file: string) {
  const read = [];
  for await (const line of readBackup(file)) read.push(line);
  return read;
}

it('contains every Cardbell key with its expiry, and no foreign keys', async () => {
  await redis().set(stateKey('a'), 'x', 'PX', 90_000);
  await redis().set(outboxKey('C1', 'queue'), 'y');
  await redis().sadd(stateKey('outbox-channels'), 'C1');
  await redis().set('somebody-else', 'z');
  const file = join(folder, 'whole');

  expect(await takeBackup(redis(), file, now)).toBe(3);

  const [header, ...keys] = await lines(file);
  expect(header).toMatchObject({ cardbell: 'backup', format: FORMAT });
  const ends = new Map(keys.map((line) => ('key' in line ? [line.key, line.expiresAt] : ['', 0])));
  expect([...ends.keys()].sort()).toEqual(
    [stateKey('a'), stateKey('outbox-channels'), outboxKey('C1', 'queue')].sort(),
  );
  expect(ends.get(stateKey('outbox-channels'))).toBe(0);
  expect(ends.get(stateKey('a'))).toBeGreaterThan(Date.now() + 60_000);
});

it('reads the inbox, bursts and queues of all shards in the order in which work passes through them', async () => {
  await claimFormat(redis(), 16);
  const path = [
    seenKey('evt_1', 3),
    intakeKey('webhooks', 3),
    intakeKey('webhooks', 15),
    `${queuePrefix(0)}:bursts:1`,
    `${queuePrefix(15)}:bursts:1`,
    `${queuePrefix(15)}:alerts:1`,
    `${queuePrefix(0)}:updates:1`,
    stateKey('alert:1'),
  ];
  for (const key of path.toReversed()) await redis().set(key, 'x');
  const file = join(folder, 'shards');

  await takeBackup(redis(), file, now);

  const keys = (await lines(file)).map((line) => ('key' in line ? line.key : ''));
  expect(keys.filter((key) => path.includes(key))).toEqual(path);
});

it('reads the source of work before its destination, so that nothing that moves meanwhile is missing', async () => {
  // An hour's list of alerts comes after the alerts. A listed alert that is missing is skipped; an unlisted one is never found.
  const alerts = [stateKey('alert:1'), stateKey('alerts-kept:1')];
  const path = [intakeKey('webhooks'), `${QUEUE_PREFIX}:alerts:1`, ...alerts, auditKey('chain')];
  for (const key of [...path, outboxKey('C1', 'entries')].toReversed()) await redis().set(key, 'x');
  await redis().sadd(stateKey('outbox-channels'), 'C1');
  const file = join(folder, 'order');

  await takeBackup(redis(), file, now);

  const keys = (await lines(file)).map((line) => ('key' in line ? line.key : ''));
  // There are many alerts, so they come after the keys that belong together, once each.
  expect(keys.filter((key) => path.includes(key) || key === outboxKey('C1', 'entries'))).toEqual([
    ...path,
    outboxKey('C1', 'entries'),
  ]);
});

it('includes a channel whose first message arrives during the backup', async () => {
  const [store, channels] = [redis(), stateKey('outbox-channels')];
  await store.sadd(channels, 'C1');
  const whileTaken = new Proxy(store, {
    get(target, name) {
      const method = Reflect.get(target, name);
      if (name !== 'smembers') return typeof method === 'function' ? method.bind(target) : method;
      return async (key: string) => {
        await target.sadd(channels, 'C0LATE');
        await target.set(outboxKey('C0LATE', 'queue'), 'x');
        return await target.smembers(key);
      };
    },
  });
  const file = join(folder, 'late');

  await takeBackup(whileTaken, file, now);
  await store.flushall();
  await restoreBackup(store, file, now);

  expect(await store.exists(outboxKey('C0LATE', 'queue'))).toBe(1);
  expect(await store.smembers(channels)).toContain('C0LATE');
});

it('does not mark an event as accepted unless its inbox entry is in the backup', async () => {
  await redis().set(intakeKey('seen:evt_1'), '1');
  await redis().xadd(intakeKey('webhooks'), '*', 'entry', '{}');
  const file = join(folder, 'seen');

  await takeBackup(redis(), file, now);

  const keys = (await lines(file)).map((line) => ('key' in line ? line.key : ''));
  expect(keys).toEqual(['', intakeKey('seen:evt_1'), intakeKey('webhooks')]);
});

it('makes the file readable only by its owner', async () => {
  await redis().set(stateKey('a'), 'x');
  const file = join(folder, 'private');

  await takeBackup(redis(), file, now);

  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

it('refuses a Redis without any data of Cardbell but the probe of the doctor, and writes no file', async () => {
  await redis().set('somebody:else', 'x');
  await redis().set(webKeys.probe, '1');
  const ofEu = redis().duplicate({ keyPrefix: 'eu:' });
  const before = await readdir(folder);

  await expect(takeBackup(redis(), join(folder, 'empty'), now)).rejects.toThrow(/no data of the first card program/);
  await expect(takeBackup(ofEu, join(folder, 'empty'), now)).rejects.toThrow(/no data of card program eu/);
  ofEu.disconnect();

  expect(await readdir(folder)).toEqual(before);
});

it('refuses a file, link or device that exists, and leaves it as it is', async () => {
  await redis().set(stateKey('a'), 'x');
  const [file, link] = [join(folder, 'last-good'), join(folder, 'link')];
  await takeBackup(redis(), file, now);
  await symlink('/dev/null', link);
  const before = await readFile(file);

  for (const taken of [file, link, folder])
    await expect(takeBackup(redis(), taken, now)).rejects.toThrow(/is there already: choose another name/);

  expect(await readFile(file)).toEqual(before);
  expect(await readlink(link)).toBe('/dev/null');
});

it('rejects a file that is truncated, damaged or not a backup', async () => {
  await redis().set(stateKey('a'), 'x'.repeat(10_000));
  const file = join(folder, 'cut');
  await takeBackup(redis(), file, now);
  await truncate(file, (await stat(file)).size - 10);

  await expect(lines(file)).rejects.toThrow(BackupError);
  await expect(lines('package.json')).rejects.toThrow(/is not a backup of Cardbell/);
  await expect(lines(join(folder, 'nowhere'))).rejects.toThrow(/nowhere cannot be read: ENOENT/);
  await expect(lines(folder)).rejects.toThrow(/cannot be read: EISDIR/);
});

it('is not written if the data moved to other shards meanwhile', async () => {
  await claimFormat(redis(), 2);
  await redis().xadd(intakeKey('webhooks', 1), '*', 'entry', JSON.stringify({ event: { id: 'evt_1' } }));
  const file = join(folder, 'moved');
  // Moved with the header, before any key is read.
  const moved = async (): Promise<void> => void (await moveToShards(redis(), 16));
  let isMoved: Promise<void> | undefined;
  const watched = new Proxy(redis(), {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name !== 'callBuffer') return typeof value === 'function' ? value.bind(target) : value;
      return async (...given: unknown[]) => {
        isMoved ??= moved();
        await isMoved;
        return await (Reflect.apply(value as () => Promise<unknown>, target, given) as Promise<unknown>);
      };
    },
  });

  await expect(takeBackup(watched, file, now)).rejects.toThrow(/moved, restored or upgraded during/);

  expect(await readdir(folder)).not.toContain('moved');
});

it('leaves no file behind when it fails', async () => {
  await redis().set(stateKey('a'), 'x');
  const before = await readdir(folder);
  const broken = Object.assign(Object.create(redis()), {
    callBuffer: async () => {
      throw new Error('away');
    },
  });

  await expect(takeBackup(broken, join(folder, 'never'), now)).rejects.toThrow('away');

  expect(await readdir(folder)).toEqual(before);
});
