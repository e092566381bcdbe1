import { expect, it } from 'vitest';
import { stateKey, webKeys } from '../../src/core/keys.ts';
import { createSigner } from '../../src/core/sign.ts';
import { createTemporaryChanges } from '../../src/limits/temporary-change-store.ts';
import { channels, people, secrets } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { atOnce, holderOf, useCardbell } from '../support/running-cardbell.ts';
import { until } from '../support/until.ts';

/** At the service's own rate limit a recovery would take half a minute. */
const CARD_API_ASSUMPTIONS = JSON.stringify({ callsPerMinute: 6000, detailCallsPerMinute: 6000 });
const cardbell = useCardbell({ pace: atOnce, workers: 0, env: { CARD_API_ASSUMPTIONS } });
const { ana } = people;
const MINUTE_MS = 60_000;

/** Makes a process's clock run ahead by this many minutes from its start, or late by as many if negative. */
function ahead(minutes: number): { NODE_OPTIONS: string } {
  const code = `const Right = Date;
    const aheadMs = ${minutes * MINUTE_MS};
    globalThis.Date = class extends Right {
      constructor(...given) { if (given.length === 0) super(Right.now() + aheadMs); else super(...given); }
      static now() { return Right.now() + aheadMs; }
    };`;
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(code)}` };
}

it('a worker with a clock 70 minutes fast restores no temporary limit early, and notifies ops', async () => {
  const { startWorker, take, command, waitTold, waitFor, store, account, writes } = cardbell();
  await startWorker(ahead(70));
  const card = take('ACTIVE');
  const beats = async (): Promise<string> => JSON.stringify(await store.hgetall(stateKey('workers')));

  await command(ana, `limit ${card.AcctId} monthly 2000 for 1 hour`);
  await waitTold(ana, new RegExp(`^Limit changed: ${holderOf(card)}`));
  const [temporaryChange] = await createTemporaryChanges(
    store,
    createSigner(secrets.apiToken, 'temporary change'),
  ).all();
  await waitFor(channels.ops, /The clock of .* and Redis’ differ by more than a minute/);
  const before = await beats();
  await until(async () => (await beats()) !== before, 'the worker has checked for overdue work');
  await quiet(cardbell());

  const leftMs = Date.parse(temporaryChange?.endsAt ?? '') - Date.now();
  expect(Math.abs(leftMs - 60 * MINUTE_MS)).toBeLessThan(2 * MINUTE_MS);
  expect(account(card.AcctId).SpendRules).toMatchObject({ MonthlySpendLimit: 2000 });
  expect(writes().filter(({ path }) => path.includes(`/${card.AcctId}/`))).toHaveLength(1);
}, 120_000);

it('a worker with a clock 70 minutes slow asks the card service about a gap as far as it went', async () => {
  const { startWorker, startWeb, webs, workers, sandbox, store, take, waitFor } = cardbell();
  for (const worker of workers) worker.kill('SIGKILL');
  await until(async () => (await store.exists(webKeys.open)) === 1, 'the HTTP server is recorded as open');
  const card = take('ACTIVE');
  sandbox.outage(true);
  const web = webs.at(-1);
  web?.kill('SIGKILL');
  await web?.exit;
  sandbox.purchase({ AcctId: card.AcctId, Amount: 99_999 });
  await startWorker(ahead(-70));
  await startWeb();

  await waitFor(channels.ops, /1 event was missed/);
  await waitFor(channels.declines, new RegExp(holderOf(card)));
}, 120_000);
