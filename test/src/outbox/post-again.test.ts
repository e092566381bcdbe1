import { describe, expect, it } from 'vitest';
import { CardTestingAlert } from '../../../src/alerts/alert.ts';
import { SlackError } from '../../../src/core/errors.ts';
import { outboxKey, stateKey } from '../../../src/core/keys.ts';
import type { OutboxEntry } from '../../../src/outbox/entry.ts';
import type { Batch } from '../../../src/outbox/message-store.ts';
import { heldIn } from '../../support/held-entries.ts';
import { useRedis } from '../../support/on-redis.ts';
import { alertId, createPostingWorld } from '../../support/posting-world.ts';
import { change, statusAlert, transactionAlert } from '../../templates/fixtures.ts';

const redis = useRedis();
const alert = (index: number) => ({ kind: 'alert', id: alertId(index) }) as const;
const ref = { channel: 'C1', ts: '1.000001' };
const refusing = (error: SlackError) => ({ slack: { update: () => Promise.reject(error) } });
const deleted = new SlackError('chat.update', 'refused', 'message_not_found');
const archived = new SlackError('chat.update', 'channel_unusable', 'is_inactive');

type World = ReturnType<typeof createPostingWorld>;

async function waitingIn(world: World, channel: string): Promise<OutboxEntry[]> {
  return (await world.outbox.look(channel, 99)).waiting.map(({ entry }) => entry);
}

/** One message that shows this many alerts. */
async function posted(world: World, count: number, more: object = {}): Promise<void> {
  const entries = (await world.entries(count)).map((entry) => ({ ...entry, ...more }));
  await world.recordPosted(entries, ref, await world.renderEntries(entries, 'C1'));
}

const at = '2026-11-20T14:14:05Z';
const step = (status: 'BLOCKED' | 'ACTIVE') => ({ status, at });
const saveStatuses = async (
  world: World,
  first: 'BLOCKED' | 'ACTIVE',
  ...others: readonly ('BLOCKED' | 'ACTIVE')[]
) => {
  const saved = statusAlert([change({ steps: [step(first), ...others.map(step)] })]);
  await world.alerts.save({ ...saved, event: { ...saved.event, id: alertId(1) } });
};
const saveWarning = async (world: World, cards: number) => {
  const { event, card } = transactionAlert({ id: alertId(1) });
  const warning = { kind: 'card-testing', event, card, outcomes: [], late: false, tried: [] };
  await world.alerts.save(CardTestingAlert.parse(warning));
  for (let acctId = 1; acctId <= cards; acctId += 1) {
    const who = { acctId, alertId: alertId(acctId), holder: null, last4: null };
    const tried = { ...who, count: 1, firstAt: at, lastAt: at, minCents: 100, maxCents: 100 };
    await redis().hset(stateKey(`alert:${alertId(1)}`), `tried:${acctId}`, JSON.stringify(tried));
  }
};

describe('a deleted message', () => {
  it('is reposted once when it changes, and then only the new one is edited', async () => {
    const world = createPostingWorld(redis(), refusing(deleted));
    await posted(world, 1);

    await world.update(alert(0));
    await world.update(alert(0));

    expect(await waitingIn(world, 'C1')).toMatchObject([{ subject: alert(0), audience: 'team' }]);
    expect(await world.trackedMessages.references(alert(0)), 'the deleted one is no longer edited').toEqual([]);
  });

  it('with several alerts is replaced by the alerts that change', async () => {
    const world = createPostingWorld(redis(), refusing(deleted));
    await posted(world, 3);

    await world.update(alert(1));
    expect(await waitingIn(world, 'C1')).toMatchObject([{ subject: alert(1) }]);

    await world.update(alert(2));
    expect(await waitingIn(world, 'C1')).toHaveLength(2);
  });

  it('that was the root of its thread is replaced as the root by the new message', async () => {
    const world = createPostingWorld(redis(), refusing(deleted));
    await posted(world, 1, { threadId: 'purchase-1' });
    expect(await world.threads.rootOf('C1', 'purchase-1')).toBe(ref.ts);

    await world.update(alert(0));

    const entries = await waitingIn(world, 'C1');
    expect(entries).toMatchObject([{ threadId: 'purchase-1' }]);
    expect(await world.threads.rootOf('C1', 'purchase-1')).toBeNull();
    await world.recordPosted(entries, { channel: 'C1', ts: '2.0' }, await world.renderEntries(entries, 'C1'));
    expect(await world.threads.rootOf('C1', 'purchase-1')).toBe('2.0');
  });

  it('is reposted after the quiet hours of its channel', async () => {
    const heldUntil = Date.now() + 600_000;
    const world = createPostingWorld(redis(), { ...refusing(deleted), heldUntil });
    await posted(world, 1);

    await world.update(alert(0));

    expect(await heldIn(redis(), 'C1')).toMatchObject([{ entry: { subject: alert(0) }, untilMs: heldUntil }]);
  });
});

