import { approvers, channelId, userId } from './cast.ts';

/** Secrets of the demo: publicly known, and useless outside this machine. */
export const demoSecret = {
  botToken: 'xoxb-demo',
  signingSecret: 'demo-signing-secret',
  webhooks: 'demo-webhook-secret',
  cardApi: 'demo-card-api-token',
} as const;

/** Commands registered by the app. */
export const demoCommands = ['/card', '/card-activate', '/card-block', '/card-limit'];

/** The environment of the demo's processes: nothing from the caller except where programs are. */
export function demoEnvironment(at: {
  redisUrl: string;
  slackApiUrl: string;
  webPort: number;
  cardApiUrl: string;
}): Record<'web' | 'worker', Record<string, string>> {
  const shared = {
    ...picked(['PATH', 'HOME', 'TZ', 'LANG', 'TMPDIR']),
    NODE_ENV: 'production',
    REDIS_URL: at.redisUrl,
    SLACK_BOT_TOKEN: demoSecret.botToken,
    SLACK_API_URL: at.slackApiUrl,
    ALERTS_CHANNEL: channelId.declines,
    ALERTS_CHANNEL_DECLINES: channelId.declines,
    ALERTS_CHANNEL_SHIPPING: channelId.shipping,
    ALERTS_CHANNEL_STATUS: channelId.status,
    ALERTS_CHANNEL_VIRTUAL: channelId.virtual,
    ALERTS_CHANNEL_SPEND: channelId.spend,
    ALERTS_CHANNEL_APPROVALS: channelId.approvals,
    ALERTS_CHANNEL_OPS: channelId.ops,
    ALERTS_CHANNEL_AUDIT: channelId.audit,
    OPERATORS: userId.olga,
    APPROVERS: approvers.id,
  };
  return {
    web: {
      ...shared,
      HOST: '127.0.0.1',
      PORT: String(at.webPort),
      SLACK_SIGNING_SECRET: demoSecret.signingSecret,
      WEBHOOK_SHARED_SECRET: demoSecret.webhooks,
    },
    worker: { ...shared, CARD_API_URL: at.cardApiUrl, CARD_API_TOKEN: demoSecret.cardApi },
  };
}

function picked(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}
