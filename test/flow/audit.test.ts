import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse } from 'csv-parse/sync';
import { afterAll, describe, expect, it } from 'vitest';
import { chainHash, GENESIS } from '../../src/audit/audit.ts';
import type { StoredMessage } from '../../workspace/server.ts';
import { createCrashingWorkers } from '../support/crashing-worker.ts';
import { channels, people, secrets } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { atOnce, holderOf, useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook } from '../support/sample-webhook.ts';
import { until } from '../support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'cardbell-audit-'));
const heads = join(folder, 'heads.jsonl');
const sink = pathToFileURL(heads).href;
const cardbell = useCardbell({ pace: atOnce, env: { AUDIT_SINK: sink } });
afterAll(() => rmSync(folder, { recursive: true }));
const { olga, otto } = people;
const chainKey = '{cardbell:audit}:chain';

const shown = (message: StoredMessage): string => JSON.stringify(cardbell().now(message).blocks);

/** `npm run audit -- …`. */
async function audit(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = {
    PATH: process.env.PATH ?? '',
    REDIS_URL: cardbell().redis.url,
    CARD_API_TOKEN: secrets.apiToken,
    AUDIT_SINK: sink,
    SLACK_BOT_TOKEN: secrets.botToken,
    SLACK_API_URL: cardbell().workspace.apiUrl,
  };
  const child = spawn(process.execPath, ['dist/bin/audit.js', ...args], { env });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (part: Buffer) => out.push(part));
  child.stderr.on('data', (part: Buffer) => err.push(part));
  const [code] = (await once(child, 'close')) as [number];
  return { code, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() };
}

async function recordsOf(acctId: number) {
  const chain = await cardbell().store.lrange(chainKey, 0, -1);
  return chain.map((line) => JSON.parse(line).record).filter((record) => record.acctId === acctId);
}

/** An attacker who can write to Redis and knows how the chain is built, but has no key. */
async function rewrite(all: readonly string[]): Promise<void> {
  const { store } = cardbell();
  let previous = GENESIS;
  const lines = all.map((line) => {
    const { record, signature } = JSON.parse(line) as { record: object; signature: string };
    const changed = { ...record, reason: 'nothing happened' };
    const hash = chainHash(previous, changed);
    const rewritten = JSON.stringify({ record: changed, previous, hash, signature });
    previous = hash;
    return rewritten;
  });
  await store
    .multi()
    .del(chainKey)
    .rpush(chainKey, ...lines)
    .set('{cardbell:audit}:head', previous)
    .exec();
}

/** Waits for an action to finish, so that it adds no records while another test counts them. */
async function confirmed(acctId: number): Promise<void> {
  const events = async () => (await recordsOf(acctId)).map(({ event }) => event).join(' ');
  await until(async () => (await events()).endsWith('confirmed'), 'the last record of the action is written');
  expect(await events()).toBe('asked sent done confirmed');
}

