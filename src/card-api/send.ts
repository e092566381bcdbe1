import { isBrokenCircuitError } from 'cockatiel';
import { CardApiError } from '../core/errors.ts';
import type { CallDeps, CallRequest } from './call.ts';
import { type Answer, CircuitOpenError, errorOfAnswer, errorOfSilence, silenceOf } from './errors.ts';
import type { Breaker } from './retry.ts';

/** One attempt within its time limit: an answer with 2xx, or a CardApiError. */
export async function attempt(
  request: CallRequest,
  path: string,
  leftMs: number,
  deps: CallDeps,
  breaker: Breaker,
  send: ReturnType<typeof createSend>,
): Promise<Answer> {
  const context = { operation: request.operation, assumptions: deps.assumptions, clean: deps.clean, now: deps.now };
  if (breaker.isProbing()) throw new CircuitOpenError(request.operation);
  const timeoutMs = Math.max(1, Math.min(deps.timeoutMs, leftMs));
  const timer = new AbortController();
  const timeout = setTimeout(() => timer.abort(), timeoutMs);
  // Who waits for less than a usual attempt (an alert) may give up on a service that is only slow: that says nothing
  // about the service, and must not stop everybody else's calls.
  const isImpatient = timeoutMs < deps.timeoutMs;
  if (isImpatient && breaker.isOpen()) throw new CircuitOpenError(request.operation);
  try {
    const sending = (): Promise<Answer> => send(request, path, timer.signal);
    const answer = await (isImpatient ? sending() : breaker.run(sending));
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw errorOfAnswer(answer, context);
  } catch (error) {
    if (error instanceof CardApiError) throw error;
    if (isBrokenCircuitError(error)) throw new CircuitOpenError(request.operation);
    throw errorOfSilence(silenceOf(error, timer.signal.aborted), context, error);
  } finally {
    clearTimeout(timeout);
  }
}

/** One HTTP exchange. @throws what fetch throws when there is no answer. */
export function createSend(deps: CallDeps) {
  const base = deps.baseUrl.replace(/\/+$/, '');
  const headers = { accept: 'application/json', authorization: `${deps.authScheme} ${deps.token}` };
  return async (request: CallRequest, path: string, signal: AbortSignal): Promise<Answer> => {
    const query = request.query === undefined ? '' : `?${new URLSearchParams(request.query).toString()}`;
    const response = await deps.fetch(`${base}${path}${query}`, {
      method: request.method,
      headers: request.body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      redirect: 'manual',
      signal,
    });
    return {
      status: response.status,
      statusText: response.statusText,
      retryAfter: response.headers.get('retry-after'),
      text: await bodyOf(response, request, signal),
    };
  };
}

/** A body that breaks off is a lost answer to a read; after a write, the status has already said how it ended. */
async function bodyOf(response: Response, request: CallRequest, signal: AbortSignal): Promise<string | null> {
  try {
    return await response.text();
  } catch (error) {
    if (request.method === 'GET' && response.ok) throw signal.aborted ? (signal.reason ?? error) : error;
    return null;
  }
}
