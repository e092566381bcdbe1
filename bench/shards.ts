import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster, Redis } from 'ioredis';
import { startCluster } from '../local/redis-cluster.ts';
import { intakeKey, outboxKey, queuePrefix, stateKey } from '../src/core/keys.ts';
import { shardsOf } from '../src/core/shards.ts';
import { createIntake } from '../src/intake/intake.ts';
import { startChild } from './child.ts';
import { median, row, table } from './report.ts';
import { CHANNEL } from './sample.ts';
import { type Costs, capacityOf, costOfNodes, families, familiesOf, type Layout } from './shards-model.ts';
import { stormDeclines } from './storm-declines.ts';
import { startSurroundings, takeAll, until } from './worker.ts';

const EVENTS = 2000;
const ROUNDS = 5;
const SHARDS = 16;
const LONGEST_MS = 120_000;
const LOOK_MS = 500;
const IDLE_MS = 5000;
/** How long a starting worker sends more commands than an idle one. */
const STARTING_MS = 10_000;

/** Work of one node per event: milliseconds of processor time and commands. */
interface Spent {
  readonly ms: number;
  readonly commands: number;
}

/** A run: each node's work per event, and the load of one idle worker on all nodes: commands per second and connections. */
interface Run {
  readonly nodes: readonly Spent[];
  readonly idle: number;
  readonly connections: number;
}

/**
 * How the work on a decline is spread over a cluster's nodes, without shards and with 16, and what larger clusters
 * would carry.
 *
 * The costs come from a cluster with a separate node for each family of keys. They predict each node's work in a
 * cluster of three, which is compared with a measurement, and then the work of the busiest node in other clusters.
 */
export async function benchShards(): Promise<void> {
  const slots = familiesOf(CHANNEL);
  const alone = await run(families.length, SHARDS, (slot) => families.indexOf(slots.get(slot) ?? 'others'));
  const costs = Object.fromEntries(families.map((family, index) => [family, alone.nodes[index]?.ms ?? 0])) as Costs;
  table(
    'What a decline costs the Redis of each family of keys, 16 shards',
    ['ms', 'commands'],
    families.map((family, index) => rowOf(family, alone.nodes[index])),
  );
  for (const layout of [
    { nodes: 3, shards: 1 },
    { nodes: 3, shards: SHARDS },
    { nodes: 1, shards: 1 },
  ])
    await compare(layout, costs);
  const simulated = [1, SHARDS].flatMap((shards) => [1, 4, 16].map((nodes) => ({ nodes, shards })));
  table(
    'Simulated from these costs: what the Redis nodes carry, each with one core of this machine',
    ['taken a second', 'posted a second', 'bound by'],
    simulated.map((layout) => {
      const { taken, posted, boundBy } = capacityOf(costs, layout, CHANNEL);
      return row(named(layout), [taken.toLocaleString('en-US'), posted.toLocaleString('en-US'), boundBy]);
    }),
  );
}

const named = ({ nodes, shards }: Layout): string =>
  `${nodes} node${nodes > 1 ? 's' : ''}, ${shards} shard${shards > 1 ? 's' : ''}`;

const rowOf = (name: string, { ms, commands }: Spent = { ms: 0, commands: 0 }) =>
  row(name, [ms.toFixed(3), commands.toFixed(1)]);

/** Measures a layout, and compares each node's share with the prediction. */
async function compare(layout: Layout, costs: Costs): Promise<void> {
  const { nodes, idle, connections } = await run(layout.nodes, layout.shards);
  const modelled = costOfNodes(costs, layout, CHANNEL);
  const share = (part: number, all: readonly number[]): string =>
    `${Math.round((100 * part) / all.reduce((sum, one) => sum + one, 0))} %`;
  const measuredMs = nodes.map(({ ms }) => ms);
  table(
    `Measured: ${named(layout)}; an idle worker asks ${Math.round(idle)} commands a second over ${connections} connections`,
    ['commands', 'ms', 'share of ms', 'simulated ms', 'simulated share'],
    nodes.map(({ ms, commands }, index) => {
      const expected = modelled[index] ?? 0;
      const cells = [commands.toFixed(1), ms.toFixed(3), share(ms, measuredMs)];
      return row(`node ${index + 1}`, [...cells, expected.toFixed(3), share(expected, modelled)]);
    }),
  );
}

