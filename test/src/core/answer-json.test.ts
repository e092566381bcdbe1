import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { answerJson, onlyReads } from '../../../src/core/answer-json.ts';

it.each([
  ['GET', 200],
  ['HEAD', 200],
  ['POST', 405],
  ['DELETE', 405],
])('answers %s with %i', async (method, status) => {
  const server = createServer((request, response) => {
    if (onlyReads(request, response)) answerJson(response, 200, {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/`, { method });

  expect(answer.status).toBe(status);
  expect(answer.headers.get('allow')).toBe(status === 405 ? 'GET, HEAD' : null);
  server.closeAllConnections();
  server.close();
});