describe('the record', () => {
  it('is written before anything is sent or shown: if the write fails, nothing happens', async () => {
    const { store, deliver, take, waitFor, press, writes, logs } = cardbell();
    const card = take('ACTIVE');
    await deliver(sampleWebhook('decline.rule.velocity', { AcctId: card.AcctId }));
    const alert = await waitFor(channels.declines, new RegExp(holderOf(card)));
    const failed = () => logs().filter((line) => line.includes('WRONGTYPE')).length;

    // A key of the wrong type: the record cannot be appended.
    await store.set(chainKey, 'no list');
    await press(olga, alert, 'block_card');
    await until(() => failed() > 0, 'the record cannot be written');

    expect(writes()).toEqual([]);
    expect(shown(alert)).not.toContain('Blocked');

    await store.del(chainKey);
    await until(() => shown(alert).includes('· confirmed'), 'it is done once the record can be written');
    expect(writes()).toHaveLength(1);
    await confirmed(card.AcctId);
  });

  it('contains the outcome of an action before anyone sees it', async () => {
    const { store, take, command, told, waitTold, sandbox, account, logs } = cardbell();
    const card = take('ACTIVE');
    const failed = () => logs().filter((line) => line.includes('WRONGTYPE')).length;
    sandbox.faults.add({ method: 'PUT', path: /\/Card\/Status/, kind: 'hang', ms: 1500 });

    await command(olga, `block ${card.AcctId}`);
    await until(async () => (await recordsOf(card.AcctId)).length === 2, 'it is being sent');
    await store.rename(chainKey, '{cardbell:audit}:aside');
    await store.set(chainKey, 'no list');
    const before = failed();
    await until(() => account(card.AcctId).CardList[0]?.CardStatus === 'BLOCKED', 'it is done');
    await until(() => failed() > before, 'its end cannot be written');

    expect(told(olga).filter((text) => text.includes(holderOf(card)))).toEqual([]);

    await store.rename('{cardbell:audit}:aside', chainKey);
    await waitTold(olga, new RegExp(`^Blocked: ${holderOf(card)}`));
    await confirmed(card.AcctId);
  });

  it('says who did what, why, where and under which policy, how the API answered, and what confirmed it', async () => {
    const { take, command, waitTold, deliver, waitFor, press } = cardbell();
    const card = take('ACTIVE');
    await deliver(sampleWebhook('decline.rule.velocity', { AcctId: card.AcctId }));
    const alert = await waitFor(channels.declines, new RegExp(holderOf(card)));
    await press(olga, alert, 'block_card');
    await until(() => shown(alert).includes('· confirmed'), 'it is confirmed');

    const [asked, sent, done, confirmed] = await recordsOf(card.AcctId);
    const link = `https://[a-z-]+.slack.com/archives/${channels.declines}/p${alert.ts.replace('.', '')}`;

    expect(asked).toMatchObject({ event: 'asked', verb: 'block', actor: { userId: olga }, channel: channels.declines });
    expect(asked.permalink).toMatch(new RegExp(`^${link}$`));
    expect(asked.policy.words).toMatch(/operators \(.*U0OLGA.*\): .*block.*approvers \(.*\).*limit.*\$1,000\.00/);
    expect(sent).toMatchObject({ event: 'sent', before: 'active', after: 'blocked' });
    expect(done).toMatchObject({ event: 'done', api: 'accepted' });
    expect(confirmed).toMatchObject({ event: 'confirmed', confirmedBy: 'webhook' });

    await command(otto, `block ${card.AcctId} because`);
    await waitTold(otto, /Not done/);
    const line = await waitFor(channels.audit, new RegExp(`<@${otto}> was not allowed to block`));
    expect(JSON.stringify(line.blocks)).toMatch(/record \d+:[0-9a-f]{16}/);
  });
});

describe('a worker that is killed by SIGKILL', () => {
  it('loses no head between the record and the sink, though a head may be copied twice', async () => {
    const { workers, store, startWorker, take, command } = cardbell();
    const crashing = await createCrashingWorkers(cardbell());
    const copied = () => readFileSync(heads, 'utf8').split('\n').filter(Boolean);
    await workers.at(-1)?.stop();

    const block = () => command(olga, `block ${take('ACTIVE').AcctId}`);
    const onRecord = (actionId: string) => `:chain\\r\\n[^]*"actionId":"${actionId}","event":"asked"`;
    await crashing.killAt('a block is put on record', block, { when: 'after', pattern: onRecord });
    const isNoted = () => 'set\\r\\n\\$\\d+\\r\\n\\{cardbell:audit\\}:copied';
    await crashing.killAt('the copy is noted', block, { when: 'before', pattern: isNoted });
    const before = copied();
    const [copiedKey = ''] = await store.keys('{cardbell:audit}:copied:*');
    const noted = Number((await store.get(copiedKey))?.split(':')[0] ?? 0);
    expect(before.length, 'copied to the sink but not yet marked as copied').toBeGreaterThan(noted);
    await startWorker();
    await quiet(cardbell());
    const chain = (await store.lrange(chainKey, 0, -1)).map((line) => (JSON.parse(line) as { hash: string }).hash);
    await until(() => copied().some((line) => line.includes(chain.at(-1) ?? '')), 'the last head is copied');

    const hashes = copied().map((line) => (JSON.parse(line) as { hash: string }).hash);
    expect(chain.filter((hash) => !hashes.includes(hash))).toEqual([]);
    expect(new Set(hashes).size, 'every copied head is on record').toBe(chain.length);
    expect(hashes.length, 'some heads are copied twice').toBeGreaterThan(chain.length);
    expect(await audit('verify')).toMatchObject({ code: 0, err: '' });
    await crashing.stop();
  });
});

