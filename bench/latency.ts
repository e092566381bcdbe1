import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { listen, shut } from '../local/port.ts';
import { startRedis } from '../local/redis.ts';
import { startSandbox } from '../sandbox/server.ts';
import { startChild, startWeb } from './child.ts';
import { median, percentile, row, table } from './report.ts';
import {
  BOT_TOKEN,
  CARD_TOKEN,
  CHANNEL,
  declineBody,
  SHARED_SECRET,
  SIGNING_SECRET,
  webhookHeaders,
} from './sample.ts';

const SAMPLES = 40;
const COMMANDS = 30;
/** The outbox posts about one message per second in a channel. Each sample waits for a quiet one. */
const QUIET_MS = 1100;
const ACCOUNT = 610_001;

/** Time from webhook to Slack call on an idle machine, and acknowledgement of a command while the card API hangs. */
export async function benchLatency(): Promise<void> {
  const redis = await startRedis();
  let called: (at: number) => void = () => {};
  const slack = server((path, answer) => {
    if (path.includes('chat.postMessage')) called(performance.now());
    answer(JSON.stringify({ ok: true, channel: 'C0BENCH', ts: `${Date.now() / 1000}` }));
  });
  // Never answers: simulates a card API that hangs.
  const cardApi = server(() => {});
  const sandbox = await startSandbox({ token: CARD_TOKEN, secret: SHARED_SECRET, redisUrl: redis.url });
  const shared = {
    REDIS_URL: redis.url,
    SLACK_BOT_TOKEN: BOT_TOKEN,
    SLACK_API_URL: `http://127.0.0.1:${await listen(slack)}/api/`,
    ALERTS_CHANNEL: CHANNEL,
    LOG_LEVEL: 'fatal',
  };
  const web = await startWeb({ ...shared, OPERATORS: 'U0BENCH' });
  const startWorker = (cardApiUrl: string) =>
    startChild('src/worker.js', { ...shared, CARD_API_URL: cardApiUrl, CARD_API_TOKEN: CARD_TOKEN }, async () => true);
  const worker = await startWorker(sandbox.url);
  // It reads the directory of cards first.
  await new Promise((resolve) => setTimeout(resolve, 4000));

  let sequence = 0;
  const measured = new Map<string, number[]>();
  for (const code of ['decline.rule.mcc', 'decline.rule.velocity']) measured.set(code, await toSlack(code));

  async function toSlack(code: string): Promise<number[]> {
    const values: number[] = [];
    for (let sample = 0; sample < SAMPLES + 3; sample += 1) {
      sequence += 1;
      const posted = new Promise<number>((resolve) => {
        called = resolve;
      });
      const body = declineBody(sequence)
        .replace('decline.rule.velocity', code)
        .replace(/"AcctId":\d+/, `"AcctId":${ACCOUNT}`)
        // A different shop each time: the same one would only edit the first message.
        .replace(/"MerchantId":"\d+"/, `"MerchantId":"4453000${10_000_000 + sequence}"`)
        .replace('BLUE BOTTLE COFFEE 0042', `CORNER SHOP ${sequence}`);
      const response = await fetch(`http://127.0.0.1:${web.port}/webhooks/decline`, {
        method: 'POST',
        headers: webhookHeaders,
        body,
      });
      const answeredAt = performance.now();
      await response.body?.cancel();
      const callAt = await posted;
      // The first samples open connections and load code.
      if (sample >= 3) values.push(Math.max(0, callAt - answeredAt));
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    }
    return values;
  }

  await worker.stop();
  const stuck = await startWorker(`http://127.0.0.1:${await listen(cardApi)}/v4`);
  const acknowledged: number[] = [];
  for (let sample = 0; sample < COMMANDS; sample += 1)
    acknowledged.push(await command(web.port, `block ${4000 + sample}`));

  const cells = (values: readonly number[]): string[] => [
    median(values).toFixed(1),
    percentile(values, 0.99).toFixed(1),
  ];
  table(
    'Idle, milliseconds',
    ['median', 'p99'],
    [
      ...[...measured].map(([code, values]) => row(`webhook's 200 to the call to Slack, ${code}`, cells(values))),
      row('command acknowledged, card API hanging', cells(acknowledged)),
    ],
  );
  table('Start to ready, milliseconds', ['web'], [row('', [Math.round(web.startedInMs).toString()])]);
  await web.stop();
  await stuck.stop();
  await sandbox.stop();
  await Promise.all([shut(slack), shut(cardApi)]);
  await redis.stop();
}

async function command(port: number, text: string): Promise<number> {
  const body = new URLSearchParams({
    command: '/card',
    text,
    user_id: 'U0BENCH',
    team_id: 'T0BENCH',
    channel_id: 'C0BENCH',
    trigger_id: `${Math.random()}`,
    response_url: 'http://127.0.0.1:9/none',
  }).toString();
  const timestamp = Math.floor(Date.now() / 1000).toString();
  const signature = createHmac('sha256', SIGNING_SECRET).update(`v0:${timestamp}:${body}`).digest('hex');
  const startedAt = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}/slack/events`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': `v0=${signature}`,
    },
    body,
  });
  await response.body?.cancel();
  if (response.status !== 200) throw new Error(`the command was answered with ${response.status}`);
  return performance.now() - startedAt;
}

function server(handle: (path: string, answer: (body: string) => void) => void): Server {
  return createServer((request, response) => {
    request.resume().on('end', () =>
      handle(request.url ?? '', (body) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(body);
      }),
    );
  });
}
