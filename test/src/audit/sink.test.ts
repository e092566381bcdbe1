import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { listen, shut } from '../../../local/port.ts';
import { type CopiedHead, openSink } from '../../../src/audit/sink.ts';

const head = (record: number): CopiedHead => ({
  record,
  hash: record.toString(16).padStart(64, '0'),
  at: '2026-03-04T15:00:00.000Z',
  signature: 'sig',
});
const none = { token: undefined, accessKeyId: undefined, secretAccessKey: undefined };

describe('a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cardbell-sink-'));
  const path = join(folder, 'heads.jsonl');
  const sink = openSink({ ...none, url: pathToFileURL(path) });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('appends each batch and returns all of them', async () => {
    await sink.append([head(1), head(2)]);
    await sink.append([head(3)]);

    expect(await sink.read()).toEqual({ heads: [head(1), head(2), head(3)], unreadable: 0 });
  });

  it('loses nothing after a line that was truncated by a kill', async () => {
    appendFileSync(path, '\n{"record":4,"hash":"00');
    await sink.append([head(4)]);

    expect(await sink.read()).toEqual({ heads: [head(1), head(2), head(3), head(4)], unreadable: 1 });
  });

  it('that cannot be written or read fails', async () => {
    const nowhere = openSink({ ...none, url: pathToFileURL(join(folder, 'none', 'heads.jsonl')) });

    await expect(nowhere.append([head(1)])).rejects.toThrow(/ENOENT/);
    await expect(nowhere.read()).rejects.toThrow(/ENOENT/);
    await expect(nowhere.check()).rejects.toThrow(/ENOENT/);
  });

  it('can be checked and read before the first batch without being created, which would give it another owner', async () => {
    const unwritten = join(folder, 'unwritten.jsonl');
    const { check, read } = openSink({ ...none, url: pathToFileURL(unwritten) });

    await check();
    expect(await read()).toEqual({ heads: [], unreadable: 0 });
    await sink.check();

    expect(existsSync(unwritten)).toBe(false);
    await expect(openSink({ ...none, url: pathToFileURL(folder) }).check()).rejects.toThrow(/is a folder/);
  });
});

