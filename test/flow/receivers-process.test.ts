import { afterEach, describe, expect, it } from 'vitest';
import { version } from '../../src/core/version.ts';
import { plantedSecretsIn, webhook } from '../fixtures/webhooks/webhook.ts';
import { head, openRaw } from '../support/raw-connection.ts';
import { basic, inbox, type RunningWeb, send, serviceHeaders, sharedSecret, startWeb } from '../support/running-web.ts';
import { until } from '../support/until.ts';

const EXIT_MS = 8000;
const body = JSON.stringify(webhook('virtual-card'));
let web: RunningWeb | undefined;

async function start(env: Record<string, string> = {}): Promise<RunningWeb> {
  web = await startWeb(env);
  return web;
}

afterEach(async () => {
  await web?.stop();
  web = undefined;
});

describe('health, readiness and metrics', () => {
  it('need no authorization', async () => {
    const { url, adminUrl } = await start();
    await until(async () => (await fetch(`${url}/readyz`)).status === 200, 'web is ready');

    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'alive', version });
    expect(await (await fetch(`${url}/readyz?x=1`)).json()).toEqual({ status: 'ready' });
    for (const path of [`${url}/healthz`, `${url}/readyz`, `${adminUrl}/readyz`, `${adminUrl}/metrics`]) {
      const answer = await fetch(path, { method: 'POST' });
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toBe('GET, HEAD');
      expect((await fetch(path, { method: 'HEAD' })).status).toBe(200);
    }
  });

  it('cost Redis the same however often they are asked for', async () => {
    const { url, adminUrl, store } = await start();
    await until(async () => (await fetch(`${url}/readyz`)).status === 200, 'web is ready');
    await store.config('RESETSTAT');

    const paths = [`${url}/readyz`, `${adminUrl}/readyz`];
    const answers = await Promise.all(Array.from({ length: 200 }, (_, index) => fetch(paths[index % 2] ?? url)));

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const writes = /^cmdstat_set:calls=(\d+)/m.exec(await store.info('commandstats'))?.[1] ?? 0;
    expect(Number(writes)).toBeLessThan(20);
  });

  it('are separate: the public port serves no metrics, the admin port accepts no webhooks', async () => {
    const { url, adminUrl } = await start();

    expect((await fetch(`${url}/metrics`)).status).toBe(404);
    expect((await fetch(`${url}/livez`)).status).toBe(404);
    expect((await send(`${adminUrl}/webhooks/virtual-card`, { body })).status).toBe(404);
  });

  it('count each response, and neither they nor the log contain secrets', async () => {
    const { url, adminUrl, child } = await start({ LOG_LEVEL: 'trace' });
    await until(async () => (await fetch(`${url}/readyz`)).status === 200, 'web is ready');
    const bad = JSON.stringify(webhook('virtual-card', { AccountId: 'lots' }));
    await send(`${url}/webhooks/virtual-card`, { body });
    await send(`${url}/webhooks/virtual-card`, { body });
    await send(`${url}/webhooks/virtual-card`, { body: bad });
    await send(`${url}/webhooks/virtual-card`, { body: `${body}!` });
    await send(`${url}/webhooks/virtual-card`, { body, headers: { authorization: basic('guess-7f3a') } });
    await send(`${url}/webhooks/4111111111111111`, { body });

    const answer = await fetch(`${adminUrl}/metrics`);
    const text = await answer.text();

    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
    const counted = [...text.matchAll(/^cardbell_webhooks_total\{([^}]*)\} (\d+)$/gm)];
    expect(counted.map(([, , count]) => Number(count))).toEqual([1, 1, 1, 1, 1, 1]);
    expect(counted.filter(([, labels]) => labels?.includes('path="virtual-card"'))).toHaveLength(5);
    expect(text).toContain('process_cpu_seconds_total');
    await child.said('webhook taken');
    const seen = `${text}${child.lines.join('\n')}`;
    const secrets = [sharedSecret, 'guess-7f3a', 'xoxb-', 'signing-receivers', 'Cloud Hosting'];
    for (const secret of secrets) expect(seen).not.toContain(secret);
    // A number of milliseconds, or of bytes, may be the three digits of the CVV.
    expect(plantedSecretsIn(seen).filter((secret) => secret !== '737')).toEqual([]);
    expect(seen).not.toContain('"737"');
  });
});

