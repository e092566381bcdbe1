import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { WEBHOOK_KINDS, type WebhookKind } from '../../sandbox/webhook/kind.ts';
import { toStoredEvent } from '../../src/card/kind.ts';
import { keptKeys } from '../support/kept-keys.ts';
import { channels, people, secrets } from '../support/people.ts';
import { digitsOf, panForms, plantableFields, plantedPan } from '../support/planted.ts';
import { holderOf, useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook } from '../support/sample-webhook.ts';
import { settled, until } from '../support/until.ts';

const cardbell = useCardbell({
  env: { LOG_LEVEL: 'trace', ALERTS_CHANNEL_SPEND: channels.spend },
});

const pan = plantedPan;
const panInGroups = panForms.spaces ?? '';
const otherPan = '6011000990139424';
const accountNumber = '70031415926535';
/** Longer than a real one, so that it cannot be found by chance. */
const cvv = 'Q7-security-code-Z3';

/** What must not be found anywhere, in whichever way it is written. */
const planted = [
  pan,
  otherPan,
  accountNumber,
  secrets.sharedSecret,
  secrets.signingSecret,
  secrets.botToken,
  secrets.apiToken,
];

/** Fields whose names say that they are secret, wherever a sender of tomorrow puts them. */
const sensitive = {
  CardNumber: pan,
  AccountNumber: accountNumber,
  CVV2: cvv,
  Cvv: cvv,
  ExpirationDate: '2031-09-30T00:00:00',
  Nested: { pan: otherPan, cvc: cvv, deeper: [{ CardNumber: panInGroups }] },
};
const freeText = `call about ${panInGroups} or ${otherPan} now`;

async function everyKind(): Promise<void> {
  const { deliver } = cardbell();
  for (const kind of WEBHOOK_KINDS) {
    const texts = {
      ...nobody(kind),
      ...('MerchantName' in JSON.parse(sampleWebhook(kind).body).Data
        ? { MerchantName: freeText, MerchantCity: freeText, TransactionNotes: freeText, TerminalId: pan }
        : {}),
      ...(kind === 'decline' ? { Message: freeText } : {}),
      ...(kind === 'virtual-card' ? { Message: freeText, FirstName: freeText, LastName: pan } : {}),
      ...(kind === 'card-status' ? { FirstName: freeText, CustomId: pan } : {}),
    };
    expect(await deliver(sampleWebhook(kind, { ...sensitive, ...texts }))).toBe(200);
    // The same, not fitting: kept aside, and no less careful there.
    expect(await deliver(sampleWebhook(kind, { ...sensitive, ...texts, AcctId: freeText, AccountId: freeText }))).toBe(
      200,
    );
  }
  expect(await deliver({ kind: 'decline', body: JSON.stringify({ [pan]: { CardNumber: pan, x: Number(pan) } }) })).toBe(
    200,
  );
  expect(await deliver({ kind: 'decline', body: `{"Data": "${pan}` })).toBe(400);
}

/** Every field that the sandbox's schemas know, and one that none knows, in the forms that are easily overlooked. */
async function everyField(): Promise<void> {
  const { deliver } = cardbell();
  const facts = { zone: 'America/New_York', version: '2.0.1.3', receivedAt: new Date().toISOString() };
  const fits = (kind: WebhookKind, field: string, value: unknown): boolean => {
    try {
      return toStoredEvent(JSON.parse(sampleWebhook(kind, { [field]: value }).body), kind, facts) !== undefined;
    } catch {
      return false;
    }
  };
  for (const form of ['spaces', 'full-width digits', 'invisible characters between']) {
    const written = `see ${panForms[form]} there`;
    for (const kind of WEBHOOK_KINDS) {
      const fields = plantableFields.filter(([of, field]) => of === kind && fits(kind, field, written));
      expect(fields.length).toBeGreaterThan(0);
      const all = Object.fromEntries(fields.map(([, field]) => [field, written]));
      expect(await deliver(sampleWebhook(kind, { ...all, ...nobody(kind) }))).toBe(200);
    }
  }
  for (const [kind, field] of plantableFields) {
    expect(await deliver(sampleWebhook(kind, { ...nobody(kind), [field]: [panForms.dashes] }))).toBe(200);
  }
}

/** Nobody's account: the names of this test must not become those of the others. */
const nobody = (kind: WebhookKind) => (kind === 'virtual-card' ? { AccountId: 610_999 } : { AcctId: 610_999 });

async function everyCommand(): Promise<void> {
  const { command, take, sandbox, waitTold } = cardbell();
  for (const text of [
    `block ${pan}`,
    `show ${panInGroups}`,
    `${pan}`,
    `limit ${pan} daily ${pan}`,
    `limit 5072 daily 20 for ${pan}`,
    `block nobody ${freeText}`,
  ])
    await command(people.ana, text);
  const card = take('ACTIVE');
  await command(people.ana, `block ${card.AcctId} stolen together with ${panInGroups}`);
  await waitTold(people.ana, new RegExp(`^Blocked: ${holderOf(card)}`));
  sandbox.faults.add({ method: 'PUT', path: /Status/, kind: 'token_expired' });
  await command(people.ana, `unblock ${card.AcctId} ${freeText}`);
  await waitTold(people.ana, /Could not unblock/);
}

