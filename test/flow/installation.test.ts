import { expect, it } from 'vitest';
import { freePort } from '../../local/port.ts';
import { people } from '../support/people.ts';
import { last4Of, useCardbell } from '../support/running-cardbell.ts';
import { until } from '../support/until.ts';

const PASSWORD = 'a password of the people who run it';
const workerAdmin = await freePort();
const cardbell = useCardbell({
  workers: 0,
  workspace: { commands: ['/pay', '/pay-activate', '/pay-block', '/pay-limit'], escapedCommands: ['/pay'] },
  env: { SLACK_COMMAND: '/pay', CARD_SERVICE_TIMEZONE: 'Asia/Tokyo' },
});

it('uses the configured command, time zone and queue page', async () => {
  const { startWorker, command, waitTold, take, url, adminUrl } = cardbell();
  await startWorker({ ADMIN_PORT: String(workerAdmin), QUEUE_PAGE_PASSWORD: PASSWORD });

  await command(people.olga, 'help', '/pay');
  const help = JSON.stringify(await waitTold(people.olga, /What you can ask/));
  expect(help).toContain('/pay show');
  expect(help).not.toContain('/card ');
  await command(people.olga, 'shwo', '/pay');
  await waitTold(people.olga, /Write \/pay (show|help)/);

  const account = take('ACTIVE');
  await command(people.olga, last4Of(account), '/pay-block');
  await waitTold(people.olga, /^Blocked/);

  const raised = take('ACTIVE');
  await command(people.ana, `limit ${last4Of(raised)} daily 5 until midnight`, '/pay');
  const answer = JSON.stringify(await waitTold(people.ana, new RegExp(last4Of(raised))));
  expect(answer).toMatch(/Japan/);
  expect(answer).not.toMatch(/ ET\b|Eastern/);

  const page = `http://127.0.0.1:${workerAdmin}/queues`;
  const authorization = `Basic ${Buffer.from(`ops:${PASSWORD}`).toString('base64')}`;
  await until(async () => (await fetch(page, { headers: { authorization } })).status === 200, 'the page is served');
  const html = await (await fetch(page, { headers: { authorization } })).text();
  const script = /src="(static\/[^"]+\.js)"/.exec(html)?.[1] ?? '';
  expect((await fetch(`${page}/${script}`, { headers: { authorization } })).status).toBe(200);
  expect((await fetch(page)).status).toBe(401);
  for (const base of [url, adminUrl])
    expect((await fetch(`${base}/queues`)).status, 'web does not serve the queue page').toBe(404);
});
