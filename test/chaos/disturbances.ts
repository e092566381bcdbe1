import { setTimeout as sleep } from 'node:timers/promises';
import type { ChaosCluster, Member } from './cluster.ts';
import type { Random } from './random.ts';
import { type Step, steps } from './steps.ts';

/** Longest wait for a process to come to the step at which it is to be killed. */
const STRIKE_WITHIN_MS = 10_000;

/** What was done to the cluster, by name. */
export interface Disturbances {
  /** Everything at random, until told to stop; then everything is well again. */
  stop(): Promise<void>;
  readonly done: ReadonlyMap<string, number>;
  /** Named steps at which a process was killed. */
  readonly struck: ReadonlySet<string>;
}

const slackFaults = [
  { kind: 'http_500' },
  { kind: 'http_500_after_accept' },
  { kind: 'timeout', ms: 11_000 },
  { kind: 'timeout_after_accept', ms: 11_000 },
  { kind: 'hang_up' },
  { kind: 'hang_up_after_accept' },
  { kind: 'rate_limited', retryAfterSeconds: 2 },
  { kind: 'slow', ms: 2500 },
  { kind: 'error', error: 'internal_error' },
  { kind: 'error', error: 'fatal_error' },
] as const;
const slackMethods = [
  /^chat\.postMessage$/,
  /^conversations\.(history|replies)$/,
  /^chat\.update$/,
  /^files\./,
  /./,
] as const;

const cardFaults = [
  { kind: 'http_500' },
  { kind: 'http_502_html' },
  { kind: 'hang', ms: 3000 },
  { kind: 'hang_after_effect', ms: 3000 },
  { kind: 'hang_up' },
  { kind: 'hang_up_after_effect' },
  { kind: 'rate_limited', retryAfterSeconds: 1 },
] as const;

/** A death just before or just after a step. */
interface Strike {
  readonly step: Step;
  readonly when: 'before' | 'after';
}
const strikes: readonly Strike[] = steps.flatMap((step) => [
  { step, when: 'before' },
  { step, when: 'after' },
]);
const nameOf = ({ step, when }: Strike): string => `${when} ${step.name}`;

export function startDisturbances(
  cluster: ChaosCluster,
  random: Random,
  options: {
    readonly pauseMs: readonly [number, number];
    readonly isShort: boolean;
    readonly say: (line: string) => void;
  },
): Disturbances {
  const done = new Map<string, number>();
  const struck = new Set<string>();
  let planned: Strike[] = [];
  let isStopping = false;
  const longest = options.isShort ? 2500 : 8000;

  const policyVerbs = {
    async kill() {
      const member = random.pick(cluster.members);
      member.kill();
      return `SIGKILL of a ${member.process}`;
    },
    async killAtStep() {
      if (planned.length === 0) planned = random.shuffled(notYetStruck());
      const next = planned.pop() as Strike;
      if (await strike(next)) struck.add(nameOf(next));
      return 'SIGKILL at a named step';
    },
    async freezeRedis() {
      await cluster.freezeRedis(random.integer(300, longest));
      return 'Redis frozen';
    },
    async restartRedis() {
      await cluster.restartRedis(random.integer(100, longest / 2));
      return 'Redis killed and restarted';
    },
    async slowRedis() {
      cluster.wire.slow(random.integer(20, 250));
      await sleep(random.integer(500, longest / 2));
      cluster.wire.slow(0);
      return 'Redis slow';
    },
    async cutRedis() {
      cluster.wire.cut();
      return 'connections to Redis cut';
    },
    async freezeProcess() {
      const child = random.pick(cluster.members).child();
      child.kill('SIGSTOP');
      await sleep(random.integer(300, longest * 2));
      child.kill('SIGCONT');
      return `${child.name} frozen`;
    },
    async slackFails() {
      const times = random.integer(1, 3);
      cluster.workspace.faults.add({ method: random.pick(slackMethods), times, ...random.pick(slackFaults) });
      return 'Slack fails';
    },
    async cardApiFails() {
      cluster.sandbox.faults.add({ path: /./, times: random.integer(1, 3), ...random.pick(cardFaults) });
      return 'card API fails';
    },
    async clockJumps() {
      const member = random.pick(cluster.members);
      const minutes = random.pick([-180, -61, -10, -2, 2, 10, 61, 180]);
      await member.order({ clockOffsetMs: minutes * 60_000 });
      await sleep(random.integer(1000, longest));
      await member.order({});
      return `clock of a ${member.process} jumps`;
    },
  };
  // Side by side: while somebody is being killed, Slack fails as well.
  const running = Promise.all([
    run({
      killAtStep: 14,
      kill: 2,
      freezeRedis: 1,
      restartRedis: 1,
      slowRedis: 1,
      cutRedis: 1,
      freezeProcess: 1,
      clockJumps: 1,
    }),
    run({ slackFails: 7, cardApiFails: 3 }),
  ]);

  async function run(weights: Partial<Record<keyof typeof policyVerbs, number>>): Promise<void> {
    while (!isStopping) {
      await sleep(random.integer(...options.pauseMs));
      if (isStopping) break;
      const what = await policyVerbs[random.weighted(weights as Record<keyof typeof policyVerbs, number>)]();
      done.set(what, (done.get(what) ?? 0) + 1);
      options.say(what);
    }
  }

  /** A step that nobody came to in time has another turn before the others have theirs again. */
  function notYetStruck(): Strike[] {
    const missing = strikes.filter((one) => one.step.isRare !== true && !struck.has(nameOf(one)));
    return missing.length > 0 ? missing : [...strikes];
  }

  /** Every process of the kind gets the order; the first to come to the step dies of it, the others are let off. */
  async function strike({ step, when }: Strike): Promise<boolean> {
    const targets: readonly Member[] = step.process === 'web' ? cluster.webs : cluster.workers;
    const starts = targets.map((member) => member.starts());
    const hasDied = (): boolean =>
      targets.some((member, index) => member.starts() > (starts[index] ?? 0) || !member.child().isRunning());
    await Promise.all(targets.map((member) => member.order({ killAt: { pattern: step.pattern, when } })));
    const deadline = performance.now() + STRIKE_WITHIN_MS;
    while (!hasDied() && performance.now() < deadline && !isStopping) await sleep(10);
    const died = hasDied();
    await Promise.all(targets.map((member) => member.order({})));
    return died;
  }

  return {
    done,
    struck,
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
