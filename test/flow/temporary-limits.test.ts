import { Queue } from 'bullmq';
import { afterAll, expect, it } from 'vitest';
import type { SandboxAccount } from '../../sandbox/server.ts';
import { channels, people } from '../support/people.ts';
import { holderOf, useCardbell } from '../support/running-cardbell.ts';
import { until } from '../support/until.ts';

const cardbell = useCardbell();
const { ana } = people;
const queues: Queue[] = [];

afterAll(async () => {
  await Promise.all(queues.map((queue) => queue.close()));
});

const limitOf = ({ AcctId }: SandboxAccount) => cardbell().account(AcctId).SpendRules.DailySpendLimit;

async function setLimit(card: SandboxAccount, words: string): Promise<string> {
  const since = Math.max(
    0,
    ...cardbell()
      .workspace.ephemerals(ana)
      .map(({ ts }) => Number(ts)),
  );
  await cardbell().command(ana, `limit ${card.AcctId} daily ${words}`);
  return (await cardbell().waitTold(ana, new RegExp(holderOf(card)), since)).text;
}

/** The hour is over: wakes what would wake by itself. */
async function end(card: SandboxAccount, setDollars: number): Promise<void> {
  const queue = new Queue('upkeep', { connection: cardbell().store as never, prefix: '{cardbell:queue}' });
  queues.push(queue);
  const leases = Object.values(await cardbell().store.hgetall('{cardbell:state}:leases')).map((text) =>
    JSON.parse(text),
  );
  const lease = leases.find(({ acctId, setCents }) => acctId === card.AcctId && setCents === setDollars * 100);
  const job = await queue.getJob(`lease-${lease?.id}`);
  await job?.promote();
  await until(
    async () => (await cardbell().store.hexists('{cardbell:state}:leases', lease?.id ?? '')) === 0,
    'the temporary limit has ended',
  );
}

it('a limit for a time says when it goes back, and goes back', async () => {
  const card = cardbell().take('ACTIVE');
  await setLimit(card, '200');

  const told = await setLimit(card, '600 for 4h team lunch');
  expect(told).toContain('Goes back to $200.00 by itself in 4 hours');
  expect(limitOf(card)).toBe(600);
  await end(card, 600);

  expect(limitOf(card)).toBe(200);
  await cardbell().waitFor(channels.audit, new RegExp(`put back the daily limit of ${holderOf(card)}`));
});

it('what somebody changed meanwhile is left alone, and the audit channel says so', async () => {
  const card = cardbell().take('ACTIVE');
  await setLimit(card, '200');
  await setLimit(card, '600 for 1m');
  const { SpendRules } = cardbell().account(card.AcctId);
  // Made in the service's own pages: Cardbell does not hear of it.
  await fetch(`${cardbell().sandbox.url}/Card/SpendRules/${card.AcctId}/Advanced`, {
    method: 'PUT',
    headers: { authorization: 'token api-token-6a9c3e5f', 'content-type': 'application/json' },
    body: JSON.stringify({ ...SpendRules, DailySpendLimit: 350 }),
  });

  await end(card, 600);

  expect(limitOf(card)).toBe(350);
  await cardbell().waitFor(channels.audit, new RegExp(`left the daily limit of ${holderOf(card)}`));
});

it('without “for”, a limit that was temporary stays', async () => {
  const card = cardbell().take('ACTIVE');
  await setLimit(card, '200');
  await setLimit(card, '600 for 1h');

  const told = await setLimit(card, '600');

  expect(told).toContain('now it stays');
  expect(limitOf(card)).toBe(600);
  const open = Object.values(await cardbell().store.hgetall('{cardbell:state}:leases'));
  expect(open.filter((text) => JSON.parse(text).acctId === card.AcctId)).toEqual([]);
});

it('two limits for a time, one in the other, both end', async () => {
  const card = cardbell().take('ACTIVE');
  await setLimit(card, '200');
  await setLimit(card, '300 for 4h');
  expect(await setLimit(card, '400 for 1h')).toContain('Goes back to $300.00');

  await end(card, 400);
  expect(limitOf(card)).toBe(300);
  await end(card, 300);

  expect(limitOf(card)).toBe(200);
});

it('a longer one on top of a shorter one goes back to what was there before both', async () => {
  const card = cardbell().take('ACTIVE');
  await setLimit(card, '200');
  await setLimit(card, '300 for 1h');

  expect(await setLimit(card, '400 for 4h')).toContain('Goes back to $200.00');
  await end(card, 400);

  expect(limitOf(card)).toBe(200);
});
