import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { AuditRecord } from '../../src/audit/audit-record.ts';
import { channels, people } from '../support/people.ts';
import { holderOf, inOneProcess, useCardbell } from '../support/running-cardbell.ts';
import { until } from '../support/until.ts';

const { ana, ben, zoe, olga } = people;
const file = join(mkdtempSync(join(tmpdir(), 'policy-')), 'policy.yaml');
const write = (text: string): void => writeFileSync(file, `version: 1\n${text}`);
write(`approvers: [${ana}, ${ben}]\noperators: [${olga}]\n`);

const cardbell = useCardbell({ ...inOneProcess, env: { POLICY_FILE: file } });

const limitOf = (AcctId: number) => cardbell().account(AcctId).SpendRules.DailySpendLimit;

async function records(): Promise<AuditRecord[]> {
  const lines = await cardbell().store.lrange('{cardbell:audit}:chain', 0, -1);
  return lines.map((line) => JSON.parse(line).record as AuditRecord);
}

/** Repeats a command until it takes effect, slowly, because commands in a row are rate limited. */
async function untilDone(user: string, words: string, isDone: () => boolean): Promise<void> {
  await until(async () => {
    const since = Date.now() / 1000;
    await cardbell().command(user, words);
    await cardbell().waitTold(user, /./, since);
    // Slower than the rate limit of one person.
    await sleep(400);
    return isDone();
  }, `“${words}” is done: the new file holds in both processes`);
}

describe('the policy file', () => {
  it('takes effect at its next check, and its hash is on record', async () => {
    const card = cardbell().take('ACTIVE', ({ AvailableBalance }) => AvailableBalance > 600);
    const since = Date.now() / 1000;
    await cardbell().command(zoe, `limit ${card.AcctId} daily 120`);
    await cardbell().waitTold(zoe, /Only approvers/, since);

    write(`approvers: [${zoe}]\noperators: [${olga}]\n`);
    await untilDone(zoe, `limit ${card.AcctId} daily 120`, () => limitOf(card.AcctId) === 120);

    const [first, last] = [(await records())[0], (await records()).findLast(({ event }) => event === 'sent')];
    expect(first?.policy?.version).toMatch(/^pol_[0-9a-f]{64}$/);
    expect(last?.policy?.version).not.toBe(first?.policy?.version);
  });

  it('requires a second approver above a cap, even if each step is small', async () => {
    const card = cardbell().take('ACTIVE', ({ AvailableBalance }) => AvailableBalance > 600);
    const other = cardbell().take('ACTIVE', ({ AvailableBalance }) => AvailableBalance > 600);
    await cardbell().command(zoe, `limit ${card.AcctId} daily 100`);
    await until(() => limitOf(card.AcctId) === 100, 'the limit is 100');
    write(`approvers: [${zoe}, ${ana}]\noperators: [${olga}]\ncaps:\n  person:\n    24h: 500\n`);
    await untilDone(ana, `limit ${other.AcctId} daily 100`, () => limitOf(other.AcctId) === 100);

    await cardbell().command(zoe, `limit ${card.AcctId} daily 500 for 2h`);
    await until(() => limitOf(card.AcctId) === 500, 'the first raise is made');
    await cardbell().command(zoe, `limit ${other.AcctId} daily 250 for 2h`);
    const request = await cardbell().waitFor(channels.approvals, new RegExp(`Approval needed.*${holderOf(other)}`));

    expect(limitOf(other.AcctId), 'over the cap').toBe(100);
    expect(JSON.stringify(cardbell().now(request).blocks)).toContain('$400.00 of $500.00 used within 24 hours');
  });

  it('can be tested against past decisions', async () => {
    const { host, port, db } = cardbell().store.options;
    const env = { PATH: process.env.PATH, REDIS_URL: `redis://${host ?? ''}:${port ?? ''}/${db ?? 0}` };
    const other = join(dirname(file), 'other.yaml');
    writeFileSync(
      other,
      `version: 1\napprovers: [${zoe}, ${ana}]\noperators: [${olga}]\namounts: [{ approvals: 2 }]\n`,
    );
    const replay = (path: string) =>
      new Promise<{ code: unknown; out: string }>((resolve) => {
        const args = ['dist/bin/policy.js', 'replay', '--since', '1d', '--file', path];
        execFile(process.execPath, args, { env }, (error, out) =>
          resolve({ code: error === null ? 0 : error.code, out }),
        );
      });

    const strict = await replay(other);

    expect(strict.code).toBe(1);
    expect(strict.out).toMatch(new RegExp(`${zoe}  limit  account \\d+  was: allowed  would be: needs 1 more`));
    expect(strict.out).toMatch(/\d+ of \d+ decisions would be different\.\n$/);
  });

  it('is ignored while invalid: ops are notified once, and again when it is fixed', async () => {
    write('approvers: nobody\n');
    const told = await cardbell().waitFor(channels.ops, /The policy file cannot be used/);
    expect(JSON.stringify(told.blocks)).toMatch(/policy\.yaml:.?2: approvers: expected/);

    const card = cardbell().take('ACTIVE', ({ AvailableBalance }) => AvailableBalance > 600);
    await cardbell().command(zoe, `limit ${card.AcctId} daily 90`);
    await until(() => limitOf(card.AcctId) === 90, 'the previous policy is in force');
    write(`approvers: [${zoe}]\n`);
    await cardbell().waitFor(channels.ops, /can be used again|Resolved/i);
  });
});
