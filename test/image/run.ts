import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../local/port.ts';
import { startRedis } from '../../local/redis.ts';
import { startSandbox } from '../../sandbox/server.ts';
import { startWorkspace } from '../../workspace/server.ts';
import { channels, peopleEnv, secrets, workspaceOptions } from '../support/people.ts';
import { until } from '../support/until.ts';
import { type BuiltImage, buildImage } from './build.ts';
import { startContainer } from './container.ts';

/**
 * `npm run test:image`: builds the image, and runs web and worker from it with a real Redis, the local workspace and the
 * sandbox of the card service. Needs root on Debian, and installs what it needs. The first run takes minutes.
 */

const STOP_MS = 8000;
const startedAt = performance.now();
const say = (line: string): void =>
  void process.stdout.write(`${((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${line}\n`);

if (process.getuid?.() !== 0) {
  process.stderr.write('test:image mounts file systems and changes users: run it as root.\n');
  process.exit(1);
}
const image = buildImage(say);
try {
  checkContents(image);
  await checkRun(image);
  say('all checks passed');
} finally {
  image.remove();
}
process.exit(0);

function checkContents({ config, root }: BuiltImage): void {
  assert.equal(config.User, '10001:10001', 'the image runs as a dedicated user');
  assert.equal(config.Entrypoint[0], 'tini', 'process 1 is an init process');
  assert.ok(config.Healthcheck !== undefined, 'it has a health check');
  assert.equal(config.Labels['org.opencontainers.image.licenses'], 'Apache-2.0');
  assert.deepEqual(
    readdirSync(join(root, 'app')).toSorted(),
    ['LICENSE', 'Procfile', 'dist', 'manifest.json', 'package.json'],
    'it holds nothing but what runs',
  );
  say('its contents are correct');
}

async function checkRun(built: BuiltImage): Promise<void> {
  const [port, webAdmin, workerAdmin] = [await freePort(), await freePort(), await freePort()];
  const redis = await startRedis();
  const workspace = await startWorkspace(workspaceOptions);
  const sandbox = await startSandbox({
    token: secrets.apiToken,
    secret: secrets.sharedSecret,
    redisUrl: redis.url,
    webhooks: `http://127.0.0.1:${port}/webhooks`,
    timeScale: 60,
    assumptions: { timeoutFloorMs: 5000 },
  });
  const shared = {
    REDIS_URL: redis.url,
    SLACK_BOT_TOKEN: secrets.botToken,
    SLACK_API_URL: workspace.apiUrl,
    ...peopleEnv,
  };
  const webEnv = {
    HOST: '127.0.0.1',
    PORT: String(port),
    ADMIN_PORT: String(webAdmin),
    SLACK_SIGNING_SECRET: secrets.signingSecret,
    WEBHOOK_SHARED_SECRET: secrets.sharedSecret,
  };
  const workerEnv = {
    ADMIN_PORT: String(workerAdmin),
    CARD_API_URL: sandbox.url,
    CARD_API_TOKEN: secrets.apiToken,
  };
  const web = startContainer(built, built.config.Cmd, { ...shared, ...webEnv });
  const worker = startContainer(built, ['worker'], { ...shared, ...workerEnv });
  try {
    for (const admin of [webAdmin, workerAdmin]) await until(() => isOk(admin, 'readyz'), 'web and worker are ready');
    say('web and worker are ready');

    for (const admin of [webAdmin, workerAdmin]) assert.equal(await healthCheck(built, admin), 0, 'health check');
    assert.equal(await healthCheck(built, await freePort()), 1, 'the health check fails when nothing listens');

    const account = sandbox.accounts().find(({ CardList }) => CardList[0]?.CardStatus === 'ACTIVE');
    assert.ok(account !== undefined);
    sandbox.purchase({ AcctId: account.AcctId, Amount: 99_999 });
    await workspace.waitForMessage(({ channel }) => channel === channels.declines, 60_000);
    say('a webhook went in, a message came out');

    const ends = await Promise.all([web.stop(), worker.stop()]);
    for (const [index, { code, ms }] of ends.entries()) {
      const name = index === 0 ? 'web' : 'worker';
      assert.equal(code, 0, `${name} exits with 0`);
      assert.ok(ms < STOP_MS, `${name} exits within ${STOP_MS} ms, not ${ms}`);
      say(`${name} exited with 0 after ${Math.round(ms)} ms`);
    }
  } catch (error) {
    process.stderr.write(`${[...web.lines, ...worker.lines].slice(-30).join('\n')}\n`);
    throw error;
  } finally {
    await Promise.all([web.stop(), worker.stop()]);
    await Promise.all([sandbox.stop(), workspace.stop()]);
    await redis.stop();
  }
}

async function isOk(port: number, path: string): Promise<boolean> {
  return await fetch(`http://127.0.0.1:${port}/${path}`).then(
    ({ status }) => status === 200,
    () => false,
  );
}

async function healthCheck(built: BuiltImage, adminPort: number): Promise<number | null> {
  const [, ...command] = built.config.Healthcheck?.Test ?? [];
  const config = { ...built.config, Entrypoint: command };
  return await startContainer({ root: built.root, config }, [], { ADMIN_PORT: String(adminPort) }).ended;
}
