import { Redis } from 'ioredis';
import { afterAll, beforeAll } from 'vitest';
import { freePort } from '../../local/port.ts';
import { type LocalRedis, startRedis } from '../../local/redis.ts';
import { type Sandbox, type SandboxAccount, type SandboxOptions, startSandbox } from '../../sandbox/server.ts';
import type { Pace } from '../../src/app/worker-process.ts';
import { createLinks } from '../../src/holders/link-store.ts';
import {
  type ApiCall,
  type Delivery,
  type StoredMessage,
  startWorkspace,
  type Workspace,
  type WorkspaceOptions,
} from '../../workspace/server.ts';
import { clumsyTexts } from '../templates/clumsy.ts';
import { callsOutside } from './calls-outside.ts';
import { type Child, startChild } from './child-process.ts';
import { channels, people, peopleEnv, secrets, workspaceOptions } from './people.ts';
import { redisUsers } from './redis-users.ts';
import type { SampleWebhook } from './sample-webhook.ts';
import { until } from './until.ts';

/** Longest wait for a message. Generous for a busy machine, where some arrive only with the next sweep. */
export const WAIT_MS = 60_000;

/** Posts without throttling, and checks often for overdue work. */
export const atOnce = { postMs: 20, sweepMs: 2000 } as const;

/** For tests that stop neither process: starting one takes half as long as starting two. */
export const inOneProcess = { together: true, pace: atOnce } as const;

export interface CardbellOptions {
  readonly webs?: number;
  readonly workers?: number;
  /** Both in one process, like `npm start`, instead of separate web and worker processes. */
  readonly together?: boolean;
  readonly env?: Record<string, string>;
  /** Defaults to the real pace. Faster for tests that post a lot and are not about pace. */
  readonly pace?: Partial<Pace>;
  readonly workspace?: Partial<WorkspaceOptions>;
  readonly sandbox?: Partial<SandboxOptions>;
  /** Runs each process with its Redis user from `deploy/redis/users.acl`. */
  readonly redisUsers?: boolean;
  /** Called before Cardbell starts, to inject faults from the beginning. */
  readonly prepare?: (parts: { workspace: Workspace; sandbox: Sandbox }) => void;
}

/** Cardbell as people run it, with a real Redis, the local Slack and the sandbox of the card service. */
export interface RunningCardbell {
  readonly redis: LocalRedis;
  /** A separate connection for the test. */
  readonly store: Redis;
  readonly workspace: Workspace;
  readonly sandbox: Sandbox;
  readonly webs: Child[];
  readonly workers: Child[];
  /** Base address of the web process. */
  readonly url: string;
  /** Base address of the admin port of the first web process, or of the only process. */
  readonly adminUrl: string;
  startWeb(env?: Record<string, string>): Promise<Child>;
  startWorker(env?: Record<string, string>): Promise<Child>;
  /** Sends a webhook like the card service. @returns the HTTP status. */
  deliver(webhook: SampleWebhook, options?: { path?: string; url?: string }): Promise<number>;
  command(user: string, text: string, command?: string): Promise<Delivery>;
  press(user: string, message: StoredMessage, actionId: string, value?: string): Promise<Delivery>;
  /** Texts of the ephemeral messages to this person. */
  told(user: string): string[];
  /** Waits for a matching message that only this person sees, sent after `since`. */
  waitTold(user: string, pattern: RegExp, since?: number): Promise<StoredMessage>;
  /** Waits for a message in a channel whose text and blocks match. */
  waitFor(channel: string, pattern: RegExp): Promise<StoredMessage>;
  /** The current version of a message. */
  now(message: StoredMessage): StoredMessage;
  texts(channel: string): string[];
  /** Calls to the card API that change something. */
  writes(): { method: string; path: string; body: unknown; status: number | null }[];
  /** Slack calls by method. */
  slackCalls(method: string): readonly ApiCall[];
  /** An unused account whose only card has this status. */
  take(status: string, fits?: (account: SandboxAccount) => boolean): SandboxAccount;
  account(acctId: number): SandboxAccount;
  /** Sets spend rules of a card in the admin portal, which sends Cardbell no webhook. */
  inPortal(card: SandboxAccount, rules: object): Promise<void>;
  /** Links a card to a person, as an approver does. */
  link(card: SandboxAccount, userId: string, by?: string): Promise<void>;
  /** All log lines of the processes. */
  logs(): string[];
  stop(): Promise<void>;
}

