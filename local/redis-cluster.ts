import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from './port.ts';
import { type LocalRedis, startRedis } from './redis.ts';

const SLOTS = 16_384;
const WHOLE_WITHIN_MS = 60_000;
const LOOK_MS = 15;

export interface RedisCluster {
  readonly urls: readonly string[];
  readonly url: string;
  /** Sends SIGKILL to the server that owns a key. @returns a function that starts it again with the data on its disk. */
  killOwner(key: string): Promise<() => Promise<void>>;
  /** Moves all keys of a key's slot to another server, a few at a time, like an operator would. */
  moveSlot(key: string): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Our own Redis servers that share the slots, without replicas.
 *
 * @param nodeOf the server that gets a slot; by default each gets an equal, contiguous range.
 */
export async function startCluster(
  size = 3,
  args: readonly string[] = [],
  nodeOf = (slot: number): number => Math.floor((slot * size) / SLOTS),
): Promise<RedisCluster> {
  const nodes = await Promise.all(
    Array.from({ length: size }, async () => {
      const busPort = await freePort();
      const cluster = ['--cluster-enabled', 'yes', '--cluster-port', String(busPort)];
      const extraArgs = [...cluster, '--cluster-announce-ip', '127.0.0.1', ...args];
      return { server: await startRedis({ extraArgs }), busPort, extraArgs };
    }),
  );
  await join(nodes, nodeOf);
  return {
    urls: nodes.map(({ server }) => server.url),
    url: nodes.map(({ server }) => server.url).join(','),
    async killOwner(key) {
      const node = nodes[(await ownerOf(nodes, key)).owner];
      if (node === undefined) throw new Error(`nobody has ${key}`);
      const { port, folder } = node.server;
      await node.server.kill();
      return async () => {
        node.server = await startRedis({ port, folder, extraArgs: node.extraArgs });
        await untilWhole(nodes);
      };
    },
    async moveSlot(key) {
      const { owner, slot } = await ownerOf(nodes, key);
      await move(slot, nodes[owner]?.server, nodes[(owner + 1) % size]?.server);
      await untilWhole(nodes);
    },
    async stop() {
      await Promise.all(nodes.map(({ server }) => server.stop()));
    },
  };
}

interface Node {
  server: LocalRedis;
  readonly busPort: number;
  readonly extraArgs: readonly string[];
}

/** Runs work on a separate connection to a server. */
async function ask<T>(server: LocalRedis, work: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(server.url);
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
}

/** Assigns the slots and joins the servers. */
async function join(nodes: readonly Node[], nodeOf: (slot: number) => number): Promise<void> {
  const [first] = nodes;
  for (const [index, { server }] of nodes.entries()) {
    const ranges: number[] = [];
    for (let slot = 0; slot < SLOTS; slot += 1) {
      const isMine = nodeOf(slot) === index;
      if (isMine && (slot === 0 || nodeOf(slot - 1) !== index)) ranges.push(slot);
      if (isMine && (slot === SLOTS - 1 || nodeOf(slot + 1) !== index)) ranges.push(slot);
    }
    await ask(server, async (client) => {
      await client.call('CLUSTER', 'ADDSLOTSRANGE', ...ranges);
      if (index > 0 && first !== undefined)
        await client.call('CLUSTER', 'MEET', '127.0.0.1', first.server.port, first.busPort);
    });
  }
  await untilWhole(nodes);
}

/** The index of the server that owns a key. */
async function ownerOf(nodes: readonly Node[], key: string) {
  const [{ server }] = nodes as [Node];
  return await ask(server, async (client) => {
    const slot = Number(await client.call('CLUSTER', 'KEYSLOT', key));
    const ranges = (await client.call('CLUSTER', 'SLOTS')) as [number, number, [string, number]][];
    const port = ranges.find(([from, to]) => from <= slot && slot <= to)?.[2][1];
    return { slot, owner: nodes.findIndex((node) => node.server.port === port) };
  });
}

/** Resolves when every server knows that all are there. */
async function untilWhole(nodes: readonly Node[]): Promise<void> {
  const deadline = performance.now() + WHOLE_WITHIN_MS;
  while (!(await isWhole(nodes))) {
    if (performance.now() > deadline) throw new Error(`the cluster is not complete within ${WHOLE_WITHIN_MS} ms`);
    await sleep(LOOK_MS);
  }
}

async function isWhole(nodes: readonly Node[]): Promise<boolean> {
  const infos = await Promise.all(
    nodes.map(({ server }) => ask(server, async (client) => String(await client.call('CLUSTER', 'INFO')))),
  );
  return infos.every(
    (info) => info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${nodes.length}`),
  );
}

async function move(slot: number, from: LocalRedis | undefined, to: LocalRedis | undefined): Promise<void> {
  if (from === undefined || to === undefined) throw new Error('there is no other server');
  const idOf = (server: LocalRedis) => ask(server, async (client) => String(await client.call('CLUSTER', 'MYID')));
  const [fromId, toId] = [await idOf(from), await idOf(to)];
  await ask(to, (client) => client.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId));
  await ask(from, async (client) => {
    await client.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId);
    for (;;) {
      const keys = (await client.call('CLUSTER', 'GETKEYSINSLOT', slot, 3)) as string[];
      if (keys.length === 0) break;
      await client.call('MIGRATE', '127.0.0.1', to.port, '', 0, 5000, 'KEYS', ...keys);
    }
  });
  for (const server of [to, from]) await ask(server, (client) => client.call('CLUSTER', 'SETSLOT', slot, 'NODE', toId));
}