/** Sends declines in bursts until all are posted, on our own cluster. The first round opens connections and loads code. */
async function run(size: number, shards: number, nodeOf?: (slot: number) => number): Promise<Run> {
  const cluster = await startCluster(size, [], nodeOf);
  const around = await startSurroundings();
  const redis = new Cluster([...cluster.urls]);
  const nodes = cluster.urls.map((url) => new Redis(url));
  const intake = createIntake(redis, { shards, deadlineMs: 30_000 });
  // A single address would not be treated as a cluster.
  const urls = cluster.urls.length === 1 ? [...cluster.urls, ...cluster.urls] : cluster.urls;
  const env = { ...around.env, REDIS_URL: urls.join(','), REDIS_SHARDS: String(shards) };
  const others = await connectionsOf(nodes);
  const child = await startChild('src/worker.js', env, async () => (await redis.exists(stateKey('workers'))) === 1);
  const bodies = stormDeclines(EVENTS * (ROUNDS + 1), around.acctIds).map(({ body }) => body);
  await sleep(STARTING_MS);
  const connections = (await connectionsOf(nodes)) - others;
  const idle = await measure(nodes, async () => await sleep(IDLE_MS));
  const rounds: Spent[][] = [];
  for (let round = -1; round < ROUNDS; round += 1) {
    const spent = await measure(nodes, async () => {
      await takeAll(intake, bodies.splice(0, EVENTS));
      await until(async () => (await underWay(redis, shards)) === 0, LONGEST_MS, LOOK_MS);
    });
    if (round >= 0) rounds.push(spent.map((node, index) => perEvent(node, idle[index])));
  }
  await child.stop();
  for (const client of [redis, ...nodes]) client.disconnect();
  await Promise.all([cluster.stop(), around.stop()]);
  return {
    nodes: medians(rounds),
    connections,
    idle: idle.reduce((sum, { commands, tookMs }) => sum + (commands / tookMs) * 1000, 0),
  };
}

interface Measured extends Spent {
  readonly tookMs: number;
}

async function measure(nodes: readonly Redis[], work: () => Promise<void>): Promise<Measured[]> {
  const before = await Promise.all(nodes.map(spentBy));
  const startedAt = performance.now();
  await work();
  const tookMs = performance.now() - startedAt;
  const after = await Promise.all(nodes.map(spentBy));
  return after.map(({ ms, commands }, index) => ({
    ms: ms - (before[index]?.ms ?? 0),
    commands: commands - (before[index]?.commands ?? 0),
    tookMs,
  }));
}

/** Subtracts an idle worker's load over the same time. */
function perEvent(round: Measured, idle: Measured | undefined): Spent {
  const share = idle === undefined ? 0 : round.tookMs / idle.tookMs;
  const without = (spent: number, idleSpent = 0): number => Math.max(0, spent - idleSpent * share) / EVENTS;
  return { ms: without(round.ms, idle?.ms), commands: without(round.commands, idle?.commands) };
}

function medians(rounds: readonly (readonly Spent[])[]): Spent[] {
  return (rounds[0] ?? []).map((_, node) => ({
    ms: median(rounds.map((round) => round[node]?.ms ?? 0)),
    commands: median(rounds.map((round) => round[node]?.commands ?? 0)),
  }));
}

async function spentBy(node: Redis): Promise<Spent> {
  const seconds = (await node.info('cpu')).matchAll(/^used_cpu_(?:sys|user):([\d.]+)/gm);
  const calls = (await node.info('commandstats')).matchAll(/^cmdstat_[^:]+:calls=(\d+)/gm);
  return {
    ms: [...seconds].reduce((sum, [, value]) => sum + Number(value) * 1000, 0),
    commands: [...calls].reduce((sum, [, count]) => sum + Number(count), 0),
  };
}

async function connectionsOf(nodes: readonly Redis[]): Promise<number> {
  const infos = await Promise.all(nodes.map((node) => node.info('clients')));
  return infos.reduce((sum, info) => sum + Number(/^connected_clients:(\d+)/m.exec(info)?.[1] ?? 0), 0);
}

/** Events in the inbox, in a job, or in the outbox. */
async function underWay(redis: Cluster, shards: number): Promise<number> {
  const counts = shardsOf(shards).flatMap((shard) => [
    redis.xlen(intakeKey('webhooks', shard)),
    ...['alerts', 'bursts'].flatMap((queue) => [
      redis.llen(`${queuePrefix(shard)}:${queue}:wait`),
      redis.llen(`${queuePrefix(shard)}:${queue}:active`),
      redis.zcard(`${queuePrefix(shard)}:${queue}:delayed`),
    ]),
  ]);
  const all = await Promise.all([
    ...counts,
    redis.zcard(outboxKey(CHANNEL, 'queue')),
    redis.exists(outboxKey(CHANNEL, 'sending')),
  ]);
  return all.reduce((sum, one) => sum + one, 0);
}
