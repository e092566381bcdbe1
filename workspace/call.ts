import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Core } from './core.ts';
import type { Fault } from './faults.ts';
import { sendJson } from './http-body.ts';
import { type Json, text } from './json.ts';
import type { ApiCall } from './state.ts';

/** An answer over HTTP. */
export interface Answer {
  status: number;
  body: Json;
  headers?: Record<string, string>;
}

/** The answer to a call over its rate limit. */
export function tooMany(retryAfterSeconds: number): Answer {
  return {
    status: 429,
    body: { ok: false, error: 'ratelimited' },
    headers: { 'retry-after': String(retryAfterSeconds) },
  };
}

function readable(args: Json): Json {
  const { token: _, ...rest } = args;
  const parsed = Object.entries(rest).map(([name, value]) => [name, unpack(value)]);
  return Object.fromEntries(parsed) as Json;
}

/** Forms send structured arguments as JSON text. Parse it, so that the list of calls shows the structure. */
function unpack(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return `(${value.length} bytes)`;
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** The answer that a fault gives instead of doing the work. Undefined when the work should be done. */
function instead(fault: Fault): Answer | 'silence' | 'hang_up' | undefined {
  if (fault.error !== undefined) return { status: 200, body: { ok: false, error: fault.error } };
  switch (fault.kind) {
    case 'error':
      return { status: 200, body: { ok: false, error: 'internal_error' } };
    case 'http_500':
      return { status: 500, body: { ok: false, error: 'internal_error' } };
    case 'rate_limited':
      return tooMany(fault.retryAfterSeconds ?? 1);
    case 'timeout':
      return 'silence';
    case 'hang_up':
      return 'hang_up';
    default:
      return undefined;
  }
}

/** What happens to the answer after the work was done. */
function afterwards(fault: Fault | undefined, answer: Answer): Answer | 'silence' | 'hang_up' {
  switch (fault?.kind) {
    case 'http_500_after_accept':
      return { status: 500, body: { ok: false, error: 'internal_error' } };
    case 'timeout_after_accept':
      return 'silence';
    case 'hang_up_after_accept':
      return 'hang_up';
    default:
      return answer;
  }
}

/** Handles one call with its pending fault, answers it, and records it. */
export async function answerCall(
  core: Core,
  response: ServerResponse,
  method: string,
  args: Json,
  work: () => Answer | Promise<Answer>,
) {
  const call: ApiCall = { method, args: readable(args), at: core.now(), status: 0, responded: false, accepted: false };
  core.calls.push(call);
  const fault = core.faults.take(method, args.channel);
  let answer = fault ? instead(fault) : undefined;
  if (!answer) {
    if (fault?.kind === 'hang_up_before_accept') response.destroy();
    if (fault?.kind === 'slow' || fault?.kind === 'hang_up_before_accept') await delay(fault.ms ?? 1000);
    const done = await work();
    call.accepted = done.status === 200 && done.body.ok === true;
    answer = afterwards(fault, done);
  }
  if (answer === 'hang_up') return void response.destroy();
  if (answer === 'silence') {
    if (fault?.ms !== undefined) setTimeout(() => response.destroy(), fault.ms).unref();
    return;
  }
  call.status = answer.status;
  call.responded = true;
  const error = text(answer.body.error);
  if (error !== undefined) call.error = error;
  sendJson(response, answer.status, answer.body, answer.headers);
}
