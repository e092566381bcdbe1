import { isBrokenCircuitError } from 'cockatiel';
import { CardApiError } from '../core/errors.ts';
import { NUMBER_MARK, parseExactly, stringifyExactly } from '../core/exact-json.ts';
import type { Log } from '../core/log.ts';
import { span } from '../core/trace.ts';
import { version } from '../core/version.ts';
import type { CardApiAssumptions } from './assumptions.ts';
import type { Endpoint, Sent } from './endpoints.ts';
import {
  type Answer,
  badAnswer,
  CircuitOpenError,
  errorOfAnswer,
  errorOfSilence,
  isPage,
  notSent,
  silenceOf,
} from './errors.ts';
import { type Breaker, createRetryPlan, OwnTimeoutError } from './retry.ts';

export interface CallOptions {
  /** Time limit for the call including all retries and waits. */
  readonly deadlineMs?: number;
  /** Time limit for one attempt, where it differs from the usual one: a long list takes the card service longer. */
  readonly attemptMs?: number;
  /** 0: no retries. */
  readonly maxRetries?: number;
}

interface CallRequest extends Sent, Omit<Endpoint<never[], unknown>, 'send'> {
  /** Name of the client's method: the only part of the call that errors and logs show. */
  readonly operation: string;
}

export interface CallDeps {
  readonly sendOnce: ReturnType<typeof createSendOnce>;
  readonly sleep: (ms: number) => Promise<unknown>;
  readonly log: Log | null;
  /** Time limit for one call including all retries and waits. */
  readonly deadlineMs: number;
  readonly measure: Measure | undefined;
}

/** Called once per call, after all its retries: `outcome` is `ok` or the error code. */
type Measure = (operation: string, outcome: string, durationMs: number) => void;

export type Call = (request: CallRequest, options?: CallOptions) => Promise<unknown>;

/** Makes calls: tries variants of the path, retries where safe, and reads the answer. */
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
          const ask = () => deps.sendOnce({ operation, method, path, query, body }, leftMs, options.attemptMs);
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

/** Tries the variants of the path, starting with the one that worked before. */
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
      const isMissing = error instanceof CardApiError && (error.status === 404 || error.status === 405);
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
    throw notSent(operation, `${name} of ${operation} is not an id`);
  });
}

function readAnswer({ status, text }: Answer, { operation, answer, isWrittenBack }: CallRequest): unknown {
  if (answer === null) return undefined;
  let body: unknown;
  try {
    body = parseExactly(text ?? '', isWrittenBack === true ? NUMBER_MARK : '');
  } catch {
    throw badAnswer(operation, status, 'not JSON');
  }
  const parsed = answer.safeParse(body);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues
    .slice(0, 3)
    // The texts of custom issues are our own and contain nothing of the answer.
    .map(
      ({ path, code, message }) => `${path.map(String).join('.') || '(whole)'} ${code === 'custom' ? message : code}`,
    );
  throw badAnswer(operation, status, issues.join('; '));
}

type HttpRequest = Pick<CallRequest, 'operation' | 'method' | 'query' | 'body'> & { readonly path: string };

export interface SendDeps {
  /** With the version segment: `https://host/v4`. */
  readonly baseUrl: string;
  readonly token: string;
  /** Word before the token: `token` or `Bearer`. */
  readonly authScheme: string;
  readonly assumptions: CardApiAssumptions;
  readonly fetch: typeof globalThis.fetch;
  /** Only for a `Retry-After` that is a date. */
  readonly now: () => Date;
  /** Masks the service's error messages before anything else sees them. */
  readonly clean: (text: string) => string;
  /** Time limit for one attempt, including reading the body, unless the caller sets another. */
  readonly timeoutMs: number;
}

/** One attempt within its time limit: a 2xx answer, or a CardApiError. */
export function createSendOnce(deps: SendDeps, breaker: Breaker) {
  const exchange = createExchange(deps);
  return async (request: HttpRequest, leftMs: number, attemptMs = deps.timeoutMs): Promise<Answer> => {
    const { operation } = request;
    const context = { operation, assumptions: deps.assumptions, clean: deps.clean, now: deps.now };
    if (breaker.isProbing()) throw new CircuitOpenError(operation);
    const timeoutMs = Math.max(1, Math.min(attemptMs, leftMs));
    // A caller with less time than usual (an alert) may give up on a service that is only slow, so its calls do not count.
    // Of one with more time, which asks for what takes long, the timeouts do not. Neither may be the call that shows
    // whether the circuit may close.
    const isUsual = timeoutMs === deps.timeoutMs;
    if (!isUsual && breaker.isOpen()) throw new CircuitOpenError(operation);
    const timer = new AbortController();
    const timeout = setTimeout(() => timer.abort(isUsual ? undefined : new OwnTimeoutError()), timeoutMs);
    try {
      const sending = (): Promise<Answer> => exchange(request, timer.signal);
      const answer = await (timeoutMs < deps.timeoutMs ? sending() : breaker.run(sending));
      if (answer.status >= 200 && answer.status < 300 && !isPage(answer)) return answer;
      throw errorOfAnswer(answer, context);
    } catch (error) {
      if (error instanceof CardApiError) throw error;
      if (isBrokenCircuitError(error)) throw new CircuitOpenError(operation);
      throw errorOfSilence(silenceOf(error, timer.signal.aborted), context, error);
    } finally {
      clearTimeout(timeout);
    }
  };
}

/** One HTTP exchange. @throws what fetch throws when there is no answer. */
function createExchange({ baseUrl, token, authScheme, fetch }: SendDeps) {
  const base = baseUrl.replace(/\/+$/, '');
  const headers = {
    accept: 'application/json',
    authorization: `${authScheme} ${token}`,
    'user-agent': `cardbell/${version}`,
  };
  return async ({ method, path, query, body }: HttpRequest, signal: AbortSignal): Promise<Answer> => {
    const search = query === undefined ? '' : `?${new URLSearchParams(query).toString()}`;
    const response = await fetch(`${base}${path}${search}`, {
      method,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: stringifyExactly(body) }),
      redirect: 'manual',
      signal,
    });
    return {
      status: response.status,
      statusText: response.statusText,
      retryAfter: response.headers.get('retry-after'),
      text: await bodyOf(response, method, signal),
    };
  };
}

/** Reading a truncated body makes a read fail. After a write, the status alone has already given the outcome. */
async function bodyOf(response: Response, method: HttpRequest['method'], signal: AbortSignal): Promise<string | null> {
  try {
    return await response.text();
  } catch (error) {
    if (method === 'GET' && response.ok) throw signal.aborted ? (signal.reason ?? error) : error;
    return null;
  }
}