/** Starts everything, each part on a free port. */
export async function startCardbell(options: CardbellOptions = {}): Promise<RunningCardbell> {
  const users = options.redisUsers === true ? redisUsers() : null;
  const [redis, workspace] = await Promise.all([
    startRedis({ extraArgs: users?.redisArgs ?? [] }).then((started) => users?.of(started) ?? started),
    // Slack waits three seconds, and a busy machine may need more: see ack-when-done.test.ts.
    startWorkspace({ ...workspaceOptions, acknowledgeMs: WAIT_MS, triggerAgeMs: WAIT_MS, ...options.workspace }),
  ]);
  const port = await freePort();
  const adminPort = await freePort();
  const sandbox = await startSandbox({
    token: secrets.apiToken,
    secret: secrets.sharedSecret,
    redisUrl: redis.url,
    webhooks: `http://127.0.0.1:${port}/webhooks`,
    timeScale: 60,
    // On a busy machine a slow web process must not get every request twice.
    assumptions: { timeoutFloorMs: 5000 },
    ...options.sandbox,
  });
  const store = new Redis(redis.url, { maxRetriesPerRequest: null });
  options.prepare?.({ workspace, sandbox });
  store.on('error', () => {
    // Some tests stop Redis.
  });
  workspace.setAppUrl(`http://127.0.0.1:${port}/slack/events`);

  const env = {
    HOST: '127.0.0.1',
    REDIS_URL: redis.url,
    SLACK_BOT_TOKEN: secrets.botToken,
    SLACK_API_URL: workspace.apiUrl,
    ...peopleEnv,
    ...options.env,
  };
  const webEnv = {
    ...users?.webEnv(redis),
    SLACK_SIGNING_SECRET: secrets.signingSecret,
    WEBHOOK_SHARED_SECRET: secrets.sharedSecret,
  };
  const workerEnv = {
    ...users?.workerEnv(redis),
    CARD_API_URL: sandbox.url,
    CARD_API_TOKEN: secrets.apiToken,
    ...(options.pace === undefined ? {} : { TEST_PACE: JSON.stringify(options.pace) }),
  };
  const webs: Child[] = [];
  const workers: Child[] = [];
  const taken = new Set<number>();
  const url = `http://127.0.0.1:${port}`;
  const startWeb = async (more: Record<string, string> = {}): Promise<Child> => {
    // Further web processes have a separate port and no admin port.
    const ports = more.PORT === undefined ? { PORT: String(port), ADMIN_PORT: String(adminPort) } : {};
    const child = startChild('web', { ...ports, ...env, ...webEnv, ...options.env, ...more });
    webs.push(child);
    await child.said('web listens');
    if (env.REDIS_URL === redis.url) await isReady(`http://127.0.0.1:${more.PORT ?? port}`);
    return child;
  };
  const startWorker = async (more: Record<string, string> = {}): Promise<Child> => {
    const child = startChild('worker', { ...env, ...workerEnv, ...options.env, ...more });
    workers.push(child);
    await child.said('worker runs');
    return child;
  };

  const running: RunningCardbell = {
    redis,
    store,
    workspace,
    sandbox,
    webs,
    workers,
    url,
    adminUrl: `http://127.0.0.1:${adminPort}`,
    startWeb,
    startWorker,
    async deliver({ kind, body }, { path = kind, url: base = url } = {}) {
      const response = await fetch(`${base}/webhooks/${path}`, {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from(secrets.sharedSecret).toString('base64')}`,
          'content-type': 'application/json; charset=utf-8',
          'x-service-version': '2.0.1.3',
        },
        body,
      });
      await response.body?.cancel();
      return response.status;
    },
    command: (user, text, command = '/card') => workspace.command({ user, channel: channels.alerts, command, text }),
    press: (user, message, actionId, value) =>
      workspace.press({ user, message, actionId, ...(value === undefined ? {} : { value }) }),
    told: (user) => workspace.ephemerals(user).map(({ text }) => text),
    waitTold: (user, pattern, since = 0) =>
      workspace.waitForMessage(
        (message) =>
          (message.ephemeralUser === user || message.channel === `D${user.slice(1)}`) &&
          Number(message.ts) > since &&
          matches(message, pattern),
        WAIT_MS,
      ),
    waitFor: (channel, pattern) =>
      workspace.waitForMessage(
        (message) => message.channel === channel && message.ephemeralUser === undefined && matches(message, pattern),
        WAIT_MS,
      ),
    now({ channel, ts }) {
      const found = workspace.message(channel, ts);
      if (found === undefined) throw new Error(`message ${ts} is gone`);
      return found;
    },
    texts: (channel) => workspace.messages(channel).map(({ text }) => text),
    writes: () =>
      sandbox.calls
        .filter(({ method }) => method !== 'GET')
        .map(({ method, path, body, status }) => ({ method, path: path.replace('/v4', ''), body, status })),
    slackCalls: (method) => workspace.calls.filter((call) => call.method === method),
    take(status, fits = () => true) {
      const found = sandbox
        .accounts()
        .find(
          (account) =>
            !taken.has(account.AcctId) &&
            account.CardList.length === 1 &&
            account.CardList[0]?.CardStatus === status &&
            !account.IsVirtual &&
            account.SpendingRulesetId === null &&
            account.CardList[0].Last4CardNumber !== '4821' &&
            fits(account),
        );
      if (found === undefined) throw new Error(`no account with one ${status} card is left`);
      taken.add(found.AcctId);
      return found;
    },
    account(acctId) {
      const found = sandbox.accounts().find(({ AcctId }) => AcctId === acctId);
      if (found === undefined) throw new Error(`no account ${acctId}`);
      return found;
    },
    async inPortal({ AcctId }, rules) {
      const response = await fetch(`${sandbox.url}/Card/SpendRules/${AcctId}/Advanced`, {
        method: 'PUT',
        headers: { authorization: `token ${secrets.apiToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...running.account(AcctId).SpendRules, ...rules }),
      });
      if (response.status !== 200) throw new Error(`the portal answered ${response.status}: ${await response.text()}`);
    },
    async link({ AcctId: acctId }, userId, by = people.zoe) {
      const at = new Date().toISOString();
      await createLinks(store, () => new Date()).link({ acctId, userId, provedBy: 'approver', by, at });
    },
    logs: () => [...webs, ...workers].flatMap(({ lines }) => lines),
    async stop() {
      await Promise.all([...webs, ...workers].map((child) => child.stop()));
      store.disconnect();
      await Promise.all([sandbox.stop(), workspace.stop()]);
      await redis.stop();
      const outside = callsOutside(sandbox.calls);
      if (outside.length > 0) throw new Error(`calls to endpoints that do not exist: ${outside.join(', ')}`);
      const clumsy = workspace.calls.flatMap(({ args }) =>
        clumsyTexts([args, { type: 'plain_text', text: args.text }]),
      );
      if (clumsy.length > 0) throw new Error(`texts that do not read as sentences: ${JSON.stringify(clumsy, null, 1)}`);
    },
  };

  try {
    if (options.together === true) {
      const child = startChild('start', {
        PORT: String(port),
        ADMIN_PORT: String(adminPort),
        ...env,
        ...webEnv,
        ...workerEnv,
        ...options.env,
      });
      webs.push(child);
      await child.said('web listens');
      await isReady(url);
    } else {
      await Promise.all([
        ...Array.from({ length: options.webs ?? 1 }, async (_, index) =>
          startWeb(index === 0 ? {} : { PORT: String(await freePort()) }),
        ),
        ...Array.from({ length: options.workers ?? 1 }, () => startWorker()),
      ]);
    }
    const hasWorker = options.together === true || (options.workers ?? 1) > 0;
    if (hasWorker && options.prepare === undefined) await directoryIsFilled(store);
  } catch (error) {
    await running.stop();
    throw error;
  }
  return running;
}

