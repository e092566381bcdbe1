import { expect, it } from 'vitest';
import { OutboxEntry } from '../../../src/outbox/entry.ts';
import { createPostTracked } from '../../../src/outbox/tracked-message.ts';
import { approvalRequest } from '../../../templates/approvals/approval-request.ts';
import { approvalClick, askedToPay, denial } from '../../support/asked-for-more.ts';
import { useRedis } from '../../support/on-redis.ts';
import { createActionWorld, performAction } from '../../support/perform-world.ts';
import { createPostingWorld } from '../../support/posting-world.ts';

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
