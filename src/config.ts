import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { z } from 'zod';
import { isTimeZone } from './card/time.ts';
import { ConfigError } from './errors.ts';

/** EX_CONFIG of sysexits.h: what a process exits with when its environment is unusable. */
export const EX_CONFIG = 78;

type Env = Readonly<Record<string, string | undefined>>;

const listOf = (item: z.ZodType<string, string>, expected: string) =>
  z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    )
    .pipe(z.array(item).min(1, expected));

const channelId = z.string().regex(/^[CGD][A-Z0-9]+$/, 'expected a Slack channel id such as C0123ABCD');
const members = 'expected Slack user ids (U…) or user group ids (S…), comma-separated';
const member = z.string().regex(/^[UWS][A-Z0-9]+$/, members);
const httpUrl = z.url({ protocol: /^https?$/, error: 'expected an http:// or https:// address' });
const redisUrls = 'expected redis:// or rediss:// addresses, comma-separated for a cluster';
const redisUrl = z.string().refine((text) => /^rediss?:\/\/.+/.test(text) && URL.canParse(text), redisUrls);
const required = (what: string) => z.string({ error: `expected ${what}` }).min(1, `expected ${what}`);
const filePath = z.string().min(1);

const shared = {
  REDIS_URL: listOf(redisUrl, redisUrls).default(['redis://127.0.0.1:6379']),
  REDIS_DURABILITY: z
    .enum(['redis', 'disk'], { error: 'expected redis (as durable as its settings) or disk (waits for the disk)' })
    .default('redis'),
  SLACK_BOT_TOKEN: required("the app's bot token").regex(/^xoxb-.+/, 'expected a bot token that starts with xoxb-'),
  SLACK_API_URL: httpUrl.optional(),
  CARD_SERVICE_TIMEZONE: z
    .string()
    .refine(isTimeZone, 'expected a time zone name such as America/New_York')
    .default('America/New_York'),
  ALERTS_CHANNEL: z.string({ error: 'expected a Slack channel id such as C0123ABCD' }).pipe(channelId),
  ALERTS_CHANNEL_DECLINES: channelId.optional(),
  ALERTS_CHANNEL_SHIPPING: channelId.optional(),
  ALERTS_CHANNEL_STATUS: channelId.optional(),
  ALERTS_CHANNEL_VIRTUAL: channelId.optional(),
  ALERTS_CHANNEL_SPEND: channelId.optional(),
  ALERTS_CHANNEL_APPROVALS: channelId.optional(),
  ALERTS_CHANNEL_OPS: channelId.optional(),
  ALERTS_CHANNEL_AUDIT: channelId.optional(),
  TWO_PERSON_ABOVE: z
    .string()
    .regex(/^\d{1,9}(\.\d{1,2})?$/, 'expected an amount of dollars such as 1000')
    .transform((text) => Math.round(Number(`${text}e2`)))
    .default(100_000),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      error: 'expected one of trace, debug, info, warn, error, fatal, silent',
    })
    .default('info'),
};

const web = {
  HOST: z.string().min(1).default('0.0.0.0'),
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'expected a port number from 0 to 65535')
    .transform(Number)
    .refine((port) => port <= 65_535, 'expected a port number from 0 to 65535')
    .default(3000),
  TLS_CERT_FILE: filePath.optional(),
  TLS_KEY_FILE: filePath.optional(),
  SLACK_SIGNING_SECRET: z.string().min(1).optional(),
  SLACK_APP_TOKEN: z
    .string()
    .regex(/^xapp-.+/, 'expected an app token that starts with xapp-')
    .optional(),
  WEBHOOK_SHARED_SECRET: z
    .string({ error: 'expected the shared secret of the card service' })
    .transform((text) =>
      text
        .split(',')
        .map((secret) => secret.trim())
        .filter((secret) => secret !== ''),
    )
    .pipe(
      z
        .array(z.string())
        .min(1, 'expected the shared secret of the card service')
        .max(2, 'expected one secret, or two comma-separated ones while it is rotated'),
    ),
  OPERATORS: listOf(member, members).default([]),
  APPROVERS: listOf(member, members).default([]),
};

