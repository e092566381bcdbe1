import { setTimeout as wait } from 'node:timers/promises';
import type { z } from 'zod';
import { CardApiError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { CardApiAssumptions } from './assumptions.ts';
import { type Answer, badAnswer } from './errors.ts';
import { type BreakerOptions, createBreaker, createRetryPlan, type Repeat } from './retry.ts';
import { attempt, createSend } from './send.ts';

export interface CallOptions {
  /** Longest time for the call with all its retries and waits. */
  readonly deadlineMs?: number;
  /** 0: ask once. */
  readonly maxRetries?: number;
}

/** One call to the service, in the client's words. */
export interface CallRequest {
  /** Name of the client's method: the only thing about the call that errors and logs show. */
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Forms of the path, with `{name}` where an id goes. The next one is tried on 404 and 405. */
  readonly paths: readonly string[];
  readonly ids?: Readonly<Record<string, number>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Left out: safe for GET, never for the rest. */
  readonly repeat?: Repeat;
  readonly options?: CallOptions | undefined;
}

export interface CardCall {
  /** For answers whose body does not matter: empty, `{}`, `null`, a date. */
  (request: CallRequest): Promise<void>;
  <T extends z.ZodType>(request: CallRequest, shape: T): Promise<z.output<T>>;
}

export interface CallDeps {
  readonly baseUrl: string;
  readonly token: string;
  readonly authScheme: string;
  readonly assumptions: CardApiAssumptions;
  readonly fetch: typeof globalThis.fetch;
  readonly now: () => Date;
  readonly sleep: (ms: number) => Promise<unknown>;
  readonly clean: (text: string) => string;
  readonly log: Log | null;
  /** For one attempt, reading of the body included. */
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly breaker: BreakerOptions;
  readonly onAvailability: (isAvailable: boolean) => void;
}

/** Sends calls: authentication, time limits, retries where they are safe, the circuit breaker, errors. */
export function createCall(deps: CallDeps): CardCall {
  const breaker = createBreaker(deps.breaker, deps.onAvailability);
  const workingForms = new Map<string, number>();
  const send = createSend(deps);

  return async function call(request: CallRequest, shape?: z.ZodType): Promise<unknown> {
    const startedAt = performance.now();
    let attempts = 0;
    let status: number | null = null;
    let code = 'ok';
    try {
      const answer = await withForms(request, workingForms, (path) =>
        withRetries(request, deps, async (leftMs) => {
          attempts += 1;
          const got = await attempt(request, withIds(path, request), leftMs, deps, breaker, send);
          status = got.status;
          return readable(got, request, shape);
        }),
      );
      return answer;
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
    }
  } as CardCall;
}

/** Tries the forms of the path, beginning with the one that worked before. */
async function withForms<T>(
  request: CallRequest,
  working: Map<string, number>,
  run: (path: string) => Promise<T>,
): Promise<T> {
  const first = working.get(request.operation) ?? 0;
  const order = [first, ...request.paths.keys()].filter((form, place, all) => all.indexOf(form) === place);
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

async function withRetries<T>(request: CallRequest, deps: CallDeps, run: (leftMs: number) => Promise<T>): Promise<T> {
  const plan = createRetryPlan(repeatOf(request), request.options?.maxRetries);
  const deadlineMs = request.options?.deadlineMs ?? deps.deadlineMs;
  let spentMs = 0;
  /** Of a write: the last failure after which it may have been done. */
  let uncertain: CardApiError | null = null;
  for (;;) {
    const startedAt = performance.now();
    try {
      return await run(deadlineMs - spentMs);
    } catch (thrown) {
      if (!(thrown instanceof CardApiError)) throw thrown;
      if (thrown.outcome === 'unknown' && repeatOf(request) !== 'safe') uncertain = thrown;
      spentMs += performance.now() - startedAt;
      const waitMs = plan.next(thrown);
      // A repetition that was refused, or not sent, does not undo what an earlier attempt may have done.
      if (waitMs === null || spentMs + waitMs >= deadlineMs) throw uncertain ?? thrown;
      await deps.sleep(waitMs);
      spentMs += waitMs;
    }
  }
}

function withIds(path: string, request: CallRequest): string {
  return path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    const id = request.ids?.[name];
    if (id === undefined || !Number.isSafeInteger(id) || id < 0) throw noId(request.operation, name);
    return String(id);
  });
}

function readable(answer: Answer, request: CallRequest, shape: z.ZodType | undefined): unknown {
  if (shape === undefined) return undefined;
  let body: unknown;
  try {
    body = JSON.parse(answer.text ?? '');
  } catch {
    throw badAnswer(request.operation, answer.status, 'no JSON');
  }
  const parsed = shape.safeParse(body);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues
    .slice(0, 3)
    .map((issue) => `${issue.path.map(String).join('.') || '(whole)'} ${issue.code}`);
  throw badAnswer(request.operation, answer.status, issues.join('; '));
}

function repeatOf(request: CallRequest): Repeat {
  return request.repeat ?? (request.method === 'GET' ? 'safe' : 'never');
}

function noId(operation: string, name: string): CardApiError {
  return new CardApiError(`${name} of ${operation} is no id`, {
    operation,
    status: null,
    outcome: 'not_sent',
    code: 'refused',
    apiMessage: null,
  });
}

export const defaultSleep = (ms: number): Promise<unknown> => wait(ms);
