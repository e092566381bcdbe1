import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChaosCluster, Member } from './cluster.ts';
import type { Random } from './random.ts';
import { redisDisturbances } from './redis-disturbances.ts';
import { type OutsideWorld, slackDisturbances } from './slack-disturbances.ts';
import { type Step, steps } from './steps.ts';

/** Longest wait for a process to reach the step at which it is killed. */
const STRIKE_WITHIN_MS = 10_000;
/** A worker is frozen longer than it may hold a lock. */
const FREEZE_SECONDS = 13;
/** Probability that a disturbance not yet done is chosen over a random one. */
const FIRST_ONCE = 0.4;
/** Largest number of steps to list by name. */
const FEW = 3;
/** How many different disturbances a short run must do, however slow the machine is. */
export const SHORT_KINDS = 3;

/** The disturbances of the cluster, by name. */
export interface Disturbances {
  /** Stops the random disturbances and clears all faults. */
  stop(): Promise<void>;
  readonly done: ReadonlyMap<string, number>;
  /** Named steps at which a process was killed. */
  readonly struck: ReadonlySet<string>;
  /** Disturbances not yet done once, including common steps at which no process was killed. */
  wanting(): readonly string[];
}

/** Disturbances that a full run must do at least once. */
export const kinds = [
  'SIGKILL of a web',
  'SIGKILL of a worker',
  'SIGKILL at a named step',
  'Redis frozen',
  'Redis killed and restarted',
  'Redis came back older',
  'Redis nearly full',
  'Redis slow',
  'connections to Redis cut',
  'fields of a newer version stored',
  'web frozen',
  'worker frozen',
  'a worker stood still before it wrote',
  'clock of a web jumps',
  'clock of a worker jumps',
  'clocks of Slack and Redis differ',
  'Slack fails',
  'Slack commits posts late',
  'card API fails',
  'the answer of a write was lost, and the portal changed the card',
  'a message was deleted',
  'a channel was archived',
] as const;

/** A kill just before or just after a step. */
interface Strike {
  readonly step: Step;
  readonly when: 'before' | 'after';
}
const strikes: readonly Strike[] = steps.flatMap((step) => [
  { step, when: 'before' },
  { step, when: 'after' },
]);
const nameOf = ({ step, when }: Strike): string => `${when} ${step.name}`;

/** Whether a process is stopped, according to Linux. */
function isStopped(pid: number): boolean {
  return /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}

type Disturb = () => Promise<string>;

