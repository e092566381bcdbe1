import { z } from 'zod';
import { type CardApiAssumptions, parseAssumptions } from '../card-api/assumptions.ts';
import { ConfigError } from '../core/errors.ts';
import { DEFAULT_ZONE } from '../core/installation.ts';
import type { RedisTarget } from '../core/redis.ts';
import { readPolicy } from '../policy/policy-source.ts';
import { type AuditConfig, auditOf, auditVariables } from './audit-config.ts';
import { warningsOf } from './config-warnings.ts';
import { shared, web, worker } from './environment.ts';
import { type OutgoingProxy, proxyOf } from './outgoing-proxy.ts';
import { type Env, orProblems, readVariables, withoutEmpty } from './read-variables.ts';
import { deleteForeign } from './secret-files.ts';
import { readRedisCa, readTls, type TlsFiles } from './tls-files.ts';

/** EX_CONFIG of sysexits.h: what a process exits with when its environment is unusable. */
export const EX_CONFIG = 78;

const SharedEnv = z.object(shared);
const StoreEnv = SharedEnv.pick({
  REDIS_URL: true,
  REDIS_SENTINEL_MASTER: true,
  REDIS_SENTINEL_PASSWORD: true,
  REDIS_TLS_CA_FILE: true,
  REDIS_TLS_INSECURE: true,
  CARD_SERVICE_TIMEZONE: true,
  SLACK_COMMAND: true,
  HTTPS_PROXY: true,
  HTTP_PROXY: true,
  NO_PROXY: true,
});
const PolicyEnv = StoreEnv.extend(
  SharedEnv.pick({ OPERATORS: true, APPROVERS: true, TWO_PERSON_ABOVE: true, POLICY_FILE: true }).shape,
);
const AuditEnv = PolicyEnv.extend(auditVariables);
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
  readonly redis: RedisTarget;
  /** Through which everything but loopback is reached. Null: directly. */
  readonly proxy: OutgoingProxy | null;
  /** Whether traces are sent, as the standard `OTEL_*` variables say. */
  readonly isTraced: boolean;
  /** What is allowed, and should not be in production. */
  readonly warnings: readonly string[];
  /** Whether an acknowledged write has to be on Redis' disk. */
  readonly redisDurability: 'redis' | 'disk';
  /** Above this share of Redis' memory webhooks are refused, from 0 to 1. */
  readonly redisFullAt: number;
  readonly slackBotToken: string;
  readonly slackApiUrl: string | undefined;
  /** Zone of the service's datetimes that carry no offset, and of its days. */
  readonly serviceZone: string;
  /** The slash command: `/card`. */
  readonly command: string;
  readonly channels: Channels;
  /** Slack user ids and user group ids. */
  readonly operators: readonly string[];
  readonly approvers: readonly string[];
  /** A raise above this needs two approvers. Whole cents. */
  readonly twoPersonAboveCents: number;
  /** Who may do what; null: what the three above say. */
  readonly policyFile: string | null;
  /** Where probes and metrics are served. Null: nowhere. */
  readonly admin: { readonly host: string; readonly port: number } | null;
  readonly logLevel: string;
}

export interface WebConfig extends SharedConfig {
  readonly host: string;
  readonly port: number;
  readonly tls: TlsFiles | null;
  /** Absent with Socket Mode. */
  readonly slackSigningSecret: string | undefined;
  readonly slackAppToken: string | undefined;
  readonly webhookSecrets: readonly string[];
}

export interface WorkerConfig extends SharedConfig {
  readonly cardApiUrl: string;
  readonly cardApiToken: string;
  readonly cardApiAuthScheme: 'token' | 'Bearer';
  /** A business balance below this is low, whole cents; null: nobody is warned. */
  readonly lowBalanceCents: number | null;
  /** What is assumed of the card API, with what `CARD_API_ASSUMPTIONS` overrides. */
  readonly cardApiAssumptions: CardApiAssumptions;
  readonly audit: AuditConfig;
  /** The page of the queues on the admin port. Null: none. */
  readonly queuePage: { readonly password: string; readonly isWritable: boolean } | null;
}

/** What the commands of the people who run it need to reach others, and what stands in many texts. @throws ConfigError */
export function storeConfig(env: Env = process.env): ReturnType<typeof storeOf> {
  return storeOf(...readAll(StoreEnv, env));
}

/** What a policy is read from, and where decisions are kept. @throws ConfigError */
export function policyConfig(env: Env = process.env): ReturnType<typeof policyOf> {
  return policyOf(...readAll(PolicyEnv, env));
}

/** What the record is written, checked and read with, at a terminal. @throws ConfigError */
export function auditConfig(env: Env = process.env) {
  const [values, ca] = readAll(AuditEnv, env);
  const slack = { token: values.SLACK_BOT_TOKEN, apiUrl: values.SLACK_API_URL };
  return { ...policyOf(values, ca), audit: auditOf(values), slack };
}

/** The variables of a command, and the authority of Redis' certificate. @throws ConfigError */
function readAll<T extends z.ZodObject>(schema: T, env: Env): [values: z.output<T>, ca: string | undefined] {
  const problems: string[] = [];
  const values = readVariables(schema, env, problems);
  const ca = readRedisCa(withoutEmpty(env), problems);
  if (values === null || problems.length > 0) throw new ConfigError(problems);
  return [values, ca];
}

