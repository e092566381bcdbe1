import { expect, it } from 'vitest';
import { stormDeclines } from '../../bench/storm-declines.ts';
import { channels } from '../support/people.ts';
import { csvLines, readableAmounts, textOf } from '../support/readable.ts';
import { type RunningCardbell, useCardbell } from '../support/running-cardbell.ts';
import { until } from '../support/until.ts';

const STORM = 300;

const cardbell = useCardbell({ workspace: { enforceRateLimits: true } });

let sent = 0;

/** Delivers a storm as fast as the receiver takes it. */
async function rain(count: number, { deliver, sandbox }: RunningCardbell): Promise<number[]> {
  const acctIds = sandbox.accounts().map(({ AcctId }) => AcctId);
  sent += 10_000;
  const declines = stormDeclines(count, acctIds, 88_000_000 + sent);
  await Promise.all(declines.map(({ body }) => deliver({ kind: 'decline', body })));
  return declines.map(({ amountCents }) => amountCents);
}

const sorted = (amounts: readonly number[]): number[] => amounts.toSorted((one, other) => one - other);

it('a storm into one channel: every decline can be read once, in a few messages, and Slack never says too many', async () => {
  const { workspace, slackCalls } = cardbell();
  const here = () => workspace.messages(channels.declines);

  const amounts = await rain(STORM, cardbell());
  await until(async () => (await readableAmounts(workspace, here())).length >= STORM, 'all can be read', 30_000);

  expect(sorted(await readableAmounts(workspace, here()))).toEqual(sorted(amounts));
  expect(here().length).toBeLessThan(12);
  expect(slackCalls('chat.postMessage').filter(({ status }) => status === 429)).toEqual([]);
  expect(slackCalls('files.completeUploadExternal').filter(({ status }) => status === 429)).toEqual([]);
  const [first] = here();
  expect(first?.blocks?.[0]).toMatchObject({ type: 'header' });
  const [file] = here().flatMap(({ files }) => files ?? []);
  const lines = csvLines(await textOf(workspace, file ?? ''));
  expect(lines[0]).toBe('Event,Time (UTC),What,Times,Cardholder,Card ending,Amount (USD),Merchant,Where,Why,Code,Done');
  expect(lines.join('\n')).not.toMatch(/PIN/i);
});
