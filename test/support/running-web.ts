import { type Agent, type IncomingHttpHeaders, request } from 'node:http';
import { Redis } from 'ioredis';
import { freePort } from '../../local/port.ts';
import { type LocalRedis, startRedis } from '../../local/redis.ts';
import { type Child, startChild } from './child-process.ts';

export const sharedSecret = 'RECEIVERS3C9E5D7A1B2F4E6C8D0A';
export const inbox = '{cardbell:in}:webhooks';

export const basic = (credential: string): string => `Basic ${Buffer.from(credential).toString('base64')}`;

/** Headers the card service sends with every webhook. */
export const serviceHeaders: Readonly<Record<string, string>> = {
  authorization: basic(sharedSecret),
  'content-type': 'application/json; charset=utf-8',
  'x-service-version': '2.0.1.3',
  'request-context': 'appId=cid-v1:6f1d',
  'request-id': '|f7a3.1.',
};

/** The web process alone: with a real Redis, but no worker and no Slack. */
export interface RunningWeb {
  readonly child: Child;
  readonly port: number;
  readonly url: string;
  /** Base address of the admin port. */
  readonly adminUrl: string;
  readonly redis: LocalRedis;
  /** A separate connection for the test. */
  readonly store: Redis;
  stop(): Promise<void>;
}

export async function startWeb(env: Record<string, string> = {}): Promise<RunningWeb> {
  const redis = await startRedis();
  const port = await freePort();
  const adminPort = await freePort();
  const child = startChild('web', {
    HOST: '127.0.0.1',
    PORT: String(port),
    ADMIN_PORT: String(adminPort),
    REDIS_URL: redis.url,
    SLACK_BOT_TOKEN: 'xoxb-receivers-1',
    SLACK_SIGNING_SECRET: 'signing-receivers-1',
    // Nothing listens there, because the receivers must not need Slack.
    SLACK_API_URL: 'http://127.0.0.1:1/api/',
    WEBHOOK_SHARED_SECRET: sharedSecret,
    ALERTS_CHANNEL: 'C0ALERTS',
    ...env,
  });
  const store = new Redis(redis.url, { maxRetriesPerRequest: null, retryStrategy: () => 50 });
  store.on('error', () => {
    // Some tests stop Redis.
  });
  await child.said('web listens').catch(async (error: unknown) => {
    // Otherwise nothing would stop the Redis started for it.
    store.disconnect();
    await redis.stop();
    throw error;
  });
  return {
    child,
    port,
    url: `http://127.0.0.1:${port}`,
    adminUrl: `http://127.0.0.1:${adminPort}`,
    redis,
    store,
    async stop() {
      await child.stop();
      store.disconnect();
      await redis.stop();
    },
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly ms: number;
}

export interface Sending {
  readonly method?: string;
  /** Override the service's headers. An undefined value removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | Buffer;
  /** Sent without Content-Length, in these chunks. */
  readonly chunks?: readonly (string | Buffer)[];
  readonly agent?: Agent | false;
}

/** Sends one request like the card service. */
export function send(url: string, options: Sending = {}): Promise<Answer> {
  const { method = 'POST', body = '', chunks, agent = false } = options;
  const headers = Object.fromEntries(
    Object.entries({ ...serviceHeaders, ...options.headers }).filter((entry) => entry[1] !== undefined),
  ) as Record<string, string>;
  if (chunks === undefined && method !== 'GET' && method !== 'HEAD') {
    headers['content-length'] ??= String(Buffer.byteLength(body));
  }
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => {
        const ms = performance.now() - startedAt;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, ms });
      });
      response.on('error', reject);
    });
    sent.on('error', reject);
    for (const chunk of chunks ?? []) sent.write(chunk);
    sent.end(chunks === undefined && method !== 'GET' && method !== 'HEAD' ? body : undefined);
  });
}
