import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalRedis, startRedis } from '../../local/redis.ts';
import { type Receiver, startReceiver, until } from './running-sandbox.ts';

let redis: LocalRedis;
let receiver: Receiver;
beforeAll(async () => {
  redis = await startRedis();
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.close();
  await redis.stop();
});

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Starts a built program like people do. */
function start(
  program: 'sandbox' | 'trigger',
  args: readonly string[],
  env: Record<string, string> = {},
): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [`dist/bin/${program}.js`, ...args], {
    env: { ...process.env, WEBHOOK_SHARED_SECRET: '', ...env },
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  return { child, ended: new Promise((resolve) => child.once('close', (code) => resolve({ code, out, err }))) };
}

describe('npm run sandbox', () => {
  it.each([
    ['SIGTERM', true],
    ['SIGINT', false],
  ] as const)('prints one line when ready, serves requests, and stops cleanly on %s', async (signal, ownRedis) => {
    const { child, ended } = start('sandbox', [
      '--port',
      '0',
      '--token',
      'T',
      '--webhooks',
      receiver.url,
      '--secret',
      'S',
      '--time-scale',
      '60',
      '--old-signs',
      ...(ownRedis ? [] : ['--redis', redis.url]),
    ]);
    const [line] = await Promise.race([
      new Promise<[string]>((resolve) => void createInterface(child.stdout!).once('line', (text) => resolve([text]))),
      ended.then(({ err }) => Promise.reject(new Error(err))),
    ]);
    const { ready, url } = JSON.parse(line) as { ready: boolean; url: string };
    expect(ready).toBe(true);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v4$/);

    receiver.received.length = 0;
    const answer = await fetch(new URL('/simulate/purchase', url), {
      method: 'POST',
      body: JSON.stringify({ AcctId: 610_001, Amount: 5 }),
    });
    expect(await answer.json()).toMatchObject({ Approved: true });
    await until(() => receiver.received.length === 1, 'the webhook');
    expect(receiver.received[0]!.body.Data.TransactionAmount).toBe(5);

    child.kill(signal);
    const { code, out, err } = await ended;
    expect(code).toBe(0);
    expect(out.trim().split('\n')).toEqual([line]);
    for (const logged of err.trim().split('\n').filter(Boolean)) expect(JSON.parse(logged)).toHaveProperty('msg');
  });

  it('stops, with its port and its own Redis, when npm is told to stop', async () => {
    const npm = spawn('npm', ['run', '--silent', 'sandbox', '--', '--port', '0']);
    const ended = once(npm, 'exit');
    const [line] = (await once(createInterface(npm.stdout), 'line')) as [string];
    const { url } = JSON.parse(line) as { url: string };

    npm.kill('SIGTERM');
    await ended;

    await expect
      .poll(
        () =>
          fetch(url).then(
            () => 'serves',
            () => 'gone',
          ),
        { timeout: 10_000 },
      )
      .toBe('gone');
  });

  it.concurrent.each([
    [['--nope'], '--nope'],
    [['--port', '99999'], '--port'],
    [['--port', 'x'], '--port'],
    [['--timeout', '15'], '--timeout'],
    [['--time-scale', '0'], '--time-scale'],
    [['--webhooks', 'ftp://x'], '--webhooks'],
    [['--redis', 'http://x'], '--redis'],
    [['--assume', 'moonPhase=1'], 'moonPhase'],
    [['--assume', 'toString=1'], 'toString'],
    [['--assume', 'retrySeconds=15'], 'retrySeconds: expected a value like [15,30,60,120,3600]'],
    [['--assume', 'retrySeconds=["15"]'], 'retrySeconds'],
    [['--assume', 'holdDays=null'], 'holdDays'],
    [['--assume', 'cardOrderStatus=[]'], 'cardOrderStatus'],
    [['--token', ''], '--token'],
  ])('refuses %j with exit code 64', async (args, named) => {
    const { code, out, err } = await start('sandbox', args).ended;

    expect([code, out]).toEqual([64, '']);
    expect(err).toContain(named);
  });
});

describe('npm run trigger', () => {
  it('sends with the secret from the environment and exits with 0', async () => {
    receiver.received.length = 0;

    const { code, out } = await start('trigger', ['decline.balance.card', '--url', receiver.url], {
      WEBHOOK_SHARED_SECRET: 'NEW, OLD',
    }).ended;

    expect([code, out]).toEqual([0, `decline.balance.card → ${receiver.url}/decline: 200, taken\n`]);
    expect(receiver.received[0]!.headers.authorization).toBe(`Basic ${Buffer.from('NEW').toString('base64')}`);
  });

  it.concurrent.each([
    [['pin', '--to', 'http://127.0.0.1:9/', '--secret', 'S'], 1],
    [['pin'], 78],
    [['nonsense', '--secret', 'S'], 64],
    [['--list'], 0],
    [['--help'], 0],
  ])('%j exits with %i', async (args, code) => {
    expect((await start('trigger', args).ended).code).toBe(code);
  });
});
