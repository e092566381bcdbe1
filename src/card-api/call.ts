import type { z } from 'zod';
import { CardApiError } from '../core/errors.ts';
import { parseExactly } from '../core/exact-json.ts';
import type { Log } from '../core/log.ts';
import { span } from '../core/trace.ts';
import type { Sent } from './endpoints.ts';
import { type Answer, badAnswer } from './errors.ts';
import { createRetryPlan, type Retry } from './retry.ts';
import type { Attempt, HttpRequest } from './send.ts';

export interface CallOptions {
  /** Longest time for the call with all its retries and waits. */
  readonly deadlineMs?: number;
  /** 0: ask once. */
  readonly maxRetries?: number;
}

/** One call to the service. */
interface CallRequest extends Sent {
  readonly operation: string;
  readonly method: HttpRequest['method'];
  /** Forms of the path, with `{name}` where an id goes. The next one is tried on 404 and 405. */
  readonly paths: readonly string[];
  readonly retry: Retry;
  readonly answer: z.ZodType | null;
}

interface CallDeps {
  readonly attempt: Attempt;
  readonly sleep: (ms: number) => Promise<unknown>;
  readonly log: Log | null;
  readonly deadlineMs: number;
  readonly measure: Measure | undefined;
}

/** Told of each call with all its retries: `outcome` is `ok`, or the code of the error. */
export type Measure = (operation: string, outcome: string, durationMs: number) => void;

export type Call = (request: CallRequest, options?: CallOptions) => Promise<unknown>;

/** Makes calls: forms of the path, retries where they are safe, reading of the answer. */
export function createCall(deps: CallDeps): Call {
  const workingForms = new Map<string, number>();

  return async function call(request, options = {}) {
    const startedAt = performance.now();
    let attempts = 0;
    let status: number | null = null;
    let code = 'ok';
    try {
      return await withForms(request, workingForms, (form) =>
        withRetries(request, options, deps, async (leftMs) => {
          attempts += 1;
          const { operation, method, query, body } = request;
          const path = withIds(form, request);
          const ask = () => deps.attempt({ operation, method, path, query, body }, leftMs);
          const answer = await span(`card-api ${operation}`, { kind: 'client' }, ask);
          status = answer.status;
          return readAnswer(answer, request);
        }),
      );
    } catch (error) {
      code = error instanceof CardApiError ? error.code : 'bug';
      status = error instanceof CardApiError ? error.status : null;
      throw error;
    } finally {
      const durationMs = Math.round(performance.now() - startedAt);
      deps.log?.[code === 'ok' ? 'debug' : 'warn'](
        { operation: request.operation, status, code, attempts, durationMs },
        'card API call',
      );
      deps.measure?.(request.operation, code, durationMs);
    }
  };
}

/** Tries the forms of the path, beginning with the one that worked before. */
async function withForms<T>(
  request: CallRequest,
  working: Map<string, number>,
  run: (path: string) => Promise<T>,
): Promise<T> {
  const first = working.get(request.operation) ?? 0;
  const order = [...new Set([first, ...request.paths.keys()])];
  let missing: unknown;
  for (const form of order) {
    try {
      const result = await run(request.paths[form] ?? '');
      working.set(request.operation, form);
      return result;
    } catch (error) {
      const isMissing =
        error instanceof CardApiError && error.outcome === 'refused' && (error.status === 404 || error.status === 405);
      if (!isMissing) throw error;
      missing ??= error;
    }
  }
  throw missing;
}

async function withRetries<T>(
  { retry }: CallRequest,
  { deadlineMs: ownDeadlineMs, maxRetries }: CallOptions,
  deps: CallDeps,
  run: (leftMs: number) => Promise<T>,
): Promise<T> {
  const plan = createRetryPlan(retry, maxRetries);
  const deadlineMs = ownDeadlineMs ?? deps.deadlineMs;
  let spentMs = 0;
  for (;;) {
    const startedAt = performance.now();
    try {
      return await run(deadlineMs - spentMs);
    } catch (thrown) {
      if (!(thrown instanceof CardApiError)) throw thrown;
      spentMs += performance.now() - startedAt;
      const waitMs = plan.next(thrown);
      if (waitMs === null || spentMs + waitMs >= deadlineMs) throw thrown;
      await deps.sleep(waitMs);
      spentMs += waitMs;
    }
  }
}

function withIds(path: string, { operation, ids }: CallRequest): string {
  return path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    const id = ids?.[name];
    if (id !== undefined && Number.isSafeInteger(id) && id >= 0) return String(id);
    throw new CardApiError(`${name} of ${operation} is no id`, {
      operation,
      status: null,
      outcome: 'not_sent',
      code: 'refused',
      apiMessage: null,
    });
  });
}

function readAnswer({ status, text }: Answer, { operation, answer }: CallRequest): unknown {
  if (answer === null) return undefined;
  let body: unknown;
  try {
    body = parseExactly(text ?? '');
  } catch {
    throw badAnswer(operation, status, 'no JSON');
  }
  const parsed = answer.safeParse(body);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues
    .slice(0, 3)
    // The texts of custom issues are our own: they hold nothing of the answer.
    .map(
      ({ path, code, message }) => `${path.map(String).join('.') || '(whole)'} ${code === 'custom' ? message : code}`,
    );
  throw badAnswer(operation, status, issues.join('; '));
}
