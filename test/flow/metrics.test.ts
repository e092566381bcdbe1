import { expect, it } from 'vitest';
import { freePort } from '../../local/port.ts';
import { actionId } from '../../src/slack/action-id.ts';
import { channels, people } from '../support/people.ts';
import { holderOf, useCardbell } from '../support/running-cardbell.ts';
import { until } from '../support/until.ts';

const workerAdmin = await freePort();
const cardbell = useCardbell({ workers: 0 });

async function metrics(base: string): Promise<string> {
  return await (await fetch(`${base}/metrics`)).text();
}

it('web and worker measure the delivery of a decline and the click on it', async () => {
  const { startWorker, adminUrl, take, sandbox, waitFor, press } = cardbell();
  await startWorker({ ADMIN_PORT: String(workerAdmin) });
  const workerUrl = `http://127.0.0.1:${workerAdmin}`;
  await until(async () => (await fetch(`${workerUrl}/readyz`)).status === 200, 'the worker is ready');
  const account = take('ACTIVE');

  sandbox.purchase({ AcctId: account.AcctId, Amount: 99_999 });
  const alert = await waitFor(channels.declines, /\$99,999\.00/);
  await press(people.olga, alert, actionId.blockCard);
  await waitFor(channels.audit, /blocked/);
  await until(
    async () => /action_duration_seconds_count\S* 1$/m.test(await metrics(workerUrl)),
    'the click is in the metrics',
  );

  const ofWeb = await metrics(adminUrl);
  const ofWorker = await metrics(workerUrl);
  expect(ofWeb).toMatch(/^cardbell_webhook_store_duration_seconds_count\{process="web",path="decline"\} 1$/m);
  for (const line of [
    'alert_post_duration_seconds_count{process="worker",kind="decline"} 1',
    'outbox_wait_seconds_count{process="worker",priority="decline"} 1',
    'action_duration_seconds_count{process="worker",verb="block"} 1',
  ]) {
    expect(ofWorker).toContain(`\ncardbell_${line}\n`);
  }
  expect(ofWorker).toMatch(
    /^cardbell_slack_call_duration_seconds_count\{[^}]*method="chat.postMessage",outcome="ok"\}/m,
  );
  expect(ofWorker).toMatch(/^cardbell_card_api_call_duration_seconds_count\{[^}]*outcome="ok"\}/m);
  expect(ofWorker).toMatch(/^cardbell_job_duration_seconds_count\{[^}]*job="deliver-alert",outcome="done"\}/m);
  for (const text of [ofWeb, ofWorker]) {
    expect(text).toMatch(/^cardbell_workers\{[^}]*\} 1$/m);
    for (const personal of [holderOf(account), people.olga, channels.declines, String(account.AcctId)]) {
      expect(text, 'the metrics contain no person, channel or id').not.toContain(personal);
    }
  }
});
