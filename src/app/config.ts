import { z } from 'zod';
import { parseAssumptions } from '../card-api/assumptions.ts';
import { ConfigError } from '../core/errors.ts';
import { DEFAULT_ZONE } from '../core/installation.ts';
import type { RedisTarget } from '../core/redis.ts';
import { readPolicy } from '../policy/policy-source.ts';
import { type QuestionableValues, warningsOf } from './config-warnings.ts';
import { audit, policy, type SharedEnv, shared, store, WebEnv, WorkerEnv, worker } from './environment.ts';
import { proxyOf } from './outgoing-proxy.ts';
import { type Configs, configsOf, ofProgram, prefixOf, problemsOfPrograms, programsIn, wordsOf } from './programs.ts';
import {
  checkAdminPort,
  checkClusterDatabase,
  deleteForeign,
  type Env,
  orProblems,
  readVariables,
  withoutEmpty,
} from './read-variables.ts';
import { readRedisCa, readTls } from './tls-files.ts';

/** EX_CONFIG of sysexits.h: the exit code of a process with an unusable environment. */
export const EX_CONFIG = 78;

const StoreEnv = z.object(store);
const PolicyEnv = z.object(policy);
/** Variables of the commands that read or write the audit record. */
const AuditEnv = z.object({
  ...store,
  SLACK_API_URL: shared.SLACK_API_URL,
  SLACK_BOT_TOKEN: shared.SLACK_BOT_TOKEN.optional(),
  CARD_API_TOKEN: worker.CARD_API_TOKEN.optional(),
  ...audit,
});

export type SharedConfig = ReturnType<typeof sharedOf>;
export type WebConfig = ReturnType<typeof webConfig>;
export type WorkerConfig = ReturnType<typeof workerConfig>;

/** For operators' commands: how to reach Redis and others, and settings that appear in many texts. @throws ConfigError */
export function storeConfig(env: Env = process.env) {
  const { values, ca, programs } = readAll(StoreEnv, env);
  return { ...storeOf(values, ca), programs };
}

/** How to read a policy, and where decisions are kept. @throws ConfigError */
export function policyConfig(env: Env = process.env) {
  const { values, ca, programs } = readAll(PolicyEnv, env);
  return { ...policyOf(values, ca), programs };
}

/** For commands that write, verify and read the audit record. @throws ConfigError */
export function auditConfig(env: Env = process.env, { readsCopy = false } = {}) {
  const { values, ca, programs } = readAll(AuditEnv, env, (given, problems) => {
    if (readsCopy) checkBucketKeys(given, problems);
    return {};
  });
  const slack = { token: values.SLACK_BOT_TOKEN, apiUrl: values.SLACK_API_URL };
  return { ...storeOf(values, ca), programs, audit: auditOf(values), slack };
}

type Given = Readonly<Record<string, string>>;

/**
 * The variables of a process or a command, with the certificate authority for Redis.
 *
 * @param more reads what is not in the schema; null: it cannot be read.
 * @throws ConfigError naming every bad variable at once.
 */
function readAll<T extends z.ZodObject, More extends object = object>(
  schema: T,
  env: Env,
  more: (given: Given, problems: string[]) => More | null = () => ({}) as More,
) {
  const problems: string[] = [];
  const ofOne = ofProgram(env, problems);
  const given = withoutEmpty(ofOne);
  const values = readVariables(schema, ofOne, problems);
  const read = more(given, problems);
  checkClusterDatabase(given, problems);
  const ca = readRedisCa(given, problems);
  const ofAll = problemsOfPrograms(env);
  if (values === null || read === null || problems.length + ofAll.length > 0) {
    // Use the names under which they must be set.
    throw new ConfigError([...ofAll, ...problems.map((problem) => wordsOf(given['PROGRAM'] ?? '', problem))]);
  }
  return { ...read, values, ca, programs: programsIn(env) };
}

