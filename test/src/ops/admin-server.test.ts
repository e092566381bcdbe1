import { afterEach, expect, it } from 'vitest';
import { createLog } from '../../../src/core/log.ts';
import { type AdminFacts, startAdminServer } from '../../../src/ops/admin-server.ts';

const log = createLog({ level: 'silent', process: 'test' });
let server: Awaited<ReturnType<typeof startAdminServer>> | undefined;

afterEach(async () => {
  await server?.close();
});

async function ask(path: string, facts: Partial<AdminFacts> = {}, init: RequestInit = {}): Promise<Response> {
  server = await startAdminServer(
    { host: '127.0.0.1', port: 0 },
    {
      problems: async () => [],
      warnings: () => [],
      metrics: async () => ({ contentType: 'text/plain; version=0.0.4', text: 'cardbell_workers 1\n' }),
      queuePage: () => null,
      log,
      ...facts,
    },
  );
  return await fetch(`http://127.0.0.1:${server.port}${path}`, init);
}

it('reports the process as alive whatever is wrong', async () => {
  const response = await ask('/livez', { problems: async () => ['redis is not connected'] });

  expect(response.status).toBe(200);
});

it('is ready when nothing is wrong, and passes warnings on', async () => {
  const response = await ask('/readyz', { warnings: () => ['slack refuses the bot token'] });

  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ status: 'ready', warnings: ['slack refuses the bot token'] });
});

it('answers 503 with the reason when the process cannot work', async () => {
  const response = await ask('/readyz', { problems: async () => ['redis is not connected'] });

  expect(response.status).toBe(503);
  expect(await response.json()).toEqual({ status: 'not ready', problems: ['redis is not connected'] });
});

it('serves metrics in the Prometheus format', async () => {
  const response = await ask('/metrics?name=x');

  expect(response.headers.get('content-type')).toContain('text/plain');
  expect(await response.text()).toBe('cardbell_workers 1\n');
});

it('answers 500 when reading the metrics fails, and keeps running', async () => {
  const response = await ask('/metrics', {
    metrics: async () => {
      throw new Error('cannot be read');
    },
  });

  expect(response.status).toBe(500);
  expect((await fetch(`http://127.0.0.1:${server?.port}/livez`)).status).toBe(200);
});

it.each([
  ['/', 'GET', 404],
  ['/webhooks/decline', 'POST', 404],
  ['/readyz', 'POST', 405],
])('answers %s %s with %i', async (path, method, status) => {
  expect((await ask(path, {}, { method })).status).toBe(status);
});
