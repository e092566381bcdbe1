import { readFileSync } from 'node:fs';
import querystring from 'node:querystring';
import type { z } from 'zod';
import { ConfigError } from '../core/errors.ts';
import { hideSecrets } from '../core/redact-text.ts';
import { web, worker } from './environment.ts';
import { proxyNames } from './outgoing-proxy.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** `NAME=` in an env file means "not set". */
export function withoutEmpty(env: Env): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && value.trim() !== '') given[name] = value.trim();
  }
  for (const name of proxyNames) {
    const lower = given[name.toLowerCase()];
    if (lower !== undefined) given[name] = lower;
  }
  return given;
}

/**
 * The variables of a process or a command. Null when any are bad; each is then added to `problems` as one line, without
 * its value.
 */
export function readVariables<T extends z.ZodObject>(schema: T, env: Env, problems: string[]): z.output<T> | null {
  const before = problems.length;
  const given = withSecretFiles(withoutEmpty(env), Object.keys(schema.shape), problems);
  const result = schema.safeParse(given);
  if (result.success) {
    hideSecrets(secretNames.flatMap((name) => secretsIn(name, given[name] ?? '')));
    return problems.length > before ? null : result.data;
  }
  const seen = new Set<string>();
  for (const issue of result.error.issues) {
    const name = String(issue.path[0]);
    const hasFile = given[`${name}_FILE`] !== undefined && given[name] === undefined;
    const isSecret = secretNames.some((secret) => secret === name);
    // Problems with a secret's file have already been added.
    if (seen.has(name) || (hasFile && isSecret)) continue;
    seen.add(name);
    problems.push(`${name}: ${issue.message}${hasFile ? ` (only secrets are read from files, not ${name}_FILE)` : ''}`);
  }
  return null;
}

/** Several secrets may be separated by commas. Of an address, only the password is one, as it is written and as it is. */
function secretsIn(name: string, value: string): string[] {
  const parts = value.split(',').map((part) => part.trim());
  if (name !== 'REDIS_URL') return [value, ...parts];
  const passwords = parts.map((url) => (URL.canParse(url) ? new URL(url).password : ''));
  return [...passwords, ...passwords.map((password) => querystring.unescape(password))];
}

/** The result of `read`. Null when it fails; its problems are then added to `problems`. */
export function orProblems<T>(read: () => T, problems: string[]): T | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(...error.problems);
    return null;
  }
}

/** Variables that hold secrets. Each may be given as `NAME_FILE`: the path of a file with the secret. */
export const secretNames = [
  'REDIS_URL',
  'REDIS_SENTINEL_PASSWORD',
  'SLACK_BOT_TOKEN',
  'SLACK_SIGNING_SECRET',
  'SLACK_APP_TOKEN',
  'SLACK_CONFIG_TOKEN',
  'WEBHOOK_SHARED_SECRET',
  'CARD_API_TOKEN',
  'AUDIT_KEY',
  'AUDIT_SINK_TOKEN',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'QUEUE_PAGE_PASSWORD',
] as const;

/**
 * The given variables, with the contents of secret files under the variables' names.
 *
 * @param wanted the variables that are read; other files are left alone.
 * @param problems gets an entry for a file that is unreadable or empty, and for a variable that is set both ways.
 */
export function withSecretFiles(
  given: Readonly<Record<string, string>>,
  wanted: readonly string[],
  problems: string[],
): Record<string, string> {
  const all: Record<string, string> = { ...given };
  for (const name of secretNames.filter((secret) => wanted.includes(secret))) {
    const path = given[`${name}_FILE`];
    if (path === undefined) continue;
    if (given[name] !== undefined) {
      problems.push(`${name}_FILE: expected either ${name} or ${name}_FILE, not both`);
      continue;
    }
    const text = readText(path)?.trim() ?? '';
    if (text === '') problems.push(`${name}_FILE: expected a readable file that holds the secret`);
    else all[name] = text;
  }
  return all;
}

/** A cluster has only the database 0. Sentinels may have any: theirs is that of the master. */
export function checkClusterDatabase(given: Readonly<Record<string, string>>, problems: string[]): void {
  if (given['REDIS_SENTINEL_MASTER'] !== undefined) return;
  const { REDIS_URL = '' } = withSecretFiles(given, ['REDIS_URL'], []);
  const urls = REDIS_URL.split(',').filter((url) => url.trim() !== '');
  const hasNumber = urls.some((url) => URL.canParse(url) && /^\/0*[1-9]\d*$/.test(new URL(url).pathname));
  if (urls.length > 1 && hasNumber)
    problems.push('REDIS_URL: expected no number of a database, because a cluster has only one');
}

/** Two servers cannot share a port, unless each has an address of its own. The defaults are those of the schema. */
export function checkAdminPort(given: Readonly<Record<string, string>>, problems: string[]): void {
  const { HOST = '0.0.0.0', PORT = '3000', ADMIN_HOST = '127.0.0.1', ADMIN_PORT = '0' } = given;
  const isShared = HOST === ADMIN_HOST || [HOST, ADMIN_HOST].some((host) => host === '0.0.0.0' || host === '::');
  if (isShared && Number(ADMIN_PORT) > 0 && Number(ADMIN_PORT) === Number(PORT))
    problems.push('ADMIN_PORT: expected another port than PORT');
}

/** A file's text as it is. Null when it cannot be read. */
export function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** Secrets that only the other process needs. Someone who takes over a process must not find them there. */
const foreign = {
  web: secretNames.filter((name) => name in worker),
  worker: secretNames.filter((name) => name in web),
};

/**
 * Deletes from the environment what this process must not have, also for processes that it starts.
 *
 * @param prefixes the prefixes of each card program's variables.
 * @returns a warning for each, which names the variable and never its value.
 */
export function deleteForeign(
  name: keyof typeof foreign,
  env: Record<string, string | undefined>,
  prefixes: readonly string[] = [''],
): string[] {
  const named = prefixes.flatMap((prefix) => foreign[name].map((variable) => `${prefix}${variable}`));
  const found = named.flatMap((variable) => [variable, `${variable}_FILE`]).filter((each) => each in env);
  for (const variable of found) delete env[variable];
  return found.map(
    (variable) =>
      `${variable}: the ${name} process must not have this secret, so it is ignored. Set it for the other process only`,
  );
}