function storeOf(values: z.output<typeof StoreEnv>, ca: string | undefined) {
  return {
    /** The card program that this configuration is for. Empty: the first one. */
    program: values.PROGRAM ?? '',
    redis: redisTarget(values, ca),
    /** Number of shards for webhooks and their jobs. */
    redisShards: values.REDIS_SHARDS,
    /** Whether an acknowledged write must be on Redis' disk. */
    redisDurability: values.REDIS_DURABILITY,
    /** Webhooks are refused above this share of Redis' memory, from 0 to 1. */
    redisFullAt: values.REDIS_FULL_PERCENT / 100,
    /** Proxy for everything except loopback. Null: direct connections. */
    proxy: proxyOf(values),
    /** Time zone of the service's datetimes without an offset, and of its days. */
    serviceZone: values.CARD_SERVICE_TIMEZONE,
    /** The slash command: `/card`. */
    command: values.SLACK_COMMAND,
  };
}

function policyOf(values: z.output<typeof PolicyEnv>, ca: string | undefined) {
  return {
    ...storeOf(values, ca),
    /** Slack user ids and user group ids. */
    operators: values.OPERATORS,
    approvers: values.APPROVERS,
    /** A raise above this needs two approvers. Whole cents. */
    twoPersonAboveCents: values.TWO_PERSON_ABOVE,
    /** Who may do what. Null: use the three values above. */
    policyFile: values.POLICY_FILE ?? null,
  };
}

function auditOf(values: Partial<z.output<typeof AuditEnv>>) {
  const { CARD_API_TOKEN, AUDIT_KEY, AUDIT_SINK: url, AUDIT_SINK_TOKEN: token } = values;
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = values;
  return {
    /**
     * Secrets that sign the record: the first one is current, the others are older. Empty: not available at this
     * terminal. The web process has none, so that someone who takes it over cannot write records.
     */
    secrets: AUDIT_KEY ?? (CARD_API_TOKEN === undefined ? [] : [CARD_API_TOKEN]),
    /** The folder that old months are moved to. Null: everything stays in Redis. */
    archive: values.AUDIT_ARCHIVE ?? null,
    /** Where the heads are copied to. Null: nowhere. */
    sink: url === undefined ? null : { url, token, accessKeyId, secretAccessKey },
  };
}

/** Adds a warning for each secret that this process must not have, and deletes the secret from the environment. */
export function withoutForeign<Config extends WebConfig | WorkerConfig>(
  name: 'web' | 'worker',
  [first, ...others]: Configs<Config>,
): Configs<Config> {
  const prefixes = first.programs.map((program) => prefixOf(program.name));
  return [{ ...first, warnings: [...first.warnings, ...deleteForeign(name, process.env, prefixes)] }, ...others];
}

/** Configuration of the web process. @throws ConfigError naming every bad variable at once. */
export function webConfig(env: Env = process.env) {
  const { values, ca, tls, programs } = readAll(WebEnv, env, (given, problems) => {
    const isGiven = (name: string): boolean => given[name] !== undefined || given[`${name}_FILE`] !== undefined;
    if (!isGiven('SLACK_SIGNING_SECRET') && !isGiven('SLACK_APP_TOKEN')) {
      problems.push("SLACK_SIGNING_SECRET: expected the app's signing secret (or SLACK_APP_TOKEN for Socket Mode)");
    }
    checkPolicyFile(given, problems);
    checkAdminPort(given, problems);
    return { tls: readTls(given, problems) };
  });
  return Object.freeze({
    ...sharedOf(values, ca),
    /** All card programs and their commands. */
    programs,
    host: values.HOST,
    port: values.PORT,
    tls,
    /** Absent with Socket Mode. */
    slackSigningSecret: values.SLACK_SIGNING_SECRET,
    slackAppToken: values.SLACK_APP_TOKEN,
    webhookSecrets: values.WEBHOOK_SHARED_SECRET,
  });
}

