import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { WEBHOOK_KINDS, type WebhookKind } from '../../sandbox/webhook/kind.ts';
import { toStoredEvent } from '../../src/webhooks/kind.ts';
import { alertTexts } from '../support/alert-texts.ts';
import { notAsSaid } from '../support/kept-keys.ts';
import { channels, people, secrets } from '../support/people.ts';
import { digitsOf, panForms, plantableFields, plantedPan } from '../support/planted.ts';
import { holderOf, useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook } from '../support/sample-webhook.ts';
import { together } from '../support/together.ts';
import { settled, until } from '../support/until.ts';

const cardbell = useCardbell({
  env: { LOG_LEVEL: 'trace', ALERTS_CHANNEL_SPEND: channels.spend },
});

const pan = plantedPan;
const panInGroups = panForms.spaces ?? '';
const otherPan = '6011000990139424';
const accountNumber = '70031415926535';
/** Longer than a real security code, so that it cannot match by chance. */
const cvv = 'Q7-security-code-Z3';

/** Personal data that only the card API needs, for virtual cards. */
const personal = ['1987-02-13', '7 Planted Lane'];

/** Secrets that must not appear anywhere, in any notation. */
const planted = [
  pan,
  otherPan,
  accountNumber,
  secrets.sharedSecret,
  secrets.signingSecret,
  secrets.botToken,
  secrets.apiToken,
];

/** Fields with sensitive names, wherever a future version of the service might put them. */
const sensitive = {
  CardNumber: pan,
  AccountNumber: accountNumber,
  CVV2: cvv,
  Cvv: cvv,
  ExpirationDate: '2031-09-30T00:00:00',
  Nested: { pan: otherPan, cvc: cvv, deeper: [{ CardNumber: panInGroups }] },
};
const freeText = `call about ${panInGroups} or ${otherPan} now, key ${secrets.botToken} or ${secrets.sharedSecret}`;

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
    // The same in a webhook that does not fit its schema: quarantine must hide it too.
    expect(await deliver(sampleWebhook(kind, { ...sensitive, ...texts, AcctId: freeText, AccountId: freeText }))).toBe(
      200,
    );
  }
  expect(await deliver({ kind: 'decline', body: JSON.stringify({ [pan]: { CardNumber: pan, x: Number(pan) } }) })).toBe(
    200,
  );
  expect(await deliver({ kind: 'decline', body: `{"Data": "${pan}` })).toBe(400);
}

/** Every field of the sandbox's schemas plus an unknown one, in notations that are easy to miss. */
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

/** An account that does not exist, so that names of this test do not appear in others. */
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
  sandbox.faults.add({ method: 'PUT', path: new RegExp(`Status/${card.AcctId}`), kind: 'token_expired' });
  await command(people.ana, `unblock ${card.AcctId} ${freeText}`);
  await waitTold(people.ana, /Could not unblock/);
}

async function everyButton(): Promise<void> {
  const { command, deliver, waitFor, waitTold, press, take, workspace, now } = cardbell();
  const card = take('ACTIVE');
  await command(people.zoe, `limit ${card.AcctId} daily 200`);
  await waitTold(people.zoe, /^Limit changed/);
  await deliver(sampleWebhook('decline.rule.velocity', { AcctId: card.AcctId }));
  const alert = await waitFor(channels.declines, new RegExp(holderOf(card)));
  await press(people.zoe, alert, 'approve_remedy');
  await until(() => workspace.views.top(people.zoe) !== undefined, 'the form opens');
  const view = workspace.views.top(people.zoe);
  await workspace.submitView({ user: people.zoe, viewId: view?.id ?? '', values: { amount: '300', reason: freeText } });
  await until(() => now(alert).text.includes('Limit changed'), 'the limit is raised');
  await press(people.otto, alert, 'block_card');
}

