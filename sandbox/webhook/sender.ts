import { randomBytes } from 'node:crypto';
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

/** The outcome of one attempt: the receiver's status, or why there was none. */
export interface SendOutcome {
  readonly status: number | null;
  readonly error: string | null;
  /** The beginning of the receiver's answer, which comes after its status. The service ignores it. */
  readonly said?: Promise<string>;
}

interface SenderOptions {
  readonly secret: string;
  readonly version: string;
  readonly timeoutMs: number;
}

/** Sends one webhook body to a URL. */
export type Sender = ((url: string, body: string) => Promise<SendOutcome>) & { close(): void };

/** How much of the time limit may pass without 100 Continue before the body is sent anyway: a second of ten. */
const CONTINUE_SHARE = 10;

/** Codes of Node and OpenSSL for a certificate that was sent, but does not verify. */
export const certificateFaults =
  /^(?:ERR_TLS_CERT_|CERT_|UNABLE_TO_|(?:DEPTH_ZERO_)?SELF_SIGNED_CERT|HOSTNAME_MISMATCH)/;

/** The two statuses that count as accepted. Anything else is retried. */
export function isAccepted({ status }: Pick<SendOutcome, 'status'>): boolean {
  return status === 200 || status === 201;
}

/**
 * Sends webhooks like the service does: plain HTTP client, keep-alive, `Expect: 100-continue`, and the shared secret
 * alone (no user name, no colon) as the Basic credential.
 */
export function createSender({ secret, version, timeoutMs }: SenderOptions): Sender {
  const http = new HttpAgent({ keepAlive: true });
  const https = new HttpsAgent({ keepAlive: true, minVersion: 'TLSv1.2' });
  const appId = 'cid-v1:6f2f0a52-0d5b-4b4c-9a6e-2f6f2a1c7d10';

  async function send(url: string, body: string): Promise<SendOutcome> {
    const options = {
      method: 'POST',
      headers: {
        Authorization: `Basic ${Buffer.from(secret).toString('base64')}`,
        Connection: 'Keep-Alive',
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': String(Buffer.byteLength(body)),
        Expect: '100-continue',
        'Request-Context': `appId=${appId}`,
        'Request-Id': `|${randomBytes(16).toString('hex')}.${randomBytes(8).toString('hex')}.`,
        'X-SERVICE-Version': version,
      },
    };
    const open = (): ClientRequest =>
      url.startsWith('https:')
        ? httpsRequest(url, { ...options, agent: https } satisfies RequestOptions)
        : httpRequest(url, { ...options, agent: http } satisfies RequestOptions);
    const first = await attempt(open(), body, timeoutMs);
    // The receiver closed an idle connection just as we reused it. Nothing was sent, so this does not count as an attempt.
    return first.neverSent ? attempt(open(), body, timeoutMs) : first;
  }
  return Object.assign(send, {
    close() {
      http.destroy();
      https.destroy();
    },
  });
}

function attempt(
  request: ClientRequest,
  body: string,
  timeoutMs: number,
): Promise<SendOutcome & { neverSent: boolean }> {
  return new Promise((resolve) => {
    let bodySent = false;
    const sendBody = (): void => {
      clearTimeout(patience);
      if (bodySent) return;
      bodySent = true;
      request.end(body);
    };
    const end = (status: number | null, error: string | null, neverSent = false, said?: Promise<string>): void => {
      clearTimeout(timer);
      clearTimeout(patience);
      resolve({ status, error, neverSent, ...(said === undefined ? {} : { said }) });
    };
    const timer = setTimeout(() => {
      end(null, 'timeout');
      request.destroy();
    }, timeoutMs);
    // Receivers that speak HTTP/1.0, or do not know `Expect`, never answer 100 (RFC 9110, 10.1.1).
    const patience = setTimeout(sendBody, timeoutMs / CONTINUE_SHARE);
    request.once('continue', sendBody);
    request.once('response', (response) => {
      end(response.statusCode ?? null, null, false, beginningOf(response));
      // A final response without 100 means that the receiver does not want the body. The connection cannot be reused.
      if (!bodySent) request.destroy();
    });
    request.once('error', (error: NodeJS.ErrnoException) => {
      end(null, error.code ?? error.message, request.reusedSocket && !bodySent && error.code === 'ECONNRESET');
    });
    request.on('error', () => {});
    request.flushHeaders();
  });
}

const SAID_MAX = 1000;

/** Reads an answer to its end. */
function beginningOf(response: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    response.on('data', (part: Buffer) => {
      if (text.length < SAID_MAX) text += part.toString();
    });
    response.once('error', () => {});
    response.once('close', () => resolve(text.slice(0, SAID_MAX)));
  });
}
