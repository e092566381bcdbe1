import { isBrokenCircuitError } from 'cockatiel';
import { CardApiError } from '../core/errors.ts';
import { version } from '../core/version.ts';
import type { CardApiAssumptions } from './assumptions.ts';
import { type Answer, CircuitOpenError, errorOfAnswer, errorOfSilence, silenceOf } from './errors.ts';
import type { Breaker } from './retry.ts';

/** One exchange with the service. */
export interface HttpRequest {
  /** Name of the client's method: the only thing about the call that errors and logs show. */
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
}

interface SendDeps {
  readonly baseUrl: string;
  readonly token: string;
  readonly authScheme: string;
  readonly assumptions: CardApiAssumptions;
  readonly fetch: typeof globalThis.fetch;
  readonly now: () => Date;
  readonly clean: (text: string) => string;
  /** For one attempt, reading of the body included. */
  readonly timeoutMs: number;
}

/** One attempt within its time limit: an answer with 2xx, or a CardApiError. */
export type Attempt = (request: HttpRequest, leftMs: number) => Promise<Answer>;

export function createAttempt(deps: SendDeps, breaker: Breaker): Attempt {
  const exchange = createExchange(deps);
  return async (request, leftMs) => {
    const { operation } = request;
    const context = { operation, assumptions: deps.assumptions, clean: deps.clean, now: deps.now };
    if (breaker.isProbing()) throw new CircuitOpenError(operation);
    const timeoutMs = Math.max(1, Math.min(deps.timeoutMs, leftMs));
    // A caller with less time than usual (an alert) may give up on a service that is only slow. That must not open the
    // circuit for everybody else.
    const isImpatient = timeoutMs < deps.timeoutMs;
    if (isImpatient && breaker.isOpen()) throw new CircuitOpenError(operation);
    const timer = new AbortController();
    const timeout = setTimeout(() => timer.abort(), timeoutMs);
    try {
      const sending = (): Promise<Answer> => exchange(request, timer.signal);
      const answer = await (isImpatient ? sending() : breaker.run(sending));
      if (answer.status >= 200 && answer.status < 300) return answer;
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
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
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

/** A truncated body makes a read fail; after a write, the status has already said how it ended. */
async function bodyOf(response: Response, method: HttpRequest['method'], signal: AbortSignal): Promise<string | null> {
  try {
    return await response.text();
  } catch (error) {
    if (method === 'GET' && response.ok) throw signal.aborted ? (signal.reason ?? error) : error;
    return null;
  }
}
