import type { IncomingMessage, ServerResponse } from 'node:http';
import { PayloadError, StoreUnavailableError } from '../core/errors.ts';
import { type QuarantinedWebhook, type StoredEvent, webhookKinds } from '../core/event.ts';
import { parseExactly } from '../core/exact-json.ts';
import type { Log } from '../core/log.ts';
import { readBody } from '../core/read-body.ts';
import { endOfTurn } from './end-of-turn.ts';
import { quarantine } from './quarantine.ts';

/** Largest body, in bytes. The service's bodies have about 1.5 KB. */
export const BODY_MAX_BYTES = 256 * 1024;

const paths: ReadonlySet<string> = new Set(webhookKinds);

interface Deps {
  readonly isAuthentic: (authorization: string | undefined) => boolean;
  /** JSON → event. @throws PayloadError when it does not match. */
  readonly toEvent: (
    body: unknown,
    path: string,
    facts: { version: string | undefined; receivedAt: string },
  ) => StoredEvent;
  /** A keyed hash of a body, as in {@link quarantine}. */
  readonly digest: (raw: Buffer) => string;
  /** @throws StoreUnavailableError when it was not stored. */
  readonly take: (
    entry: { type: 'event'; event: StoredEvent } | { type: 'quarantine'; webhook: QuarantinedWebhook },
  ) => Promise<'new' | 'seen'>;
  /** Hears that one was not stored. */
  readonly missed: () => void;
  /** Counts an answer. `isStored`: Redis has it; `durationMs`: time since the request arrived. */
  readonly measure: (path: string, answer: string, isStored: boolean, durationMs: number) => void;
  readonly now: () => Date;
  readonly log: Log;
}

/** A complete HTTP response. The service retries after any status except 200 and 201. */
interface Answer {
  /** Label for the metric. */
  readonly name: string;
  readonly status: number;
  readonly text: string;
  /** Names and values in turn, a list that Node writes as it is. */
  readonly headers: string[];
}

const answers = {
  taken: answer('stored', 200, 'taken'),
  seen: answer('duplicate', 200, 'seen before'),
  quarantined: answer('quarantined', 200, 'kept aside: it does not fit the schema'),
  unknownKind: answer('unknown_kind', 404, `unknown kind: expected one of ${webhookKinds.join(', ')}`),
  wrongMethod: answer('wrong_method', 405, 'expected POST', 'allow', 'POST'),
  noSecret: refusedFor('no_secret'),
  notAuthentic: refusedFor('not_authentic'),
  wrongType: answer('wrong_type', 415, 'expected content-type application/json, without content-encoding'),
  tooLarge: answer('too_large', 413, `expected at most ${BODY_MAX_BYTES} bytes`),
  notJson: answer('not_json', 400, 'expected a JSON object'),
  cutOff: answer('cut_off', 400, 'the body ended early'),
  storeAway: answer('store_unavailable', 503, 'cannot be stored right now, try again', 'retry-after', '15'),
  broken: answer('internal_error', 500, 'unexpected error on our side, try again'),
} as const;

/** People and probes come without a secret. A wrong one is that of a sender who should get through. */
function refusedFor(name: string): Answer {
  const realm = 'Basic realm="cardbell", charset="UTF-8"';
  return answer(name, 401, 'expected the shared secret as Basic credential', 'www-authenticate', realm);
}

function answer(name: string, status: number, text: string, ...more: string[]): Answer {
  const json = JSON.stringify(status < 300 ? { status: text } : { error: text });
  const length = Buffer.byteLength(json).toString();
  const headers = ['content-type', 'application/json; charset=utf-8', 'content-length', length, ...more];
  return { name, status, text: json, headers };
}

/**
 * Handles a webhook: authenticates, reads, redacts and stores it, and only then answers 200.
 *
 * What can be refused without the body is refused before reading it, so with `Expect: 100-continue` it is never sent.
 * Never rejects, because Bolt would not catch it.
 *
 * @param expectsContinue the request waits for "100 Continue" before it sends its body.
 */
export async function receiveWebhook(
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  deps: Deps,
  expectsContinue = false,
): Promise<void> {
  const startedAt = performance.now();
  let answer: Answer;
  // A sender that is answered before its body may still send it. Only on a new connection do we know that the next data
  // is a request.
  let isLast = expectsContinue;
  try {
    const refusal = refuse(path, request, deps);
    if (refusal !== null) {
      answer = refusal;
    } else {
      if (expectsContinue) response.writeContinue();
      isLast = false;
      const body = await readBody(request, BODY_MAX_BYTES);
      // Measured: a fifth less processor time than reading each webhook as it comes.
      await endOfTurn();
      answer =
        typeof body === 'string'
          ? body === 'too_large'
            ? answers.tooLarge
            : answers.cutOff
          : await store(path, request, body, deps);
    }
  } catch (error) {
    deps.missed();
    if (error instanceof StoreUnavailableError) {
      answer = answers.storeAway;
    } else {
      deps.log.error({ err: error, path }, 'webhook could not be handled');
      answer = answers.broken;
    }
  }
  deps.measure(paths.has(path) ? path : 'unknown', answer.name, answer.status === 200, performance.now() - startedAt);
  send(response, answer, isLast);
}

/** The checks that do not need the body, cheapest first. */
function refuse(path: string, request: IncomingMessage, { isAuthentic }: Deps): Answer | null {
  if (!paths.has(path)) return answers.unknownKind;
  if (request.method !== 'POST') return answers.wrongMethod;
  const { authorization } = request.headers;
  if (!isAuthentic(authorization)) return authorization === undefined ? answers.noSecret : answers.notAuthentic;
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (type !== 'application/json' || encoding !== 'identity') return answers.wrongType;
  if (Number(request.headers['content-length'] ?? 0) > BODY_MAX_BYTES) return answers.tooLarge;
  return null;
}

async function store(path: string, request: IncomingMessage, raw: Buffer, deps: Deps): Promise<Answer> {
  const body = parseObject(raw);
  if (body === null) return answers.notJson;
  const header = request.headers['x-service-version'];
  const version = Array.isArray(header) ? header[0] : header;
  const receivedAt = deps.now().toISOString();

  let event: StoredEvent;
  try {
    event = deps.toEvent(body, path, { version, receivedAt });
  } catch (error) {
    // A bug of ours would not go away with a retry, and after the service's last retry the event would be lost.
    if (!(error instanceof PayloadError)) deps.log.error({ err: error, path }, 'webhook could not be read');
    const issues = error instanceof PayloadError ? error.issues : ['the payload: unexpected error while reading it'];
    const webhook = quarantine(body, { path, issues, version, receivedAt, digest: deps.digest(raw) });
    const taken = await deps.take({ type: 'quarantine', webhook });
    deps.log.warn({ path, quarantineId: webhook.id, issues: webhook.issues, taken }, 'webhook quarantined');
    return answers.quarantined;
  }
  const taken = await deps.take({ type: 'event', event });
  deps.log.debug({ path, kind: event.kind, eventId: event.id, taken }, 'webhook taken');
  return taken === 'new' ? answers.taken : answers.seen;
}

function parseObject(raw: Buffer): object | null {
  try {
    const body: unknown = parseExactly(raw.toString('utf8').replace(/^\uFEFF/, ''));
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? body : null;
  } catch {
    return null;
  }
}

function send(response: ServerResponse, { status, text, headers }: Answer, isLast: boolean): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, isLast ? [...headers, 'connection', 'close'] : headers);
  response.end(text);
}
