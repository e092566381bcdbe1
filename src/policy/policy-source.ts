import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { ConfigError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { type Policy, type PolicyVariables, policyOfVariables } from './policy.ts';
import { parsePolicy } from './policy-file.ts';

/** Where the policy comes from: a file, or null: the environment variables. */
interface PolicyConfig extends PolicyVariables {
  readonly policyFile: string | null;
}

export type PolicySource = ReturnType<typeof openPolicy>;

/** @throws ConfigError naming POLICY_FILE when the file cannot be read or is not a valid policy. */
export function readPolicy(config: PolicyConfig): Policy {
  return policyIn(config, textOf(config.policyFile));
}

/** Null: there is no file, or it cannot be read. In another encoding, names of card groups would match no group. */
function textOf(path: string | null): string | null {
  try {
    const bytes = path === null ? null : readFileSync(path);
    return bytes !== null && isUtf8(bytes) ? bytes.toString() : null;
  } catch {
    return null;
  }
}

function policyIn({ policyFile, ...variables }: PolicyConfig, text: string | null): Policy {
  if (policyFile === null) return policyOfVariables(variables);
  try {
    return parsed(policyFile, text, variables);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(error.problems.map((problem) => `POLICY_FILE: ${problem}`));
  }
}

function parsed(path: string, text: string | null, variables: PolicyVariables): Policy {
  if (text === null) throw new ConfigError([UNREADABLE_FILE]);
  return parsePolicy(text, basename(path), policyOfVariables(variables));
}

export const UNREADABLE_FILE = 'expected a readable file in UTF-8';

/**
 * A file that need not be the one in POLICY_FILE.
 *
 * @throws ConfigError with the lines that are not valid, or with UNREADABLE_FILE, which the caller names.
 */
export function readPolicyFile(path: string, variables: PolicyVariables): Policy {
  return parsed(path, textOf(path), variables);
}

/** The policy of a process. @throws ConfigError when there is no valid policy at start. */
export function openPolicy(config: PolicyConfig, log: Log) {
  let policy = readPolicy(config);
  let lastSeen = textOf(config.policyFile);
  const logPolicy = (what: string): void => log.info({ policy: policy.hash, source: policy.source }, what);
  logPolicy('policy in force');
  return {
    current: (): Policy => policy,
    /**
     * A new version counts when two looks in a row find it. `changing`: it differs from the last look, so it may be half written.
     * `invalid`: the previous policy stays in force.
     */
    reload() {
      const text = textOf(config.policyFile);
      if (text !== lastSeen) {
        lastSeen = text;
        return { kind: 'changing' } as const;
      }
      try {
        const read = policyIn(config, text);
        if (read.hash === policy.hash) return { kind: 'unchanged' } as const;
        policy = read;
        logPolicy('another policy in force');
        return { kind: 'changed' } as const;
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        return { kind: 'invalid', problems: error.problems } as const;
      }
    },
  };
}

/** Polling interval. A mounted file may be replaced in ways that no file watcher reports. */
const LOOK_EVERY_MS = 2000;
/** While the file stays invalid: ops are notified again a day later, or soon if another worker has a valid copy. */
const REPORT_EVERY_MS = 60_000;

interface WatchDeps {
  /** The file is invalid: the previous policy stays in force. */
  readonly onInvalid?: (problems: readonly string[]) => Promise<void>;
  /** Also at the start: the file may have been repaired, or taken out of the configuration, while no process ran. */
  readonly onValid?: () => Promise<void>;
  readonly log: Log;
}

/** Checks the file every two seconds; without one, the policy is always valid. @returns a function that stops this. */
export function watchPolicy(source: PolicySource, { onInvalid, onValid, log }: WatchDeps): () => void {
  let problem: string | null | undefined;
  let reportedAt = 0;
  const look = async (): Promise<void> => {
    const reload = source.reload();
    if (reload.kind === 'changing') return;
    const now = reload.kind === 'invalid' ? reload.problems.join('\n') : null;
    const isNew = now !== problem;
    if (!isNew && (now === null || performance.now() - reportedAt < REPORT_EVERY_MS)) return;
    if (reload.kind === 'invalid') {
      if (isNew) log.error({ problems: reload.problems }, 'invalid policy file; keeping the previous policy');
      await onInvalid?.(reload.problems);
    } else await onValid?.();
    // Set last, so that a failed notification is retried at the next check.
    problem = now;
    reportedAt = performance.now();
  };
  const timer = setInterval(() => {
    look().catch((error: unknown) => log.error({ err: error }, 'could not check the policy file'));
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
