import { opsNotice } from '../../templates/ops/ops-notice.ts';
import type { Log } from '../core/log.ts';
import type { RedisClient } from '../core/redis.ts';
import * as opsIssue from '../ops/issue.ts';
import type { Metrics } from '../ops/metrics.ts';
import {
  causeKey,
  createNotifyOps,
  createOpsMemory,
  isSlackTokenDead,
  type NotifyOps,
  type NotifyResolved,
  watchToken,
} from '../ops/notify-ops.ts';
import type { Outbox } from '../outbox/outbox-store.ts';
import { forOutbox } from '../outbox/tracked-message.ts';
import { createSlack, type Slack } from '../slack/client.ts';
import { createSlackClock, type SlackClock } from '../slack/clock.ts';
import type { WorkerConfig } from './config.ts';

interface Deps {
  readonly config: WorkerConfig;
  readonly redis: RedisClient;
  readonly outbox: Outbox;
  readonly wakeOutbox: (channel: string) => Promise<void>;
  readonly now: () => Date;
  readonly metrics: Pick<Metrics, 'slackCalled'>;
  readonly log: Log;
}

export interface OpsParts {
  /** Slack, watched: who uses it after its token died is told, and ops once it lives again. */
  readonly slack: Slack;
  readonly slackClock: Pick<SlackClock, 'now'>;
  readonly notifyOps: NotifyOps;
  readonly notifyResolved: NotifyResolved;
}

/** Slack, and what tells ops of trouble through it, joined over one Redis. */
export function composeOps({ config, redis, outbox, wakeOutbox, now, metrics, log }: Deps): OpsParts {
  const memory = createOpsMemory(redis);
  const { notifyOps, notifyResolved } = createNotifyOps({
    memory,
    async post(id, message) {
      await outbox.put(config.channels.ops, { kind: 'notice', id, message: forOutbox(message), priority: 'ops' });
      await wakeOutbox(config.channels.ops);
    },
    render: ({ title, what, means, todo, ref }, isResolved, at) =>
      opsNotice({ level: isResolved ? 'recovered' : 'ops', title, what, means, todo, at, ref: ref ?? null }),
    now,
    log,
  });
  const slackClock = createSlackClock();
  const client = createSlack({
    token: config.slackBotToken,
    apiUrl: config.slackApiUrl,
    measure: metrics.slackCalled,
    clock: slackClock,
  });
  const slack = watchToken(client, {
    isDead: isSlackTokenDead,
    dead: async () => {
      const cause = causeKey(opsIssue.slackTokenDead());
      if (!(await memory.isKnown(cause))) log.fatal({ todo: 'set SLACK_BOT_TOKEN' }, 'Slack refuses the bot token');
      await memory.remember(cause);
    },
    alive: () => notifyResolved(opsIssue.slackTokenDead(), opsIssue.slackTokenDead()),
  });
  return { slack, slackClock, notifyOps, notifyResolved };
}
