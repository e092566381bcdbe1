import { spawn } from 'node:child_process';
import { Queue } from 'bullmq';
import { expect, it } from 'vitest';
import { createBackfilled } from '../../src/recovery/recover-statuses.ts';
import { createQuarantineStore, quarantine } from '../../src/webhooks/quarantine.ts';
import { alertTexts } from '../support/alert-texts.ts';
import { channels, secrets } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { useCardbell } from '../support/running-cardbell.ts';
import { type SampleWebhook, sampleWebhook, statusWebhook } from '../support/sample-webhook.ts';
import { until } from '../support/until.ts';

const cardbell = useCardbell({ pace: { appRefusedMs: 500 } });

/** Runs `npm run replay`. */
async function replay(...args: string[]): Promise<{ code: number | null; text: string }> {
  const env = { PATH: process.env.PATH ?? '', REDIS_URL: cardbell().redis.url, CARD_API_TOKEN: secrets.apiToken };
  const child = spawn(process.execPath, ['dist/bin/replay.js', ...args], { env });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
  const code = await new Promise<number | null>((resolve) => void child.once('close', resolve));
  return { code, text };
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${cardbell().adminUrl}/metrics`)).text();
  return Number(new RegExp(`^cardbell_${name}\\{[^}]*\\} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
}

it('a job that failed for good can be listed with its masked cause, shown, rerun, and discarded with a reason on record', async () => {
  const { store } = cardbell();
  const queue = new Queue('alerts', { connection: store, prefix: '{cardbell:queue}' });
  await queue.add('deliver-alert', { kind: '4111 1111 1111 1111' }, { jobId: 'evt_stuck', attempts: 1 });
  await until(async () => (await queue.getFailedCount()) === 1, 'it fails');

  const listed = await replay('list');
  const shown = await replay('show', 'evt_stuck');
  const again = await replay('run', 'evt_stuck');
  await until(async () => (await queue.getFailedCount()) === 1, 'it fails again');
  const noReason = await replay('discard', 'evt_stuck');
  const discarded = await replay('discard', 'evt_stuck', '--reason', 'a test of 4111111111111111');
  const gone = await replay('show', 'evt_stuck');

  expect(listed.text).toMatch(/^evt_stuck {2}failed .* alerts\/deliver-alert/m);
  expect(listed.text).toContain('0 quarantined, 1 failed.');
  expect(shown.text).toContain('"attempts": 1');
  expect(again).toMatchObject({ code: 0, text: expect.stringContaining('runs again') });
  expect(noReason).toMatchObject({ code: 64, text: expect.stringContaining('--reason') });
  expect(discarded.code).toBe(0);
  expect(gone.code).toBe(1);
  const record = (await store.lrange('{cardbell:audit}:chain', 0, -1)).join('\n');
  expect(record).toContain('"verb":"discard"');
  expect(record).toContain('failed alerts/deliver-alert');
  expect(record).not.toContain('4111111111111111');
  await queue.close();
});

/** Ages Redis by this many days: keys that would have expired are gone. */
async function age(days: number): Promise<void> {
  const { store } = cardbell();
  const ms = days * 24 * 3_600_000;
  for (const key of await store.keys('*')) {
    const left = await store.pttl(key);
    if (left > 0) await (left > ms ? store.pexpire(key, left - ms) : store.del(key));
  }
}

it.each([9, 14])('a job replayed %i days later reposts nothing', async (days) => {
  const { store, deliver, waitFor, workspace } = cardbell();
  const shop = `Replayed Shop ${days}`;
  await deliver(sampleWebhook('decline', { NetworkTransactionId: days, MerchantName: shop }));
  await waitFor(channels.declines, new RegExp(shop));
  await quiet(cardbell());
  const alert = [...(await alertTexts(store)).values()].find((text) => text.includes(shop)) ?? '{}';
  const { event } = JSON.parse(alert) as { event: { id: string } };
  await age(days);
  expect(await store.exists(`{cardbell:in}:seen:${event.id}`), 'the event is no longer remembered as seen').toBe(0);
  const before = workspace.messages(channels.declines).map(({ ts }) => ts);

  const queue = new Queue('alerts', { connection: store, prefix: '{cardbell:queue}' });
  await queue.add('deliver-alert', event, { jobId: event.id, attempts: 1 });
  await quiet(cardbell());

  expect(workspace.messages(channels.declines).map(({ ts }) => ts)).toEqual(before);
  expect(await queue.getFailedCount()).toBe(0);
  await queue.close();
});

