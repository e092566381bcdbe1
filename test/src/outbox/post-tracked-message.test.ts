import { expect, it } from 'vitest';
import { performAction } from '../../../src/dispatch/perform-action.ts';
import { createPostTrackedMessage } from '../../../src/outbox/post-tracked-message.ts';
import { askedToPay, no, pendingApproval } from '../../support/asked-for-more.ts';
import { useRedis } from '../../support/on-redis.ts';
import { createActionWorld } from '../../support/perform-world.ts';

const redis = useRedis();
const here = { channel: 'C0APPROVALS', ts: '1.1' };

it.each([
  ['nobody has pressed anything yet', [], 0],
  ['one of two has said yes already', [pendingApproval('act_ben', 'U0BEN')], 1],
  ['somebody has said no already', [no('act_ben', 'U0BEN')], 1],
])(
  'the message of a request stands, and %s: it is edited where it is not as it was drawn',
  async (_what, clicks, edits) => {
    const world = await createActionWorld(redis());
    const { deps } = await askedToPay(world, 160_000);
    const edited: string[] = [];
    const { requests, claims, temporaryChanges, withLock } = deps;
    const updateRequest = async (id: string): Promise<void> => void edited.push(id);
    const none = async (): Promise<void> => {};
    const stores = { requests, claims, temporaryChanges, withLock };
    const postTrackedMessage = createPostTrackedMessage({
      ...stores,
      updateRequest,
      updateClaim: none,
      updateTemporaryChange: none,
    });
    // Its place is not known while they press.
    for (const click of clicks) await performAction(click, deps);

    await postTrackedMessage('req_ask1', here);

    expect(edited).toEqual(Array.from({ length: edits }, () => 'req_ask1'));
    expect((await requests.get('req_ask1'))?.ref).toEqual(here);
  },
);
