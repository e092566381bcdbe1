import type { z } from 'zod';
import { ConfigError } from '../core/errors.ts';
import { proxyNames } from './outgoing-proxy.ts';
import { withSecretFiles } from './secret-files.ts';

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
 * The variables of a process or a command. Null: something is wrong with one of them, which is then added to `problems` in
 * one line each, without its value.
 */
export function readVariables<T extends z.ZodObject>(schema: T, env: Env, problems: string[]): z.output<T> | null {
  const before = problems.length;
  const given = withSecretFiles(withoutEmpty(env), Object.keys(schema.shape), problems);
  const result = schema.safeParse(given);
  if (result.success) return problems.length > before ? null : result.data;
  const seen = new Set<string>();
  for (const issue of result.error.issues) {
    const name = String(issue.path[0]);
    // What is wrong with the file of a secret has been said.
    if (seen.has(name) || (given[`${name}_FILE`] !== undefined && given[name] === undefined)) continue;
    seen.add(name);
    problems.push(`${name}: ${issue.message}`);
  }
  return null;
}

/** What is read, or null: what is wrong with it is then added to `problems`. */
export function orProblems<T>(read: () => T, problems: string[]): T | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(...error.problems);
    return null;
  }
}
