import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type LocalRedis, startRedis } from '../../../local/redis.ts';
import { homeOpened } from '../../../src/app-home/viewer-store.ts';
import { StoreUnavailableError } from '../../../src/core/errors.ts';
import type { StoredEvent } from '../../../src/core/event.ts';
import { intakeKey } from '../../../src/core/keys.ts';
import { createLog } from '../../../src/core/log.ts';
import { connectFailFast, type RedisClient } from '../../../src/core/redis.ts';
import { SHARDS_MAX, shardOf, shardsOf } from '../../../src/core/shards.ts';
import { createIntake, type Intake, inboxKeys, SEEN_TTL_SECONDS, seenKey } from '../../../src/intake/intake.ts';
import { quarantine } from '../../../src/webhooks/quarantine.ts';
import { until } from '../../support/until.ts';
import { transactionAlert } from '../../templates/fixtures.ts';
import { read, receivedAt } from '../webhooks/read.ts';

const log = createLog({ level: 'silent', process: 'test' });
let server: LocalRedis;
let redis: RedisClient;
let store: Redis;
let intake: Intake;

beforeAll(async () => {
  server = await startRedis();
  redis = connectFailFast({ urls: [server.url], log, name: 'test' });
  store = new Redis(server.url);
  await until(() => redis.status === 'ready', 'redis is ready');
  intake = createIntake(redis);
});
afterAll(async () => {
  redis.disconnect();
  store.disconnect();
  await server.stop();
});
beforeEach(async () => {
  await store.config('SET', 'maxmemory', '0');
  await store.flushall();
});

const eventOf = (networkTransactionId: number): StoredEvent =>
  read('decline', { NetworkTransactionId: networkTransactionId });
const take = (event: StoredEvent) => intake.take({ type: 'event', event });
const storedEntries = async (): Promise<unknown[]> => {
  const entries = await store.xrange(inboxKeys.webhooks, '-', '+');
  return entries.map(([, [, text]]) => JSON.parse(text ?? ''));
};

describe('the intake', () => {
  it('stores an event once, and answers which call was the first', async () => {
    const event = eventOf(1);

    const answers = [await take(event), await take(event), await take(eventOf(1))];

    expect(answers).toEqual(['new', 'seen', 'seen']);
    expect(await storedEntries()).toEqual([{ type: 'event', event }]);
  });

  it('stores one copy of an event that arrives many times in the same moment', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => take(eventOf(2))));

    expect(answers.filter((answer) => answer === 'new')).toHaveLength(1);
    expect(await storedEntries()).toHaveLength(1);
  });

  it('stores one copy of an event that arrives at many web processes', async () => {
    const clients = Array.from({ length: 8 }, () => connectFailFast({ urls: [server.url], log, name: 'other' }));
    await until(() => clients.every((client) => client.status === 'ready'), 'all are connected');
    const intakes = clients.map((client) => createIntake(client));

    const answers = await Promise.all(
      intakes.flatMap((one) => Array.from({ length: 20 }, (_, id) => one.take({ type: 'event', event: eventOf(id) }))),
    );

    expect(answers.filter((answer) => answer === 'new')).toHaveLength(20);
    expect(await storedEntries()).toHaveLength(20);
    for (const client of clients) client.disconnect();
  });

  it('gives each of a thousand calls in one turn its own answer', async () => {
    await take(eventOf(7));

    const answers = await Promise.all(Array.from({ length: 1000 }, (_, id) => take(eventOf(id))));

    expect(answers.indexOf('seen')).toBe(7);
    expect(answers.lastIndexOf('seen')).toBe(7);
    expect(await storedEntries()).toHaveLength(1000);
  });

  it('remembers an event for seven days', async () => {
    const event = eventOf(3);

    await take(event);

    const seconds = await store.ttl(`{cardbell:in}:seen:${event.id}`);
    expect(SEEN_TTL_SECONDS).toBe(7 * 24 * 3600);
    expect(seconds).toBeGreaterThan(SEEN_TTL_SECONDS - 60);
    expect(seconds).toBeLessThanOrEqual(SEEN_TTL_SECONDS);
  });

  it('does not extend that time when the event arrives again', async () => {
    const event = eventOf(4);
    await take(event);
    await store.expire(`{cardbell:in}:seen:${event.id}`, 1000);

    await take(event);

    expect(await store.ttl(`{cardbell:in}:seen:${event.id}`)).toBeLessThanOrEqual(1000);
  });

  it('also stores a quarantined webhook once', async () => {
    const webhook = quarantine({ a: 1 }, { path: 'pin', issues: ['x'], version: undefined, receivedAt });

    const answers = [
      await intake.take({ type: 'quarantine', webhook }),
      await intake.take({ type: 'quarantine', webhook }),
    ];

    expect(answers).toEqual(['new', 'seen']);
    expect(await storedEntries()).toEqual([{ type: 'quarantine', webhook }]);
  });

  it('reloads its script after Redis lost it', async () => {
    await take(eventOf(5));
    await store.script('FLUSH');

    expect(await take(eventOf(6))).toBe('new');
  });

  it('remembers nothing that a full Redis rejected', async () => {
    await store.config('SET', 'maxmemory', '1');
    await expect(take(eventOf(8))).rejects.toThrow(StoreUnavailableError);

    await store.config('SET', 'maxmemory', '0');

    expect(await take(eventOf(8))).toBe('new');
    expect(await storedEntries()).toHaveLength(1);
  });

  it('times out on a frozen Redis, and later recognizes an event that was stored after all', async () => {
    process.kill(server.pid, 'SIGSTOP');
    const startedAt = performance.now();
    await expect(take(eventOf(9))).rejects.toThrow(StoreUnavailableError);
    const waitedMs = performance.now() - startedAt;
    // One after another: if each waited as long as the first, they would take ten times as long.
    for (let id = 10; id < 20; id += 1) await expect(take(eventOf(id))).rejects.toThrow(StoreUnavailableError);
    const othersMs = performance.now() - startedAt - waitedMs;
    process.kill(server.pid, 'SIGCONT');
    await until(() => intake.whyNot() === null, 'redis answers again');

    expect(waitedMs).toBeLessThan(5000);
    // Redis is known to be frozen, so no other call waits for it.
    expect(othersMs).toBeLessThan(waitedMs * 5);
    expect(await take(eventOf(9))).toBe('seen');
    expect(await storedEntries()).toHaveLength(1);
  });

  it('leaves no call without a handler when a frozen Redis is killed', async () => {
    const own = await startRedis();
    const client = connectFailFast({ urls: [own.url], log, name: 'frozen' });
    await until(() => client.status === 'ready', 'redis is ready');
    // `web` exits on one.
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    process.on('unhandledRejection', note);
    let pings = 0;
    const ping = client.ping.bind(client);
    // Not a spy: it would handle the rejection.
    client.ping = async (): Promise<'PONG'> => {
      pings += 1;
      return await ping();
    };

    process.kill(own.pid, 'SIGSTOP');
    await expect(createIntake(client).take({ type: 'event', event: eventOf(11) })).rejects.toThrow(
      StoreUnavailableError,
    );
    await until(() => pings > 0, 'it is asked again');
    await own.kill();
    await until(() => client.status !== 'ready', 'the connection is lost');
    await new Promise((resolve) => setTimeout(resolve, 200));

    expect(unhandled).toEqual([]);
    process.off('unhandledRejection', note);
    client.disconnect();
    await own.stop();
  });

  it('refuses at once while there is no connection', async () => {
    const nowhere = connectFailFast({ urls: ['redis://127.0.0.1:1'], log, name: 'nowhere' });

    await expect(createIntake(nowhere).take({ type: 'event', event: eventOf(10) })).rejects.toThrow('not connected');

    nowhere.disconnect();
  });
});