const worker = {
  CARD_API_URL: z
    .string({ error: 'expected the base address of the card API, for instance https://host/v4' })
    .pipe(httpUrl),
  CARD_API_TOKEN: required('the token of the card API'),
  CARD_API_AUTH_SCHEME: z
    .string()
    .transform((scheme) => scheme.toLowerCase())
    .pipe(z.enum(['token', 'bearer'], { error: 'expected token or Bearer' }))
    .transform((scheme) => (scheme === 'bearer' ? ('Bearer' as const) : ('token' as const)))
    .default('token'),
  CARD_API_ASSUMPTIONS: z.string().optional(),
};

const SharedEnv = z.object(shared);
const WebEnv = z.object({ ...shared, ...web });
const WorkerEnv = z.object({ ...shared, ...worker });

/** Channel of each thing that Cardbell posts. Null: not posted. */
export interface Channels {
  /** `ALERTS_CHANNEL`: also takes what another channel cannot. */
  readonly fallback: string;
  readonly decline: string;
  readonly shipping: string;
  readonly status: string;
  readonly virtual: string;
  readonly spend: string | null;
  readonly approvals: string;
  readonly ops: string;
  readonly audit: string;
}

export interface SharedConfig {
  /** One address, or the nodes of a cluster. */
  readonly redisUrls: readonly string[];
  /** Whether an acknowledged write has to be on Redis' disk. */
  readonly redisDurability: 'redis' | 'disk';
  readonly slackBotToken: string;
  readonly slackApiUrl: string | undefined;
  /** Zone of the service's datetimes that carry no offset. */
  readonly serviceZone: string;
  readonly channels: Channels;
  /** A raise above this needs two approvers. Whole cents. */
  readonly twoPersonAboveCents: number;
  readonly logLevel: string;
}

export interface WebConfig extends SharedConfig {
  readonly host: string;
  readonly port: number;
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | null;
  /** Absent with Socket Mode. */
  readonly slackSigningSecret: string | undefined;
  readonly slackAppToken: string | undefined;
  readonly webhookSecrets: readonly string[];
  /** Slack user ids and user group ids. */
  readonly operators: readonly string[];
  readonly approvers: readonly string[];
}

export interface WorkerConfig extends SharedConfig {
  readonly cardApiUrl: string;
  readonly cardApiToken: string;
  readonly cardApiAuthScheme: 'token' | 'Bearer';
  /** JSON that overrides what is assumed of the card API: see `src/card/assumptions.ts`. */
  readonly cardApiAssumptions: string | undefined;
}

/** Only the Redis address and the service's zone, for the commands of the people who run it. @throws ConfigError */
export function storeConfig(env: Env = process.env): Pick<SharedConfig, 'redisUrls' | 'serviceZone'> {
  const problems: string[] = [];
  const values = read(
    z.object({ REDIS_URL: shared.REDIS_URL, CARD_SERVICE_TIMEZONE: shared.CARD_SERVICE_TIMEZONE }),
    env,
    problems,
  );
  if (values === null) throw new ConfigError(problems);
  return { redisUrls: values.REDIS_URL, serviceZone: values.CARD_SERVICE_TIMEZONE };
}

/** The web process' configuration. @throws ConfigError naming every bad variable at once. */
export function webConfig(env: Env = process.env): WebConfig {
  const problems: string[] = [];
  const values = read(WebEnv, env, problems);
  const given = withoutEmpty(env);
  if (given['SLACK_SIGNING_SECRET'] === undefined && given['SLACK_APP_TOKEN'] === undefined) {
    problems.push("SLACK_SIGNING_SECRET: expected the app's signing secret (or SLACK_APP_TOKEN for Socket Mode)");
  }
  const tls = readTls(given, problems);
  if (values === null || problems.length > 0) throw new ConfigError(problems);
  return Object.freeze({
    ...sharedOf(values),
    host: values.HOST,
    port: values.PORT,
    tls,
    slackSigningSecret: values.SLACK_SIGNING_SECRET,
    slackAppToken: values.SLACK_APP_TOKEN,
    webhookSecrets: values.WEBHOOK_SHARED_SECRET,
    operators: values.OPERATORS,
    approvers: values.APPROVERS,
  });
}

