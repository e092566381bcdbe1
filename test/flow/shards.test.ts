import { execFile } from 'node:child_process';
import { Cluster, Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startCluster } from '../../local/redis-cluster.ts';
import type { SandboxAccount } from '../../sandbox/server.ts';
import { intakeKey, stateKey } from '../../src/core/keys.ts';
import { shardsOf } from '../../src/core/shards.ts';
import { actionId } from '../../src/slack/action-id.ts';
import { useDeclines } from '../support/declines.ts';
import { channels, people } from '../support/people.ts';
import { atOnce, holderOf, type RunningCardbell, startCardbell } from '../support/running-cardbell.ts';
import { statusWebhook } from '../support/sample-webhook.ts';
import { until } from '../support/until.ts';

const SHARDS = 16;
const STATUSES = ['BLOCKED', 'ACTIVE', 'BLOCKED', 'ACTIVE', 'CLOSED'];

let cluster: Awaited<ReturnType<typeof startCluster>>;
let cardbell: RunningCardbell;
let store: Cluster;
const declines = useDeclines(() => cardbell);
beforeAll(async () => {
  cluster = await startCluster();
  store = new Cluster([...cluster.urls]);
  const env = { REDIS_URL: cluster.url, REDIS_SHARDS: String(SHARDS) };
  cardbell = await startCardbell({ webs: 2, workers: 2, pace: atOnce, env, prepare: () => {} });
});
afterAll(async () => {
  await cardbell?.stop();
  store?.disconnect();
  await cluster?.stop();
});

/** Log lines that a key in the wrong slot or a broken connection would cause. */
const opsIssues = (): string[] =>
  cardbell.logs().filter((line) => /CROSSSLOT|MOVED|same slot|job failed|"level":(50|60)/.test(line));

const waiting = async (shards = SHARDS): Promise<number> => {
  const counts = await Promise.all(shardsOf(shards).map((shard) => store.xlen(intakeKey('webhooks', shard))));
  return counts.reduce((sum, count) => sum + count, 0);
};

async function allShown(before: readonly number[], sent: readonly { amountCents: number }[]): Promise<void> {
  const wanted = [...before, ...sent.map(({ amountCents }) => amountCents)].toSorted((a, b) => a - b);
  await until(async () => (await declines.shown()).length >= wanted.length, 'all declines are shown', 60_000);
  expect(await declines.shown()).toEqual(wanted);
}

/** Delivers a card's status changes twice and out of order. */
async function changeStatuses(account: SandboxAccount): Promise<void> {
  const [card] = account.CardList;
  if (card === undefined) throw new Error('no card');
  const webhooks = STATUSES.map((status, index) =>
    statusWebhook(account, card, status, new Date(Date.now() - 600_000 + index * 100_000)),
  );
  const answers = await Promise.all(
    [...webhooks, ...webhooks.toReversed()].map((webhook) => cardbell.deliver(webhook)),
  );
  expect(new Set(answers)).toEqual(new Set([200]));
}

/** The stored statuses of a card, oldest first. */
async function orderOf({ CardList: [card] }: SandboxAccount): Promise<unknown[]> {
  const known = await store.zrange(stateKey(`history:${card?.CardId}`), '0', '-1');
  return known.map((text) => (JSON.parse(text) as unknown[])[1]);
}

/** Whether a message, or one row of a message for several changes, says that this card was closed. */
function isClosed({ text, blocks }: { text: string; blocks?: unknown }, account: SandboxAccount): boolean {
  const rows = JSON.stringify(blocks ?? []).split(/\],|\},\{"type":"section"/);
  return [text, ...rows].some((row) => row.includes(holderOf(account)) && /closed/i.test(row));
}

