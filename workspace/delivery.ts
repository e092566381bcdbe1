import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { performance } from 'node:perf_hooks';
import type { Core } from './core.ts';
import { parseJson, readBody } from './http-body.ts';
import { isRecord, type Json } from './json.ts';
import { LIMITS } from './limits.ts';
import { signedHeaders } from './signature.ts';

/** The outcome of sending something to the app. */
export interface Delivery {
  /** HTTP status. 0 when there was no answer, or none in time. */
  status: number;
  /** The answer's body as text. */
  body: string;
  /** The answer's body when it is a JSON object. */
  json?: Json;
  /** How long the app took, in milliseconds. */
  ms: number;
  /** Whether the app took longer than the three seconds that Slack waits. */
  timedOut: boolean;
  /** Whether the app acknowledged in time. */
  ok: boolean;
  /** Why there was no answer, or what was wrong with it. */
  error?: string;
  /** Empty when the delivery has none. */
  responseUrl: string;
  triggerId: string;
  /** Errors of a view submission by block id, from the app or found before sending. */
  errors?: Record<string, string>;
  /** What was sent. */
  payload: Json;
}

/** How a payload is sent. */
export type Form = 'command' | 'interactive' | 'event';

function encode(form: Form, payload: Json): { body: string; type: string } {
  if (form === 'event') return { body: JSON.stringify(payload), type: 'application/json' };
  const fields =
    form === 'command'
      ? Object.entries(payload).map(([name, value]) => [name, String(value)])
      : [['payload', JSON.stringify(payload)]];
  return {
    body: new URLSearchParams(fields as [string, string][]).toString(),
    type: 'application/x-www-form-urlencoded',
  };
}

async function post(core: Core, target: string, form: Form, payload: Json, extra: Record<string, string>) {
  const { body, type } = encode(form, payload);
  // Apps compare this with the real clock, so do not use a test's own clock.
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = {
    'content-type': type,
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
    ...signedHeaders(body, core.options.signingSecret, timestamp),
    ...extra,
  };
  const waitMs = core.options.acknowledgeMs ?? LIMITS.acknowledgeMs.max;
  const send = target.startsWith('https:') ? httpsRequest : httpRequest;
  return await new Promise<{ status: number; body: string }>((resolve, reject) => {
    // One connection per delivery: the app may stop at any time without waiting for idle connections.
    const request = send(target, { method: 'POST', headers, agent: false, signal: AbortSignal.timeout(waitMs) });
    request.on('error', reject);
    request.on('response', (answer) => {
      readBody(answer).then((bytes) => resolve({ status: answer.statusCode ?? 0, body: bytes.toString() }), reject);
    });
    request.end(body);
  });
}

/**
 * Sends a signed request to the app, or an envelope if it is connected over Socket Mode. Never throws: a failure is an
 * outcome.
 */
export async function deliver(
  core: Core,
  form: Form,
  payload: Json,
  extra: Record<string, string> = {},
): Promise<Delivery> {
  const began = performance.now();
  const base = {
    payload,
    responseUrl: typeof payload.response_url === 'string' ? payload.response_url : '',
    triggerId: typeof payload.trigger_id === 'string' ? payload.trigger_id : '',
  };
  try {
    const target = core.appUrl;
    if (!core.socket.connected() && target === undefined) throw new Error('no app URL is set');
    const answer = core.socket.connected()
      ? await core.socket.send(form, payload, core.options.acknowledgeMs ?? LIMITS.acknowledgeMs.max)
      : await post(core, target ?? '', form, payload, extra);
    const json = parseJson(answer.body);
    const ok = answer.status === 200;
    return {
      ...base,
      ...answer,
      ok,
      timedOut: false,
      ms: performance.now() - began,
      ...(isRecord(json) ? { json } : {}),
      ...(ok ? {} : { error: `the app answered ${answer.status}` }),
    };
  } catch (error) {
    const timedOut = error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError');
    const reason = timedOut ? 'operation_timeout' : error instanceof Error ? error.message : String(error);
    return { ...base, status: 0, body: '', ok: false, timedOut, ms: performance.now() - began, error: reason };
  }
}
