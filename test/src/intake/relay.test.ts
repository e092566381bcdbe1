import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type LocalRedis, startRedis } from '../../../local/redis.ts';
import { intakeKey } from '../../../src/core/keys.ts';
import { createLog } from '../../../src/core/log.ts';
import { connectFailFast, connectPatient } from '../../../src/core/redis.ts';
import { createIntake, type InboxEntry, inboxKeys } from '../../../src/intake/intake.ts';
import { type Relay, startRelay } from '../../../src/intake/relay.ts';
import { settled, until } from '../../support/until.ts';
import { read } from '../webhooks/read.ts';

const log = createLog({ level: 'silent', process: 'test' });
let server: LocalRedis;
let store: Redis;
const relays: { relay: Relay; clients: { disconnect(): void }[] }[] = [];

beforeAll(async () => {
  server = await startRedis();
  store = new Redis(server.url);
  // A test kills the server.
  store.on('error', () => {});
});
afterAll(async () => {
  store.disconnect();
  await server.stop();
});
beforeEach(async () => {
  await store.flushall();
});
afterEach(async () => {
  for (const { relay, clients } of relays.splice(0)) {
    await relay.stop();
    for (const client of clients) client.disconnect();
  }
});

/** A relay as a worker runs it. Collects the jobs it enqueues; `jobs` keeps each batch together. */
function start(
  handOn: (id: string) => Promise<void> = async () => {},
  roomInQueue = (): number => 1000,
  jobs: string[][] = [],
  shard = 0,
  keyPrefix = '',
): string[] {
  const handed: string[] = [];
  const reader = connectPatient({ urls: [server.url], log, name: 'reader', keyPrefix });
  const redis = connectPatient({ urls: [server.url], log, name: 'relay', keyPrefix });
  const relay = startRelay({
    shard,
    reader,
    redis,
    log,
    roomInQueue: async () => roomInQueue(),
    handOn: async (entries) => {
      const ids = entries.map(idOf);
      await Promise.all(ids.map(handOn));
      handed.push(...ids);
      jobs.push(ids);
    },
  });
  relays.push({ relay, clients: [reader, redis] });
  return handed;
}

function idOf(entry: InboxEntry): string {
  return 'event' in entry && entry.event.kind === 'decline' ? entry.event.networkTransactionId : 'other';
}

const entryOf = (id: number): string =>
  JSON.stringify({ type: 'event', event: read('decline', { NetworkTransactionId: id }) });

async function add(...ids: number[]): Promise<string[]> {
  return Promise.all(ids.map(async (id) => (await store.xadd(inboxKeys.webhooks, '*', 'entry', entryOf(id))) ?? ''));
}

const isEmpty = async (): Promise<boolean> => (await store.xlen(inboxKeys.webhooks)) === 0;

/** Entries that a worker read before it died. */
async function abandon(ids: number[]): Promise<void> {
  await store.xgroup('CREATE', inboxKeys.webhooks, 'relay', '0', 'MKSTREAM');
  await add(...ids);
  await store.xreadgroup('GROUP', 'relay', 'dead', 'NOACK', 'STREAMS', inboxKeys.webhooks, '>');
}

