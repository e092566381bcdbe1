import { type CardApiCode, CardApiError, type CardApiOutcome, codesOf } from '../core/errors.ts';
import type { CardApiAssumptions } from './assumptions.ts';

/** The service's answer. `text` is null when the body was cut off. */
export interface Answer {
  readonly status: number;
  readonly statusText: string;
  readonly retryAfter: string | null;
  readonly text: string | null;
}

/** Why there is no answer. */
type Silence =
  /** Never sent: no connection. */
  | 'not_sent'
  /** The connection broke. The request may have arrived. */
  | 'lost'
  | 'timeout';

interface ErrorContext {
  readonly operation: string;
  readonly assumptions: Pick<CardApiAssumptions, 'deadTokenTexts' | 'livingTokenTexts'>;
  readonly clean: (text: string) => string;
  readonly now: () => Date;
}

const API_MESSAGE_MAX = 300;

/**
 * True for a page instead of JSON, whatever its status: a gateway answers for a service that is stopped, or does not know
 * the path. It says nothing about the request.
 */
export function isPage({ text }: Answer): boolean {
  return /^\s*</.test(text ?? '');
}

/** The error for an answer with a status other than 2xx, or for a page. */
export function errorOfAnswer(answer: Answer, context: ErrorContext): CardApiError {
  const apiMessage = messageOf(answer, context.clean);
  const code = codeOf(answer, apiMessage, context.assumptions);
  const retryAfterMs = toRetryAfterMs(answer.retryAfter, context.now());
  const what = isPage(answer) ? ' with a page instead of JSON' : '';
  return new CardApiError(`card API answered ${answer.status}${what} to ${context.operation}`, {
    operation: context.operation,
    status: answer.status,
    outcome: outcomeOf(code),
    code,
    apiMessage,
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  });
}

/** The error for a call without an answer. */
export function errorOfSilence(silence: Silence, context: ErrorContext, cause: unknown): CardApiError {
  const what = {
    not_sent: `could not reach the card API for ${context.operation}`,
    lost: `connection to the card API broke during ${context.operation}`,
    timeout: `card API did not answer in time to ${context.operation}`,
  }[silence];
  return new CardApiError(what, {
    operation: context.operation,
    outcome: silence === 'not_sent' ? 'not_sent' : 'unknown',
    code: silence === 'timeout' ? 'timeout' : 'unavailable',
    cause: new Error(codesOf(cause).join(', ') || 'no further cause'),
  });
}

/** The error for a 2xx with an unreadable body. `problem` says where, never what it contained. */
export function badAnswer(operation: string, status: number, problem: string): CardApiError {
  return new CardApiError(`card API sent an unexpected answer to ${operation}: ${problem}`, {
    operation,
    status,
    outcome: 'unknown',
    code: 'bad_answer',
  });
}

/** Null when the card service gives no answer. */
export async function orNull<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof CardApiError) return null;
    throw error;
  }
}

/** A request that cannot be made like this. Nothing was sent. */
export function notSent(operation: string, why: string): CardApiError {
  return new CardApiError(why, { operation, outcome: 'not_sent', code: 'refused' });
}

/** The circuit breaker is open: the call was not sent, and an immediate retry is pointless. */
export class CircuitOpenError extends CardApiError {
  constructor(operation: string) {
    super(`card API is down; ${operation} was not sent`, {
      operation,
      outcome: 'not_sent',
      code: 'unavailable',
    });
  }
}

/** Why fetch failed. */
export function silenceOf(error: unknown, timedOut: boolean): Silence {
  if (timedOut) return 'timeout';
  return codesOf(error).some((code) => neverSent.test(code)) ? 'not_sent' : 'lost';
}

/** Only errors from before or during the TLS handshake. Later ones (a corrupt record) may follow a request. */
const neverSent =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EACCES|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_(?:CERT|HANDSHAKE|INVALID|REQUIRED).*|ERR_SSL_(?:WRONG_VERSION_NUMBER|UNSUPPORTED_PROTOCOL|NO_(?:PROTOCOLS_AVAILABLE|CIPHERS_AVAILABLE|SHARED_CIPHER)|.*_ALERT_(?:PROTOCOL_VERSION|HANDSHAKE_FAILURE|UNKNOWN_CA|UNRECOGNIZED_NAME|INSUFFICIENT_SECURITY))|CERT_.*|.*_CERT.*|UNABLE_TO_.*|HOSTNAME_MISMATCH)$/;

function codeOf(answer: Answer, apiMessage: string | null, assumptions: ErrorContext['assumptions']): CardApiCode {
  const { status } = answer;
  const says = (texts: readonly string[]): boolean =>
    texts.some((text) => apiMessage?.toLowerCase().includes(text.toLowerCase()) === true);
  if ((status === 401 || status === 403) && says(assumptions.deadTokenTexts)) return 'token_dead';
  if (status === 401 && !isPage(answer)) return says(assumptions.livingTokenTexts) ? 'refused' : 'token_dead';
  if (status === 429) return 'rate_limited';
  if (status === 408) return 'timeout';
  if (status === 502 || status === 503 || status === 504) return 'unavailable';
  if (status >= 500) return 'server_error';
  if (isPage(answer)) return 'unavailable';
  // Redirects are not followed. They mean a wrong base address, and the token would be sent elsewhere.
  return status < 400 ? 'bad_answer' : 'refused';
}

function outcomeOf(code: CardApiCode): CardApiOutcome {
  return code === 'unavailable' || code === 'server_error' || code === 'timeout' ? 'unknown' : 'refused';
}

/** The field `Message` of the service's JSON. For a page from a proxy, the reason phrase of its error. */
function messageOf(answer: Answer, clean: (text: string) => string): string | null {
  const text = jsonMessage(answer.text) ?? (answer.status < 400 ? '' : answer.statusText);
  const plain = clean(text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()).slice(0, API_MESSAGE_MAX);
  return plain === '' ? null : plain;
}

function jsonMessage(text: string | null): string | null {
  try {
    const body: unknown = JSON.parse(text ?? '');
    if (typeof body === 'string') return body;
    if (typeof body !== 'object' || body === null) return null;
    const message = 'Message' in body ? body.Message : 'message' in body ? body.message : null;
    return typeof message === 'string' && message.trim() !== '' ? message : null;
  } catch {
    return null;
  }
}

/** `Retry-After` in seconds or as a date → milliseconds from now. Null when absent or unreadable. */
function toRetryAfterMs(header: string | null, now: Date): number | null {
  if (header === null || header.trim() === '') return null;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return seconds < 0 ? null : Math.ceil(seconds * 1000);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime());
}