export function startDisturbances(
  cluster: ChaosCluster,
  randoms: readonly [Random, Random],
  world: OutsideWorld,
  options: {
    readonly pauseMs: readonly [number, number];
    readonly isShort: boolean;
    readonly say: (line: string) => void;
  },
): Disturbances {
  const done = new Map<string, number>();
  const struck = new Set<string>();
  const [random, outside] = randoms;
  /** Disturbances that were done at least once. */
  const doneOnce = new Set<string>();
  let planned: Strike[] = [];
  let isStopping = false;
  const longest = options.isShort ? 2000 : 8000;

  const inside: Record<string, Disturb> = {
    killWeb: () => kill(cluster.webs),
    killWorker: () => kill(cluster.workers),
    async killAtStep() {
      if (planned.length === 0) planned = random.shuffled(notYetStruck().length > 0 ? notYetStruck() : strikes);
      const next = planned.pop() as Strike;
      if (!(await strike(next))) return '';
      struck.add(nameOf(next));
      return 'SIGKILL at a named step';
    },
    freezeWeb: () => freeze(cluster.webs),
    freezeWorker: () => freeze(cluster.workers),
    async freezeBeforeWrite() {
      const member = random.pick(cluster.workers);
      const child = member.child();
      const isFrozen = (): boolean => child.isRunning() && isStopped(child.pid);
      await member.order({ freezeAt: { pattern: 'GET /v4/[^]*SpendRules', seconds: FREEZE_SECONDS } });
      const deadline = performance.now() + STRIKE_WITHIN_MS;
      while (!isFrozen() && performance.now() < deadline && !isStopping) await sleep(20);
      const froze = isFrozen();
      while (isFrozen()) await sleep(100);
      await member.order({});
      return froze ? 'a worker stood still before it wrote' : '';
    },
    webClockJumps: () => clockJumps(cluster.webs),
    workerClockJumps: () => clockJumps(cluster.workers),
    ...redisDisturbances(cluster, random, longest),
  };
  const others: Record<string, Disturb> = slackDisturbances(cluster, outside, longest, world);
  const weights = options.isShort ? shortWeights : fullWeights;
  // In parallel, so that Slack also fails while a process is killed.
  const running = Promise.all([run(random, inside, weights.inside), run(outside, others, weights.outside)]);

  async function run(chance: Random, from: Record<string, Disturb>, weigh: Readonly<Record<string, number>>) {
    // Each once in random order, then at random, sometimes preferring those that have not succeeded yet.
    const first = options.isShort ? [] : chance.shuffled(Object.keys(weigh));
    while (!isStopping) {
      await sleep(chance.integer(...options.pauseMs));
      if (isStopping) break;
      const missing = options.isShort ? [] : Object.keys(weigh).filter((name) => !doneOnce.has(name));
      const again = missing.length > 0 && chance.next() < FIRST_ONCE ? chance.pick(missing) : undefined;
      const name = first.pop() ?? again ?? chance.weighted(weigh);
      const what = (await from[name]?.()) ?? '';
      if (what === '') continue;
      doneOnce.add(name);
      done.set(what, (done.get(what) ?? 0) + 1);
      options.say(what);
    }
  }

  async function kill(members: readonly Member[]): Promise<string> {
    const member = random.pick(members);
    member.kill();
    return `SIGKILL of a ${member.process}`;
  }

  async function freeze(members: readonly Member[]): Promise<string> {
    const child = random.pick(members).child();
    child.kill('SIGSTOP');
    await sleep(random.integer(300, longest * 2));
    child.kill('SIGCONT');
    return `${child.name} frozen`;
  }

  async function clockJumps(members: readonly Member[]): Promise<string> {
    const member = random.pick(members);
    const minutes = random.pick([-180, -61, -10, -2, 2, 10, 61, 180]);
    await member.order({ clockOffsetMs: minutes * 60_000 });
    await sleep(random.integer(1000, longest));
    await member.order({});
    return `clock of a ${member.process} jumps`;
  }

  /** Steps that no process reached in time are retried before others are repeated. */
  function notYetStruck(): Strike[] {
    return strikes.filter((one) => one.step.isRare !== true && !struck.has(nameOf(one)));
  }

  /** Every process of the kind gets the kill order. The first to reach the step dies, and the order is revoked for the others. */
  async function strike({ step, when }: Strike): Promise<boolean> {
    const targets: readonly Member[] = step.process === 'web' ? cluster.webs : cluster.workers;
    const starts = targets.map((member) => member.starts());
    const hasDied = (): boolean =>
      targets.some((member, index) => member.starts() > (starts[index] ?? 0) || !member.child().isRunning());
    await Promise.all(targets.map((member) => member.order({ killAt: { pattern: step.pattern, when } })));
    const within = options.isShort ? STRIKE_WITHIN_MS / 4 : STRIKE_WITHIN_MS;
    const deadline = performance.now() + within;
    while (!hasDied() && performance.now() < deadline && !isStopping) await sleep(10);
    const died = hasDied();
    await Promise.all(targets.map((member) => member.order({})));
    return died;
  }

  return {
    done,
    struck,
    wanting() {
      if (options.isShort) return done.size < SHORT_KINDS ? [`${SHORT_KINDS - done.size} other disturbances`] : [];
      const steps = notYetStruck().map(nameOf);
      const at = steps.length > FEW ? [`deaths at ${steps.length} steps`] : steps;
      return [...kinds.filter((kind) => !done.has(kind)), ...at];
    },
    async stop() {
      isStopping = true;
      await running;
      cluster.workspace.faults.clear();
      cluster.sandbox.faults.clear();
      cluster.wire.slow(0);
      await Promise.all(cluster.members.map((member) => member.order({})));
    },
  };
}

const fullWeights = {
  inside: {
    killAtStep: 14,
    killWeb: 1,
    killWorker: 1,
    freezeRedis: 1,
    restartRedis: 1,
    rewindRedis: 0.5,
    fillRedis: 1,
    slowRedis: 1,
    cutRedis: 1,
    freezeWeb: 0.5,
    freezeWorker: 0.5,
    freezeBeforeWrite: 0.5,
    webClockJumps: 0.5,
    workerClockJumps: 0.5,
    storeNewerFields: 0.5,
  },
  outside: {
    slackFails: 14,
    cardApiFails: 6,
    slackCommitsLate: 1,
    slackClockIsOff: 1,
    deleteMessage: 2,
    archiveChannel: 1,
    loseAnswerAndChange: 1,
  },
} as const;
const shortWeights = {
  inside: {
    killAtStep: 10,
    killWeb: 1,
    killWorker: 2,
    restartRedis: 1,
    slowRedis: 1,
    cutRedis: 1,
    freezeWorker: 1,
    workerClockJumps: 1,
  },
  outside: { slackFails: 7, cardApiFails: 3, deleteMessage: 1 },
} as const;