describe('the relay', () => {
  it('enqueues entries from before and after its start, and empties the inbox', async () => {
    await add(1, 2);

    const handed = start();
    await until(() => handed.length === 2, 'the first two are enqueued');
    await add(3);

    await until(() => handed.length === 3, 'the third is enqueued');
    expect([...handed].sort()).toEqual(['1', '2', '3']);
    await until(isEmpty, 'the inbox is empty');
  });

  it('enqueues the events of one read together, and each status change and non-event separately', async () => {
    const jobs: string[][] = [];
    const status = JSON.stringify({ type: 'event', event: read('card-status') });
    await add(1, 2);
    for (const entry of [status, status]) await store.xadd(inboxKeys.webhooks, '*', 'entry', entry);
    await add(3);
    await store.xadd(inboxKeys.gaps, '*', 'entry', JSON.stringify({ type: 'gap', fromMs: 1, toMs: 2, cause: 'away' }));

    const handed = start(undefined, undefined, jobs);

    await until(() => handed.length === 6, 'all are enqueued');
    expect(jobs.toSorted((a, b) => b.length - a.length)).toEqual([['1', '2', '3'], ['other'], ['other'], ['other']]);
  });

  it('empties the inbox of a card program with prefixed keys as soon as its entries are enqueued', async () => {
    const stream = `eu:${inboxKeys.webhooks}`;
    await store.xadd(stream, '*', 'entry', entryOf(1));

    const handed = start(undefined, undefined, [], 0, 'eu:');

    await until(() => handed.length === 1, 'the entry is enqueued');
    await until(async () => (await store.xlen(stream)) === 0, 'its inbox is empty', 2000);
    expect(handed).toEqual(['1']);
  });

  it("reads only its shard's webhooks, and pauses while its queue is full", async () => {
    const stream = intakeKey('webhooks', 3);
    await store.xadd(stream, '*', 'entry', entryOf(1));
    await add(2);
    await store.xadd(inboxKeys.gaps, '*', 'entry', JSON.stringify({ type: 'gap', fromMs: 1, toMs: 2, cause: 'away' }));
    let room = 0;

    const handed = start(undefined, () => room, [], 3);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(handed).toEqual([]);
    room = 10;

    await until(() => handed.length > 0, 'the entry is enqueued');
    await until(async () => (await store.xlen(stream)) === 0, 'its inbox is empty');
    expect(handed).toEqual(['1']);
    expect([await store.xlen(inboxKeys.webhooks), await store.xlen(inboxKeys.gaps)]).toEqual([1, 1]);
  });

  it("takes over a dead worker's entries once", async () => {
    await abandon([1, 2, 3]);

    const handed = start();

    await until(() => handed.length === 3, 'all three are taken over');
    await until(isEmpty, 'the inbox is empty');
    expect([...handed].sort()).toEqual(['1', '2', '3']);
  });

  it('takes over more entries than one read returns', async () => {
    await abandon(Array.from({ length: 450 }, (_, id) => id));

    const handed = start();

    await until(() => handed.length === 450, 'all are taken over');
    expect(new Set(handed).size).toBe(450);
  });

  it('leaves alone entries that another worker has just read', async () => {
    await store.xgroup('CREATE', inboxKeys.webhooks, 'relay', '0', 'MKSTREAM');
    await add(1);
    await store.xreadgroup('GROUP', 'relay', 'busy', 'NOACK', 'STREAMS', inboxKeys.webhooks, '>');

    const handed = start();
    await add(2);

    await until(() => handed.length > 0, 'the new entry is enqueued');
    expect(handed).toEqual(['2']);
    expect(await store.xlen(inboxKeys.webhooks)).toBe(1);
  });

  it('keeps an entry that cannot be enqueued, and enqueues the rest', async () => {
    let isBroken = true;
    await add(1, 2);

    const handed = start(async (id) => {
      if (isBroken && id === '1') throw new Error('the queue is unavailable');
    });
    await until(() => handed.length === 1, 'the good entry is enqueued');
    await add(3);
    await until(() => handed.length === 2, 'the next entry is enqueued');

    expect(handed).toEqual(['2', '3']);
    await until(async () => (await store.xlen(inboxKeys.webhooks)) === 1, 'only the bad entry is left');
    isBroken = false;
    await until(() => handed.length === 3, 'it is enqueued when the queue is back');
    await until(isEmpty, 'the inbox is empty');
  });

  it("leaves webhooks in the inbox while the queue is full, but enqueues people's actions", async () => {
    let room = 0;
    await add(1, 2, 3);
    await store.xadd(inboxKeys.gaps, '*', 'entry', JSON.stringify({ type: 'gap', fromMs: 1, toMs: 2, cause: 'away' }));

    const handed = start(
      async () => {
        room -= 1;
      },
      () => room,
    );
    await until(() => handed.length === 1, 'the gap is enqueued');
    expect(handed).toEqual(['other']);
    expect(await store.xlen(inboxKeys.webhooks)).toBe(3);
    room = 2;

    await until(() => handed.length === 3, 'the queue is filled to its limit');
    expect(await store.xlen(inboxKeys.webhooks)).toBe(1);
    room = 5;
    await until(() => handed.length === 4, 'the last entry is enqueued');
  });

  it('recreates its consumer groups after Redis came back empty', async () => {
    const handed = start();
    await add(1);
    await until(() => handed.length === 1, 'the first entry is enqueued');

    await store.flushall();
    await add(2);

    await until(() => handed.length === 2, 'the second entry is enqueued');
  });

  it('gives each entry to one of several workers', async () => {
    const one = start();
    const two = start();
    const redis = connectFailFast({ urls: [server.url], log, name: 'web' });
    await until(() => redis.status === 'ready', 'redis is ready');
    const intake = createIntake(redis);

    for (let id = 0; id < 300; id += 1) {
      await intake.take({ type: 'event', event: read('decline', { NetworkTransactionId: id }) });
    }

    await until(() => one.length + two.length >= 300, 'all are enqueued');
    await until(isEmpty, 'the inbox is empty');
    expect(new Set([...one, ...two]).size).toBe(300);
    expect(one.length + two.length).toBe(300);
    redis.disconnect();
  });

  it('stops at once when idle, and finishes the entry in progress', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isInHand = false;
    const handed = start(async () => {
      isInHand = true;
      await held;
    });
    await add(1);
    await until(() => isInHand, 'the entry is in progress');

    const stopped = relays[0]?.relay.stop();
    release();
    await stopped;

    expect(handed).toEqual(['1']);
    await until(isEmpty, 'the inbox is empty');
  });

  it('stops at the latest when Redis is back, if it is stopped while Redis is away', async () => {
    const handed = start();
    await add(1);
    await until(() => handed.length === 1, 'it reads');
    const { port, folder } = server;
    await server.kill();
    await settled(200);

    const stopped = relays[0]?.relay.stop();
    server = await startRedis({ port, folder });

    await stopped;
  });
});
