import { expect, it } from 'vitest';
import { channelsKey, createNoteChannel } from '../../../src/outbox/note-channel.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();

it('notes each channel once, and again after Redis has lost it', async () => {
  const noteChannel = createNoteChannel(redis());
  await Promise.all(['C1', 'C1', 'C2', 'C1'].map(noteChannel));
  expect((await redis().smembers(channelsKey)).toSorted()).toEqual(['C1', 'C2']);
  await redis().flushall();

  await noteChannel('C1');

  expect(await redis().smembers(channelsKey)).toEqual(['C1']);
});

it('shares one write among concurrent callers', async () => {
  const before = /cmdstat_sadd:calls=(\d+)/.exec(await redis().info('commandstats'))?.[1] ?? '0';
  const noteChannel = createNoteChannel(redis());

  await Promise.all(Array.from({ length: 20 }, () => noteChannel('C1')));

  const after = /cmdstat_sadd:calls=(\d+)/.exec(await redis().info('commandstats'))?.[1] ?? '0';
  expect(Number(after) - Number(before)).toBe(1);
});

it('reports a failure, and tries again on the next call', async () => {
  const noteChannel = createNoteChannel(redis());
  await redis().set(channelsKey, 'no set');
  await expect(noteChannel('C1')).rejects.toThrow('WRONGTYPE');
  await redis().del(channelsKey);

  await noteChannel('C1');

  expect(await redis().smembers(channelsKey)).toEqual(['C1']);
});
