import { hash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, open, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AwsClient } from 'aws4fetch';
import { z } from 'zod';
import { contentId } from '../core/content-id.ts';

/** The end of the chain after one record, as copied to a place that write access to Redis does not reach. */
export const CopiedHead = z.object({
  record: z.int().min(1),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  /** When the record was written, UTC ISO 8601. */
  at: z.string(),
  signature: z.string(),
});
export type CopiedHead = z.infer<typeof CopiedHead>;

/** Where the heads of the chain are copied to. */
export interface Sink extends Place {
  /** The same for the same address, in every process. */
  readonly id: string;
}

interface Place {
  /** Resolves when the copy is stored durably. May be repeated. @throws when it may not be stored. */
  append(heads: readonly CopiedHead[]): Promise<void>;
  /** Stores nothing, and does not read all of it. @throws when it cannot be read or, if it is a file, not written. */
  check(): Promise<void>;
  /** Everything that was copied. Lines that are not heads are counted. @throws when it cannot be read. */
  read(): Promise<{ readonly heads: readonly CopiedHead[]; readonly unreadable: number }>;
}

/** `AUDIT_SINK` and its credentials. */
interface SinkConfig {
  readonly url: URL;
  /** For an HTTP address. */
  readonly token: string | undefined;
  /** For an S3 bucket. */
  readonly accessKeyId: string | undefined;
  readonly secretAccessKey: string | undefined;
}

const TIMEOUT_MS = 10_000;

export function openSink(config: SinkConfig): Sink {
  return { id: contentId('', [config.url.href]), ...placeOf(config) };
}

function placeOf(config: SinkConfig): Place {
  if (config.url.protocol === 'file:') return fileSink(fileURLToPath(config.url));
  return config.url.protocol === 's3:' ? s3Sink(config) : addressSink(config);
}

const linesOf = (heads: readonly CopiedHead[]): string => heads.map((head) => `${JSON.stringify(head)}\n`).join('');

function readLines(text: string): Awaited<ReturnType<Sink['read']>> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const heads = lines.map(readHead).filter((head) => head !== null);
  return { heads, unreadable: lines.length - heads.length };
}

function readHead(line: string): CopiedHead | null {
  try {
    return CopiedHead.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

/** An append-only file. Each batch starts on a new line, because a crash may have cut off the previous batch. */
function fileSink(path: string): Place {
  return {
    async append(heads) {
      const file = await open(path, 'a', 0o600);
      try {
        const { size } = await file.stat();
        await file.appendFile(`${size > 0 ? '\n' : ''}${linesOf(heads).trimEnd()}`);
        await file.datasync();
      } finally {
        await file.close();
      }
    },
    async check() {
      const { R_OK, W_OK, X_OK } = constants;
      await access(dirname(path), W_OK | X_OK);
      // The first batch creates it.
      const found = await stat(path).catch(() => null);
      if (found?.isDirectory() === true) throw new Error(`${path} is a folder, and a file is expected`);
      if (found !== null) await access(path, R_OK | W_OK);
    },
    async read() {
      const text = await readFile(path, 'utf8').catch(async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
        // The first batch creates it, but not its folder.
        await access(dirname(path));
        return '';
      });
      return readLines(text);
    },
  };
}

/** Sends each batch by POST and reads all of them back by GET. */
function addressSink({ url, token }: SinkConfig): Place {
  const authorization: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const copy = (): Promise<Response> =>
    whenTaken(fetch(url, { headers: { ...authorization, Accept: 'application/x-ndjson' }, ...exchange() }));
  return {
    async append(heads) {
      const body = linesOf(heads);
      const headers = { ...authorization, 'Content-Type': 'application/x-ndjson', 'Idempotency-Key': digestOf(body) };
      await whenTaken(fetch(url, { method: 'POST', headers, body, ...exchange() }));
    },
    async check() {
      await (await copy()).body?.cancel();
    },
    read: async () => readLines(await (await copy()).text()),
  };
}

/**
 * One object per batch, named after its records and content, so that no object is overwritten with different data. With
 * versioning or an object lock, the bucket protects them from everyone.
 */
function s3Sink({ url, accessKeyId = '', secretAccessKey = '' }: SinkConfig): Place {
  const region = url.searchParams.get('region') ?? 'us-east-1';
  const endpoint = url.searchParams.get('endpoint');
  const bucket = endpoint === null ? `https://${url.host}.s3.${region}.amazonaws.com/` : `${endpoint}/${url.host}/`;
  const prefix = url.pathname.replace(/^\/+|\/+$/g, '');
  const folder = prefix === '' ? '' : `${prefix}/`;
  const aws = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 });
  const get = async (path: string): Promise<string> =>
    await (await whenTaken(aws.fetch(`${bucket}${path}`, exchange()))).text();
  return {
    async append(heads) {
      const body = linesOf(heads);
      const [first, last] = [heads[0], heads.at(-1)].map((head) => String(head?.record).padStart(12, '0'));
      // A bucket with an object lock rejects uploads without it.
      const headers = { 'Content-MD5': hash('md5', body, 'base64') };
      const name = `${folder}${first}-${last}-${digestOf(body)}.jsonl`;
      await whenTaken(aws.fetch(`${bucket}${name}`, { method: 'PUT', headers, body, ...exchange() }));
    },
    async check() {
      await get(`?${new URLSearchParams({ 'list-type': '2', prefix: folder, 'max-keys': '1' }).toString()}`);
    },
    async read() {
      const texts: string[] = [];
      let after = '';
      for (;;) {
        const query = new URLSearchParams({ 'list-type': '2', prefix: folder, 'start-after': after });
        const list = await get(`?${query.toString()}`);
        const keys = [...list.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key = '']) => key);
        // The listing may include another program's objects, a subfolder, or foreign files.
        for (const key of keys) if (ownName.test(key.slice(folder.length))) texts.push(await get(key));
        after = keys.at(-1) ?? '';
        if (after === '' || !list.includes('<IsTruncated>true</IsTruncated>')) return readLines(texts.join('\n'));
      }
    },
  };
}

/** The object names that `append` creates. */
const ownName = /^\d{12,}-\d{12,}-[0-9a-f]{16}\.jsonl$/;

/** A redirect could send the secret to another server. */
function exchange(): Pick<RequestInit, 'redirect' | 'signal'> {
  return { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) };
}

async function whenTaken(answer: Promise<Response>): Promise<Response> {
  const response = await answer;
  if (response.ok) return response;
  await response.body?.cancel();
  throw new Error(`the sink answered ${response.status}`);
}

function digestOf(body: string): string {
  return hash('sha256', body).slice(0, 16);
}