async function everyButton(): Promise<void> {
  const { deliver, waitFor, press, take, workspace, now } = cardbell();
  const card = take('ACTIVE');
  await deliver(sampleWebhook('decline.rule.velocity', { AcctId: card.AcctId }));
  const alert = await waitFor(channels.declines, new RegExp(holderOf(card)));
  await press(people.zoe, alert, 'approve_remedy');
  await until(() => workspace.views.top(people.zoe) !== undefined, 'the form opens');
  const view = workspace.views.top(people.zoe);
  await workspace.submitView({ user: people.zoe, viewId: view?.id ?? '', values: { amount: '300', reason: freeText } });
  await until(() => now(alert).text.includes('Limit changed'), 'the limit is raised');
  await press(people.otto, alert, 'block_card');
}

beforeAll(async () => {
  // While the channel is quiet: what waits in a busy one is joined, and has no buttons of its own.
  await everyButton();
  await everyKind();
  await everyField();
  await everyCommand();
  await settled(4000);
}, 120_000);

/** Finds what was planted, also where digits are written in groups or in another script. */
function hits(text: string): string[] {
  const digits = digitsOf(text);
  return [...planted, cvv].filter((one) => text.includes(one) || digits.includes(one));
}

it('the search finds what it looks for', () => {
  for (const written of Object.values(panForms)) expect(hits(`a ${written} b`)).toEqual([pan]);
  expect(hits(`{"token":"${secrets.apiToken}"}`)).toEqual([secrets.apiToken]);
});

it('nothing planted is in Redis’ files', async () => {
  const { store, redis } = cardbell();
  await store.config('SET', 'appendfsync', 'always');
  // A compressed dump would hide what it holds.
  await store.config('SET', 'rdbcompression', 'no');
  await store.save();
  const files = (await readdir(redis.folder, { recursive: true, withFileTypes: true })).filter((file) => file.isFile());
  const contents = await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), 'utf8')));

  expect(contents.join('').length).toBeGreaterThan(10_000);
  expect(files.map(({ name }) => name)).toContain('dump.rdb');
  for (const [index, text] of contents.entries())
    expect([files[index]?.name, hits(text)]).toEqual([files[index]?.name, []]);
  // Whoever has one of these may write into a channel for half an hour.
  expect(contents.join('')).not.toMatch(/127\.0\.0\.1:\d+\/(commands|actions)\//);
});

it('nothing planted is in the logs, even at the most talkative level', () => {
  const logs = cardbell().logs().join('\n');

  expect(logs.length).toBeGreaterThan(1000);
  expect(hits(logs)).toEqual([]);
});

it('nothing planted is in what Slack is sent, or the card API', () => {
  const { workspace, sandbox } = cardbell();

  // What people typed comes back to the test in their own requests, never in ours.
  for (const call of workspace.calls) expect([call.method, hits(JSON.stringify(call.args))]).toEqual([call.method, []]);
  for (const { path, query, body } of sandbox.calls)
    expect([path, hits(JSON.stringify([path, query, body]))]).toEqual([path, []]);
});

it('nothing planted is in the metrics, or in the record that is handed on', async () => {
  const { url, redis } = cardbell();
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const env = { PATH: process.env.PATH ?? '', REDIS_URL: redis.url };
  const record = execFileSync(process.execPath, ['dist/bin/audit.js', 'export', '--csv'], { encoding: 'utf8', env });

  expect(metrics).toContain('cardbell_webhooks_total');
  expect(record.split('\n').length).toBeGreaterThan(3);
  expect([hits(metrics), hits(record)]).toEqual([[], []]);
});

it('every key in Redis is one of SECURITY.md, and ends when that says', async () => {
  const { store } = cardbell();
  const rows = keptKeys();
  const wrong: string[] = [];
  for (const key of await store.keys('{cardbell:*')) {
    if (key.startsWith('{cardbell:queue}')) continue;
    const row = rows.find(({ fits }) => fits(key));
    const left = await store.pttl(key);
    if (row === undefined) wrong.push(`${key} is not in SECURITY.md`);
    else if (row.seconds !== null && left === -1) wrong.push(`${key} never ends`);
    else if (row.seconds !== null && left > row.seconds * 1000) wrong.push(`${key} lives for ${left} ms`);
  }

  expect(wrong).toEqual([]);
});

it('of a virtual card the last four digits are all that is shown', async () => {
  const { workspace } = cardbell();

  const shown = JSON.stringify(workspace.messages(channels.virtual));

  expect(shown).toContain(pan.slice(-4));
  expect(shown).not.toContain('2031');
});