/** Configuration of the worker process. @throws ConfigError naming every bad variable at once. */
export function workerConfig(env: Env = process.env) {
  const { values, ca, assumptions, programs } = readAll(WorkerEnv, env, (given, problems) => {
    checkPolicyFile(given, problems);
    checkBucketKeys(given, problems);
    const read = orProblems(() => parseAssumptions(given['CARD_API_ASSUMPTIONS']), problems);
    return read === null ? null : { assumptions: read };
  });
  const { QUEUE_PAGE_PASSWORD: password, QUEUE_PAGE_WRITABLE: isWritable } = values;
  return Object.freeze({
    ...sharedOf(values, ca),
    /** All card programs and their commands. */
    programs,
    cardApiUrl: values.CARD_API_URL.replace(/\/+$/, ''),
    cardApiToken: values.CARD_API_TOKEN,
    cardApiAuthScheme: values.CARD_API_AUTH_SCHEME,
    /** A business balance below this is low, in whole cents. Null: no warnings. */
    lowBalanceCents: values.LOW_BALANCE_BELOW === 0 ? null : values.LOW_BALANCE_BELOW,
    /** Assumptions about the card API, including overrides from `CARD_API_ASSUMPTIONS`. */
    cardApiAssumptions: assumptions,
    audit: auditOf(values),
    /** The queues page on the admin port. Null: none. */
    queuePage: password === undefined ? null : { password, isWritable },
  });
}

/** Whether the file is a valid policy does not depend on the variables, some of which may be bad. */
function checkPolicyFile(given: Given, problems: string[]): void {
  const variables = { operators: [], approvers: [], twoPersonAboveCents: 0, serviceZone: DEFAULT_ZONE };
  orProblems(() => readPolicy({ ...variables, policyFile: given['POLICY_FILE'] ?? null }), problems);
}

/** A bucket accepts nothing without both keys. */
function checkBucketKeys(given: Given, problems: string[]): void {
  if (!/^\s*s3:/i.test(given['AUDIT_SINK'] ?? '')) return;
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])
    if (given[name] === undefined && given[`${name}_FILE`] === undefined)
      problems.push(`${name}: expected the access key of the bucket in AUDIT_SINK`);
}

function sharedOf(values: QuestionableValues, ca: string | undefined) {
  /** Also gets the posts of channels that cannot be posted to. */
  const fallback = values.ALERTS_CHANNEL;
  return {
    ...policyOf(values, ca),
    /** Whether traces are sent, according to the standard `OTEL_*` variables. */
    isTraced: isTraced(values),
    /** Settings that are allowed but should not be used in production. */
    warnings: warningsOf(values),
    slackBotToken: values.SLACK_BOT_TOKEN,
    slackApiUrl: values.SLACK_API_URL,
    /** Channel for each kind of post. Null: not posted. */
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
    /** Where probes and metrics are served. Null: nowhere. */
    admin: values.ADMIN_PORT === undefined ? null : { host: values.ADMIN_HOST, port: values.ADMIN_PORT },
    logLevel: values.LOG_LEVEL,
  };
}

function isTraced(values: z.output<typeof SharedEnv>): boolean {
  const endpoint = values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? values.OTEL_EXPORTER_OTLP_ENDPOINT;
  const isOff = values.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || values.OTEL_TRACES_EXPORTER === 'none';
  return endpoint !== undefined && !isOff;
}

/** Where Redis is: a server, the nodes of a cluster, or sentinels that know it by a master's name. */
function redisTarget(values: z.output<typeof StoreEnv>, ca: string | undefined): RedisTarget {
  const { PROGRAM: program, REDIS_SENTINEL_MASTER: master, REDIS_SENTINEL_PASSWORD: password } = values;
  return Object.freeze({
    keyPrefix: program === undefined ? '' : `${program}:`,
    urls: values.REDIS_URL,
    sentinel: master === undefined ? null : { master, password },
    tls: { ca, isInsecure: values.REDIS_TLS_INSECURE },
  });
}

/** Configurations of all card programs that this process serves. @throws ConfigError naming every bad variable at once. */
export const allConfigs = <Config>(read: (env: Env) => Config): Configs<Config> => configsOf(read, process.env);
