import type { IncomingMessage, RequestListener } from 'node:http';
import { fileURLToPath } from 'node:url';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import { answerJson } from '../core/answer-json.ts';
import { terminalCommand } from '../core/installation.ts';
import type { Queues } from '../core/queues.ts';
import { createAuthenticate } from '../webhooks/authenticate.ts';

const BASE = '/queues';

/** Wrong passwords from one address before it is blocked until a minute passes without any. */
const TRIES = 10;
const WAIT_MS = 60_000;
const ADDRESSES_MAX = 1000;

/**
 * Allowed actions: retry and run now, which neither create nor lose jobs. To discard a failed job, use `npm run replay --
 * discard`, which requires a reason and audits it.
 */
const writable = /^\/api\/queues\/[^/]+\/(?:[^/]+\/(?:retry|promote)|retry\/failed)$/;

/** The relative path to the page's files is the same in the bundle. */
const files = fileURLToPath(new URL('../../node_modules/@bull-board/ui', import.meta.url));

/**
 * The queue page, Bull Board: waiting, running and failed jobs. Of a job's data it shows only ids. Accepts any user name
 * with the password.
 *
 * @param isWritable whether jobs can be retried and run now.
 */
export function createQueuePage(
  queues: Queues,
  { password, isWritable }: { readonly password: string; readonly isWritable: boolean },
  now: () => number = () => performance.now(),
): RequestListener {
  const guard = createGuard(password, now);
  const discard = terminalCommand('replay -- discard');
  const adapters = queues.all.map(({ queue, shard }) => {
    const prefix = shard === 0 ? '' : `shard-${shard}-`;
    const adapter = new BullMQAdapter(queue, { readOnlyMode: !isWritable, prefix });
    for (const field of ['data', 'returnValue', 'progress'] as const) adapter.setFormatter(field, idsOf);
    return adapter;
  });
  const serverAdapter = new ExpressAdapter().setBasePath(BASE);
  createBullBoard({
    queues: adapters,
    serverAdapter,
    options: { uiBasePath: files, uiConfig: { boardTitle: 'Cardbell' } },
  });
  const board = serverAdapter.getRouter();

  return (request, response) => {
    response.setHeader('cache-control', 'no-store');
    response.setHeader('x-frame-options', 'DENY');
    const refused = guard(request);
    if (refused !== null) return answerJson(response, refused.status, { error: refused.error }, refused.headers);
    // The page's links are relative to its address.
    request.url = request.url?.slice(BASE.length).replace(/^(?!\/)/, '/') ?? '/';
    const isReading = request.method === 'GET' || request.method === 'HEAD';
    if (!isReading && !(isWritable && writable.test(request.url) && isSameOrigin(request)))
      return answerJson(
        response,
        405,
        { error: `this page only tries again or runs now; to give up a job, use ${discard}` },
        { allow: 'GET, HEAD' },
      );
    board(request, response);
  };
}

interface Refused {
  readonly status: number;
  readonly error: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Compares passwords in constant time and limits the number of tries. */
function createGuard(password: string, now: () => number): (request: IncomingMessage) => Refused | null {
  const isRight = createAuthenticate([password]);
  const wrong = new Map<string, { count: number; at: number }>();
  return (request) => {
    const address = request.socket.remoteAddress ?? '';
    for (const [each, { at }] of wrong) if (now() - at >= WAIT_MS) wrong.delete(each);
    const before = wrong.get(address);
    if (before !== undefined && before.count >= TRIES)
      return { status: 429, error: 'too many wrong passwords', headers: { 'retry-after': String(WAIT_MS / 1000) } };
    const given = passwordOf(request.headers.authorization);
    if (given !== null && isRight(`Basic ${given.toString('base64')}`)) {
      wrong.delete(address);
      return null;
    }
    // A browser first asks without a password, which does not count as a try.
    if (given !== null && (before !== undefined || wrong.size < ADDRESSES_MAX))
      wrong.set(address, { count: (before?.count ?? 0) + 1, at: now() });
    return { status: 401, error: 'expected the password', headers: { 'www-authenticate': 'Basic realm="Cardbell"' } };
  };
}

function passwordOf(header: string | undefined): Buffer | null {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header?.trim() ?? '')?.[1];
  if (encoded === undefined) return null;
  const credentials = Buffer.from(encoded, 'base64');
  return credentials.subarray(credentials.indexOf(':') + 1);
}

/** Prevents another site from making changes through a browser that has the password. */
function isSameOrigin({ headers }: IncomingMessage): boolean {
  const { origin, host = '' } = headers;
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
}

/** Names of fields that contain an id or the type of an id. */
const idName = /^(?:id|kind|verb|channel|state)$|Id$/;
const idValue = /^[\w.:-]{1,80}$/;

/** Reduces a job's data to its ids: no names, amounts, texts or addresses. */
function idsOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return {};
  const kept: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner === 'object' && inner !== null) {
      const below = idsOf(inner) as object;
      if (Object.keys(below).length > 0) kept[name] = below;
    } else if (idName.test(name) && idValue.test(String(inner))) kept[name] = inner;
  }
  return kept;
}
