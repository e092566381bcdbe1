import { isIP } from 'node:net';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { DEFAULT_COMMAND, DEFAULT_ZONE } from '../core/installation.ts';
import { ownAddress } from '../core/listen-error.ts';
import { toCents } from '../core/money.ts';
import { isTimeZone } from '../core/service-time.ts';
import { SHARDS_MAX } from '../core/shards.ts';

/** Some readers of env files keep quotes. */
const quoted = /^(["']).*\1$/s;

const listOf = (item: z.ZodType<string, string>, expected: string) =>
  z
    .string({ error: expected })
    .refine((text) => !quoted.test(text), `${expected}, without quotes around it`)
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
const redisUrl = z
  .string()
  .refine((text) => /^rediss?:\/\/.+/.test(text) && URL.canParse(text), redisUrls)
  .refine(
    (text) => !URL.canParse(text) || /^\/?\d{0,4}$/.test(new URL(text).pathname),
    'expected nothing behind the host and port of an address but the number of a database, as in /1',
  )
  .refine((text) => isDecodable(text), 'expected % in a user name or password to be written as %25');
function isDecodable(url: string): boolean {
  try {
    // The result is used: without that, the bundler drops the call.
    return decodeURIComponent(url) !== '';
  } catch {
    return false;
  }
}
/** Without TLS, and not to this machine. */
export function isPlain(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

const sinks = 'expected file:///PATH, https://HOST/PATH or s3://BUCKET/PREFIX?region=REGION';
const sinkUrl = z
  .url({ protocol: /^(file|https?|s3)$/, error: sinks })
  .transform((text) => new URL(text))
  // Passwords in addresses leak into errors, and a copy that can be read or changed in transit proves little.
  .refine((url) => url.username === '' && url.password === '' && !isPlain(url.href), sinks)
  .refine((url) => endpointOf(url) === null || URL.canParse(endpointOf(url) ?? ''), sinks)
  .refine((url) => url.protocol !== 'file:' || isPath(url), sinks);
/** `file://var/log` names a host, and `%2F` cannot be part of a path. */
function isPath(url: URL): boolean {
  try {
    return isAbsolute(fileURLToPath(url));
  } catch {
    return false;
  }
}
const endpointOf = (url: URL): string | null => url.searchParams.get('endpoint');
/** Secrets that the installer chooses. */
const SECRET_MIN = 16;
const secret = (expected: string) =>
  z
    .string({ error: `expected ${expected}` })
    .min(SECRET_MIN, `expected ${expected}, with at least ${SECRET_MIN} characters`);
/** A secret that a service issues, however short. */
const issued = (expected: string) =>
  z
    .string({ error: `expected ${expected}` })
    .min(1, `expected ${expected}`)
    .refine((text) => !quoted.test(text), `expected ${expected}, without quotes around it`)
    // A file may hold two secrets. The service sends neither of them as both lines.
    .regex(/^\P{Cc}+$/u, `expected ${expected}, in one line`);
/** The first one signs. A former one may be a token that the card service has issued. */
const signingKeys = listOf(z.string(), 'expected secrets to sign the record with').refine(
  ([current = '']) => current.length >= SECRET_MIN,
  `expected secrets to sign the record with, the first one with at least ${SECRET_MIN} characters`,
);
/** A token of Slack, which is sent in a header. */
const slackToken = (prefix: string, name: string) =>
  issued(`the app's ${name}`).regex(
    new RegExp(`^${prefix}[\\x21-\\x7e]+$`),
    `expected the app's ${name}: ${prefix} and visible characters without spaces`,
  );
/** An address or a name of this machine. Whether it is one is seen when the server listens. */
const listenHost = z
  .string()
  .refine((host) => isIP(host) !== 0 || /^[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?$/i.test(host), `expected ${ownAddress}`);
const proxyUrl = z
  .string()
  // The usual short form has no scheme.
  .transform((text) => (/^[\w.-]+:\d+$/.test(text) ? `http://${text}` : text))
  .pipe(
    z.url({
      protocol: /^https?$/,
      error: 'expected the http:// or https:// address of a proxy (the lowercase name takes precedence)',
    }),
  );
const flag = z
  .enum(['true', 'false'], { error: 'expected true or false' })
  .transform((text) => text === 'true')
  .default(false);
const filePath = z.string().min(1);
const wholeNumber = (min: number, max: number, expected: string) =>
  z
    .string()
    .regex(new RegExp(`^\\d{1,${String(max).length}}$`), expected)
    .transform(Number)
    .refine((number) => number >= min && number <= max, expected);
const portNumber = wholeNumber(0, 65_535, 'expected a port number from 0 to 65535');
const dollars = (expected: string) =>
  z
    .string()
    .regex(/^\d{1,9}(\.\d{1,2})?$/, expected)
    .transform((text) => toCents(Number(text)))
    .default(100_000);

/** Each program has its own connections, timers and workers in every process. */
const PROGRAMS_MAX = 8;

/** Slack allows 32 characters, and the longest short form adds `-activate`. */
const commandForm = `expected a slash command such as ${DEFAULT_COMMAND}, of at most 22 lowercase letters, digits, hyphens and underscores`;

const programName = z
  .string()
  .regex(
    /^[a-z][a-z0-9]{0,11}$/,
    'expected names of card programs: up to 12 lowercase letters and digits each, such as eu',
  );

/** Variables of every command and process that reaches Redis. */
export const store = {
  /** Card programs besides the first one, which has no name. */
  PROGRAMS: listOf(programName, 'expected names of card programs, comma-separated')
    .refine((names) => new Set(names).size === names.length, 'expected each name of a card program once')
    .refine(({ length }) => length <= PROGRAMS_MAX, `expected at most ${PROGRAMS_MAX} names of card programs`)
    .default([]),
  /** The card program that a command or process is for. Unset: the first one, or all. */
  PROGRAM: programName.optional(),
  REDIS_URL: listOf(redisUrl, redisUrls).default(['redis://127.0.0.1:6379']),
  REDIS_SENTINEL_MASTER: z.string().min(1).optional(),
  REDIS_SENTINEL_PASSWORD: z.string().min(1).optional(),
  REDIS_TLS_CA_FILE: filePath.optional(),
  REDIS_TLS_INSECURE: flag,
  REDIS_DURABILITY: z
    .enum(['redis', 'disk'], { error: 'expected redis (as durable as its settings) or disk (waits for the disk)' })
    .default('redis'),
  REDIS_FULL_PERCENT: wholeNumber(10, 95, 'expected a percentage of maxmemory from 10 to 95').default(85),
  REDIS_SHARDS: wholeNumber(1, SHARDS_MAX, `expected a number from 1 to ${SHARDS_MAX}`).default(1),
  SLACK_COMMAND: z
    .string()
    .regex(/^\/[a-z0-9_-]{1,22}$/, commandForm)
    .default(DEFAULT_COMMAND),
  CARD_SERVICE_TIMEZONE: z
    .string()
    .refine(
      // Intl takes abbreviations for other zones than people mean: `EST` is Panama, without summer time.
      (zone) => isTimeZone(zone) && (!/^[a-z]{3}$/i.test(zone) || /^(utc|gmt)$/i.test(zone)),
      `expected a time zone name such as ${DEFAULT_ZONE} or UTC, not three letters such as EST`,
    )
    .default(DEFAULT_ZONE),
  HTTPS_PROXY: proxyUrl.optional(),
  HTTP_PROXY: proxyUrl.optional(),
  NO_PROXY: z.string().optional(),
};

/** The same with those that say who may do what. */
export const policy = {
  ...store,
  // Each process decides on its own: the worker does not trust what the web process says about a person.
  OPERATORS: listOf(member, members).default([]),
  APPROVERS: listOf(member, members).default([]),
  TWO_PERSON_ABOVE: dollars('expected an amount of dollars such as 1000'),
  POLICY_FILE: filePath.optional(),
};

/** Variables that every process reads. */
export const shared = {
  ...policy,
  SLACK_BOT_TOKEN: slackToken('xoxb-', 'bot token'),
  SLACK_API_URL: httpUrl.optional(),
  ALERTS_CHANNEL: z.string({ error: 'expected a Slack channel id such as C0123ABCD' }).pipe(channelId),
  ALERTS_CHANNEL_DECLINES: channelId.optional(),
  ALERTS_CHANNEL_SHIPPING: channelId.optional(),
  ALERTS_CHANNEL_STATUS: channelId.optional(),
  ALERTS_CHANNEL_VIRTUAL: channelId.optional(),
  ALERTS_CHANNEL_SPEND: channelId.optional(),
  ALERTS_CHANNEL_APPROVALS: channelId.optional(),
  ALERTS_CHANNEL_OPS: channelId.optional(),
  ALERTS_CHANNEL_AUDIT: channelId.optional(),
  // OpenTelemetry's own SDK reads all other tracing variables.
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl.optional(),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none'], { error: 'expected otlp or none' }).default('otlp'),
  OTEL_SDK_DISABLED: z.string().optional(),
  ADMIN_HOST: listenHost.default('127.0.0.1'),
  ADMIN_PORT: portNumber.optional(),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      error: 'expected one of trace, debug, info, warn, error, fatal, silent',
    })
    .default('info'),
};

/** Additional variables of the web process. */
export const web = {
  HOST: listenHost.default('0.0.0.0'),
  PORT: portNumber.default(3000),
  TLS_CERT_FILE: filePath.optional(),
  TLS_KEY_FILE: filePath.optional(),
  SLACK_SIGNING_SECRET: issued("the app's signing secret").optional(),
  SLACK_APP_TOKEN: slackToken('xapp-', 'app token').optional(),
  WEBHOOK_SHARED_SECRET: listOf(
    issued('the shared secret of the card service'),
    'expected the shared secret of the card service',
  ).refine(({ length }) => length <= 2, 'expected one secret, or two comma-separated ones while it is rotated'),
};

/** Where the audit record is kept, and what signs it. */
export const audit = {
  AUDIT_KEY: signingKeys.optional(),
  AUDIT_ARCHIVE: filePath.optional(),
  AUDIT_SINK: sinkUrl.optional(),
  AUDIT_SINK_TOKEN: secret('the bearer token of the copy of the record').optional(),
  AWS_ACCESS_KEY_ID: z.string().min(1).optional(),
  AWS_SECRET_ACCESS_KEY: secret('the secret access key of the copy of the record').optional(),
};

/** Additional variables of the worker process. */
export const worker = {
  CARD_API_URL: z
    .string({ error: 'expected the base address of the card API, for instance https://host/v4' })
    .pipe(httpUrl)
    .refine(
      (url) => !URL.canParse(url) || /\/v\d+\/*$/i.test(new URL(url).pathname),
      'expected an address that ends with the version segment, such as /v4',
    )
    .refine(
      (url) => !URL.canParse(url) || new URL(url).origin + new URL(url).pathname === new URL(url).href,
      'expected an address without user name, password, query and fragment',
    ),
  CARD_API_TOKEN: issued('the token of the card API').regex(
    /^[\x21-\x7e]+$/,
    'expected the token of the card API: visible characters without spaces',
  ),
  CARD_API_AUTH_SCHEME: z
    .string()
    .transform((scheme) => scheme.toLowerCase())
    .pipe(z.enum(['token', 'bearer'], { error: 'expected token or Bearer' }))
    .transform((scheme) => (scheme === 'bearer' ? ('Bearer' as const) : ('token' as const)))
    .default('token'),
  LOW_BALANCE_BELOW: dollars('expected an amount of dollars such as 1000, or 0 for no warning'),
  ...audit,
  QUEUE_PAGE_PASSWORD: secret('a password for the page of the queues').optional(),
  QUEUE_PAGE_WRITABLE: flag,
};

export const SharedEnv = z.object(shared);
export const WebEnv = z.object({ ...shared, ...web });
export const WorkerEnv = z.object({ ...shared, ...worker });
