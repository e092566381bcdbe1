import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalRedis, startRedis } from '../../local/redis.ts';
import { type Sandbox, startSandbox } from '../../sandbox/server.ts';
import { channels, commandEnv, people, secrets, workspaceOptions } from '../support/people.ts';
import { atOnce, holderOf, useCardbell } from '../support/running-cardbell.ts';
import { type SampleWebhook, sampleWebhook } from '../support/sample-webhook.ts';
import { until } from '../support/until.ts';

/** The second program: a separate service with the same accounts under the same ids. */
const eu = { channel: 'C0EU', token: 'api-token-of-eu-7c1d', secret: 'SHARED-OF-EU-2B6E9A41' };
const { ana, olga, otto } = people;

const env: Record<string, string> = {
  PROGRAMS: 'eu',
  EU_CARD_API_TOKEN: eu.token,
  EU_WEBHOOK_SHARED_SECRET: eu.secret,
  EU_ALERTS_CHANNEL: eu.channel,
  EU_CARD_SERVICE_TIMEZONE: 'Europe/Berlin',
  EU_OPERATORS: otto,
  EU_APPROVERS: ana,
};
let ofEu: Sandbox;
let redis: LocalRedis;
beforeAll(async () => {
  redis = await startRedis();
  ofEu = await startSandbox({ token: eu.token, secret: eu.secret, redisUrl: redis.url, timeScale: 60 });
  env['EU_CARD_API_URL'] = ofEu.url;
});

const cardbell = useCardbell({
  pace: atOnce,
  env,
  workspace: {
    channels: [...(workspaceOptions.channels ?? []), { id: eu.channel, name: 'eu' }],
    commands: ['/card', '/card-activate', '/card-block', '/card-limit', '/card-eu'],
    escapedCommands: ['/card', '/card-eu'],
  },
});
afterAll(async () => {
  await ofEu.stop();
  await redis.stop();
});

