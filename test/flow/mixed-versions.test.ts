import { describe, expect, it } from 'vitest';
import { createAuditReader } from '../../src/audit/audit.ts';
import { outboxKey, stateKey } from '../../src/core/keys.ts';
import { closeQueues, openQueues } from '../../src/core/queues.ts';
import { channels, people } from '../support/people.ts';
import { ask } from '../support/perform-world.ts';
import { atOnce, holderOf, useCardbell } from '../support/running-cardbell.ts';
import { until } from '../support/until.ts';

const cardbell = useCardbell({ pace: atOnce });
const { olga } = people;

/** Adds an entry to a channel's outbox as a newer version would. */
async function putNewer(channel: string, id: string, entry: object): Promise<void> {
  const { store } = cardbell();
  await store.sadd(stateKey('outbox-channels'), channel);
  await store.hset(outboxKey(channel, 'entries'), id, JSON.stringify({ id, ...entry }));
  await store.zadd(outboxKey(channel, 'queue'), 1, id);
}
const notice = (text: string) => ({
  kind: 'notice',
  message: { text, blocks: [] },
  audience: 'team',
  priority: 'fraud',
});

describe('an outbox entry written by a newer version', () => {
  it('is posted if it only has an additional field', async () => {
    const { waitFor } = cardbell();
    await putNewer(channels.alerts, 'newer-field', { ...notice('A notice with a field more.'), tint: 'red' });

    await waitFor(channels.alerts, /A notice with a field more/);
  });

  it('of an unknown kind does not block other entries; ops are notified and can replay it', async () => {
    const { store, command, waitTold, waitFor, take } = cardbell();
    await putNewer(channels.alerts, 'newer-kind', { kind: 'poll', question: 'Lunch?' });
    await putNewer(channels.alerts, 'behind', notice('The next entry of the channel.'));

    await waitFor(channels.alerts, /The next entry of the channel/);
    await waitFor(channels.ops, /A job failed for good \(outbox\/repost-entry\)/);

    expect(await store.hexists(outboxKey(channels.alerts, 'entries'), 'newer-kind')).toBe(0);
    const queues = openQueues(store);
    const [failed] = await queues.outbox.getFailed();
    expect(failed?.data).toEqual({
      channel: channels.alerts,
      entry: { id: 'newer-kind', kind: 'poll', question: 'Lunch?' },
    });
    await closeQueues(queues);
    // Everything else keeps working.
    const card = take('ACTIVE');
    await command(olga, `block ${card.AcctId}`);
    await waitTold(olga, new RegExp(`^Blocked: ${holderOf(card)}`));
  });
});

it('an action that this version cannot read fails for good, is on record, and notifies the requester and ops', async () => {
  const { store, waitTold, waitFor, workspace } = cardbell();
  const queues = openQueues(store);
  const action = ask('block', { id: 'act_newer1', actor: { userId: olga, teamId: 'T1' } });
  const origin = { ...action.origin, kind: 'command', channel: channels.alerts, messageTs: null };
  // A late answer would be a direct message.
  const askedAt = new Date().toISOString();
  const data = { ...action, origin, askedAt, target: { kind: 'kind-of-a-newer-version', id: 'x1' } };

  await queues.actions.add('perform-action', data, {
    jobId: 'act_newer1',
    attempts: 2,
    backoff: { type: 'fixed', delay: 100 },
  });

  await waitTold(olga, /Not done: Your request to block cards/);
  await waitFor(channels.ops, /A job failed for good \(actions\/perform-action\)/);
  const events: string[] = [];
  for await (const { record } of createAuditReader(store).read()) {
    if (record?.actionId === 'act_newer1') events.push(record.event);
  }
  expect(events).toEqual(['failed']);
  expect(workspace.ephemerals(olga).filter(({ text }) => text.includes('Your request to block cards'))).toHaveLength(1);
  await until(async () => (await queues.actions.getFailedCount()) === 1, 'the failed job is kept for replay');
  await closeQueues(queues);
});