/** A card API whose refusals quote the request and leak secrets. */
async function everyRefusal(): Promise<void> {
  const { command, sandbox, take, waitTold } = cardbell();
  const message = `Card ${panInGroups} (${otherPan}), CVV2: 7391, refused for token ${secrets.apiToken}`;
  const card = take('ACTIVE');
  sandbox.faults.add({ method: 'PUT', path: new RegExp(`Status/${card.AcctId}`), kind: 'refused', message });
  await command(people.ana, `block ${card.AcctId} lost`);
  await waitTold(people.ana, new RegExp(`Could not block.*${holderOf(card)}`));
  // Only for this card, because advice for an alert may be read at the same time.
  sandbox.faults.add({ method: 'GET', path: new RegExp(`SpendRules/${card.AcctId}`), kind: 'refused', message });
  await command(people.zoe, `limit ${card.AcctId} daily 20`);
  await waitTold(people.zoe, /Could not change.*The card service says/);
}

async function virtualOrder(): Promise<void> {
  const { command, workspace, waitTold } = cardbell();
  await command(people.ana, 'virtual order Vera Nova');
  await until(() => workspace.views.top(people.ana) !== undefined, 'the form opens');
  const [date_of_birth, address_line1] = personal;
  const place = { phone: '512-555-0142', email: 'vera@example.com', city: 'Austin', state: 'TX', postal_code: '78701' };
  await workspace.submitView({
    user: people.ana,
    viewId: workspace.views.top(people.ana)?.id ?? '',
    values: { ...place, date_of_birth, address_line1, amount: '25', reason: freeText },
  });
  await waitTold(people.ana, /^Ordered: a virtual card for Vera Nova/);
}

/** Enough alerts at once for their rows to be posted as a file. */
async function flood(): Promise<void> {
  const { deliver, slackCalls } = cardbell();
  const texts = { ...nobody('authorization'), MerchantName: freeText, MerchantCity: freeText, MerchantId: 'flood' };
  const many = Array.from({ length: 150 }, () => sampleWebhook('authorization', { ...sensitive, ...texts }));
  await together(
    cardbell(),
    channels.spend,
    many.map((webhook) => async () => expect(await deliver(webhook)).toBe(200)),
  );
  await until(() => slackCalls('files.completeUploadExternal').length > 0, 'a file is uploaded', 60_000);
}

/** Runs a command-line program. @returns its complete output. */
function run(program: 'audit' | 'replay', ...args: string[]): string {
  const env = { PATH: process.env.PATH ?? '', REDIS_URL: cardbell().redis.url };
  return execFileSync(process.execPath, [`dist/bin/${program}.js`, ...args], { encoding: 'utf8', env });
}

beforeAll(async () => {
  // Before the flood: alerts waiting in a busy channel share a message and have no separate buttons.
  await everyButton();
  await everyKind();
  await everyField();
  await everyCommand();
  await everyRefusal();
  await virtualOrder();
  await flood();
  await settled(3000);
}, 300_000);

/** A label and a number. Its separators are printable: compressed data may contain "cvv", a control character and a digit. */
const spokenCvv = /(?<!\w)CVV2?[ :=#"'\\,()[\]{}-]{1,5}\d/i;

/** Finds planted secrets, even with their digits in groups or in another script. */
function hits(text: string): string[] {
  const digits = digitsOf(text);
  const spoken = text.match(spokenCvv) ?? [];
  return [...[...planted, cvv].filter((one) => text.includes(one) || digits.includes(one)), ...spoken];
}

it('the search finds planted secrets', () => {
  for (const written of Object.values(panForms)) expect(hits(`a ${written} b`)).toEqual([pan]);
  expect(hits(`{"token":"${secrets.apiToken}"}`)).toEqual([secrets.apiToken]);
  for (const written of [
    'the CVV2: 7391 is wrong',
    '{"cvv":"739"}',
    String.raw`{\"Cvv2\":\"739\"}`,
    'CVV 739',
    'cvv=7',
  ])
    expect(hits(written), written).toHaveLength(1);
  expect(hits('\u0002cvv\u00111')).toEqual([]);
});

it('no planted secret is in the files of Redis', async () => {
  const { store, redis } = cardbell();
  await store.config('SET', 'appendfsync', 'always');
  // A compressed dump would hide its contents.
  await store.config('SET', 'rdbcompression', 'no');
  await store.save();
  const files = (await readdir(redis.folder, { recursive: true, withFileTypes: true })).filter((file) => file.isFile());
  const contents = await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), 'utf8')));

  expect(contents.join('').length).toBeGreaterThan(10_000);
  expect(files.map(({ name }) => name)).toContain('dump.rdb');
  for (const [index, text] of contents.entries())
    expect([files[index]?.name, hits(text)]).toEqual([files[index]?.name, []]);
  expect(personal.filter((one) => contents.join('').includes(one))).toEqual([]);
  // Anyone with a response URL may write to the channel for half an hour.
  expect(contents.join('')).not.toMatch(/127\.0\.0\.1:\d+\/(commands|actions)\//);
});

