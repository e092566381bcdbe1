import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../../local/port.ts';
import { startRedis } from '../../local/redis.ts';
import { webConfig } from '../../src/app/config.ts';
import { withAdmin } from '../../src/app/run-process.ts';
import { startWeb } from '../../src/app/web-process.ts';
import { createLog } from '../../src/core/log.ts';
import { signedHeaders } from '../../workspace/signature.ts';

/** Bolt itself times out after 3001 ms, so any answer within this time is ours. */
const WITHIN_MS = 2500;
const SECRET = 'signing-secret-app-1';

/** Enough that none of them sends more requests in a test than a person may. */
export const people = Array.from({ length: 50 }, (_, index) => `U0000${String(index).padStart(4, '0')}`);

export const form = 'application/x-www-form-urlencoded';

export type SlackSide = Awaited<ReturnType<typeof startSlackSide>>;

/** The web process with its own Redis, in this process, and Slack's side of it. */
export async function startSlackSide(more: Record<string, string> = {}) {
  const lines: { level: string; msg: string; err?: { message: string } }[] = [];
  const calls: { path: string; body: string }[] = [];
  const redis = await startRedis();
  /** The Web API, and the target of `response_url`. */
  const slack = createServer({ keepAliveTimeout: 72_000 }, (request, response) => {
    void text(request).then((body) => {
      // Web API calls are forms; answers over a response_url are JSON.
      calls.push({ path: request.url ?? '', body: decodeURIComponent(body.replaceAll('+', ' ')) });
      response.setHeader('content-type', 'application/json');
      response.end('{"ok":true,"channel":{"id":"D1"},"ts":"1.1","users":[]}');
    });
  });
  const slackUrl = `http://127.0.0.1:${await listen(slack)}`;
  const config = webConfig({
    HOST: '127.0.0.1',
    PORT: '0',
    REDIS_URL: redis.url,
    SLACK_BOT_TOKEN: 'xoxb-app-1',
    SLACK_SIGNING_SECRET: SECRET,
    SLACK_API_URL: `${slackUrl}/api/`,
    WEBHOOK_SHARED_SECRET: 'webhook-secret-app-1',
    ALERTS_CHANNEL: 'C0ALERTS',
    OPERATORS: people.join(),
    APPROVERS: people.join(),
    ...more,
  });
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const log = createLog({ level: 'debug', process: 'web', destination, repeatMs: 0 });
  let port = 0;
  const running = await withAdmin('web', config, log, async (admin) => {
    const web = await startWeb([config], log, admin);
    port = web.port;
    return web;
  });

  /** Sends one request signed the way Slack does. */
  async function deliver(
    body: string,
    type: string,
    withinMs = WITHIN_MS,
  ): Promise<{ status: number; answer: string }> {
    const headers = { 'content-type': type, ...signedHeaders(body, SECRET, Math.floor(Date.now() / 1000)) };
    const signal = AbortSignal.timeout(withinMs);
    const response = await fetch(`http://127.0.0.1:${port}/slack/events`, { method: 'POST', headers, body, signal });
    return { status: response.status, answer: await response.text() };
  }

  return {
    redis,
    /** What the process logged. */
    lines,
    /** What Slack was asked for. */
    calls,
    deliver,
    deliverEvent: (body: object) => deliver(JSON.stringify(body), 'application/json'),
    deliverInteraction: (body: object) =>
      deliver(new URLSearchParams({ payload: JSON.stringify(body) }).toString(), form),
    deliverCommand: (fields: Record<string, string>) => deliver(new URLSearchParams(fields).toString(), form),
    url: `http://127.0.0.1:${port}/slack/events`,
    signed: (body: string) => signedHeaders(body, SECRET, Math.floor(Date.now() / 1000)),
    responseUrl: `${slackUrl}/respond`,
    async stop(): Promise<void> {
      await running.stop();
      await new Promise((resolve) => slack.close(resolve));
      await redis.stop();
    },
  };
}

/**
 * The recordings contain only types instead of values. Fills in ids and our own URL, as if a person had caused the
 * event. @param named what was pressed or typed.
 */
export function filled(recorded: object, responseUrl: string, named: object = {}): Record<string, unknown> {
  const values: Readonly<Record<string, unknown>> = {
    response_url: responseUrl,
    trigger_id: '111.222.xxx',
    action_ts: '1596530385.194939',
    callback_id: 'gone',
    action_id: 'gone',
    command: '/gone',
    user_id: 'U00000000',
    channel_id: 'C00000000',
    ...named,
  };
  const ids: Readonly<Record<string, string>> = { user: 'U00000000', channel: 'C00000000', team: 'T00000000' };
  const fill = (value: unknown, key: string, parent: string): unknown => {
    if (Array.isArray(value)) return value.map((element) => fill(element, key, parent));
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fill(inner, name, key)]));
    }
    if (key in values) return values[key];
    return key === 'id' ? (ids[parent] ?? value) : value;
  };
  return fill(recorded, '', '') as Record<string, unknown>;
}