/** Delivers a webhook as the service of `eu` does. */
async function deliverToEu({ kind, body }: SampleWebhook, secret = eu.secret, program = 'eu'): Promise<number> {
  const response = await fetch(`${cardbell().url}/webhooks/${program}/${kind}`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(secret).toString('base64')}`,
      'content-type': 'application/json; charset=utf-8',
    },
    body,
  });
  await response.body?.cancel();
  return response.status;
}

const statusAt = (sandbox: Sandbox, acctId: number): string | undefined =>
  sandbox.accounts().find(({ AcctId }) => AcctId === acctId)?.CardList[0]?.CardStatus;
const statusesOf = (acctId: number) => [statusAt(cardbell().sandbox, acctId), statusAt(ofEu, acctId)];
const euMessages = (): string => JSON.stringify(cardbell().workspace.messages(eu.channel));

describe('a webhook', () => {
  it('is accepted for the program in its URL, only with that program’s secret', async () => {
    const webhook = sampleWebhook('decline.rule.mcc');

    expect(await deliverToEu(webhook, secrets.sharedSecret)).toBe(401);
    expect(await (await fetch(`${cardbell().adminUrl}/metrics`)).text()).toMatch(
      /^cardbell_webhooks_total\{program="eu",.*answer="not_authentic"/m,
    );
    expect(await deliverToEu(webhook, eu.secret, 'uk')).toBe(404);
    expect(await cardbell().deliver({ ...webhook, kind: webhook.kind }, { path: 'nothing' })).toBe(404);
  });

  it('with the same ids from both services is posted twice, each in its own channel, time zone and words', async () => {
    const card = cardbell().take('ACTIVE');
    const webhook = sampleWebhook('decline.rule.velocity', { AcctId: card.AcctId });

    expect([await cardbell().deliver(webhook), await deliverToEu(webhook)]).toEqual([200, 200]);

    const [first, ofOther] = await Promise.all([
      cardbell().waitFor(channels.declines, new RegExp(holderOf(card))),
      cardbell().waitFor(eu.channel, new RegExp(holderOf(card))),
    ]);
    expect(JSON.stringify(first)).not.toMatch(/card-eu|eu~/);
    expect(JSON.stringify(ofOther.blocks)).toContain('eu~');
  });
});

describe('a click', () => {
  it('on a message of one program does not change the card with the same id in the other', async () => {
    const card = cardbell().take('ACTIVE');
    await deliverToEu(sampleWebhook('decline.card.pin', { AcctId: card.AcctId }));
    const alert = await cardbell().waitFor(eu.channel, new RegExp(holderOf(card)));

    await cardbell().press(otto, alert, 'block_card');

    await until(() => statusAt(ofEu, card.AcctId) === 'BLOCKED', 'the card of eu is blocked');
    await until(
      () => euMessages().includes(`Blocked by <@${otto}>`) || /locked/.test(euMessages()),
      'the message says so',
    );
    expect(statusesOf(card.AcctId)).toEqual(['ACTIVE', 'BLOCKED']);
    expect(cardbell().writes()).toEqual([]);
  });

  it('by an operator of the first program is refused in the other', async () => {
    const card = cardbell().take('ACTIVE');
    await deliverToEu(sampleWebhook('decline.card.pin', { AcctId: card.AcctId }));
    const alert = await cardbell().waitFor(eu.channel, new RegExp(holderOf(card)));
    const since = Date.now() / 1000;

    await cardbell().press(olga, alert, 'block_card');

    await cardbell().waitTold(olga, /may not|not allowed|cannot|can’t|Only/i, since);
    expect(statusesOf(card.AcctId)).toEqual(['ACTIVE', 'ACTIVE']);
  });
});

describe('a command', () => {
  it('acts on the program it is named after', async () => {
    const card = cardbell().take('ACTIVE');

    await cardbell().command(otto, `block ${card.AcctId}`, '/card-eu');
    await until(() => statusAt(ofEu, card.AcctId) === 'BLOCKED', 'the card of eu is blocked');
    expect(statusAt(cardbell().sandbox, card.AcctId)).toBe('ACTIVE');

    await cardbell().command(olga, `block ${card.AcctId}`);
    await until(() => statusAt(cardbell().sandbox, card.AcctId) === 'BLOCKED', 'the card of the first is blocked');
  });

  it('explains itself under its own name', async () => {
    const since = Date.now() / 1000;
    await cardbell().command(otto, 'help', '/card-eu');

    const { text, blocks } = await cardbell().waitTold(otto, /card-eu/, since);

    expect(`${text} ${JSON.stringify(blocks)}`).not.toMatch(/\/card (?!-eu)/);
  });
});

it('App Home shows the chosen program', async () => {
  const { workspace } = cardbell();
  const shown = (): string => JSON.stringify(workspace.views.home.get(otto)?.blocks ?? []);
  await workspace.openHome(otto);
  await until(() => shown().includes('choose_program'), 'the menu is there');
  expect(shown()).not.toContain('eu~');

  const viewId = workspace.views.home.get(otto)?.id ?? '';
  await workspace.select({ user: otto, viewId, actionId: 'choose_program', value: 'eu' });

  await until(() => shown().includes('eu~'), 'it is the page of eu');
});

it('each program has a separate record without the actions of the other', async () => {
  const blockedBy = async (key: string): Promise<string[]> => {
    const records = await cardbell().store.lrange(key, 0, -1);
    const done = records.filter((record) => /"event":"done","verb":"block"/.test(record));
    return [...new Set(done.map((record) => /"userId":"(\w+)"/.exec(record)?.[1] ?? ''))];
  };

  expect(await blockedBy('{cardbell:audit}:chain')).toEqual([olga]);
  expect(await blockedBy('eu:{cardbell:audit}:chain')).toEqual([otto]);
  for (const PROGRAM of ['', 'eu']) {
    const given = { ...commandEnv(cardbell()), ...env, PROGRAM };
    const args = ['dist/bin/cardbell.js', 'audit', 'verify'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: given });
    expect(stdout).toMatch(/\d+ records/);
  }
});

it('the doctor names a bad variable of any program, because it keeps the processes of all from starting', async () => {
  const given = { ...commandEnv(cardbell()), ...env, EU_WEBHOOK_SHARED_SECRET: '' };
  const stdout = await new Promise<string>((resolve) => {
    execFile(process.execPath, ['dist/bin/cardbell.js', 'doctor'], { env: given, timeout: 60_000 }, (_error, out) =>
      resolve(out),
    );
  });

  expect(stdout).toContain('EU_WEBHOOK_SHARED_SECRET: expected the shared secret of the card service');
  expect(stdout).not.toContain('the variables of web are complete');
  expect(stdout).toContain('the variables of worker are complete');
});

it.each(['first', 'eu'])('the doctor of %s ends, and its webhook gets through to its own receiver', async (PROGRAM) => {
  const given = { ...commandEnv(cardbell()), ...env, PROGRAM };
  const args = ['dist/bin/cardbell.js', 'doctor', '--json', '--url', cardbell().url];
  const { signal, stdout } = await new Promise<{ signal: unknown; stdout: string }>((resolve) => {
    execFile(process.execPath, args, { env: given, timeout: 60_000 }, (error, out) =>
      resolve({ signal: error?.signal ?? null, stdout: out }),
    );
  });
  expect(signal).toBeNull();
  const { findings } = JSON.parse(stdout) as { findings: { level: string; area: string; what: string }[] };
  const ofWeb = findings.filter(({ area }) => area === 'Web');

  expect(ofWeb.filter(({ level }) => level === 'fix')).toEqual([]);
  expect(ofWeb.map(({ what }) => what)).toContain('a webhook with the shared secret gets through');
});

it('a program whose service refuses the token notifies its own ops channel, and the other keeps working', async () => {
  ofEu.faults.add({ path: /./, kind: 'token_expired', times: Number.POSITIVE_INFINITY });
  const card = cardbell().take('ACTIVE');

  await cardbell().command(otto, `block ${card.AcctId}`, '/card-eu');
  await cardbell().waitFor(eu.channel, /token/);
  await cardbell().command(olga, `block ${card.AcctId}`);

  await until(() => statusAt(cardbell().sandbox, card.AcctId) === 'BLOCKED', 'the card of the first is blocked');
  expect(cardbell().texts(channels.ops).join()).not.toMatch(/token/);
});

it('no secret of a program is in Redis, in the logs or in Slack', async () => {
  const { store, logs, workspace } = cardbell();
  const values = await Promise.all((await store.keys('*')).map((key) => store.dump(key)));
  const all = [...values.map(String), ...logs(), JSON.stringify(workspace.messages(eu.channel))].join('\n');

  for (const secret of [eu.token, eu.secret]) expect(all.includes(secret)).toBe(false);
});