function storeOf(values: z.output<typeof StoreEnv>, ca: string | undefined) {
  return {
    redis: redisTarget(values, ca),
    proxy: proxyOf(values),
    serviceZone: values.CARD_SERVICE_TIMEZONE,
    command: values.SLACK_COMMAND,
  };
}

function policyOf(values: z.output<typeof PolicyEnv>, ca: string | undefined) {
  return {
    ...storeOf(values, ca),
    operators: values.OPERATORS,
    approvers: values.APPROVERS,
    twoPersonAboveCents: values.TWO_PERSON_ABOVE,
    policyFile: values.POLICY_FILE ?? null,
  };
}

/** Deletes the secrets that this process must not have. @returns warnings. */
export const dropForeign = (name: 'web' | 'worker'): string[] => deleteForeign(name, process.env);

/** The web process' configuration. @throws ConfigError naming every bad variable at once. */
export function webConfig(env: Env = process.env): WebConfig {
  const problems: string[] = [];
  const values = readVariables(WebEnv, env, problems);
  const given = withoutEmpty(env);
  const isGiven = (name: string): boolean => given[name] !== undefined || given[`${name}_FILE`] !== undefined;
  if (!isGiven('SLACK_SIGNING_SECRET') && !isGiven('SLACK_APP_TOKEN')) {
    problems.push("SLACK_SIGNING_SECRET: expected the app's signing secret (or SLACK_APP_TOKEN for Socket Mode)");
  }
  const tls = readTls(given, problems);
  const ca = readRedisCa(given, problems);
  checkPolicyFile(given, problems);
  if (values === null || problems.length > 0) throw new ConfigError(problems);
  return Object.freeze({
    ...sharedOf(values, ca),
    host: values.HOST,
    port: values.PORT,
    tls,
    slackSigningSecret: values.SLACK_SIGNING_SECRET,
    slackAppToken: values.SLACK_APP_TOKEN,
    webhookSecrets: values.WEBHOOK_SHARED_SECRET,
  });
}

/** The worker process' configuration. @throws ConfigError naming every bad variable at once. */
export function workerConfig(env: Env = process.env): WorkerConfig {
  const problems: string[] = [];
  const values = readVariables(WorkerEnv, env, problems);
  const given = withoutEmpty(env);
  const assumptions = orProblems(() => parseAssumptions(given['CARD_API_ASSUMPTIONS']), problems);
  const ca = readRedisCa(given, problems);
  checkPolicyFile(given, problems);
  if (values === null || assumptions === null || problems.length > 0) throw new ConfigError(problems);
  return Object.freeze({
    ...sharedOf(values, ca),
    warnings: warningsOf(values),
    cardApiUrl: values.CARD_API_URL.replace(/\/+$/, ''),
    cardApiToken: values.CARD_API_TOKEN,
    cardApiAuthScheme: values.CARD_API_AUTH_SCHEME,
    lowBalanceCents: values.LOW_BALANCE_BELOW === 0 ? null : values.LOW_BALANCE_BELOW,
    cardApiAssumptions: assumptions,
    audit: auditOf(values),
    queuePage:
      values.QUEUE_PAGE_PASSWORD === undefined
        ? null
        : { password: values.QUEUE_PAGE_PASSWORD, isWritable: values.QUEUE_PAGE_WRITABLE },
  });
}

/** Whether the file is a policy does not depend on the variables, of which others may be bad. */
function checkPolicyFile(given: Readonly<Record<string, string>>, problems: string[]): void {
  const variables = { operators: [], approvers: [], twoPersonAboveCents: 0, serviceZone: DEFAULT_ZONE };
  orProblems(() => readPolicy({ ...variables, policyFile: given['POLICY_FILE'] ?? null }), problems);
}

function sharedOf(values: z.output<typeof SharedEnv>, ca: string | undefined): SharedConfig {
  const fallback = values.ALERTS_CHANNEL;
  return {
    ...policyOf(values, ca),
    isTraced: isTraced(values),
    warnings: warningsOf(values),
    redisDurability: values.REDIS_DURABILITY,
    redisFullAt: values.REDIS_FULL_PERCENT / 100,
    slackBotToken: values.SLACK_BOT_TOKEN,
    slackApiUrl: values.SLACK_API_URL,
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
    admin: values.ADMIN_PORT === undefined ? null : { host: values.ADMIN_HOST, port: values.ADMIN_PORT },
    logLevel: values.LOG_LEVEL,
  };
}

function isTraced(values: z.output<typeof SharedEnv>): boolean {
  const endpoint = values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? values.OTEL_EXPORTER_OTLP_ENDPOINT;
  const isOff = values.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || values.OTEL_TRACES_EXPORTER === 'none';
  return endpoint !== undefined && !isOff;
}

/** Where Redis is: a server, the nodes of a cluster, or sentinels that know it by the name of a master. */
function redisTarget(values: z.output<typeof StoreEnv>, ca: string | undefined): RedisTarget {
  const { REDIS_SENTINEL_MASTER: master, REDIS_SENTINEL_PASSWORD: password } = values;
  return Object.freeze({
    urls: values.REDIS_URL,
    sentinel: master === undefined ? null : { master, password },
    tls: { ca, isInsecure: values.REDIS_TLS_INSECURE },
  });
}
