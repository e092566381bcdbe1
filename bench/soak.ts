import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from '../local/port.ts';
import { startRedis } from '../local/redis.ts';
import { startSandbox } from '../sandbox/server.ts';
import { auditKey, outboxKey, stateKey } from '../src/core/keys.ts';
import { openQueues } from '../src/core/queues.ts';
import { createIntake } from '../src/intake/intake.ts';
import { readDepths } from '../src/ops/health.ts';
import { notAsSaid } from '../test/support/kept-keys.ts';
import { startWorkspace } from '../workspace/server.ts';
import { bytesByKind } from './bytes.ts';
import { answers, type Child, startChild, webOnly } from './child.ts';
import { row, table } from './report.ts';
import { BOT_TOKEN, CARD_TOKEN, SHARED_SECRET, SIGNING_SECRET } from './sample.ts';
import { startSimulatedTime } from './simulated-time.ts';
import { createSoakEvents } from './soak-events.ts';
import { createSoakPeople, people } from './soak-people.ts';
import { countInbox, countJobs } from './under-way.ts';
import { stopRedis } from './worker.ts';

const DAY_MS = 86_400_000;
/** Longer than alerts are kept, so that the first ones are gone. */
const STEPS = 11;
const STEP_MS = 3 * DAY_MS;
const TOGETHER = 500;
/** Anything delayed for longer does not count as in flight. */
const SOON_MS = 60_000;
/** If nothing changes for this long, it will never end. */
const STANDSTILL_MS = 300_000;
const LOOKS = 3;
const LOOK_MS = 50;

const channels = { alerts: 'C0ALERTS', spend: 'C0SPEND', status: 'C0STATUS', approvals: 'C0APPROVALS', ops: 'C0OPS' };

type World = Awaited<ReturnType<typeof startWorld>>;

/**
 * A month of Cardbell: Redis' clock is moved forward three days at a time, with Cardbell's own processes between the
 * local Slack and the sandbox. Reports what is left afterwards, by kind, and whether SECURITY.md says so.
 *
 * @returns false when something is left that SECURITY.md does not list, or for longer than it says.
 */
export async function benchSoak({ events, actions }: { readonly events: number; readonly actions: number }) {
  const world = await startWorld();
  const { redis, time, sandbox, workspace } = world;
  const takeEvents = createSoakEvents(sandbox.accounts().map(({ AcctId }) => AcctId));
  const act = createSoakPeople({ workspace, accounts: sandbox.accounts(), approvals: channels.approvals });
  const intake = createIntake(redis, { deadlineMs: 30_000 });
  let acknowledged = 0;
  try {
    for (let step = 0; step < STEPS; step += 1) {
      const startedAt = performance.now();
      const share = (of: number): number => Math.floor((of * (step + 1)) / STEPS) - Math.floor((of * step) / STEPS);
      const children = await startProcesses(world);
      const handIn = async (): Promise<void> => {
        for (let left = share(events); left > 0; left -= TOGETHER) {
          const some = takeEvents(Math.min(TOGETHER, left), time.now());
          await Promise.all(some.map((event) => intake.take({ type: 'event', event })));
        }
      };
      const [done] = await Promise.all([act(share(actions)), handIn()]);
      acknowledged += done;
      await quiet(world);
      await Promise.all(children.map((child) => child.stop()));
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
      process.stdout.write(`  day ${3 * step}: ${share(events)} events, ${done} actions, ${seconds} s\n`);
      if (step < STEPS - 1) await time.forward(STEP_MS);
    }
    return await tell(world, acknowledged);
  } finally {
    await world.stop();
  }
}

async function startWorld() {
  const time = startSimulatedTime();
  const [server, calm, webPort] = [await startRedis({ env: time.env }), await startRedis(), await freePort()];
  const redis = new Redis(server.url);
  const workspace = await startWorkspace({
    botToken: BOT_TOKEN,
    signingSecret: SIGNING_SECRET,
    appUrl: `http://127.0.0.1:${webPort}/slack/events`,
    users: people.map((id) => ({ id, name: id.toLowerCase(), realName: `Person ${id.slice(3)}` })),
    channels: Object.entries(channels).map(([name, id]) => ({ id, name })),
    commands: ['/card'],
    enforceRateLimits: false,
    now: time.now,
  });
  const sandbox = await startSandbox({
    token: CARD_TOKEN,
    secret: SHARED_SECRET,
    redisUrl: calm.url,
    webhooks: `http://127.0.0.1:${webPort}/webhooks`,
  });
  return {
    time,
    redis,
    workspace,
    sandbox,
    webPort,
    env: {
      REDIS_URL: server.url,
      SLACK_BOT_TOKEN: BOT_TOKEN,
      SLACK_API_URL: workspace.apiUrl,
      ALERTS_CHANNEL: channels.alerts,
      ALERTS_CHANNEL_SPEND: channels.spend,
      ALERTS_CHANNEL_STATUS: channels.status,
      ALERTS_CHANNEL_APPROVALS: channels.approvals,
      ALERTS_CHANNEL_OPS: channels.ops,
      OPERATORS: people.join(','),
      APPROVERS: people.join(','),
      LOG_LEVEL: 'fatal',
    },
    async stop() {
      await Promise.all([sandbox.stop(), workspace.stop()]);
      await calm.stop();
      await stopRedis(redis, server);
      time.end();
    },
  };
}

