import { opsNotice } from '../../templates/ops/ops-notice.ts';
import type { Log } from '../core/log.ts';
import type { RedisClient } from '../core/redis.ts';
import * as trouble from '../ops/issue.ts';
import { createOpsMemory } from '../ops/issue-store.ts';
import {
  causeKey,
  createTellOps,
  createTellOver,
  type TellOps,
  type TellOver,
  type Trouble,
} from '../ops/notify-ops.ts';
import { isSlackTokenDead, watchToken } from '../ops/watch-token.ts';
import type { Outbox } from '../outbox/outbox-store.ts';
import { createSlack, type Slack } from '../slack/client.ts';
import type { WorkerConfig } from './config.ts';

interface Deps {
  readonly config: WorkerConfig;
  readonly redis: RedisClient;
  readonly outbox: Outbox;
  readonly wakeOutbox: (channel: string) => Promise<void>;
  readonly now: () => Date;
  readonly log: Log;
}

export interface OpsParts {
  /** Slack, watched: who uses it after its token died is told, and ops once it lives again. */
  readonly slack: Slack;
  readonly tellOps: TellOps;
  readonly tellOver: TellOver;
}

/** Slack, and what tells ops of trouble through it, joined over one Redis. */
export function createOpsParts({ config, redis, outbox, wakeOutbox, now, log }: Deps): OpsParts {
  const memory = createOpsMemory(redis);
  const opsDeps = (level: 'trouble' | 'recovered') => ({
    memory,
    outbox,
    channel: config.channels.ops,
    wakeOutbox,
    render: ({ title, what, means, todo, ref }: Trouble, at: string) =>
      opsNotice({ level, title, what, means, todo, at, ref: ref ?? null }),
    now,
    log,
  });
  const tellOps = createTellOps(opsDeps('trouble'));
  const tellOver = createTellOver(opsDeps('recovered'));
  const slack = watchToken(createSlack({ token: config.slackBotToken, apiUrl: config.slackApiUrl }), {
    isDead: isSlackTokenDead,
    dead: async () => {
      const cause = causeKey(trouble.slackTokenDead());
      if (!(await memory.isKnown(cause))) log.fatal({ todo: 'set SLACK_BOT_TOKEN' }, 'Slack refuses the bot token');
      await memory.remember(cause);
    },
    alive: () => tellOver(trouble.slackTokenDead(), trouble.slackTokenDead()),
  });
  return { slack, tellOps, tellOver };
}