it.each([
  ['warning of card testing', 'fraud', (world: World) => saveWarning(world, 3)],
  ['line about a status', 'status', (world: World) => saveStatuses(world, 'BLOCKED')],
])('a deleted %s is as urgent when it is posted again as it was: %s', async (_what, priority, save) => {
  const world = createPostingWorld(redis(), refusing(deleted));
  const entries = await world.entries(2);
  await save(world);
  await world.recordPosted(entries, ref, await world.renderEntries(entries, 'C1'));

  await world.update(alert(1));

  expect(await waitingIn(world, 'C1')).toMatchObject([{ subject: alert(1), priority }]);
});

describe('a message in an unusable channel', () => {
  it('is posted in the fallback channel when it changes, and ops are notified', async () => {
    const world = createPostingWorld(redis(), refusing(archived));
    await posted(world, 1);

    await world.update(alert(0));

    expect(await waitingIn(world, 'C0ALL')).toMatchObject([{ subject: alert(0) }]);
    expect(await waitingIn(world, 'C1')).toEqual([]);
    expect(world.opsIssues).toMatchObject([{ cause: 'channel:C1:is_inactive' }]);
    expect(await world.edits.waiting('C1'), 'it is not tried again').toBe(0);
  });

  it('is edited at its next change once the channel has been restored', async () => {
    let isArchived = true;
    const update = async (): Promise<void> => {
      if (isArchived) throw archived;
    };
    const world = createPostingWorld(redis(), { slack: { update } });
    await posted(world, 1);
    await world.update(alert(0));
    isArchived = false;

    await world.update(alert(0));

    expect(world.updates).toMatchObject([{ ts: ref.ts }]);
    expect(await waitingIn(world, 'C0ALL'), 'posted there once').toHaveLength(1);
  });

  it('waits to be posted if the channel is ALERTS_CHANNEL itself, and ops are notified', async () => {
    const world = createPostingWorld(redis(), refusing(archived));
    await world.trackedMessages.add({ ...ref, channel: 'C0ALL' }, [
      { subject: alert(0), audience: 'team', threadId: null },
    ]);
    await world.entries(1);

    for (const _change of ['first', 'second']) await world.update(alert(0));

    expect(await waitingIn(world, 'C0ALL'), 'once').toMatchObject([{ subject: alert(0) }]);
    expect(world.opsIssues[0]).toMatchObject({ cause: 'channel:C0ALL:is_inactive' });
  });

  it('is not posted in the fallback channel if it is already there', async () => {
    const world = createPostingWorld(redis(), refusing(archived));
    await posted(world, 1);
    await world.trackedMessages.add({ channel: 'C0ALL', ts: '2.0' }, [
      { subject: alert(0), audience: 'team', threadId: null },
    ]);

    await world.askForEdits(alert(0));
    await world.flush('C1');

    expect(await waitingIn(world, 'C0ALL')).toEqual([]);
  });

  it('with several alerts, whose changes are known no longer, concerns no person and is not tried', async () => {
    const world = createPostingWorld(redis(), refusing(archived));
    await posted(world, 3);
    await world.askForEdits(alert(0));
    await redis().del(outboxKey('C1', `asked:${ref.ts}`));

    await world.flush('C1');

    expect(world.opsIssues).toEqual([]);
    expect(await world.edits.waiting('C1')).toBe(0);
  });

  it('is posted nowhere else if it is for a cardholder', async () => {
    const world = createPostingWorld(redis(), refusing(archived));
    await posted(world, 1, { audience: 'holder' });

    await world.update(alert(0));

    expect(await waitingIn(world, 'C0ALL')).toEqual([]);
    expect(world.opsIssues).toMatchObject([{ cause: 'person:U0HUGO' }]);
  });
});

