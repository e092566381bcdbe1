import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { WEBHOOK_KINDS } from '../../sandbox/webhook/kind.ts';
import { channels, people, secrets } from '../support/people.ts';
import { holderOf, useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook } from '../support/sample-webhook.ts';
import { settled, until } from '../support/until.ts';

const cardbell = useCardbell({
  env: { LOG_LEVEL: 'trace', ALERTS_CHANNEL_SPEND: channels.spend },
});

const pan = '4929420573595709';
const panInGroups = '4929 4205 7359 5709';
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
      // Nobody's account: the names of this test must not become those of the others.
      ...(kind === 'virtual-card' ? { AccountId: 610_999 } : { AcctId: 610_999 }),
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
  await everyKind();
  await everyCommand();
  await everyButton();
  await settled(4000);
}, 60_000);

/** Finds what was planted, also where digits are written in groups. */
function hits(text: string): string[] {
  const joined = text.replaceAll(/(?<=\d)[ \-.](?=\d)/g, '');
  return [...planted, cvv].filter((one) => text.includes(one) || joined.includes(one));
}

it('the search finds what it looks for', () => {
  expect(hits(`a ${panInGroups} b`)).toEqual([pan]);
  expect(hits(`{"token":"${secrets.apiToken}"}`)).toEqual([secrets.apiToken]);
});

it('nothing planted is in Redis’ files', async () => {
  const { store, redis } = cardbell();
  await store.config('SET', 'appendfsync', 'always');
  const files = (await readdir(redis.folder, { recursive: true, withFileTypes: true })).filter((file) => file.isFile());
  const contents = await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), 'latin1')));

  expect(contents.join('').length).toBeGreaterThan(10_000);
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

it('of a virtual card the last four digits are all that is shown', async () => {
  const { workspace } = cardbell();

  const shown = JSON.stringify(workspace.messages(channels.virtual));

  expect(shown).toContain(pan.slice(-4));
  expect(shown).not.toContain('2031');
});
