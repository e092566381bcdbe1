import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { parse } from 'node:querystring';
import { answerJson } from '../core/answer-json.ts';
import { readBody } from '../core/read-body.ts';

/** Largest accepted body from Slack. Real ones have a few kilobytes. */
export const SLACK_BODY_MAX_BYTES = 512 * 1024;
/** Slack's own limit for the age of a signature. */
const SIGNATURE_MS = 5 * 60_000;

/**
 * Refuses requests that cannot be from Slack before reading the body: without a signature, with one that is too old, or
 * larger than anything Slack sends. Checking the signature requires the body, so Bolt does that, also by the clock of the
 * machine.
 */
export function createSlackGuard(
  bolt: RequestListener,
  now: () => number = Date.now,
): (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => void {
  return function guard(request, response, expectsContinue) {
    const refusal = isDelivery(request) ? rejectionFor(request, now()) : notFound;
    if (refusal === null) {
      if (expectsContinue) response.writeContinue();
      bolt(request, response);
      return;
    }
    refuse(response, refusal);
  };
}

const FORM = 'application/x-www-form-urlencoded';

/**
 * Reads the body for Bolt. Bolt looks into the JSON of a delivery before it catches errors, so a `null` would end the
 * process; and it takes a form for one only if the content type names no charset. Slack sends nothing but objects.
 */
export function createBodyReader(bolt: RequestListener): RequestListener {
  return function read(request, response) {
    const type = request.headers['content-type'];
    if (type !== undefined) request.headers['content-type'] = type.split(';', 1)[0]?.trim().toLowerCase();
    void readBody(request, SLACK_BODY_MAX_BYTES).then((body) => {
      const refusal = typeof body === 'string' ? unread[body] : isObject(body, request) ? null : notObject;
      if (refusal === null) bolt(Object.assign(request, { rawBody: body }), response);
      else refuse(response, refusal);
    });
  };
}

function isObject(body: Buffer, { headers }: IncomingMessage): boolean {
  const text = body.toString();
  const json = headers['content-type'] === FORM ? parse(text)['payload'] : text;
  return typeof json !== 'string' || json.trimStart().startsWith('{');
}

/** The body may not have been read, so its end is unknown and the connection cannot be reused. */
function refuse(response: ServerResponse, { status, error }: Refusal): void {
  answerJson(response, status, { error }, { connection: 'close' });
}

/** Bolt gets only its own route: it throws on any other, and behind `Expect: 100-continue` nothing would catch that. */
const notFound: Refusal = { status: 404, error: 'not found' };
const tooLarge: Refusal = { status: 413, error: `expected at most ${SLACK_BODY_MAX_BYTES} bytes` };
const unread = { too_large: tooLarge, cut_off: { status: 400, error: 'the body ended early' } } as const;
const notObject: Refusal = { status: 400, error: 'expected a JSON object' };

function isDelivery({ method, url = '' }: IncomingMessage): boolean {
  return method === 'POST' && url.split('?', 1)[0] === '/slack/events';
}

interface Refusal {
  readonly status: number;
  readonly error: string;
}

function rejectionFor({ headers }: IncomingMessage, now: number): Refusal | null {
  const signature = headers['x-slack-signature'];
  const sentAt = headers['x-slack-request-timestamp'];
  if (typeof signature !== 'string' || !/^v0=[0-9a-f]{64}$/.test(signature))
    return { status: 401, error: 'the signature of Slack is missing or malformed' };
  if (typeof sentAt !== 'string' || !/^\d{1,12}$/.test(sentAt) || Math.abs(now - Number(sentAt) * 1000) > SIGNATURE_MS)
    return { status: 401, error: 'the time of the request is missing, or more than five minutes off' };
  return Number(headers['content-length'] ?? 0) > SLACK_BODY_MAX_BYTES ? tooLarge : null;
}
