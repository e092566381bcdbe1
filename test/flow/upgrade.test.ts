import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stormDeclines } from '../../bench/storm-declines.ts';
import { freePort } from '../../local/port.ts';
import { FORMAT } from '../../src/app/stored-format.ts';
import { stateKey } from '../../src/core/keys.ts';
import { channels, people } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { readableAmounts } from '../support/readable.ts';
import { atOnce, useCardbell } from '../support/running-cardbell.ts';
import { until } from '../support/until.ts';

/**
 * An upgrade under load. The newer build is this one with a higher stored format. The older build is in the folder
 * `OLDER_BUILD`, for example the previous release, built with `NODE_ENV=test npm run build`. Without it, the older build
 * is this one too. That proves the effects of the format (which build may start, and that both work on one Redis), but
 * not that two versions of the code understand each other. For that, see mixed-versions.test.ts.
 */
const older = process.env['OLDER_BUILD'] ?? 'dist';
const cardbell = useCardbell({ pace: atOnce, env: { TEST_BUILD: older } });
/** As far ahead of the older build as allowed: an earlier build may have the previous format. */
const NEWER = FORMAT + (older === 'dist' ? 2 : 1);

let newer: string;
beforeAll(async () => {
  newer = await mkdtemp(join(tmpdir(), 'cardbell-newer-'));
  await cp('dist', newer, { recursive: true });
  // The bundler inlines the number where it is used.
  let changed = 0;
  for (const name of await readdir(newer, { recursive: true })) {
    if (!name.endsWith('.js')) continue;
    const text = await readFile(join(newer, name), 'utf8');
    const raised = text.replaceAll(`(redis, shards = 1, format = ${FORMAT})`, `(redis, shards = 1, format = ${NEWER})`);
    if (raised === text) continue;
    changed += 1;
    await writeFile(join(newer, name), raised);
  }
  expect(changed).toBe(1);
});
afterAll(async () => {
  await rm(newer, { recursive: true });
});

let made = 0;
const amounts: number[] = [];
async function load(count: number, url = cardbell().url): Promise<void> {
  const acctIds = cardbell()
    .sandbox.accounts()
    .map(({ AcctId }) => AcctId);
  made += count;
  const sent = stormDeclines(made, acctIds).slice(-count);
  amounts.push(...sent.map(({ amountCents }) => amountCents));
  const answers = await Promise.all(sent.map(({ body }) => cardbell().deliver({ kind: 'decline', body }, { url })));
  expect(new Set(answers)).toEqual(new Set([200]));
}

it('a newer build starts beside an older one, both work, the older one stops, and nothing is lost or done twice', async () => {
  const { store, workspace, workers, webs, startWeb, startWorker, command, take, account, writes } = cardbell();
  const cards = Array.from({ length: 6 }, () => take('ACTIVE'));
  const block = async (index: number): Promise<unknown> => command(people.olga, `block ${cards[index]?.AcctId}`);

  await Promise.all([load(30), block(0), block(1)]);
  const port = String(await freePort());
  const starting = [startWorker({ TEST_BUILD: newer }), startWeb({ TEST_BUILD: newer, PORT: port })];
  await Promise.all([load(30), block(2), block(3), ...starting]);
  expect(await store.get(stateKey('format'))).toBe(String(NEWER));
  // The older worker may do what the newer web process accepts, and the reverse.
  await Promise.all([load(30), load(30, `http://127.0.0.1:${port}`)]);
  await Promise.all([load(30), block(4), block(5), workers[0]?.stop()]);

  for (const { AcctId } of cards)
    await until(() => account(AcctId).CardList[0]?.CardStatus === 'BLOCKED', 'all cards are blocked');
  await quiet(cardbell());
  const shown = await readableAmounts(workspace, workspace.messages(channels.declines));
  expect(shown.toSorted((a, b) => a - b)).toEqual(amounts.toSorted((a, b) => a - b));
  const blocked = writes().map(({ path }) => Number(path.split('/').at(-1)));
  expect(blocked.toSorted((a, b) => a - b)).toEqual(cards.map(({ AcctId }) => AcctId).toSorted((a, b) => a - b));
  // The older web process works with the newer worker.
  expect(webs.every((web) => web.isRunning())).toBe(true);
}, 120_000);

it('the older build then refuses to start and changes nothing', async () => {
  const { store, startWorker } = cardbell();

  await expect(startWorker()).rejects.toThrow();

  expect((await cardbell().workers.at(-1)?.exit)?.code).toBe(78);
  expect(await store.get(stateKey('format'))).toBe(String(NEWER));
});
