import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createOpenRecordStore,
  createRecordHash,
  createRecordStore,
  unreadableKey,
} from '../../../src/core/record-store.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();

const Parcel = z.strictObject({ state: z.enum(['open', 'closed']), at: z.number(), note: z.string().default('') });
type Parcel = z.infer<typeof Parcel>;
const parcel = (at: number, state: Parcel['state'] = 'open'): Parcel => ({ state, at, note: '' });

describe('a key for each record', () => {
  const keyOf = (id: string): string => `{test}:parcel:${id}`;
  const create = () => createRecordStore({ redis: redis(), schema: Parcel, keyOf, ttlSeconds: 60 });

  it('returns null for a missing record', async () => {
    expect(await create().get('a')).toBeNull();
  });

  it('keeps a record until its time to live ends', async () => {
    const store = create();

    await store.put('a', parcel(1));

    expect(await store.get('a')).toEqual(parcel(1));
    expect(await redis().ttl('{test}:parcel:a')).toBeGreaterThan(58);
  });

  it('reads a record that was stored before a field was added', async () => {
    await redis().set('{test}:parcel:a', JSON.stringify({ state: 'open', at: 1 }));

    expect(await create().get('a')).toEqual(parcel(1));
  });

  it('neither writes nor reads data that does not match the schema', async () => {
    const store = create();
    await redis().set('{test}:parcel:b', JSON.stringify({ state: 'lost', at: 1 }));

    await expect(store.put('a', { ...parcel(1), at: Number.NaN })).rejects.toThrow(z.ZodError);
    await expect(store.get('b')).rejects.toThrow(z.ZodError);
    expect(await redis().exists('{test}:parcel:a')).toBe(0);
  });

  it('changes other keys in the same transaction', async () => {
    const store = create();

    await store.put('a', parcel(1), (change) => change.incr('{test}:version'));
    await store.delete('a', (change) => change.incr('{test}:version'));

    expect(await redis().get('{test}:version')).toBe('2');
    expect(await store.get('a')).toBeNull();
  });

  it('fails if a command of its transaction failed', async () => {
    await redis().set('{test}:text', 'text');

    await expect(create().put('a', parcel(1), (change) => change.incr('{test}:text'))).rejects.toThrow(
      'not an integer',
    );
  });
});

describe('open records', () => {
  const create = () =>
    createOpenRecordStore({
      redis: redis(),
      schema: Parcel,
      keyOf: (id: string) => `{test}:parcel:${id}`,
      ttlSeconds: 60,
      openKey: '{test}:open',
      orderOf: ({ state, at }) => (state === 'open' ? at : null),
    });

  it('lists them in order until they are closed', async () => {
    const store = create();
    for (const at of [3, 1, 2]) await store.change(`p${at}`, () => parcel(at));

    await store.change('p2', () => parcel(2, 'closed'));

    expect(await store.open()).toEqual([parcel(1), parcel(3)]);
    expect(await store.get('p2')).toEqual(parcel(2, 'closed'));
  });

  it('forgets an id whose record has expired', async () => {
    const store = create();
    for (const at of [1, 2]) await store.change(`p${at}`, () => parcel(at));
    await redis().del('{test}:parcel:p1');

    expect(await store.open()).toEqual([parcel(2)]);
    expect(await redis().zrange('{test}:open', '0', '-1')).toEqual(['p2']);
  });
});

describe('records in one hash', () => {
  const create = () => createRecordHash({ redis: redis(), schema: Parcel, key: '{test}:parcels' });

  it('keeps each under its id', async () => {
    const hash = create();
    await hash.put('a', parcel(1));
    await hash.put('b', parcel(2));
    await hash.put('a', parcel(3));

    await hash.delete('b');

    expect(await hash.get('a')).toEqual(parcel(3));
    expect(await hash.all()).toEqual([parcel(3)]);
  });
});

describe('a record of a newer version among others', () => {
  const ofNewerVersion = JSON.stringify({ state: 'lost', at: 1 });

  it('does not hide the other open records, stays unchanged, and its kind is recorded', async () => {
    const store = createOpenRecordStore({
      redis: redis(),
      schema: Parcel,
      keyOf: (id) => `{test}:parcel:${id}`,
      ttlSeconds: 60,
      openKey: '{test}:parcels',
      orderOf: ({ at }) => at,
    });
    await store.change('a', () => parcel(1));
    await redis().set('{test}:parcel:b', ofNewerVersion);
    await redis().zadd('{test}:parcels', 2, 'b');

    expect(await store.open()).toEqual([parcel(1)]);

    expect(await redis().get('{test}:parcel:b')).toBe(ofNewerVersion);
    expect(await redis().zcard('{test}:parcels')).toBe(2);
    expect(await redis().smembers(unreadableKey)).toEqual(['{test}:parcels']);
  });

  it('does not hide the other records of its hash', async () => {
    const store = createRecordHash({ redis: redis(), schema: Parcel, key: '{test}:hash' });
    await store.put('a', parcel(1));
    await redis().hset('{test}:hash', 'b', ofNewerVersion);

    expect(await store.all()).toEqual([parcel(1)]);
  });

  it('keeps fields unknown to this version when changed', async () => {
    const store = createRecordHash({ redis: redis(), schema: Parcel, key: '{test}:hash' });
    await redis().hset('{test}:hash', 'a', JSON.stringify({ ...parcel(1), weight: 5 }));

    const read = await store.get('a');
    if (read !== null) await store.put('a', { ...read, state: 'closed' });

    expect(JSON.parse((await redis().hget('{test}:hash', 'a')) ?? '')).toEqual({ ...parcel(1, 'closed'), weight: 5 });
  });
});