it('no planted secret is in the compressed alerts in Redis', async () => {
  const alerts = [...(await alertTexts(cardbell().store)).values()].join('\n');

  expect(alerts.length).toBeGreaterThan(10_000);
  expect(hits(alerts)).toEqual([]);
  expect(personal.filter((one) => alerts.includes(one))).toEqual([]);
});

it('no planted secret is in the logs, even at trace level', () => {
  const logs = cardbell().logs().join('\n');

  expect(logs.length).toBeGreaterThan(1000);
  expect(hits(logs)).toEqual([]);
  expect(personal.filter((one) => logs.includes(one))).toEqual([]);
});

it('no planted secret is sent to Slack or the card API', async () => {
  const { workspace, sandbox } = cardbell();
  const files = Object.values(channels).flatMap((channel) =>
    workspace.messages(channel).flatMap((message) => message.files ?? []),
  );
  const contents = await Promise.all(
    files.map(async (id) => await (await fetch(`${workspace.url}files/${id}/rows`)).text()),
  );

  // The recorded calls are Cardbell's only, without the test's own requests.
  for (const call of workspace.calls) expect([call.method, hits(JSON.stringify(call.args))]).toEqual([call.method, []]);
  for (const { path, query, body } of sandbox.calls)
    expect([path, hits(JSON.stringify([path, query, body]))]).toEqual([path, []]);
  // Uploads are not API calls.
  expect(contents.join('')).toContain(`[card ••${pan.slice(-4)}]`);
  expect(hits(contents.join(''))).toEqual([]);
  expect(personal.filter((one) => JSON.stringify(workspace.calls).includes(one))).toEqual([]);
});

it('no planted secret is in the metrics or in the exported record', async () => {
  const metrics = await (await fetch(`${cardbell().adminUrl}/metrics`)).text();
  const record = run('audit', 'export', '--csv');

  expect(metrics).toContain('cardbell_webhooks_total');
  expect(record).toContain('order-virtual');
  expect(record).toContain(`refused: Card [card ••${pan.slice(-4)}]`);
  expect([hits(metrics), hits(record)]).toEqual([[], []]);
  expect(personal.filter((one) => record.includes(one))).toEqual([]);
});

it('no planted secret is shown for a quarantined webhook', () => {
  const list = run('replay', 'list');
  const ids = [...list.matchAll(/^(\S+) {2}quarantined/gm)].map(([, id]) => id ?? '');

  expect(ids.length).toBeGreaterThan(WEBHOOK_KINDS.length);
  expect(hits(list)).toEqual([]);
  for (const id of ids.slice(0, 2)) expect([id, hits(run('replay', 'show', id))]).toEqual([id, []]);
});

it('every key in Redis is listed in SECURITY.md and expires as it says', async () => {
  expect(await notAsSaid(cardbell().store)).toEqual([]);
});

it('only the last four digits of a virtual card are shown', async () => {
  const { workspace } = cardbell();

  const shown = JSON.stringify(workspace.messages(channels.virtual));

  expect(shown).toContain(pan.slice(-4));
  // The year it expires, not digits of a message's time.
  expect(shown).not.toMatch(/(?<!\d)2031(?!\d)/);
});
