import { createHmac } from 'node:crypto';

/**
 * The headers that prove that a request is from Slack.
 * https://docs.slack.dev/authentication/verifying-requests-from-slack
 */
export function signedHeaders(body: string, signingSecret: string, timestampSeconds: number): Record<string, string> {
  const digest = createHmac('sha256', signingSecret).update(`v0:${timestampSeconds}:${body}`).digest('hex');
  return { 'x-slack-request-timestamp': String(timestampSeconds), 'x-slack-signature': `v0=${digest}` };
}
