import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** Largest accepted body from Slack. Real ones have a few kilobytes. */
export const SLACK_BODY_MAX_BYTES = 512 * 1024;
/** Slack's own limit for the age of a signature. */
const SIGNATURE_MS = 5 * 60_000;

/**
 * Refuses requests that cannot be from Slack before reading the body: without a signature, with one that is too old, or
 * larger than anything Slack sends. Checking the signature requires the body, so Bolt does that.
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
    // The body was not read, so its end is unknown and the connection cannot be reused.
    const text = JSON.stringify({ error: refusal.error });
    response.writeHead(refusal.status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
      connection: 'close',
    });
    response.end(text);
  };
}

/** Bolt gets only its own route: it throws on any other, and behind `Expect: 100-continue` nothing would catch that. */
const notFound: Refusal = { status: 404, error: 'not found' };

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
  return Number(headers['content-length'] ?? 0) > SLACK_BODY_MAX_BYTES
    ? { status: 413, error: `expected at most ${SLACK_BODY_MAX_BYTES} bytes` }
    : null;
}
