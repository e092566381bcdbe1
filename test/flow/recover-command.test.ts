import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { beforeAll, expect, it } from 'vitest';
import { listen } from '../../local/port.ts';
import { channels, peopleEnv, secrets } from '../support/people.ts';
import { atOnce, useCardbell } from '../support/running-cardbell.ts';
import { until } from '../support/until.ts';

/** For the commands too: at the service's own rate limit each would take half a minute. */
const CARD_API_ASSUMPTIONS = JSON.stringify({ callsPerMinute: 6000, detailCallsPerMinute: 6000 });
const cardbell = useCardbell({ pace: atOnce, env: { ALERTS_CHANNEL_SPEND: channels.spend, CARD_API_ASSUMPTIONS } });

const lines = (): string[] => cardbell().texts(channels.ops);
const funded = ({ AvailableBalance }: { AvailableBalance: number }): boolean => AvailableBalance >= 600;

/** Runs `npm run recover`. */
async function runRecover(...args: string[]): Promise<{ code: number | null; text: string }> {
  return await run(['dist/bin/recover.js', ...args], cardbell().sandbox.url);
}

async function run(command: string[], cardApiUrl: string): Promise<{ code: number | null; text: string }> {
  const { redis, workspace } = cardbell();
  const env = {
    PATH: process.env.PATH ?? '',
    ...peopleEnv,
    REDIS_URL: redis.url,
    SLACK_BOT_TOKEN: secrets.botToken,
    SLACK_API_URL: workspace.apiUrl,
    CARD_API_URL: cardApiUrl,
    CARD_API_TOKEN: secrets.apiToken,
    CARD_API_ASSUMPTIONS,
  };
  const child = spawn(process.execPath, command, { env });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (text += part));
  const code = await new Promise<number | null>((resolve) => void child.once('close', resolve));
  return { code, text };
}

beforeAll(async () => {
  await until(
    async () => (await cardbell().store.exists('{cardbell:in}:web-open')) === 1,
    'the HTTP server is recorded as open',
  );
});

it('npm run recover can count only, then recovers events, and prints how many', async () => {
  const { sandbox, take } = cardbell();
  sandbox.outage(true);
  sandbox.purchase({ AcctId: take('ACTIVE', funded).AcctId, Amount: 99_999 });

  const rehearsal = await runRecover('--since', '1h', '--dry-run');
  const real = await runRecover('--since', '1h');
  const again = await runRecover('--since', '1h');
  const wrong = await runRecover('--since', 'yesterday');

  expect(rehearsal).toMatchObject({
    code: 0,
    text: expect.stringMatching(/^1 of 1 event that may have been due .* was missed\. Nothing was/),
  });
  expect(real).toMatchObject({ code: 0, text: expect.stringMatching(/^1 of 1 event .*; 1 recovered\.$/m) });
  expect(again.text).toMatch(/^0 of/);
  expect(wrong).toMatchObject({ code: 64, text: expect.stringContaining('--since') });
  await until(() => lines().some((line) => /1 event was missed/.test(line)), 'Slack shows it too');
  sandbox.outage(false);
});

it('an unreadable API row is quarantined like an unreadable webhook: ops are notified, and replay retries it', async () => {
  const { sandbox, take } = cardbell();
  sandbox.outage(true);
  const { NetworkTransactionId } = sandbox.purchase({ AcctId: take('ACTIVE', funded).AcctId, Amount: 99_999 });
  const service = await startGarbling(sandbox.url, NetworkTransactionId);
  const recover = (): ReturnType<typeof run> => run(['dist/bin/recover.js', '--since', '1h'], service.url);
  const replay = (...args: string[]): ReturnType<typeof run> => run(['dist/bin/replay.js', ...args], service.url);

  const first = await recover();
  await until(
    () => lines().some((line) => line.includes('A fetched transaction could not be read')),
    'ops are notified',
  );
  await until(
    () => lines().some((line) => line.includes('1 event was missed') && line.includes('0 recovered')),
    'it says so',
  );
  const second = await recover();
  const listed = await replay('list');
  const [, id = ''] = /^(\S+) {2}quarantined .* network-transaction {2}TransactionAmount/m.exec(listed.text) ?? [];
  const inVain = await replay('run', id);
  const discarded = await replay('discard', id, '--reason', 'a test');
  await service.stop();
  sandbox.outage(false);

  expect(first).toMatchObject({ code: 0, text: expect.stringMatching(/^1 of .*; 0 recovered, 1 kept aside/m) });
  expect(second.text).toMatch(/^0 of/);
  expect(inVain).toMatchObject({ code: 1, text: expect.stringContaining('still does not fit') });
  expect(discarded.code).toBe(0);
});

/** A proxy of the card service that garbles the amount in one row. */
async function startGarbling(target: string, networkTransactionId: number) {
  const server = createServer((request, response) => {
    void (async () => {
      const headers = { authorization: request.headers.authorization ?? '' };
      const answer = await fetch(new URL(request.url ?? '', target), { headers });
      const text = await answer.text();
      const row = new RegExp(`\\{[^{}]*"NetworkTransactionId":${networkTransactionId}\\b[^{}]*`);
      const garbled = text.replace(row, (one) =>
        one.replace(/"TransactionAmount":[^,}]+/, '"TransactionAmount":"lots"'),
      );
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(garbled);
    })();
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}${new URL(target).pathname}`,
    stop: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}