it('handles declines, status changes and a click in 16 shards with nothing lost, duplicated or out of order', async () => {
  const clicked = cardbell.take('ACTIVE');
  const changed = [cardbell.take('ACTIVE'), cardbell.take('ACTIVE'), cardbell.take('ACTIVE')];
  const sent = declines.declines(150);
  cardbell.sandbox.purchase({ AcctId: clicked.AcctId, Amount: 99_999 });
  // On a busy machine the alert comes before the directory knows whose card it is.
  const alert = await cardbell.waitFor(channels.declines, new RegExp(`${holderOf(clicked)}|account ${clicked.AcctId}`));

  await Promise.all([
    declines.take(sent),
    ...changed.map(changeStatuses),
    cardbell.press(people.olga, alert, actionId.blockCard),
  ]);

  const blocked = () => cardbell.writes().filter(({ path }) => path.endsWith(`/${clicked.AcctId}`));
  await until(() => blocked().some(({ status }) => status === 200), 'the card is blocked');
  await allShown([9_999_900], sent);
  for (const one of changed) {
    await until(async () => (await orderOf(one)).length === STATUSES.length, 'each status is known');
    expect(await orderOf(one), 'by the time of the card service').toEqual(STATUSES);
    await until(
      () => cardbell.workspace.messages(channels.status).some((message) => isClosed(message, one)),
      'the last status is shown',
    );
  }
  expect(blocked()).toHaveLength(1);
  expect(opsIssues()).toEqual([]);
});

it('distributes the remembered webhooks across the cluster nodes', async () => {
  const nodes = await Promise.all(
    cluster.urls.map(async (url) => {
      const node = new Redis(url);
      const keys = await node.keys('{cardbell*:in}:seen:evt_*');
      node.disconnect();
      return keys.length;
    }),
  );
  const all = nodes.reduce((sum, count) => sum + count, 0);

  for (const count of nodes) expect(count / all).toBeGreaterThan(0.15);
});

it('a process with a different number of shards exits with 78 and names the expected number', async () => {
  cardbell.startWorker({ REDIS_SHARDS: '4' }).catch(() => {});
  const ended = await cardbell.workers.at(-1)?.exit;

  expect(ended?.code).toBe(78);
  expect(cardbell.logs().join('\n')).toMatch(/REDIS_SHARDS: expected 16/);
});

/** Runs `cardbell shards`, asynchronously because connections to this process's servers would time out otherwise. */
const shards = (...words: string[]): Promise<{ status: unknown; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const env = { PATH: process.env.PATH ?? '', REDIS_URL: cluster.url };
    execFile(process.execPath, ['dist/bin/cardbell.js', 'shards', ...words], { env }, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : error.code, stdout, stderr }),
    );
  });

it('cardbell shards moves waiting work to a different number of shards once all processes are stopped', async () => {
  const { webs, workers } = cardbell;
  expect((await shards()).stdout).toBe('16\n');
  expect(await shards('4')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('Nothing was changed') as string,
  });
  const before = await declines.shown();
  const sent = declines.declines(40);
  for (const worker of workers.splice(0)) {
    worker.kill('SIGTERM');
    await worker.exit;
  }
  await declines.take(sent);
  for (const web of webs.splice(0)) {
    web.kill('SIGTERM');
    await web.exit;
  }
  expect(await waiting()).toBe(40);

  const { status, stdout, stderr } = await shards('4');

  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(stdout).toMatch(/^Moved \d+ waiting webhooks, \d+ jobs and the memory of \d+ webhooks\./);
  expect(await waiting(4)).toBe(40);
  await Promise.all([cardbell.startWeb({ REDIS_SHARDS: '4' }), cardbell.startWorker({ REDIS_SHARDS: '4' })]);
  await until(
    async () =>
      (await Promise.all(sent.map(({ body }) => cardbell.deliver({ kind: 'decline', body })))).every(
        (code) => code === 200,
      ),
    'repeated webhooks are accepted',
  );
  await allShown(before, sent);
  expect(opsIssues()).toEqual([]);
});

it('the other worker takes over the shards of a killed worker, with nothing lost or duplicated', async () => {
  await cardbell.startWorker({ REDIS_SHARDS: '4' });
  const before = await declines.shown();
  const sent = declines.declines(120);

  await declines.take(sent.slice(0, 60));
  cardbell.workers[0]?.kill('SIGKILL');
  await declines.take(sent.slice(60));

  await allShown(before, sent);
});
