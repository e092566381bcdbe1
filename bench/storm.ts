import { freePort } from '../local/port.ts';
import { startRedis } from '../local/redis.ts';
import { startSandbox } from '../sandbox/server.ts';
import { startWorkspace, type Workspace } from '../workspace/server.ts';
import { answers, startChild } from './child.ts';
import { row, table } from './report.ts';
import { SHARED_SECRET, webhookHeaders } from './sample.ts';
import { stormDeclines } from './storm-declines.ts';

const STORM = 3000;
/** One by one takes a second each, so a smaller number is measured and scaled. */
const ONE_BY_ONE = 20;
const SENDERS = 32;
const CHANNEL = 'C0BENCH';
const BOT_TOKEN = 'xoxb-bench';
const CARD_TOKEN = 'bench-card-api-token';

/**
 * A burst of declines into one channel that accepts one message per second: how many messages, how long, how many
 * refused.
 */
export async function benchStorm(): Promise<void> {
  const redis = await startRedis();
  const workspace = await startWorkspace({
    botToken: BOT_TOKEN,
    signingSecret: 'bench',
    users: [{ id: 'U0BENCH', name: 'bench', realName: 'Bench' }],
    channels: [{ id: CHANNEL, name: 'declines' }],
  });
  const port = await freePort();
  const sandbox = await startSandbox({
    token: CARD_TOKEN,
    secret: SHARED_SECRET,
    redisUrl: redis.url,
    webhooks: `http://127.0.0.1:${port}/webhooks`,
  });
  const shared = {
    REDIS_URL: redis.url,
    SLACK_BOT_TOKEN: BOT_TOKEN,
    SLACK_API_URL: workspace.apiUrl,
    ALERTS_CHANNEL: CHANNEL,
    LOG_LEVEL: 'fatal',
  };
  const web = await startChild(
    'src/web.js',
    {
      ...shared,
      HOST: '127.0.0.1',
      PORT: String(port),
      SLACK_SIGNING_SECRET: 'bench-signing-secret',
      WEBHOOK_SHARED_SECRET: SHARED_SECRET,
    },
    () => answers(`http://127.0.0.1:${port}/readyz`),
  );
  const worker = await startChild(
    'src/worker.js',
    { ...shared, CARD_API_URL: sandbox.url, CARD_API_TOKEN: CARD_TOKEN },
    async () => true,
  );
  const acctIds = sandbox.accounts().map(({ AcctId }) => AcctId);
  // The first ones open connections and load code.
  await rain(port, stormDeclines(STORM + 1, acctIds, 70_000_000).slice(-1));
  await until(() => workspace.messages(CHANNEL).length === 1);
  await new Promise((resolve) => setTimeout(resolve, 5000));

  const before = workspace.calls.length;
  const startedAt = performance.now();
  const declines = stormDeclines(STORM, acctIds);
  const sending = rain(port, declines);
  const skip = workspace.messages(CHANNEL).length;
  await until(() => workspace.messages(CHANNEL).length > skip);
  const firstMs = performance.now() - startedAt;
  await sending;
  const takenMs = performance.now() - startedAt;
  await until(async () => (await shownIn(workspace, skip)) >= STORM);
  const allMs = performance.now() - startedAt;
  const calls = workspace.calls.slice(before);
  const refused = calls.filter(({ status }) => status === 429).length;
  const messages = workspace.messages(CHANNEL).length - skip;
  await Promise.all([web.stop(), worker.stop(), sandbox.stop()]);

  workspace.reset();
  const each = await oneByOne(workspace);
  table(
    `A storm: ${STORM.toLocaleString('en-US')} declines, one message a second`,
    ['messages', 'first, s', 'webhooks taken, s', 'all readable, s', '429s'],
    [
      row('Cardbell', [String(messages), seconds(firstMs), seconds(takenMs), seconds(allMs), String(refused)]),
      row(`one by one (${ONE_BY_ONE} measured, scaled)`, [
        STORM.toLocaleString('en-US'),
        seconds(each.firstMs),
        '',
        seconds((each.allMs / ONE_BY_ONE) * STORM),
        Math.round((each.refused / ONE_BY_ONE) * STORM).toLocaleString('en-US'),
      ]),
    ],
  );
  await workspace.stop();
  await redis.stop();
}

/** The naive way: one message per decline, retried after each 429. */
async function oneByOne({ apiUrl }: Workspace): Promise<{ firstMs: number; allMs: number; refused: number }> {
  const startedAt = performance.now();
  let firstMs = 0;
  let refused = 0;
  for (let sent = 0; sent < ONE_BY_ONE; ) {
    const response = await fetch(`${apiUrl}chat.postMessage`, {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8', authorization: `Bearer ${BOT_TOKEN}` },
      body: JSON.stringify({ channel: CHANNEL, text: `Declined: ${sent}` }),
    });
    await response.body?.cancel();
    if (response.status === 429) {
      refused += 1;
      await new Promise((resolve) => setTimeout(resolve, Number(response.headers.get('retry-after') ?? 1) * 1000));
    } else {
      sent += 1;
      firstMs ||= performance.now() - startedAt;
    }
  }
  return { firstMs, allMs: performance.now() - startedAt, refused };
}

/** Sends like the service: many connections, each webhook once. */
async function rain(port: number, declines: readonly { readonly body: string }[]): Promise<void> {
  const waiting = [...declines];
  const send = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const url = `http://127.0.0.1:${port}/webhooks/decline`;
      const response = await fetch(url, { method: 'POST', headers: webhookHeaders, body: next.body });
      await response.body?.cancel();
      if (response.status !== 200) throw new Error(`a webhook was answered with ${response.status}`);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, send));
}

/** How many declines are readable in the channel's messages, tables and files. */
async function shownIn(workspace: Workspace, skip: number): Promise<number> {
  let shown = 0;
  for (const { blocks = [], files = [] } of workspace.messages(CHANNEL).slice(skip)) {
    for (const block of blocks as unknown as readonly { type: string; rows?: unknown[]; text?: { text: string } }[]) {
      if (block.type === 'data_table') shown += (block.rows?.length ?? 1) - 1;
      else if (/^\*?Declined: /.test(block.text?.text ?? '')) shown += 1;
    }
    for (const id of files) shown += await linesOf(workspace, id);
  }
  return shown;
}

const counted = new Map<string, number>();

async function linesOf({ url }: Workspace, fileId: string): Promise<number> {
  const known = counted.get(fileId);
  if (known !== undefined) return known;
  const text = await (await fetch(`${url}files/${fileId}/`)).text();
  const lines = text.split('\r\n').filter(Boolean).length - 1;
  counted.set(fileId, lines);
  return lines;
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50));
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