it('a webhook that does not fit is quarantined, fails its replay, and can be discarded', async () => {
  const { deliver, waitFor } = cardbell();
  const { kind, body } = sampleWebhook('decline', { NetworkTransactionId: 'no number' });
  expect(await deliver({ kind, body })).toBe(200);
  await waitFor(channels.ops, /could not be read/);

  const listed = await replay('list');
  const id = /^(\S+) {2}quarantined/m.exec(listed.text)?.[1] ?? '';
  const again = await replay('run', 'all');
  const discarded = await replay('discard', id, '--reason', 'a test');

  expect(again).toMatchObject({ code: 1, text: expect.stringContaining('still does not fit') });
  expect(discarded.code).toBe(0);
  expect((await replay('list')).text).toContain('0 quarantined, 0 failed.');
});

it('a webhook that is replayed later is shown as late, and a status that recovery has reported is not shown again', async () => {
  const { store, waitFor, workspace, take } = cardbell();
  const kept = createQuarantineStore(store);
  const keep = async ({ kind, body }: SampleWebhook, receivedAt: Date): Promise<void> => {
    const facts = { path: kind, issues: ['unknown to an older version'], version: undefined };
    await kept.keep(quarantine(JSON.parse(body), { ...facts, receivedAt: receivedAt.toISOString() }));
  };
  const [longAgo, now] = [new Date(Date.now() - 20 * 24 * 3_600_000), new Date()];
  await keep(sampleWebhook('decline', { MerchantName: 'Replayed Late Shop' }, longAgo), longAgo);
  const account = take('ACTIVE');
  const [card] = account.CardList;
  if (card === undefined) throw new Error('no card');
  const [from, to] = [new Date(now.getTime() - 60_000).toISOString(), now.toISOString()];
  await createBackfilled(store).remember(card.CardId, { status: 'BLOCKED', after: from, until: to });
  await keep(statusWebhook(account, card, 'BLOCKED', new Date(now.getTime() - 30_000)), now);
  const before = workspace.messages(channels.status).length;

  const again = await replay('run', 'all');
  const shown = await waitFor(channels.declines, /Replayed Late Shop/);
  await quiet(cardbell());

  expect(again.text).toContain('was there already, nothing added');
  expect(again.text).toContain('2 replayed, 0 not.');
  expect(JSON.stringify(shown)).toMatch(/Arrived late/);
  expect(workspace.messages(channels.status)).toHaveLength(before);
});

it('readiness warns and metrics report that Slack refuses the token, and ops are notified when it is resolved', async () => {
  const { workspace, deliver, adminUrl, waitFor } = cardbell();
  await until(async () => (await metric('workers')) === 1, 'the worker is seen');
  expect(await metric('slack_token_ok')).toBe(1);

  workspace.setRevoked(true);
  await deliver(sampleWebhook('decline'));
  await until(async () => (await metric('slack_token_ok')) === 0, 'the metric says so');
  const ready = await fetch(`${adminUrl}/readyz`);
  expect(ready.status).toBe(200);
  expect(await ready.json()).toEqual({ status: 'ready', warnings: ['slack refuses the bot token'] });
  workspace.setRevoked(false);

  await waitFor(channels.ops, /Resolved: Slack refused/);
  await until(async () => (await metric('slack_token_ok')) === 1, 'the metric reports recovery', 30_000);
});