describe('a request in a channel that was shared with another company since', () => {
  const request = { kind: 'request', id: 'req_1' } as const;
  const sent: string[] = [];
  const slack = {
    post: async (channel: string, { text }: { text: string }) => {
      sent.push(`${channel} ${text}`);
      return { channel, ts: `2.00000${sent.length}` };
    },
  };

  async function shared(more: object = {}): Promise<World> {
    sent.length = 0;
    const options = { slack, shared: ['C1'], request: async () => ({ text: 'For Jane Doe.', blocks: [] }), ...more };
    const world = createPostingWorld(redis(), options);
    await world.trackedMessages.add(ref, [{ subject: request, audience: 'team', threadId: null }]);
    return world;
  }

  it('is hidden there when it changes, and posted once in another channel of the team', async () => {
    const world = await shared({ unshared: 'C0OPS' });

    for (const _change of ['first', 'second']) {
      await world.update(request);
      await redis().del(outboxKey('C1', 'paused'));
      await world.flush('C1');
      await world.flush('C0OPS');
    }

    expect(world.updates.filter(({ ts }) => ts === ref.ts).map(({ text }) => text)).toEqual([
      expect.stringMatching(/no longer shown/),
    ]);
    expect(sent).toEqual(['C0OPS For Jane Doe.']);
    expect(world.updates.at(-1), 'and kept up to date there').toMatchObject({ text: 'For Jane Doe.' });
  });

  it('is one message when the only channel is shared for a time, and moves again if it is shared again', async () => {
    const channels = ['C1'];
    const world = await shared({ shared: channels, opsChannel: 'C1' });
    const change = async (): Promise<void> => {
      await world.update(request);
      for (let run = 0; run < 3; run += 1) {
        await redis().del(outboxKey('C1', 'paused'));
        await world.flush('C1');
      }
    };

    await change();
    expect(sent).toEqual([]);
    channels.pop();
    await change();
    await change();

    expect(sent).toEqual(['C1 For Jane Doe.']);
    expect(await world.trackedMessages.references(request)).toMatchObject([{ channel: 'C1', ts: '2.000001' }]);
    expect(world.updates.filter(({ ts }) => ts === ref.ts)).toHaveLength(1);

    channels.push('C1');
    await change();
    channels.pop();
    await change();
    expect(sent).toEqual(['C1 For Jane Doe.', 'C1 For Jane Doe.']);
    expect(await world.trackedMessages.references(request)).toMatchObject([{ channel: 'C1', ts: '2.000002' }]);
  });

  it('moves also if its other message is in a channel that was archived', async () => {
    const update = async ({ channel }: { channel: string }): Promise<void> => {
      if (channel === 'C0GONE') throw archived;
    };
    const world = await shared({ slack: { ...slack, update }, shared: ['C0ALL'], unshared: 'C0OPS' });
    await world.trackedMessages.forget(ref);
    for (const channel of ['C0GONE', 'C0ALL'])
      await world.trackedMessages.add({ channel, ts: '1.2' }, [{ subject: request, audience: 'team', threadId: null }]);

    await world.askForEdits(request);
    for (const channel of ['C0GONE', 'C0ALL', 'C0ALL', 'C0OPS']) {
      await redis().del(outboxKey(channel, 'paused'));
      await world.flush(channel);
    }

    expect(sent).toEqual(['C0OPS For Jane Doe.']);
  });

  it('is not posted again if the team reads it in another channel', async () => {
    const world = await shared({ unshared: 'C0OPS' });
    await world.trackedMessages.add({ channel: 'C2', ts: '1.2' }, [
      { subject: request, audience: 'team', threadId: null },
    ]);

    await world.update(request);
    await world.flush('C1');

    expect(await waitingIn(world, 'C0OPS')).toEqual([]);
  });
});

