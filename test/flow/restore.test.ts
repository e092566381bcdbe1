import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LocalRedis, startRedis } from '../../local/redis.ts';
import { stateKey } from '../../src/core/keys.ts';
import { useDeclines } from '../support/declines.ts';
import { channels, people } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { atOnce, useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook } from '../support/sample-webhook.ts';
import { until } from '../support/until.ts';

/** A disaster rehearsal: everything dies, and only a backup taken under load is left. */
const cardbell = useCardbell({ pace: atOnce });
const { declines, take, shown } = useDeclines(cardbell);
const run = promisify(execFile);

let folder: string;
let fresh: LocalRedis | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cardbell-rehearsal-'));
});
afterAll(async () => {
  await fresh?.stop();
  await rm(folder, { recursive: true });
});

const command = async (verb: 'backup' | 'restore', file: string): Promise<string> => {
  const env = { PATH: process.env.PATH, REDIS_URL: cardbell().redis.url };
  return (await run(process.execPath, ['dist/bin/cardbell.js', verb, file], { env })).stdout;
};

/** Kills every process and Redis, restores the backup into an empty Redis, and restarts everything. */
async function loseAllAndRestore(file: string): Promise<string> {
  const { redis, webs, workers, startWeb, startWorker } = cardbell();
  for (const child of [...webs, ...workers]) child.kill('SIGKILL');
  await (fresh ?? redis).kill();
  fresh = await startRedis({ port: redis.port });
  const said = await command('restore', file);
  await Promise.all([startWeb(), startWorker()]);
  // A change that was unconfirmed at the time of the backup is verified after two minutes.
  await quiet(cardbell(), 160_000);
  return said;
}

it('does not repeat actions done after the backup, and finds alerts in Slack before posting them again', async () => {
  const { deliver, waitFor, press, take: takeAccount, account, writes, workers, sandbox } = cardbell();
  const { AcctId } = takeAccount('ACTIVE');
  await deliver(sampleWebhook('decline.rule.mcc', { AcctId, MerchantName: 'Restored Corner' }));
  const alert = await waitFor(channels.declines, /Restored Corner/);
  await quiet(cardbell());
  const before = await shown();
  // Only one, because alerts that share a message may be grouped differently after a restore (docs/backup.md).
  const sent = declines(1);
  const file = join(folder, 'waiting.backup');

  // Everything is waiting when the backup is taken, and is done afterwards.
  workers[0]?.kill('SIGSTOP');
  await take(sent);
  await press(people.olga, alert, 'block_card');
  expect(await command('backup', file)).toMatch(/^\S+: \d+ keys\.$/m);
  workers[0]?.kill('SIGCONT');
  await until(() => account(AcctId).CardList[0]?.CardStatus === 'BLOCKED', 'the card is blocked');
  await quiet(cardbell());
  // Someone unblocks the card later, so it must not be blocked again.
  sandbox.setStatus({ AcctId, CardStatus: 'ACTIVE' });
  await quiet(cardbell());
  const searched = cardbell().slackCalls('conversations.history').length;
  const written = writes().length;

  const said = await loseAllAndRestore(file);

  expect(writes()).toHaveLength(written);
  expect(account(AcctId).CardList[0]?.CardStatus).toBe('ACTIVE');
  expect(await shown()).toEqual([...before, ...sent.map(({ amountCents }) => amountCents)].toSorted((a, b) => a - b));
  expect(cardbell().slackCalls('conversations.history').length).toBeGreaterThan(searched);
  expect(said).toMatch(/^Restored \d+ keys as of .* unfinished actions .* are left out\./m);
}, 300_000);

it('a backup taken under load contains everything acknowledged before it', async () => {
  const { store, command: type, take: takeAccount, writes, account, waitTold } = cardbell();
  const cards = ['ACTIVE', 'ACTIVE', 'ACTIVE'].map((status) => takeAccount(status));
  const alerts = async (): Promise<string[]> => await store.keys(stateKey('alert:*'));
  const old = new Set(await alerts());
  const written = writes().length;
  const file = join(folder, 'working.backup');

  await take(declines(40));
  await Promise.all([
    command('backup', file),
    ...cards.map(async ({ AcctId }) => await type(people.olga, `block ${AcctId}`)),
    take(declines(20)),
  ]);
  await quiet(cardbell());
  for (const { AcctId } of cards) {
    await until(() => account(AcctId).CardList[0]?.CardStatus === 'BLOCKED', 'the card is blocked');
  }
  const known = (await alerts()).filter((key) => !old.has(key));
  await loseAllAndRestore(file);

  // Forty were acknowledged before the backup. It may contain some of the other twenty.
  const restored = new Set(await alerts());
  const kept = known.filter((key) => restored.has(key));
  expect(kept.length).toBeGreaterThanOrEqual(40);
  const blocks = writes()
    .slice(written)
    .filter(({ path }) => path.includes('/Card/Status/'))
    .map(({ path }) => Number(path.split('/').at(-1)));
  expect(blocks.toSorted((a, b) => a - b)).toEqual(cards.map(({ AcctId }) => AcctId).toSorted((a, b) => a - b));
  // Everything works as usual.
  const next = takeAccount('ACTIVE');
  await type(people.olga, `block ${next.AcctId}`);
  await waitTold(people.olga, /^Blocked/);
}, 300_000);
