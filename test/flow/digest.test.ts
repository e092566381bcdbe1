import { Queue } from 'bullmq';
import { describe, expect, it } from 'vitest';
import { QUEUE_PREFIX, stateKey } from '../../src/core/keys.ts';
import type { StoredMessage } from '../../workspace/server.ts';
import { channels, people } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { inOneProcess, useCardbell, WAIT_MS } from '../support/running-cardbell.ts';
import { sampleWebhook } from '../support/sample-webhook.ts';
import { until } from '../support/until.ts';

const cardbell = useCardbell(inOneProcess);
const { ana, olga } = people;

/** Runs the minutely check for due digests now. Resolves when the check has run. */
async function runDigests(): Promise<void> {
  const queue = new Queue('maintenance', { connection: cardbell().store, prefix: QUEUE_PREFIX });
  const planned = async () => (await queue.getDelayed()).find(({ name }) => name === 'send-digests');
  try {
    await until(async () => (await planned()) !== undefined, 'the job is scheduled');
    const job = await planned();
    await job?.promote();
    await until(async () => (await queue.getJob(job?.id ?? '')) === undefined, 'the job has run');
  } finally {
    await queue.close();
  }
}

/** The digest posted after `since`, so not one from another test. */
function newDigest(since: number): Promise<StoredMessage> {
  return cardbell().workspace.waitForMessage(
    ({ channel, text, ts }) =>
      channel === channels.alerts && Number(ts) > since && text.startsWith('Declines of the last day'),
    WAIT_MS,
  );
}

async function counted(): Promise<number> {
  const starts = await cardbell().store.zrange('{cardbell:state}:tally', '0', '-1');
  const buckets = await Promise.all(starts.map((start) => cardbell().store.hgetall(`{cardbell:state}:tally:${start}`)));
  // How many declines, how many attempts, and the cents.
  const attempts = buckets.flatMap((bucket) => Object.values(bucket)).map((sums) => Number(sums.split(' ')[1]));
  return attempts.reduce((sum, count) => sum + count, 0);
}

describe('a digest', () => {
  it('on demand shows the last day by reason and merchant in sortable tables', async () => {
    const card = cardbell().take('ACTIVE');
    for (const code of ['decline.rule.velocity', 'decline.card.pin'])
      await cardbell().deliver(sampleWebhook(code, { AcctId: card.AcctId, MerchantName: 'Kiosk 7' }));
    await until(async () => (await counted()) === 2, 'both are counted');

    await cardbell().command(ana, 'digest now');
    const message = await cardbell().waitFor(channels.alerts, /Declines of the last day: 2 declines/);

    const shown = JSON.stringify(message.blocks);
    expect(shown).toContain('data_table');
    expect(shown).toContain('Over the daily limit');
    expect(shown).not.toMatch(/PIN/);
    expect(message.text).toMatch(/cards wait to be activated/);
  });

  it('is posted at its time in its time zone, once per period', async () => {
    const since = Date.now() / 1000;
    await cardbell().command(ana, 'digest daily 09:00 America/Chicago');
    await cardbell().waitTold(ana, /gets a digest every day at 9:00 AM America\/Chicago/, since);

    // As if it had been set yesterday and its time had just come.
    const key = stateKey('digests');
    const field = `${channels.alerts}:daily`;
    const set = JSON.parse((await cardbell().store.hget(key, field)) ?? '{}');
    expect(set).toMatchObject({ hour: 9, minute: 0, zone: 'America/Chicago' });
    const [hour, minute] = new Date().toISOString().slice(11, 16).split(':').map(Number);
    const at = new Date(Date.now() - 24 * 3_600_000).toISOString();
    await cardbell().store.hset(key, field, JSON.stringify({ ...set, hour, minute, zone: 'UTC', at }));
    await runDigests();
    await newDigest(since);
    const posted = cardbell().texts(channels.alerts).length;
    await runDigests();
    await quiet(cardbell());
    expect(cardbell().texts(channels.alerts)).toHaveLength(posted);
  });

  it('falls back to text in a workspace without such tables, and does not notify ops', async () => {
    await quiet(cardbell());
    const refused = { kind: 'error', error: 'invalid_blocks' } as const;
    cardbell().workspace.faults.add({ method: 'chat.postMessage', channel: channels.alerts, ...refused });
    const since = Date.now() / 1000;

    await cardbell().command(ana, 'digest now');
    const message = await newDigest(since);

    expect(JSON.stringify(message.blocks)).toMatch(/Over the daily limit/);
    expect(JSON.stringify(message.blocks)).not.toContain('data_table');
    expect(cardbell().texts(channels.ops).join()).not.toMatch(/refused a message/);
  });

  it('for a month comes with a file for the controller', async () => {
    const since = Date.now() / 1000;

    await cardbell().command(ana, 'digest now month');

    const { files } = await cardbell().workspace.waitForMessage(
      ({ channel, text, ts }) =>
        channel === channels.alerts && Number(ts) > since && text.startsWith('The same for the controller'),
      WAIT_MS,
    );
    expect(files).toHaveLength(1);
  });

  it('can be weekly, and can be turned off', async () => {
    const since = Date.now() / 1000;
    await cardbell().command(ana, 'digest weekly monday 9am');
    await cardbell().waitTold(ana, /every Monday at 9:00 AM ET/, since);
    await cardbell().command(olga, 'digest off');
    await cardbell().waitTold(olga, /Only approvers may/, since);
    await cardbell().command(ana, 'digest off');
    await cardbell().waitTold(ana, /gets no digests any more \(ended: .*weekly\)/, since);

    expect(await cardbell().store.hlen('{cardbell:state}:digests')).toBe(0);
  });
});