it('stores each event once, in its shard, across several web processes and with any number of shards', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: SHARDS_MAX }),
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 60 }),
      async (shards, numbers) => {
        await store.flushall();
        const intakes = [createIntake(redis, { shards }), createIntake(redis, { shards })];
        const answers = await Promise.all(
          numbers.map((number, index) => intakes[index % 2]?.take({ type: 'event', event: eventOf(number) })),
        );

        const ids = new Set(numbers.map((number) => eventOf(number).id));
        expect(answers.filter((answer) => answer === 'new')).toHaveLength(ids.size);
        for (const shard of shardsOf(SHARDS_MAX)) {
          const entries = await store.xrange(intakeKey('webhooks', shard), '-', '+');
          const found = entries.map(([, [, text = '']]) => (JSON.parse(text) as { event: { id: string } }).event.id);
          expect(found.toSorted()).toEqual([...ids].filter((id) => shardOf(id, shards) === shard).toSorted());
        }
      },
    ),
    { numRuns: 30 },
  );
});

it('redoes only the writes that Redis has lost from a shard', async () => {
  const repeats: (() => Promise<void>)[] = [];
  const remember = (repeat: () => Promise<void>): void => void repeats.push(repeat);
  const sharded = createIntake(redis, { shards: SHARDS_MAX, redo: { remember } });
  const events = [1, 2, 3, 4, 5, 6].map(eventOf);
  for (const event of events) await sharded.take({ type: 'event', event });
  const [lost] = events;
  const shard = shardOf(lost?.id ?? '', SHARDS_MAX);
  await store.del(intakeKey('webhooks', shard), seenKey(lost?.id ?? '', shard));

  for (const repeat of repeats) await repeat();

  const lengths = await Promise.all(shardsOf(SHARDS_MAX).map((each) => store.xlen(intakeKey('webhooks', each))));
  const others = events.filter(({ id }) => shardOf(id, SHARDS_MAX) !== shard);
  expect(lengths[shard]).toBe(1);
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(others.length + 1);
});

it('stores texts with line breaks of any kind whole and in order, also when it repeats the write', async () => {
  const repeats: (() => Promise<unknown>)[] = [];
  const remembering = createIntake(redis, { redo: { remember: (repeat) => void repeats.push(repeat) } });
  const names = ['Plain Shop', 'Two\nLines', '\n', 'a\r\n\r\nb', 'c\u2028d\u2029e\u0085f', '\\n', 'Last Shop'];
  const { merchant } = transactionAlert().event;
  const entries = names.map((name, index) => {
    const { event } = transactionAlert({ id: `evt_000000000000000${index}`, merchant: { ...merchant, name } });
    return { type: 'event', event } as const;
  });

  const answers = await Promise.all([...entries, ...entries].map((entry) => remembering.take(entry)));
  expect(answers).toEqual([...entries.map(() => 'new'), ...entries.map(() => 'seen')]);
  expect(await storedEntries()).toEqual(entries);

  await store.flushall();
  for (const repeat of repeats) await repeat();
  expect(await storedEntries()).toEqual(entries);
  for (const repeat of repeats) await repeat();
  expect(await storedEntries(), 'and adds nothing that is there').toEqual(entries);
});

it("puts people's actions into the first shard, whatever their id", async () => {
  const sharded = createIntake(redis, { shards: SHARDS_MAX });
  for (let index = 0; index < 20; index += 1) {
    const opened = homeOpened({ userId: `U${index}`, isOpening: true, turn: null }, 0);
    await sharded.take({ type: 'home', opened });
  }

  expect(await store.xlen(inboxKeys.actions)).toBe(20);
});
