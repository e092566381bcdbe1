import { expect, it } from 'vitest';
import { stormDeclines } from '../../bench/storm-declines.ts';
import { channels, people } from '../support/people.ts';
import { csvLines, readableAmounts, textOf } from '../support/readable.ts';
import { holderOf, type RunningCardbell, useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook } from '../support/sample-webhook.ts';
import { together } from '../support/together.ts';
import { until } from '../support/until.ts';

const STORM = 300;

const cardbell = useCardbell({ workspace: { enforceRateLimits: true } });
const { olga } = people;

let sent = 0;

/** Delivers a storm as fast as the receiver accepts it. */
async function rain(count: number, { deliver, sandbox }: RunningCardbell): Promise<number[]> {
  const acctIds = sandbox.accounts().map(({ AcctId }) => AcctId);
  sent += 10_000;
  const declines = stormDeclines(count, acctIds, 88_000_000 + sent);
  await Promise.all(declines.map(({ body }) => deliver({ kind: 'decline', body })));
  return declines.map(({ amountCents }) => amountCents);
}

const sorted = (amounts: readonly number[]): number[] => amounts.toSorted((one, other) => one - other);

it('shows every decline of a storm in one channel once, in few messages, without hitting a Slack rate limit', async () => {
  const { workspace, slackCalls } = cardbell();
  const here = () => workspace.messages(channels.declines);

  const amounts = await rain(STORM, cardbell());
  await until(async () => (await readableAmounts(workspace, here())).length >= STORM, 'all are shown', 30_000);

  expect(sorted(await readableAmounts(workspace, here()))).toEqual(sorted(amounts));
  expect(here().length).toBeLessThan(12);
  expect(slackCalls('chat.postMessage').filter(({ status }) => status === 429)).toEqual([]);
  expect(slackCalls('files.completeUploadExternal').filter(({ status }) => status === 429)).toEqual([]);
  // On a busy machine the first declines arrive before the others, in a separate batch.
  expect(here().map(({ blocks }) => blocks?.[0])).toContainEqual(expect.objectContaining({ type: 'header' }));
  const [file] = here().flatMap(({ files }) => files ?? []);
  const lines = csvLines(await textOf(workspace, file ?? ''));
  expect(lines[0]).toBe(
    '"Event","Time (UTC)","What","Times","Cardholder","Card ending","Amount (USD)","Highest amount (USD)","Requested (USD)","Merchant","Where","Why","Code","Done"',
  );
  expect(lines.join('\n')).not.toMatch(/PIN/i);
});

it('blocks a card chosen in a batch message, and the message says so', async () => {
  const { workspace, take, deliver, waitFor, waitTold, press, now, account } = cardbell();
  const cards = [take('ACTIVE'), take('ACTIVE'), take('ACTIVE')];
  const [, chosen] = cards;
  if (chosen === undefined) throw new Error('no card');
  await together(
    cardbell(),
    channels.declines,
    cards.map(
      ({ AcctId }, index) =>
        () =>
          deliver(sampleWebhook('decline.rule.mcc', { AcctId, MerchantName: `Joined Shop ${index}` })),
    ),
  );
  const batch = await waitFor(channels.declines, /While it was quiet here: 3 declines/);
  const options = (batch.blocks ?? []).flatMap((block) =>
    'elements' in block
      ? block.elements.flatMap((element) => ('options' in element ? (element.options ?? []) : []))
      : [],
  );
  expect(options).toHaveLength(3);
  const value = options.find(({ text }) => text?.text.includes(chosen.LastName))?.value;

  await workspace.select({ user: olga, message: batch, actionId: 'open_alert', value });
  const shown = await waitTold(olga, /Joined Shop 1/);
  await press(olga, shown, 'block_card');

  await until(() => JSON.stringify(now(batch).blocks).includes('Blocked'), 'the batch message says so', 30_000);
  expect(account(chosen.AcctId).CardList[0]?.CardStatus).toBe('BLOCKED');
  expect(now(batch).text).toContain(holderOf(chosen));
}, 90_000);

it('without charts and files, posts the rows as tables in the summary’s thread', async () => {
  const { workspace, sandbox, deliver, texts, waitFor } = cardbell();
  const since = workspace.messages(channels.declines).length;
  const fresh = () => workspace.messages(channels.declines).slice(since);
  const declines = stormDeclines(
    110,
    sandbox.accounts().map(({ AcctId }) => AcctId),
    99_000_000,
  );
  workspace.setUnknownBlocks(['data_visualization']);
  workspace.faults.add({ method: 'files.getUploadURLExternal', kind: 'error', error: 'missing_scope' });

  // At other merchants than the first storm, because these would be repeats otherwise.
  const bodies = declines.map(({ body }) => body.replace('"MerchantId":"4453', '"MerchantId":"4454'));
  await together(
    cardbell(),
    channels.declines,
    bodies.map((body) => () => deliver({ kind: 'decline', body })),
  );
  await until(async () => (await readableAmounts(workspace, fresh())).length >= 110, 'all are shown', 60_000);

  expect(sorted(await readableAmounts(workspace, fresh()))).toEqual(declines.map(({ amountCents }) => amountCents));
  const [summary, ...pages] = fresh();
  expect(JSON.stringify(summary?.blocks)).toMatch(/110 declines/);
  expect(JSON.stringify(fresh())).not.toContain('data_visualization');
  expect(pages.map(({ thread_ts: thread }) => thread)).toEqual(pages.map(() => summary?.ts));
  await waitFor(channels.ops, /Slack does not accept a file/);
  expect(texts(channels.ops).join()).not.toMatch(/refused a message/);
}, 90_000);

it('shows a repeated decline of a summary in a separate message, and the edits hit no rate limit', async () => {
  const { workspace, sandbox, deliver, waitFor, slackCalls } = cardbell();
  const declines = stormDeclines(
    150,
    sandbox.accounts().map(({ AcctId }) => AcctId),
    77_000_000,
  );
  // At merchants that no other storm uses.
  const bodies = declines.map(({ body }) => body.replace('"MerchantId":"4453', '"MerchantId":"4455'));
  await together(
    cardbell(),
    channels.declines,
    bodies.map((body) => () => deliver({ kind: 'decline', body })),
  );
  const summary = await waitFor(channels.declines, /150 declines/);
  const rows = () => workspace.messages(channels.declines).filter(({ thread_ts: thread }) => thread === summary.ts);
  await until(() => rows().length > 0, 'its rows are attached');
  const since = workspace.messages(channels.declines).length;

  for (const id of [78_000_001, 78_000_002, 78_000_003])
    await deliver({ kind: 'decline', body: bodies[0]?.replace('77000000', String(id)) ?? '' });

  await until(
    () =>
      workspace
        .messages(channels.declines)
        .slice(since)
        .some(({ text }) => /declined 4 times/i.test(text)),
    'all four attempts are shown',
  );
  expect(workspace.messages(channels.declines).slice(since)).toHaveLength(1);
  expect(slackCalls('chat.update').filter(({ status }) => status === 429)).toEqual([]);
}, 90_000);
