import keySlot from 'cluster-key-slot';
import { auditKey, directoryKey, intakeKey, outboxKey, queuePrefix, stateKey } from '../src/core/keys.ts';
import { shardsOf } from '../src/core/shards.ts';

const SLOTS = 16_384;

/**
 * What keys are for: the inbox with its deduplication keys, and the queues, each in shard 0 and in the other shards;
 * and everything that is not split.
 */
export const families = ['inbox 0', 'inboxes', 'queues 0', 'queues', 'state', 'outbox', 'others'] as const;
type Family = (typeof families)[number];

/** Processor time in milliseconds that an event costs Redis for each family, with 16 shards. */
export type Costs = Readonly<Record<Family, number>>;

export interface Layout {
  readonly nodes: number;
  readonly shards: number;
}

const MEASURED_SHARDS = 16;

/** The families of slots that have a separate node. */
export function familiesOf(channel: string): ReadonlyMap<number, Family> {
  const others = shardsOf(MEASURED_SHARDS).slice(1);
  return new Map<number, Family>([
    ...others.map((shard) => [keySlot(intakeKey('', shard)), 'inboxes'] as const),
    ...others.map((shard) => [keySlot(queuePrefix(shard)), 'queues'] as const),
    [keySlot(intakeKey('')), 'inbox 0'],
    [keySlot(queuePrefix()), 'queues 0'],
    [keySlot(stateKey('')), 'state'],
    [keySlot(outboxKey(channel, '')), 'outbox'],
  ]);
}

/**
 * The parts of the work: the tag of each, and what an event costs there. Each node has an equal, contiguous range of
 * slots.
 */
function partsOf(costs: Costs, shards: number, channel: string): { readonly key: string; readonly ms: number }[] {
  const split = (rest: number, others: number, key: (shard: number) => string) => {
    // One of 16 shards does a fifteenth of what the other 15 do together. Shard 0's additional work is not split.
    const each = others / (MEASURED_SHARDS - 1);
    const whole = each * MEASURED_SHARDS;
    return shardsOf(shards).map((shard) => ({
      key: key(shard),
      ms: whole / shards + (shard === 0 ? Math.max(0, rest - each) : 0),
    }));
  };
  return [
    ...split(costs['inbox 0'], costs.inboxes, (shard) => intakeKey('', shard)),
    ...split(costs['queues 0'], costs.queues, queuePrefix),
    { key: stateKey(''), ms: costs.state },
    { key: outboxKey(channel, ''), ms: costs.outbox },
    ...[directoryKey(''), auditKey('')].map((key) => ({ key, ms: costs.others / 2 })),
  ];
}

function spread(parts: readonly { readonly key: string; readonly ms: number }[], nodes: number): number[] {
  const sums = Array.from({ length: nodes }, () => 0);
  for (const { key, ms } of parts) {
    const node = Math.floor((keySlot(key) * nodes) / SLOTS);
    sums[node] = (sums[node] ?? 0) + ms;
  }
  return sums;
}

/** Milliseconds per event for each node. */
export const costOfNodes = (costs: Costs, { nodes, shards }: Layout, channel: string): number[] =>
  spread(partsOf(costs, shards, channel), nodes);

/**
 * Events per second: those that the inboxes accept, and those whose alerts are also posted. A node has one core for
 * them.
 */
export function capacityOf(costs: Costs, { nodes, shards }: Layout, channel: string) {
  const parts = partsOf(costs, shards, channel);
  const inboxes = parts.filter(({ key }) => key.endsWith(':in}:'));
  const perSecond = (sums: readonly number[]): number => Math.round(1000 / Math.max(...sums) / 10) * 10;
  const sums = spread(parts, nodes);
  const busiest = sums.indexOf(Math.max(...sums));
  const here = parts.filter(({ key }) => Math.floor((keySlot(key) * nodes) / SLOTS) === busiest);
  const [largest] = here.toSorted((a, b) => b.ms - a.ms);
  return {
    taken: perSecond(spread(inboxes, nodes)),
    posted: perSecond(sums),
    boundBy: /:(\w+)[^:]*\}/.exec(largest?.key ?? '')?.[1] ?? '',
  };
}