describe('npm run audit', () => {
  it('exports the record as CSV, with names and last four digits', async () => {
    const { store } = cardbell();
    const count = await store.llen(chainKey);
    const csv = await audit('export', '--csv', '--since', '2020-01-01');
    const none = await audit('export', '--csv', '--until', '2020-01-01');

    const rows = parse(csv.out, { columns: true, bom: true }) as Record<string, string>[];
    expect(csv.code).toBe(0);
    expect(rows, 'every export is on record, including this one').toHaveLength(count + 1);
    expect(rows.at(-1)).toMatchObject({ verb: 'audit-export', detail: expect.stringContaining('since 2020-01-01') });
    expect(rows.find(({ verb }) => verb === 'block')).toMatchObject({
      user: olga,
      user_name: 'olga',
      cardholder: expect.stringMatching(/^\w+ \w+/),
      last_four: expect.stringMatching(/^\d{4}$/),
    });
    expect(none.out.trim().split('\r\n')).toHaveLength(1);
  });

  it('verifies the record and the copied heads, and reports where they were tampered with', async () => {
    const { store, take, command } = cardbell();
    const count = await store.llen(chainKey);
    const all = await store.lrange(chainKey, 0, -1);
    const last = JSON.parse(all.at(-1) ?? '{}') as { hash: string };
    await until(() => existsSync(heads) && readFileSync(heads, 'utf8').includes(last.hash), 'the last head is copied');
    const whole = await audit('verify');
    const noted = `${count}:${last.hash.slice(0, 16)}`;

    expect(whole).toMatchObject({ code: 0, err: '' });
    expect(whole.out).toContain(`The record is whole: ${count} records`);
    expect(whole.out).toContain('The copy fits');
    expect((await audit('verify', '--anchor', noted)).code).toBe(0);

    await store.rpop(chainKey);
    await store.set('{cardbell:audit}:head', (JSON.parse(all.at(-2) ?? '{}') as { hash: string }).hash);
    expect(await audit('verify')).toMatchObject({
      code: 1,
      err: expect.stringContaining(`record ${count} is missing, and all after it: the copy has the heads of`),
    });

    const card = take('ACTIVE');
    await command(olga, `block ${card.AcctId}`);
    await confirmed(card.AcctId);
    const head = async () => (await store.get('{cardbell:audit}:head')) ?? '';
    await until(async () => readFileSync(heads, 'utf8').includes(await head()), 'the last head is copied');
    const wentOn = await audit('verify');
    expect(wentOn).toMatchObject({
      code: 1,
      out: expect.stringContaining('The rest of the record is whole'),
      err: expect.stringContaining(`record ${count} is not the one that was copied`),
    });
    const [accepted = ''] = new RegExp(`(?<=--accepted )${count}:[0-9a-f]{16}`).exec(wentOn.err) ?? [];
    expect(await audit('verify', '--accepted', accepted)).toMatchObject({ code: 0, err: '' });

    await rewrite(all);
    expect(await audit('verify')).toMatchObject({ code: 1, err: expect.stringContaining('record 1 was rewritten') });
  });

  it('prints its usage for an unknown command', async () => {
    const unclear = [
      ['nonsense'],
      ['export'],
      ['export', '--csv', '--since', 'yesterday'],
      ['verify', '--anchor', 'x'],
    ];

    const answers = await Promise.all(unclear.map((args) => audit(...args)));

    for (const { code, out, err } of answers) {
      expect({ code, out }).toEqual({ code: 64, out: '' });
      expect(err).toContain('npm run audit');
    }
  });
});
