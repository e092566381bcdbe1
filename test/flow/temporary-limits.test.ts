import { describe, expect, it } from 'vitest';
import type { SandboxAccount } from '../../sandbox/server.ts';
import type { StoredMessage } from '../../workspace/server.ts';
import { alterRecord } from '../support/alter-record.ts';
import { channels, people } from '../support/people.ts';
import { atOnce, holderOf, useCardbell } from '../support/running-cardbell.ts';
import { until } from '../support/until.ts';
import { wakeJob } from '../support/wake-job.ts';

const cardbell = useCardbell({ pace: atOnce });
const { ana, ben, zoe, olga } = people;

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

type KeptTemporaryChange = { id: string; acctId: number; changes: readonly { to: number }[] };

async function temporaryChangeOf(card: SandboxAccount, setDollars: number): Promise<[string, KeptTemporaryChange]> {
  const kept = Object.entries(await cardbell().store.hgetall('{cardbell:state}:temporary-changes'));
  const found = kept
    .map(([id, text]): [string, KeptTemporaryChange] => [id, JSON.parse(text)])
    .find(([, { acctId, changes }]) => acctId === card.AcctId && changes[0]?.to === setDollars * 100);
  if (found === undefined) throw new Error('no such temporary change');
  return found;
}

/** Ends a temporary change now, as if its hour were up. */
async function promote(card: SandboxAccount, setDollars: number): Promise<string> {
  const [id] = await temporaryChangeOf(card, setDollars);
  await wakeJob(cardbell().store, `temporary-change-${id}`);
  return id;
}

async function end(card: SandboxAccount, setDollars: number): Promise<void> {
  const id = await promote(card, setDollars);
  const isOpen = async () => (await cardbell().store.hexists('{cardbell:state}:temporary-changes', id)) === 1;
  await until(async () => !(await isOpen()), 'the temporary limit has ended');
}

function writesOf({ AcctId }: SandboxAccount): number {
  return cardbell()
    .writes()
    .filter(({ path }) => path.includes(`/${AcctId}`)).length;
}

it('a temporary limit says when it ends, and is restored', async () => {
  const card = cardbell().take('ACTIVE');
  await setLimit(card, '200');

  const told = await setLimit(card, '600 for 4h team lunch');
  expect(told).toMatch(/Goes back to \$200\.00 <!date\^\d+\^automatically /);
  expect(limitOf(card)).toBe(600);
  await end(card, 600);

  expect(limitOf(card)).toBe(200);
  await cardbell().waitFor(channels.audit, new RegExp(`put back the daily limit of ${holderOf(card)}`));
});

describe('a change made in the meantime', () => {
  async function asks(): Promise<{ card: SandboxAccount; question: StoredMessage }> {
    const card = cardbell().take('ACTIVE');
    await setLimit(card, '200');
    await setLimit(card, '600 for 1m');
    await cardbell().inPortal(card, { DailySpendLimit: 350 });
    await promote(card, 600);
    const question = await cardbell().waitFor(channels.approvals, new RegExp(`Put back\\?.*${holderOf(card)}`));
    expect(limitOf(card)).toBe(350);
    return { card, question };
  }

  it('is not overwritten: people are asked, and the limit is restored on their approval', async () => {
    const { card, question } = await asks();
    const since = Date.now() / 1000;

    await cardbell().press(olga, question, 'put_back');
    await cardbell().waitTold(olga, /Only approvers/, since);
    await Promise.all([cardbell().press(ben, question, 'put_back'), cardbell().press(zoe, question, 'leave_it')]);
    await until(() => !cardbell().now(question).text.startsWith('Put back?'), 'it is decided');

    const text = cardbell().now(question).text;
    expect(limitOf(card)).toBe(text.startsWith('Ended') ? 200 : 350);
    expect(JSON.stringify(cardbell().now(question).blocks)).not.toContain('leave_it');
  });

  it('is kept if people decide so, and the record names who decided', async () => {
    const { card, question } = await asks();

    await cardbell().press(ben, question, 'leave_it');
    await until(() => cardbell().now(question).text.startsWith('Left as it is'), 'it is decided');

    expect(limitOf(card)).toBe(350);
    await cardbell().waitFor(channels.audit, new RegExp(`<@${ben}> left the daily limit of ${holderOf(card)}`));
  });
});

describe('a temporary limit', () => {
  it('has a message with its end, and an operator can revert it early', async () => {
    const card = cardbell().take('ACTIVE');
    await setLimit(card, '200');
    await setLimit(card, '600 for 4h');
    const shown = await cardbell().waitFor(channels.approvals, new RegExp(`Temporary.*${holderOf(card)}`));
    expect(JSON.stringify(shown.blocks)).toMatch(/Goes back to \$200\.00 <!date/);

    await Promise.all([cardbell().press(olga, shown, 'revert_now'), cardbell().press(olga, shown, 'revert_now')]);
    await until(() => cardbell().now(shown).text.startsWith('Ended'), 'the message says so');

    expect(limitOf(card)).toBe(200);
    expect(cardbell().now(shown).text).toContain(`<@${olga}>`);
    expect(JSON.stringify(cardbell().now(shown).blocks)).not.toContain('revert_now');
    expect(writesOf(card)).toBe(3);
    await cardbell().workspace.waitForMessage(
      ({ channel, text }) => channel.startsWith('D') && text.includes(holderOf(card)) && text.includes('Back to'),
      60_000,
    );
  });

  it('is restored once by the next worker if its worker was killed', async () => {
    const card = cardbell().take('ACTIVE');
    await setLimit(card, '200');
    await setLimit(card, '600 for 4h');
    cardbell().workers[0]?.kill('SIGKILL');
    await cardbell().workers[0]?.exit;
    const [id] = await temporaryChangeOf(card, 600);
    const endsAt = new Date(Date.now() - 60_000).toISOString();
    const place = ['{cardbell:state}:temporary-changes', id] as const;
    await alterRecord(cardbell().store, 'temporary change', place, () => ({ endsAt }));

    await cardbell().startWorker();
    await until(() => limitOf(card) === 200, 'it is restored', 60_000);
    await until(
      async () => (await cardbell().store.hexists('{cardbell:state}:temporary-changes', id)) === 0,
      'it is settled',
    );

    expect(writesOf(card)).toBe(3);
  }, 90_000);
});

it('a new limit without “for” makes a temporary limit permanent', async () => {
  const card = cardbell().take('ACTIVE');
  await setLimit(card, '200');
  await setLimit(card, '600 for 1h');

  const told = await setLimit(card, '600');

  expect(told).toContain('now it is permanent');
  expect(limitOf(card)).toBe(600);
  const open = Object.values(await cardbell().store.hgetall('{cardbell:state}:temporary-changes'));
  expect(open.filter((text) => JSON.parse(text).acctId === card.AcctId)).toEqual([]);
});

it('ends both of two overlapping temporary limits', async () => {
  const card = cardbell().take('ACTIVE');
  await setLimit(card, '200');
  await setLimit(card, '300 for 4h');
  expect(await setLimit(card, '400 for 1h')).toContain('Goes back to $300.00');

  await end(card, 400);
  expect(limitOf(card)).toBe(300);
  await end(card, 300);

  expect(limitOf(card)).toBe(200);
});

it('restores the original limit after a longer temporary limit replaced a shorter one', async () => {
  const card = cardbell().take('ACTIVE');
  await setLimit(card, '200');
  await setLimit(card, '300 for 1h');

  expect(await setLimit(card, '400 for 4h')).toContain('Goes back to $200.00');
  await end(card, 400);

  expect(limitOf(card)).toBe(200);
});