/** Provides one Cardbell per test file. */
export function useCardbell(options: CardbellOptions = {}): () => RunningCardbell {
  let running: RunningCardbell | undefined;
  beforeAll(async () => {
    running = await startCardbell(options);
  });
  afterAll(async () => {
    await running?.stop();
  });
  return () => {
    if (running === undefined) throw new Error('Cardbell did not start');
    return running;
  };
}

/** The last four digits of a card of the account. */
export function last4Of(account: SandboxAccount): string {
  return account.CardList[0]?.Last4CardNumber ?? '';
}

export function holderOf(account: SandboxAccount): string {
  return `${account.FirstName} ${account.LastName}`;
}

function matches({ text, blocks }: StoredMessage, pattern: RegExp): boolean {
  return pattern.test(text) || pattern.test(JSON.stringify(blocks ?? []));
}

async function isReady(url: string): Promise<void> {
  await until(async () => (await fetch(`${url}/readyz`)).status === 200, 'web is ready');
}

/** Waits until names and last four digits are loaded, so that no assertion depends on the timing. */
async function directoryIsFilled(store: Redis): Promise<void> {
  await until(async () => (await store.exists('{cardbell:dir}:listed-at')) === 1, 'the directory is listed');
  const lacking = () => store.zcount('{cardbell:dir}:details', 0, 1);
  await until(async () => (await lacking()) === 0, 'the directory knows every card');
}
