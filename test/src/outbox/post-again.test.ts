import { describe, expect, it } from 'vitest';
import { CardTestingAlert } from '../../../src/alerts/alert.ts';
import { SlackError } from '../../../src/core/errors.ts';
import { outboxKey, stateKey } from '../../../src/core/keys.ts';
import type { OutboxEntry } from '../../../src/outbox/entry.ts';
import type { Batch } from '../../../src/outbox/message-store.ts';
import { useRedis } from '../../support/on-redis.ts';
import { alertId, createPostingWorld } from '../../support/posting-world.ts';
import { change, statusAlert, transactionAlert } from '../../templates/fixtures.ts';

const redis = useRedis();
const alert = (index: number) => ({ kind: 'alert', id: alertId(index) }) as const;
const ref = { channel: 'C1', ts: '1.000001' };
const refusing = (error: SlackError) => ({ slack: { update: () => Promise.reject(error) } });
const deleted = new SlackError('chat.update', 'refused', 'message_not_found');
const archived = new SlackError('chat.update', 'channel_unusable', 'is_archived');

type World = ReturnType<typeof createPostingWorld>;

async function waitingIn(world: World, channel: string): Promise<OutboxEntry[]> {
  return (await world.outbox.look(channel, 99)).waiting.map(({ entry }) => entry);
}

/** One message that shows so many alerts. */
async function posted(world: World, count: number, more: object = {}): Promise<void> {
  const entries = (await world.entries(count)).map((entry) => ({ ...entry, ...more }));
  await world.recordPosted(entries, ref, await world.renderEntries(entries, 'C1'));
}

describe('a message that somebody deleted', () => {
  it('is posted again when it changes, once, and is edited from then on', async () => {
    const world = createPostingWorld(redis(), refusing(deleted));
    await posted(world, 1);

    await world.update(alert(0));
    await world.update(alert(0));

    expect(await waitingIn(world, 'C1')).toMatchObject([{ subject: alert(0), audience: 'team' }]);
    expect(await world.trackedMessages.references(alert(0)), 'the deleted one is not edited any more').toEqual([]);
  });

  it('with several alerts is replaced by those that change', async () => {
    const world = createPostingWorld(redis(), refusing(deleted));
    await posted(world, 3);

    await world.update(alert(1));
    expect(await waitingIn(world, 'C1')).toMatchObject([{ subject: alert(1) }]);

    await world.update(alert(2));
    expect(await waitingIn(world, 'C1')).toHaveLength(2);
  });

  it('was the first of its thread: the new message becomes the first', async () => {
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

  it('is posted again after the quiet hours of its channel', async () => {
    const heldUntil = Date.now() + 600_000;
    const world = createPostingWorld(redis(), { ...refusing(deleted), heldUntil });
    await posted(world, 1);

    await world.update(alert(0));

    expect(await world.outbox.held('C1')).toMatchObject([{ entry: { subject: alert(0) }, untilMs: heldUntil }]);
  });
});

describe('a message in a channel that cannot be posted to', () => {
  it('is posted in the fallback channel when it changes, and ops are told', async () => {
    const world = createPostingWorld(redis(), refusing(archived));
    await posted(world, 1);

    await world.update(alert(0));

    expect(await waitingIn(world, 'C0ALL')).toMatchObject([{ subject: alert(0) }]);
    expect(await waitingIn(world, 'C1')).toEqual([]);
    expect(world.opsIssues).toMatchObject([{ cause: 'channel:C1:is_archived' }]);
  });

  it('is not posted in the fallback channel when it stands there already', async () => {
    const world = createPostingWorld(redis(), refusing(archived));
    await posted(world, 1);
    await world.trackedMessages.add({ channel: 'C0ALL', ts: '2.0' }, [
      { subject: alert(0), audience: 'team', threadId: null },
    ]);

    await world.askForEdits(alert(0));
    await world.flush('C1');

    expect(await waitingIn(world, 'C0ALL')).toEqual([]);
  });

  it('is for the holder of a card: it is posted nowhere else', async () => {
    const world = createPostingWorld(redis(), refusing(archived));
    await posted(world, 1, { audience: 'holder' });

    await world.update(alert(0));

    expect(await waitingIn(world, 'C0ALL')).toEqual([]);
    expect(world.opsIssues).toMatchObject([{ cause: 'person:C1' }]);
  });
});

describe('a decline that is repeated', () => {
  const repeats = (count: number): string => `${count} 100 100 2026-11-20T15:00:00Z 2026-11-20T15:01:00Z`;
  const inForm = async (world: World, form: Batch['form']) => {
    const entries = await world.entries(3);
    const alerts = entries.map(({ id }) => ({ id, label: id, times: 1 }));
    await world.recordPosted(entries, ref, await world.renderEntries(entries, 'C1'));
    await world.batchMessages.save('C1', ref.ts, { why: 'busy', audience: 'team', form, alerts });
  };
  const repeat = async (world: World, count: number): Promise<void> => {
    await world.alerts.save(transactionAlert({ id: alertId(1) }));
    await redis().hset(`{cardbell:state}:alert:${alertId(1)}`, 'repeats:C1', repeats(count));
    await world.update(alert(1));
  };

  it('gets a message of its own when it stands in a summary, whose rows are counted and whose file is not changed', async () => {
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

  it.each(['list', 'table'] as const)('is shown in its row of a %s', async (form) => {
    const world = createPostingWorld(redis());
    await inForm(world, form);

    await repeat(world, 2);

    expect(await waitingIn(world, 'C1')).toEqual([]);
    expect(world.updates).toHaveLength(1);
  });

  it('changes nothing that a summary does not show when it was not repeated', async () => {
    const world = createPostingWorld(redis());
    await inForm(world, 'summary');

    await world.update(alert(1));

    expect((await waitingIn(world, 'C1')).filter(({ kind }) => kind === 'tracked')).toEqual([]);
  });
});

describe('an alert that tells of more than when its row was attached to a summary', () => {
  const at = '2026-11-20T14:14:05Z';
  const saveStatuses = async (world: World, ...statuses: readonly ('BLOCKED' | 'ACTIVE')[]) => {
    const saved = statusAlert([change({ steps: statuses.map((status) => ({ status, at })) })]);
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

  it.each([
    [
      'another status of the card',
      (world: World) => saveStatuses(world, 'BLOCKED'),
      (world: World) => saveStatuses(world, 'BLOCKED', 'ACTIVE'),
    ],
    ['another card of a warning', (world: World) => saveWarning(world, 3), (world: World) => saveWarning(world, 4)],
  ])('%s is posted in a message of its own, once', async (_what, before, after) => {
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

it('an entry whose alert Redis has lost does not count as posted: it is posted once its job has saved it again', async () => {
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

  expect(again, 'entries that were put again').toEqual([false, true, false]);
  expect(texts).toHaveLength(2);
  expect(await world.outbox.sentAt('C1', [alertId(1)])).toEqual(['2.000001']);
});