describe('a repeated decline', () => {
  const repeats = (count: number): string => `${count} 100 100 2026-11-20T15:00:00Z 2026-11-20T15:01:00Z`;
  const inForm = async (world: World, form: Batch['form']) => {
    const entries = await world.entries(3);
    const alerts = entries.map(({ id }) => ({ id, label: id, times: 1 }));
    await world.recordPosted(entries, ref, await world.renderEntries(entries, 'C1'));
    await world.batchMessages.put(ref, { why: 'busy', audience: 'team', form, alerts });
  };
  const repeat = async (world: World, count: number): Promise<void> => {
    await world.alerts.save(transactionAlert({ id: alertId(1) }));
    await redis().hset(`{cardbell:state}:alert:${alertId(1)}`, 'repeats:C1', repeats(count));
    await world.update(alert(1));
  };

  it('in a summary gets its own message once, while the attached file stays unchanged', async () => {
    const world = createPostingWorld(redis());
    await inForm(world, 'summary');

    await repeat(world, 2);
    await repeat(world, 3);

    const entries = await waitingIn(world, 'C1');
    expect(entries.filter(({ kind }) => kind === 'tracked')).toMatchObject([{ subject: alert(1) }]);
    const draft = await world.renderEntries(
      entries.filter(({ kind }) => kind === 'tracked'),
      'C1',
    );
    expect(JSON.stringify(draft)).toContain('3 times');
  });

  it.each(['list', 'table'] as const)('is updated in its row of a %s', async (form) => {
    const world = createPostingWorld(redis());
    await inForm(world, form);

    await repeat(world, 2);

    expect(await waitingIn(world, 'C1')).toEqual([]);
    expect(world.updates).toHaveLength(1);
  });

  it('in a summary gets no message if it was not repeated', async () => {
    const world = createPostingWorld(redis());
    await inForm(world, 'summary');

    await world.update(alert(1));

    expect((await waitingIn(world, 'C1')).filter(({ kind }) => kind === 'tracked')).toEqual([]);
  });
});

describe('an alert that gained information after its row was attached to a summary', () => {
  it.each([
    [
      'another status of the card',
      (world: World) => saveStatuses(world, 'BLOCKED'),
      (world: World) => saveStatuses(world, 'BLOCKED', 'ACTIVE'),
    ],
    ['another card of a warning', (world: World) => saveWarning(world, 3), (world: World) => saveWarning(world, 4)],
  ])('with %s is posted once in its own message', async (_what, before, after) => {
    const world = createPostingWorld(redis());
    const entries = await world.entries(150);
    await before(world);
    await world.recordPosted(entries, ref, await world.renderEntries(entries, 'C1'));
    const posted = async () => (await waitingIn(world, 'C1')).filter(({ kind }) => kind === 'tracked');

    await world.update(alert(1));
    expect(await posted(), 'nothing is new').toEqual([]);
    await after(world);
    await world.update(alert(1));
    await world.update(alert(1));

    expect(await posted()).toMatchObject([{ subject: alert(1) }]);
  });
});

it('does not count an entry as posted if Redis lost its alert, and posts it once its job has saved the alert again', async () => {
  const texts: string[] = [];
  const post = async (channel: string, { text }: { text: string }) => {
    texts.push(text);
    return { channel, ts: `${texts.length}.000001` };
  };
  const world = createPostingWorld(redis(), { slack: { post } });
  const entries = await world.entries(3);
  for (const entry of entries) await world.outbox.put('C1', entry);
  await redis().del(stateKey(`alert:${alertId(1)}`));

  await world.flush('C1').then(() => redis().del(outboxKey('C1', 'paused')));
  await world.entries(3);
  const again = await Promise.all(entries.map((entry) => world.outbox.put('C1', entry)));
  await world.flush('C1');

  expect(again, 'whether each entry was added again').toEqual([false, true, false]);
  expect(texts).toHaveLength(2);
  expect(await world.outbox.sentAt('C1', [alertId(1)])).toEqual(['2.000001']);
});
