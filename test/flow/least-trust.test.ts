import { Queue } from 'bullmq';
import { expect, it } from 'vitest';
import { freePort } from '../../local/port.ts';
import { QUEUE_PREFIX } from '../../src/core/keys.ts';
import { createSigner } from '../../src/core/sign.ts';
import { channels, people, secrets } from '../support/people.ts';
import { ask } from '../support/perform-world.ts';
import { atOnce, holderOf, useCardbell } from '../support/running-cardbell.ts';
import { until } from '../support/until.ts';

const cardbell = useCardbell({ pace: atOnce });
const { sign } = createSigner(secrets.botToken, 'action');

/** A block by Olga, as the web process would enqueue it. */
const blockOf = (acctId: number, id: string) =>
  ask('block', {
    id,
    target: { kind: 'card', acctId, cardId: null, alertId: null },
    actor: { userId: people.olga, teamId: 'T1' },
    origin: { kind: 'command', channel: channels.alerts, messageTs: null, reply: null, replace: false },
    askedAt: new Date().toISOString(),
  });

/** Adds a job, as anyone with access to Redis could. */
async function intoQueue(data: object, id: string): Promise<void> {
  const queue = new Queue('actions', { connection: cardbell().store as never, prefix: QUEUE_PREFIX });
  await queue.add('perform-action', data, { jobId: id, removeOnComplete: true, removeOnFail: true });
  await queue.close();
}

/** Whether the inbox and the queue are empty. The log repeats a line only once a minute, so it cannot show this. */
async function isWorkedOff(): Promise<boolean> {
  const queue = new Queue('actions', { connection: cardbell().store as never, prefix: QUEUE_PREFIX });
  const open = await queue.getJobCounts('waiting', 'active', 'delayed', 'prioritized');
  await queue.close();
  const isEmpty = Object.values(open).every((count) => count === 0);
  return isEmpty && (await cardbell().store.xlen('{cardbell:in}:actions')) === 0;
}

it('does not perform an action forged in the queue or the inbox, and notifies ops', async () => {
  const { take, store, waitFor, writes } = cardbell();
  const { AcctId } = take('ACTIVE');
  const before = writes().length;
  const forged = blockOf(AcctId, 'act_forged1');

  await intoQueue({ action: forged, signature: '' }, forged.id);
  await waitFor(channels.ops, /An action in the queue was rejected/);
  const altered = { ...blockOf(AcctId, 'act_forged2'), reason: 'altered' };
  await intoQueue({ action: altered, signature: sign(blockOf(AcctId, 'act_forged2')) }, altered.id);
  const other = blockOf(AcctId, 'act_forged3');
  const entry = JSON.stringify({ type: 'action', action: other, signature: sign({ action: other }) });
  await store.xadd('{cardbell:in}:actions', '*', 'entry', entry);
  await until(isWorkedOff, 'all three are processed');

  expect(writes()).toHaveLength(before);
});

it('performs an action signed by the web process once, however often it is replayed', async () => {
  const { take, account, writes } = cardbell();
  const { AcctId } = take('ACTIVE');
  const action = blockOf(AcctId, 'act_genuine1');
  const signed = { action, signature: sign(action) };
  await intoQueue(signed, action.id);
  await until(() => account(AcctId).CardList[0]?.CardStatus === 'BLOCKED', 'the card is blocked');
  await until(
    async () => (await cardbell().store.exists('{cardbell:state}:performed:act_genuine1')) === 1,
    'the action is finished',
  );
  const before = writes().length;
  // Two minutes later, when a crash of the worker no longer explains the repetition.
  await cardbell().store.set('{cardbell:state}:performed:act_genuine1', Date.now() - 120_000);

  await intoQueue(signed, 'replayed');
  await until(isWorkedOff, 'the replay is processed');

  expect(writes()).toHaveLength(before);
});

it('restores nothing from a temporary change that was altered in Redis', async () => {
  const { command, press, take, store, waitFor, waitTold, workspace, writes, account } = cardbell();
  const card = take('ACTIVE');
  await command(people.ana, `limit ${card.AcctId} daily 40 for 1 hour`);
  await waitTold(people.ana, new RegExp(`^Limit changed: ${holderOf(card)}`));
  const shown = await workspace.waitForMessage(
    ({ text, blocks }) => text.includes(holderOf(card)) && JSON.stringify(blocks).includes('revert_now'),
  );
  const kept = Object.entries(await store.hgetall('{cardbell:state}:temporary-changes'));
  const [id = '', text = ''] = kept.find(([, one]) => one.includes(String(card.AcctId))) ?? [];
  const before = writes().length;
  const change = JSON.parse(text) as { changes: { from: number | null }[] };
  const altered = { ...change, changes: change.changes.map((one) => ({ ...one, from: 9_999_900 })) };
  await store.hset('{cardbell:state}:temporary-changes', id, JSON.stringify(altered));

  await press(people.ana, shown, 'revert_now');
  await waitFor(channels.ops, /not written by a worker of Cardbell|someone else has changed them in Redis/);

  expect(writes()).toHaveLength(before);
  expect(account(card.AcctId).SpendRules.DailySpendLimit).toBe(40);
});

it('the web process drops the token of the card API', async () => {
  const web = await cardbell().startWeb({ PORT: String(await freePort()), CARD_API_TOKEN: secrets.apiToken });

  expect(web.lines.join()).toMatch(/CARD_API_TOKEN: the web process must not have this secret/);
});