/** The worker process' configuration. @throws ConfigError naming every bad variable at once. */
export function workerConfig(env: Env = process.env): WorkerConfig {
  const problems: string[] = [];
  const values = read(WorkerEnv, env, problems);
  if (values === null) throw new ConfigError(problems);
  return Object.freeze({
    ...sharedOf(values),
    cardApiUrl: values.CARD_API_URL.replace(/\/+$/, ''),
    cardApiToken: values.CARD_API_TOKEN,
    cardApiAuthScheme: values.CARD_API_AUTH_SCHEME,
    cardApiAssumptions: values.CARD_API_ASSUMPTIONS,
  });
}

function sharedOf(values: z.output<typeof SharedEnv>): SharedConfig {
  const fallback = values.ALERTS_CHANNEL;
  return {
    redisUrls: values.REDIS_URL,
    redisDurability: values.REDIS_DURABILITY,
    slackBotToken: values.SLACK_BOT_TOKEN,
    slackApiUrl: values.SLACK_API_URL,
    serviceZone: values.CARD_SERVICE_TIMEZONE,
    channels: Object.freeze({
      fallback,
      decline: values.ALERTS_CHANNEL_DECLINES ?? fallback,
      shipping: values.ALERTS_CHANNEL_SHIPPING ?? fallback,
      status: values.ALERTS_CHANNEL_STATUS ?? fallback,
      virtual: values.ALERTS_CHANNEL_VIRTUAL ?? fallback,
      spend: values.ALERTS_CHANNEL_SPEND ?? null,
      approvals: values.ALERTS_CHANNEL_APPROVALS ?? fallback,
      ops: values.ALERTS_CHANNEL_OPS ?? fallback,
      audit: values.ALERTS_CHANNEL_AUDIT ?? fallback,
    }),
    twoPersonAboveCents: values.TWO_PERSON_ABOVE,
    logLevel: values.LOG_LEVEL,
  };
}

/** `NAME=` in an env file means "not set". */
function withoutEmpty(env: Env): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && value.trim() !== '') given[name] = value.trim();
  }
  return given;
}

function read<T extends z.ZodType>(schema: T, env: Env, problems: string[]): z.output<T> | null {
  const result = schema.safeParse(withoutEmpty(env));
  if (result.success) return result.data;
  const seen = new Set<string>();
  for (const issue of result.error.issues) {
    const name = String(issue.path[0]);
    if (seen.has(name)) continue;
    seen.add(name);
    problems.push(`${name}: ${issue.message}`);
  }
  return null;
}

function readTls(given: Record<string, string>, problems: string[]): WebConfig['tls'] {
  const cert = given['TLS_CERT_FILE'];
  const key = given['TLS_KEY_FILE'];
  if (cert === undefined && key === undefined) return null;
  if (cert === undefined || key === undefined) {
    problems.push(`${cert === undefined ? 'TLS_CERT_FILE' : 'TLS_KEY_FILE'}: expected both TLS files, or neither`);
    return null;
  }
  const contents = { cert: readPem('TLS_CERT_FILE', cert, problems), key: readPem('TLS_KEY_FILE', key, problems) };
  if (contents.cert === null || contents.key === null) return null;
  try {
    createSecureContext({ cert: contents.cert, key: contents.key });
  } catch {
    problems.push('TLS_CERT_FILE, TLS_KEY_FILE: expected a certificate and the private key that belongs to it, in PEM');
    return null;
  }
  return { cert: contents.cert, key: contents.key };
}

function readPem(name: string, path: string, problems: string[]): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    problems.push(`${name}: expected a readable PEM file`);
    return null;
  }
}
