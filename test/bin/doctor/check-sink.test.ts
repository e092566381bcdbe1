import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { checkSink } from '../../../bin/doctor/check-sink.ts';
import { createReport } from '../../../bin/doctor/report.ts';
import { listen } from '../../../local/port.ts';

const folder = mkdtempSync(join(tmpdir(), 'doctor-sink-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function findings(url: URL | null, isRoot = false): Promise<string[]> {
  const report = createReport(() => {});
  const secrets = { token: undefined, accessKeyId: undefined, secretAccessKey: undefined };
  await checkSink(url === null ? null : { url, ...secrets }, { isRoot }, report);
  return report.findings.map(({ level, what }) => `${level}: ${what}`);
}
const fileIn = (path: string): URL => pathToFileURL(join(folder, path));

describe('the doctor’s check of the copy of the audit record', () => {
  it('reports nothing if none is configured', async () => {
    expect(await findings(null)).toEqual([]);
  });

  it('reports a file that can be written, if it runs as the user who writes it', async () => {
    expect(await findings(fileIn('heads.jsonl'))).toEqual(['ok: AUDIT_SINK can be used']);
    expect(await findings(fileIn('heads.jsonl'), true)).toEqual([
      'note: AUDIT_SINK: its folder exists. Root may write there, but the worker may be another user; under systemd it may write only below /var/lib/cardbell',
    ]);
  });

  it('does not claim that an address or a bucket takes the copy, because it stores nothing there', async () => {
    const server = createServer((request, response) => {
      response.writeHead(request.method === 'GET' ? 200 : 403).end();
    });
    const address = `127.0.0.1:${await listen(server)}`;
    const note =
      'note: AUDIT_SINK answers. Whether the copy may be stored there shows with the next record: if not, ops are notified';

    expect(await findings(new URL(`http://${address}/heads`))).toEqual([note]);
    expect(await findings(new URL(`s3://heads/cards?endpoint=http://${address}`))).toEqual([note]);
    server.close();
  });

  it('says why a file or an address cannot be used', async () => {
    expect(await findings(fileIn('none/heads.jsonl'), true)).toEqual([
      expect.stringMatching(/^fix: AUDIT_SINK cannot be used \(ENOENT.*\)$/),
    ]);
    const refused = createServer();
    const port = await listen(refused);
    await new Promise((resolve) => refused.close(resolve));
    expect(await findings(new URL(`http://127.0.0.1:${port}/heads`))).toEqual([
      'fix: AUDIT_SINK cannot be used (fetch failed: ECONNREFUSED)',
    ]);
  });
});