it('accepts both secrets during a rotation, and one afterwards', async () => {
  const { url } = await start({ WEBHOOK_SHARED_SECRET: 'OLD-SECRET-0123456789, NEW-SECRET-0123456789' });
  await until(async () => (await fetch(`${url}/readyz`)).status === 200, 'web is ready');
  const statusOf = async (secret: string): Promise<number> =>
    (await send(`${url}/webhooks/virtual-card`, { body, headers: { authorization: basic(secret) } })).status;

  expect(await statusOf('OLD-SECRET-0123456789')).toBe(200);
  expect(await statusOf('NEW-SECRET-0123456789')).toBe(200);
  expect(await statusOf('OLD-SECRET-0123456789,NEW-SECRET-0123456789')).toBe(401);
  expect(await statusOf(sharedSecret)).toBe(401);
});

describe('on SIGTERM or SIGINT', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    '%s makes an idle process exit with 0 despite open connections',
    async (signal) => {
      const { child, port } = await start();
      const idle = await Promise.all(Array.from({ length: 20 }, () => openRaw(port)));
      idle[0]?.write(head('/healthz', {}, 'GET'));
      await idle[0]?.sees(/200 OK/);

      child.kill(signal);
      const { code, ms } = await child.exit;

      expect(code).toBe(0);
      expect(ms).toBeLessThan(EXIT_MS);
    },
  );

  it('a webhook in flight is still answered and stored, and new connections are refused', async () => {
    const { child, port, store, url } = await start();
    await until(async () => (await fetch(`${url}/readyz`)).status === 200, 'web is ready');
    const connection = await openRaw(port);
    const length = Buffer.byteLength(body);
    connection.write(
      head('/webhooks/virtual-card', { ...serviceHeaders, 'content-length': length }) + body.slice(0, 50),
    );
    // This response proves that the first half has been read.
    await fetch(`${url}/healthz`);

    child.kill('SIGTERM');
    await child.said('stopping');
    // The log says so just before the server stops listening.
    const isRefused = () =>
      openRaw(port).then(
        ({ socket }) => !socket.destroy(),
        () => true,
      );
    await until(isRefused, 'new connections are refused');
    connection.write(body.slice(50));

    await connection.sees(/HTTP\/1\.1 200 /);
    const { code, ms } = await child.exit;
    expect(code).toBe(0);
    // The connection asks for keep-alive but still closes after its last response.
    expect(ms).toBeLessThan(EXIT_MS / 2);
    expect(await store.xlen(inbox)).toBe(1);
  });

  it('a body that never arrives does not delay the exit for long', async () => {
    const { child, port } = await start();
    const connection = await openRaw(port);
    connection.write(`${head('/webhooks/virtual-card', { ...serviceHeaders, 'content-length': 5000 })}{`);
    await fetch(`http://127.0.0.1:${port}/healthz`);

    child.kill('SIGTERM');
    const { code, ms } = await child.exit;

    expect(code).toBe(0);
    expect(ms).toBeLessThan(EXIT_MS);
  });

  it.each(['SIGKILL', 'SIGSTOP'] as const)('the process exits even while Redis is down (%s)', async (fate) => {
    const { child, redis, url } = await start();
    await until(async () => (await fetch(`${url}/readyz`)).status === 200, 'web is ready');
    process.kill(redis.pid, fate);
    const pending = send(`${url}/webhooks/virtual-card`, { body });
    await fetch(`${url}/healthz`);

    child.kill('SIGTERM');
    const { code, ms } = await child.exit;

    expect(code).toBe(0);
    expect(ms).toBeLessThan(EXIT_MS);
    expect((await pending).status).toBe(503);
    if (fate === 'SIGSTOP') process.kill(redis.pid, 'SIGCONT');
  });
});

it('starts while Redis is down, and is not ready', async () => {
  const { child, url, redis } = await start({ REDIS_URL: 'redis://127.0.0.1:1' });

  expect((await fetch(`${url}/readyz`)).status).toBe(503);
  expect((await send(`${url}/webhooks/virtual-card`, { body })).status).toBe(503);
  expect(child.isRunning()).toBe(true);
  expect(redis.url).not.toContain(':1/');
});