/** Restarted at each step, like in an update: a running process reads Redis' time only occasionally. */
async function startProcesses({ env, time, sandbox, webPort }: World): Promise<Child[]> {
  const ready = async (program: string, its: Readonly<Record<string, string>>): Promise<Child> => {
    const adminPort = String(await freePort());
    const isUp = () => answers(`http://127.0.0.1:${adminPort}/readyz`);
    return await startChild(program, { ...env, ...its, ADMIN_PORT: adminPort }, isUp);
  };
  return await Promise.all([
    // It takes the time from Redis, except for Slack's signatures.
    ready('src/web.js', { ...webOnly, PORT: String(webPort) }),
    ready('test/support/paced-worker.js', {
      ...time.env,
      CARD_API_URL: sandbox.url,
      CARD_API_TOKEN: CARD_TOKEN,
      // At the pace of Slack and the real service, a month of actions would take hours.
      TEST_PACE: JSON.stringify({ postMs: 20, sweepMs: 2000 }),
      CARD_API_ASSUMPTIONS: JSON.stringify({ callsPerMinute: 60_000, detailCallsPerMinute: 60_000 }),
    }),
  ]);
}

/**
 * Waits until nothing is in flight any more, over several checks.
 *
 * @throws Error that names what is in flight, when it has not changed for too long.
 */
async function quiet(world: World): Promise<void> {
  let looks = 0;
  let [seen, since] = ['', performance.now()];
  while (looks < LOOKS) {
    const left = Object.entries(await underWay(world)).filter(([, count]) => count > 0);
    looks = left.length === 0 ? looks + 1 : 0;
    const now = left.map(([what, count]) => `${what} ${count}`).join(', ');
    if (now !== seen) [seen, since] = [now, performance.now()];
    if (performance.now() - since > STANDSTILL_MS) throw new Error(`nothing changes any more; under way: ${seen}`);
    await sleep(LOOK_MS);
  }
}

async function underWay({ redis, time, sandbox }: World): Promise<Record<string, number>> {
  const inChannels = Object.entries(channels).map(async ([name, channel]) => {
    const [waiting, others] = await Promise.all([
      redis.zcard(outboxKey(channel, 'queue')),
      redis.exists(outboxKey(channel, 'sending'), outboxKey(channel, 'edits')),
    ]);
    return [`outbox of ${name}`, waiting + others] as const;
  });
  return {
    inbox: await countInbox(redis),
    jobs: await countJobs(redis, ['alerts', 'bursts', 'actions', 'outbox', 'updates'], time.now() + SOON_MS),
    // Its delayed jobs are the recurring ones.
    maintenance: await countJobs(redis, ['maintenance'], 0),
    'actions awaited': await redis.zcard(stateKey('actions-awaited')),
    ...Object.fromEntries(await Promise.all(inChannels)),
    webhooks: sandbox.pendingWebhooks(),
  };
}

async function tell({ redis, time }: World, acknowledged: number): Promise<boolean> {
  const { bytes, keys, seconds } = await bytesByKind(redis);
  const all = [...bytes.values()].reduce((sum, one) => sum + one, 0);
  const count = (value: number): string => Math.round(value).toLocaleString('en-US');
  table(
    `What is left after ${((STEPS - 1) * STEP_MS) / DAY_MS} days, ${count(acknowledged)} actions and ${count(await redis.llen(auditKey('chain')))} records`,
    ['keys', 'KB', 'longest time to live, days'],
    [
      ...[...bytes]
        .toSorted(([, a], [, b]) => b - a)
        .map(([kind, of]) => {
          const left = seconds.get(kind) ?? -1;
          const days = left < 0 ? 'stays' : (left / (DAY_MS / 1000)).toFixed(1);
          return row(kind, [count(keys.get(kind) ?? 0), count(of / 1000), days]);
        }),
      row('all', [count([...keys.values()].reduce((sum, one) => sum + one, 0)), count(all / 1000), '']),
    ],
  );
  const depths = await readDepths(openQueues(redis, 1, { onlyLook: true }));
  const failed = Object.entries(depths).filter(([, depth]) => depth.failed > 0);
  const wrong = [
    ...(await notAsSaid(redis, time.now())),
    ...failed.map(([name, depth]) => `${depth.failed} jobs of ${name} failed for good`),
  ];
  process.stdout.write(wrong.length === 0 ? '\n  All of it as SECURITY.md says.\n' : `\n  ${wrong.join('\n  ')}\n`);
  return wrong.length === 0;
}
