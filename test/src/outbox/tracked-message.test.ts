import { describe, expect, it } from 'vitest';
import { alertKey } from '../../../src/alerts/event-log.ts';
import { OutboxEntry } from '../../../src/outbox/entry.ts';
import { createPostTracked } from '../../../src/outbox/tracked-message.ts';
import type { MessageRef } from '../../../src/slack/message.ts';
import { approvalRequest } from '../../../templates/approvals/approval-request.ts';
import { approvalClick, askedToPay, denial } from '../../support/asked-for-more.ts';
import { useRedis } from '../../support/on-redis.ts';
import { createActionWorld, performAction } from '../../support/perform-world.ts';
import { alertId, createPostingWorld } from '../../support/posting-world.ts';

const redis = useRedis();
const ref = { channel: 'C0APPROVALS', ts: '1.1' };
const request = { kind: 'request', id: 'req_ask1' } as const;
const entry = OutboxEntry.parse({ kind: 'tracked', id: 'request-req_ask1', subject: request });

it.each([
  ['nobody has clicked yet', [], 0],
  ['one of two has approved', [approvalClick('act_ben', 'U0BEN')], 1],
  ['someone has denied it', [denial('act_ben', 'U0BEN')], 1],
])('a request posted while %s is updated only if its message has changed since', async (_what, clicks, updates) => {
  const { deps } = await askedToPay(await createActionWorld(redis()), 160_000);
  const world = createPostingWorld(redis(), {
    request: async (id) => {
      const one = await deps.requests.get(id);
      return one && approvalRequest(one);
    },
  });
  const draft = await world.renderEntries([entry], ref.channel);
  const updateRequest = (id: string): Promise<void> => world.update({ kind: 'request', id });
  // The click arrives before the message's reference is stored.
  for (const click of clicks) await performAction(click, { ...deps, updateRequest });
  expect(world.updates, 'the message is not known yet').toEqual([]);

  await world.recordPosted([entry], ref, draft);
  for (const subject of world.asked) await world.update(subject);

  expect(world.updates).toHaveLength(updates);
  expect(await world.trackedMessages.references(request)).toEqual([{ ...ref, audience: 'team', threadId: null }]);
});

it('a subject gets one message per channel, however often it is posted', async () => {
  const { outbox, trackedMessages } = createPostingWorld(redis());
  const postTracked = createPostTracked({ trackedMessages, outbox });

  await postTracked(ref.channel, request);
  await postTracked(ref.channel, request);
  expect((await outbox.look(ref.channel, 9)).waiting).toMatchObject([{ entry: { subject: request } }]);

  await trackedMessages.add(ref, [{ subject: request, audience: 'team', threadId: null }]);
  await postTracked('C0OTHER', request);
  expect(await outbox.waiting('C0OTHER')).toBe(0);
});

describe('a message of several alerts', () => {
  const DAY_MS = 24 * 3_600_000;
  const postedAgo = (days: number) => ({ channel: 'C1', ts: ((Date.now() - days * DAY_MS) / 1000).toFixed(6) });
  const alert = { kind: 'alert', id: alertId(0) } as const;

  /** @param known how many of its two alerts Redis knew then. */
  async function posted(at: MessageRef, known = 2) {
    const world = createPostingWorld(redis());
    const entries = await world.entries(2);
    await world.recordPosted(entries.slice(0, known), at, null, true);
    return { world, entries };
  }

  it.each([2, 1])('stays as it is once its record has expired, also if only %i of them were known', async (known) => {
    const at = postedAgo(31);
    const { world } = await posted(at, known);
    await world.batchMessages.delete(at);

    await world.update(alert);

    expect(world.updates).toEqual([]);
  });

  it('stays as it is once one of its alerts is no longer known', async () => {
    const at = postedAgo(30);
    const { world } = await posted(at);
    await redis().del(alertKey(alertId(1)));

    await world.update(alert);

    expect(world.updates).toEqual([]);
  });

  it.each([0, 31])('does not keep a message of one alert from being edited that is %i days old', async (days) => {
    const at = postedAgo(days);
    const { world, entries } = await posted({ channel: 'C0OTHER', ts: at.ts });
    await world.recordPosted(entries.slice(0, 1), at, null);

    await world.update(alert);

    expect(world.updates.map(({ ts }) => ts)).toContain(at.ts);
  });

  it('does not keep the message from being edited in which one of its alerts was posted again', async () => {
    const { world, entries } = await posted(postedAgo(1));
    const again = postedAgo(0);
    await world.recordPosted(entries.slice(0, 1), again, null);

    await world.update(alert);
    await world.update(alert);

    expect(world.updates.map(({ ts }) => ts)).toContain(again.ts);
  });
});
