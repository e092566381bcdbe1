import { createServer } from 'node:http';
import { trace } from '@opentelemetry/api';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { listen } from '../../../local/port.ts';
import { startTracing } from '../../../src/ops/tracing.ts';

let sent = '';
const collector = createServer((request, response) => {
  request.setEncoding('utf8').on('data', (part: string) => {
    sent += part;
  });
  request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
});
beforeEach(async () => {
  sent = '';
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', `http://127.0.0.1:${await listen(collector)}`);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  collector.closeAllConnections();
  await new Promise((resolve) => void collector.close(resolve));
});

const spansOf = (): { name: string; traceId: string; links?: { traceId: string }[]; status: object }[] =>
  JSON.parse(sent).resourceSpans[0].scopeSpans.flatMap(({ spans }: { spans: object[] }) => spans);

it('continues the trace stored with a job, and links to other traces', async () => {
  const { tracer, stop } = startTracing('test');
  const parents: string[] = [];
  for (const name of ['one', 'two'])
    await tracer.span(name, { kind: 'server' }, async () => void parents.push(tracer.current() ?? ''));

  await tracer.span('later', { kind: 'consumer', parent: parents[0], links: parents.slice(1) }, async () => {});
  await stop();

  const [one, two, later] = spansOf();
  expect(later).toMatchObject({ name: 'later', traceId: one?.traceId });
  expect(later?.links?.map(({ traceId }) => traceId)).toEqual([two?.traceId]);
  expect(parents[0]).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
});

it('marks a failed span without the error, which may contain outside text', async () => {
  const { tracer, stop } = startTracing('test');

  await expect(
    tracer.span('fails', { kind: 'client' }, async () => {
      throw new Error('Sam Rivera has no money');
    }),
  ).rejects.toThrow();
  await stop();

  expect(spansOf()).toMatchObject([{ name: 'fails', status: { code: 2 } }]);
  expect(sent).not.toContain('Sam Rivera');
});

it('drops attributes that libraries add, except those known to be harmless', async () => {
  const { tracer, stop } = startTracing('test');

  await tracer.span('work', { kind: 'consumer', attributes: { 'cardbell.entries': 3 } }, async () => {
    trace.getActiveSpan()?.setAttributes({ 'bullmq.job.id': 'person-U1-evt_1', 'bullmq.queue.name': 'updates' });
    trace.getActiveSpan()?.addEvent('Sam Rivera');
  });
  await stop();

  expect(sent).not.toMatch(/person-U1|Sam Rivera/);
  expect(sent).toContain('"cardbell.entries"');
  expect(sent).toContain('"bullmq.queue.name"');
});
