import { readableAmounts } from '../test/support/readable.ts';
import type { Workspace } from '../workspace/server.ts';
import { startChild, startWeb } from './child.ts';
import { row, table } from './report.ts';
import { BOT_TOKEN, CHANNEL, webhookHeaders } from './sample.ts';
import { stormDeclines } from './storm-declines.ts';
import { startSurroundings, until } from './worker.ts';

const STORM = 3000;
/** One by one takes a second each, so a smaller number is measured and scaled. */
const ONE_BY_ONE = 20;
const SENDERS = 32;
const CATCH_UP_MS = 10 * 60_000;

/**
 * A burst of declines into one channel that accepts one message per second: how many messages, how long, how many
 * refused.
 */
export async function benchStorm(): Promise<void> {
  const around = await startSurroundings();
  const { workspace, acctIds, env } = around;
  const web = await startWeb(env);
  const worker = await startChild('src/worker.js', env, async () => true);
  // The first ones open connections and load code.
  await rain(web.port, stormDeclines(STORM + 1, acctIds, 70_000_000).slice(-1));
  await until(async () => workspace.messages(CHANNEL).length === 1);
  await new Promise((resolve) => setTimeout(resolve, 5000));

  const before = workspace.calls.length;
  const startedAt = performance.now();
  const declines = stormDeclines(STORM, acctIds);
  const sending = rain(web.port, declines);
  const skip = workspace.messages(CHANNEL).length;
  await until(async () => workspace.messages(CHANNEL).length > skip);
  const firstMs = performance.now() - startedAt;
  await sending;
  const takenMs = performance.now() - startedAt;
  const readable = async () => (await readableAmounts(workspace, workspace.messages(CHANNEL).slice(skip))).length;
  await until(async () => (await readable()) >= STORM, CATCH_UP_MS);
  const allMs = performance.now() - startedAt;
  const calls = workspace.calls.slice(before);
  const refused = calls.filter(({ status }) => status === 429).length;
  const messages = workspace.messages(CHANNEL).length - skip;
  await Promise.all([web.stop(), worker.stop()]);

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
  await around.stop();
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

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
