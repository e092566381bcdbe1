import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { freePort } from '../../../local/port.ts';
import { webConfig } from '../../../src/app/config.ts';
import { withAdmin } from '../../../src/app/run-process.ts';
import { createLog } from '../../../src/core/log.ts';
import { closeQueues, openQueues } from '../../../src/core/queues.ts';
import { readHealth } from '../../../src/ops/health.ts';
import { useRedis } from '../../support/on-redis.ts';

const moduleOf = (path: string): string => new URL(`../../../src/${path}`, import.meta.url).href;

/** A process that has nothing to finish when it is stopped. @param work what it does until then. */
const program = (work: string): string => `
  import { runProcess } from '${moduleOf('app/run-process.ts')}';
  import { createLog } from '${moduleOf('core/log.ts')}';
  const log = createLog({ level: 'info', process: 'test' });
  await runProcess(async () => {
    log.info({}, 'runs');
    ${work}
    return { stop: async () => {} };
  }, () => log);
`;

const redis = useRedis();
const silent = createLog({ level: 'silent', process: 'test' });
const configOf = (port: number) =>
  webConfig({
    SLACK_BOT_TOKEN: 'xoxb-1',
    SLACK_SIGNING_SECRET: 'signing-secret-1',
    WEBHOOK_SHARED_SECRET: 'shared-secret-1',
    ALERTS_CHANNEL: 'C1',
    ADMIN_PORT: String(port),
  });

async function start(work: string): Promise<ChildProcess> {
  const args = ['--import', 'tsx', '--input-type=module', '--eval', program(work)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  if (child.stdout !== null) await once(child.stdout, 'data');
  return child;
}

/** @returns the exit code; null if it did not exit within the promised eight seconds. */
async function codeAfterSigterm(child: ChildProcess): Promise<number | null> {
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  child.kill('SIGTERM');
  const code = await Promise.race([ended, wait(8000, null)]);
  child.kill('SIGKILL');
  return code;
}

it('exits within eight seconds of SIGTERM if the reader of its log is gone', async () => {
  const child = await start('setInterval(() => {}, 1000);');
  child.stdout?.destroy();

  expect(await codeAfterSigterm(child), 'exit code').toBe(0);
});

it('exits within eight seconds of SIGTERM if nobody reads its log any more', async () => {
  const child = await start("setInterval(() => log.info({ text: 'x'.repeat(1000) }, 'busy'), 1);");
  child.stdout?.pause();
  await wait(2000);

  expect(await codeAfterSigterm(child), 'exit code').toBe(0);
});

it.each([
  ['thrown', 'setTimeout(() => { throw error; });'],
  ['rejected', 'void Promise.reject(error);'],
])(
  'logs an unexpected error that is %s without what a library attached to it, and exits with 1',
  async (_how, fail) => {
    const error =
      "Object.assign(new Error('refused'), { command: { args: ['xoxb-secret'] }, headers: { a: 'secret' } })";
    const args = ['--import', 'tsx', '--input-type=module', '--eval', program(`const error = ${error}; ${fail}`)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));

    const [code] = (await once(child, 'close')) as [number];

    expect(code).toBe(1);
    expect(output).toContain('"level":"fatal"');
    expect(output).toContain('refused');
    expect(output).not.toContain('secret');
  },
);

it('what a package prints becomes a line of the log, without what it attached to an error', async () => {
  const work = `
    console.warn('[WARN] no password is needed', Object.assign(new Error('refused'), { token: 'xoxb-secret' }));
    console.error('IMPORTANT! allkeys-lru');
    console.info('hello');
    setTimeout(() => process.exit(0), 1);
  `;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', program(work)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));

  await once(child, 'close');

  expect(errors).toBe('');
  const lines = output.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { msg: 'runs' },
    { level: 'warn', msg: 'a package printed this', what: '[WARN] no password is needed refused' },
    { level: 'error', msg: 'a package printed this', what: 'IMPORTANT! allkeys-lru' },
  ]);
  expect(output).not.toContain('secret');
});

it('counts what waits in a card program once, although web and worker run in one process', async () => {
  const queues = openQueues(redis());
  const quarantined = { count: async () => 3 };
  const read = () => readHealth({ redis: redis(), queues, quarantined, memory: { share: () => null } });
  const port = await freePort();
  const running = await withAdmin('both', configOf(port), silent, async (admin) => {
    for (const program of ['', '', 'eu']) admin.watch({ problems: async () => [], health: { program, read } });
    return { stop: () => closeQueues(queues) };
  });

  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  await running.stop();

  expect(metrics).toMatch(/^cardbell_quarantined.* 6$/m);
});

it('the admin port shows the queue page of the first card program', async () => {
  const port = await freePort();
  const running = await withAdmin('worker', configOf(port), silent, async (admin) => {
    for (const program of ['first', 'eu']) admin.serveQueues((_request, response) => void response.end(program));
    return { stop: async () => {} };
  });

  const shown = await (await fetch(`http://127.0.0.1:${port}/queues`)).text();
  await running.stop();

  expect(shown).toBe('first');
});
