type Env = Record<string, string>;

const shared: Env = { SLACK_BOT_TOKEN: 'xoxb-1', ALERTS_CHANNEL: 'C0ALERTS' };

/** The variables without which the web process does not start. */
export const webEnv: Env = {
  ...shared,
  SLACK_SIGNING_SECRET: 'signing-0123456789',
  WEBHOOK_SHARED_SECRET: 'SHARED-0123456789',
};

/** The same for the worker. */
export const workerEnv: Env = {
  ...shared,
  CARD_API_URL: 'https://card.example/v4',
  CARD_API_TOKEN: 'api-token-0123456789',
};
