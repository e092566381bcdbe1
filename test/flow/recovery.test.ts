import { Queue } from 'bullmq';
import { beforeAll, expect, it } from 'vitest';
import { QUEUE_PREFIX, webKeys } from '../../src/core/keys.ts';
import { createRecoveries } from '../../src/recovery/recovery-store.ts';
import { createNoteArrival } from '../../src/recovery/sent-kinds.ts';
import { channels, people } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { atOnce, holderOf, useCardbell } from '../support/running-cardbell.ts';
import { until } from '../support/until.ts';

/** At the service's own rate limit a recovery would take half a minute. */
const CARD_API_ASSUMPTIONS = JSON.stringify({ callsPerMinute: 6000, detailCallsPerMinute: 6000 });
const cardbell = useCardbell({ pace: atOnce, env: { ALERTS_CHANNEL_SPEND: channels.spend, CARD_API_ASSUMPTIONS } });

const places = [channels.spend, channels.declines, channels.status];
const all = (): string[] => places.flatMap((channel) => cardbell().texts(channel));
const late = (): string[] => all().filter((text) => /late/i.test(text));
const lines = (): string[] => cardbell().texts(channels.ops);

/** Kills the web process and restarts it after `meanwhile`. Meanwhile the service withholds its webhooks. */
async function away(meanwhile: () => Promise<void> | void): Promise<void> {
  const { sandbox, webs, startWeb } = cardbell();
  sandbox.outage(true);
  const web = webs.at(-1);
  web?.kill('SIGKILL');
  await web?.exit;
  await meanwhile();
  await startWeb();
}

/** Creates nine events, at least one of every kind the API can list. @returns the holder whose card was blocked. */
function everything(): { blocked: string } {
  const { sandbox, take } = cardbell();
  const [spender, other, blocked] = [take('ACTIVE', funded), take('ACTIVE', funded), take('ACTIVE')];
  const held = sandbox.purchase({ AcctId: spender.AcctId, Amount: 12 });
  sandbox.settle({ NetworkTransactionId: held.NetworkTransactionId });
  sandbox.refund({ NetworkTransactionId: held.NetworkTransactionId });
  const taken = sandbox.purchase({ AcctId: other.AcctId, Amount: 13 });
  sandbox.reverse({ NetworkTransactionId: taken.NetworkTransactionId });
  sandbox.purchase({ AcctId: other.AcctId, Amount: 14, Pin: 'correct' });
  sandbox.purchase({ AcctId: spender.AcctId, Amount: 99_999 });
  sandbox.purchase({ AcctId: spender.AcctId, Amount: 15, Pin: 'wrong' });
  sandbox.setStatus({ AcctId: blocked.AcctId, CardStatus: 'BLOCKED' });
  return { blocked: holderOf(blocked) };
}

const funded = ({ AvailableBalance }: { AvailableBalance: number }): boolean => AvailableBalance >= 600;

beforeAll(async () => {
  await until(
    async () => (await cardbell().store.exists('{cardbell:in}:web-open')) === 1,
    'the HTTP server is recorded as open',
  );
  // Webhooks of these kinds have an address, so what does not arrive of them was missed.
  const noteArrival = createNoteArrival(createRecoveries(cardbell().store), () => new Date());
  for (const kind of ['authorization', 'pin', 'settlement', 'reversal'] as const) await noteArrival({ kind });
});

it('posts events missed while web was down once, marked late, with a count, and their webhooks add nothing', async () => {
  const { sandbox } = cardbell();
  let made = { blocked: '' };
  await away(() => {
    made = everything();
  });

  await until(() => lines().some((line) => /9 events were missed .*; 9 recovered/.test(line)), 'the count is posted');
  await quiet(cardbell());
  const before = all();
  sandbox.outage(false);
  await until(() => sandbox.pendingWebhooks() === 0, 'every webhook has arrived after all');
  await quiet(cardbell());

  expect(all()).toEqual(before);
  expect(late().join()).toContain(made.blocked);
});

it('/card recover checks on demand and reposts nothing', async () => {
  const { command, waitTold } = cardbell();
  const before = all();

  await command(people.zoe, 'recover 2h');
  await waitTold(people.zoe, /Looking for everything .*since/);
  await until(
    () => lines().some((line) => line.startsWith('No purchase or card status was missed')),
    'it says that nothing was missed',
  );
  await quiet(cardbell());

  expect(all()).toEqual(before);
});

/** Has the webhooks checked as if five minutes had passed, until ops have read `words`. */
async function checkWebhooks(words: RegExp): Promise<void> {
  const { store } = cardbell();
  const maintenance = new Queue('maintenance', { connection: store, prefix: QUEUE_PREFIX });
  await store.hset('{cardbell:in}:recovery:webhooks', { position: new Date(Date.now() - 600_000).toISOString() });
  await until(
    async () => {
      await store.set(webKeys.open, String(Date.now() + 302_000));
      await maintenance.add('check-webhooks', {}, { removeOnComplete: true });
      return lines().some((line) => words.test(line));
    },
    `ops read ${words}`,
    60_000,
    500,
  );
  await maintenance.close();
}

it('posts what happened while no webhook reached web, and tells ops so', async () => {
  const { sandbox, take } = cardbell();
  const { AcctId } = take('ACTIVE', funded);
  sandbox.outage(true);
  sandbox.purchase({ AcctId, Amount: 12 });
  sandbox.purchase({ AcctId, Amount: 99_999 });

  await checkWebhooks(/Needs attention: Webhooks of declines are missing/);
  await until(() => lines().some((line) => /2 events were missed .*; 2 recovered/.test(line)), 'both are fetched');
  await quiet(cardbell());
  const before = all();
  sandbox.outage(false);
  await until(() => sandbox.pendingWebhooks() === 0, 'the webhooks have arrived after all');
  await quiet(cardbell());

  expect(all()).toEqual(before);
});
