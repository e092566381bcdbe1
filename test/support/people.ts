import type { WorkspaceOptions } from '../../workspace/server.ts';

/** The people in the test workspace and their roles. */
export const people = {
  /** Operator by user id. */
  olga: 'U0OLGA',
  /** Operator by user group. */
  gus: 'U0GUS',
  /** Approvers by user group. */
  ana: 'U0ANA',
  ben: 'U0BEN',
  /** Approver by user id. */
  zoe: 'U0ZOE',
  /** No role. */
  otto: 'U0OTTO',
  /** Cardholders once they are linked. */
  hana: 'U0HANA',
  hugo: 'U0HUGO',
} as const;

export const groups = { operators: 'S0OPERATORS', approvers: 'S0APPROVERS' } as const;

/** One channel per purpose, so that tests see where each message went. */
export const channels = {
  alerts: 'C0ALERTS',
  declines: 'C0DECLINES',
  shipping: 'C0SHIPPING',
  status: 'C0STATUS',
  virtual: 'C0VIRTUAL',
  spend: 'C0SPEND',
  approvals: 'C0APPROVALS',
  ops: 'C0OPS',
  audit: 'C0AUDIT',
} as const;

export const secrets = {
  botToken: 'xoxb-flow-4f1c2d9a7b',
  signingSecret: 'signing-8d2f5b7c1e',
  sharedSecret: 'SHARED3C9E5D7A1B2F4E6C8D0A',
  apiToken: 'api-token-6a9c3e5f',
} as const;

/** The workspace of the flow tests. Rate limits are off by default, because they would slow the tests down. */
export const workspaceOptions: WorkspaceOptions = {
  botToken: secrets.botToken,
  signingSecret: secrets.signingSecret,
  enforceRateLimits: false,
  users: Object.entries(people).map(([name, id]) => ({ id, name, realName: name })),
  channels: Object.entries(channels).map(([name, id]) => ({ id, name })),
  userGroups: [
    { id: groups.operators, handle: 'operators', name: 'Operators', users: [people.gus] },
    { id: groups.approvers, handle: 'approvers', name: 'Approvers', users: [people.ana, people.ben] },
  ],
  commands: ['/card', '/card-activate', '/card-block', '/card-limit'],
  escapedCommands: ['/card'],
};

/** The environment variables for roles and channels. Spend has no channel by default. */
export const peopleEnv = {
  ALERTS_CHANNEL: channels.alerts,
  ALERTS_CHANNEL_DECLINES: channels.declines,
  ALERTS_CHANNEL_SHIPPING: channels.shipping,
  ALERTS_CHANNEL_STATUS: channels.status,
  ALERTS_CHANNEL_VIRTUAL: channels.virtual,
  ALERTS_CHANNEL_APPROVALS: channels.approvals,
  ALERTS_CHANNEL_OPS: channels.ops,
  ALERTS_CHANNEL_AUDIT: channels.audit,
  OPERATORS: `${people.olga},${groups.operators}`,
  APPROVERS: `${groups.approvers},${people.zoe}`,
} as const;

/** The variables of both processes for a command-line program. */
export function commandEnv(running: {
  readonly redis: { readonly url: string };
  readonly workspace: { readonly apiUrl: string };
  readonly sandbox: { readonly url: string };
  readonly url: string;
}): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    REDIS_URL: running.redis.url,
    SLACK_BOT_TOKEN: secrets.botToken,
    SLACK_API_URL: running.workspace.apiUrl,
    SLACK_SIGNING_SECRET: secrets.signingSecret,
    WEBHOOK_SHARED_SECRET: secrets.sharedSecret,
    CARD_API_URL: running.sandbox.url,
    CARD_API_TOKEN: secrets.apiToken,
    PORT: new URL(running.url).port,
    ...peopleEnv,
  };
}