describe('over HTTP', () => {
  const asked: { path: string; headers: IncomingHttpHeaders; body: string }[] = [];
  const objects = new Map<string, string>();
  let status = 200;
  let base = '';

  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString();
      const url = new URL(request.url ?? '', 'http://x');
      asked.push({ path: url.pathname, headers: request.headers, body });
      response.writeHead(status, status === 302 ? { location: `${base}/elsewhere` } : {});
      response.end(status === 200 ? answer(request.method ?? '', url, body) : '');
    });
  });
  beforeAll(async () => {
    base = `http://127.0.0.1:${await listen(server)}`;
  });
  afterEach(() => {
    asked.length = 0;
    objects.clear();
    status = 200;
  });
  afterAll(async () => await shut(server));

  /** An address stores posted bodies. A bucket stores objects and lists two per page. */
  function answer(method: string, { pathname, searchParams }: URL, body: string): string {
    if (method === 'POST') objects.set(pathname, (objects.get(pathname) ?? '') + body);
    if (method === 'PUT') objects.set(pathname, body);
    if (searchParams.get('list-type') !== '2') return objects.get(pathname) ?? '';
    const after = searchParams.get('start-after') ?? '';
    const keys = [...objects.keys()].map((path) => path.replace('/bucket/', '')).toSorted();
    const rest = keys.filter((key) => key.startsWith(searchParams.get('prefix') ?? '') && key > after);
    const listed = rest.slice(0, 2).map((key) => `<Contents><Key>${key}</Key></Contents>`);
    return `<ListBucketResult><IsTruncated>${rest.length > 2}</IsTruncated>${listed.join('')}</ListBucketResult>`;
  }

  it('an address receives each batch with the token and an idempotency key, and returns all of them', async () => {
    const sink = openSink({ ...none, url: new URL(`${base}/heads`), token: 'sink-token' });
    await sink.append([head(1), head(2)]);
    await sink.append([head(1), head(2)]);
    await sink.append([head(3)]);

    const keys = asked.map(({ headers }) => headers['idempotency-key']);
    expect(asked[0]?.headers).toMatchObject({
      authorization: 'Bearer sink-token',
      'content-type': 'application/x-ndjson',
    });
    expect(keys[0]).toBe(keys[1]);
    expect(keys[2]).not.toBe(keys[0]);
    expect((await sink.read()).heads).toEqual([head(1), head(2), head(1), head(2), head(3)]);
  });

  it('a bucket receives a signed object per batch, and returns all of them page by page', async () => {
    const url = new URL(`s3://bucket/cardbell/heads?region=eu-central-1&endpoint=${base}`);
    const sink = openSink({ ...none, url, accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' });
    for (const record of [1, 2, 3, 4, 5]) await sink.append([head(record)]);

    const [first] = asked;
    expect(first?.path).toMatch(/^\/bucket\/cardbell\/heads\/000000000001-000000000001-[0-9a-f]{16}\.jsonl$/);
    expect(first?.headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/s3\/aws4_request, SignedHeaders=.*, Signature=[0-9a-f]{64}$/,
    );
    expect(first?.headers['content-md5']).toBe(
      createHash('md5')
        .update(first?.body ?? '')
        .digest('base64'),
    );
    expect(await sink.read()).toEqual({ heads: [1, 2, 3, 4, 5].map(head), unreadable: 0 });
  });

  it('a bucket may hold other objects in the same folder, and the heads of another program in a subfolder', async () => {
    const sinkIn = (path: string) =>
      openSink({
        ...none,
        url: new URL(`s3://bucket/${path}?endpoint=${base}`),
        accessKeyId: 'A',
        secretAccessKey: 's',
      });
    for (const record of [1, 2, 3]) await sinkIn('heads/0eu').append([head(record)]);
    for (const name of ['0a.jsonl', '0b.txt', '0c.txt', '0d.txt']) objects.set(`/bucket/heads/${name}`, 'other');
    await sinkIn('heads').append([head(9)]);

    expect(await sinkIn('heads').read()).toEqual({ heads: [head(9)], unreadable: 0 });
    expect(await sinkIn('heads/0eu').read()).toEqual({ heads: [1, 2, 3].map(head), unreadable: 0 });
  });

  it.each(['an address', 'a bucket'])('%s can be checked by one request that stores nothing', async (what) => {
    const url = new URL(what === 'a bucket' ? `s3://bucket/p?endpoint=${base}` : `${base}/heads`);
    const sink = openSink({ url, token: 't', accessKeyId: 'id', secretAccessKey: 'secret' });
    for (const record of [1, 2, 3]) await sink.append([head(record)]);
    asked.length = 0;

    await sink.check();

    expect(asked).toMatchObject([{ body: '' }]);
    expect((await sink.read()).heads).toHaveLength(3);
  });

  it.each(['an address', 'a bucket'])('%s that refuses or redirects fails', async (what) => {
    const url = new URL(what === 'a bucket' ? `s3://bucket/p?endpoint=${base}` : `${base}/heads`);
    const sink = openSink({ url, token: 't', accessKeyId: 'id', secretAccessKey: 'secret' });
    for (const refused of [403, 500, 503]) {
      status = refused;
      await expect(sink.append([head(1)])).rejects.toThrow(`the sink answered ${refused}`);
      await expect(sink.read()).rejects.toThrow(`the sink answered ${refused}`);
      await expect(sink.check()).rejects.toThrow(`the sink answered ${refused}`);
    }
    status = 302;
    await expect(sink.append([head(1)])).rejects.toThrow();
    expect(asked.map(({ path }) => path)).not.toContain('/elsewhere');
  });
});
