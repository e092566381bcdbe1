import { describe, expect, it } from 'vitest';
import { SlackError } from '../../../src/core/errors.ts';
import { OutboxEntry } from '../../../src/outbox/entry.ts';
import { SHARED_CHANNEL } from '../../../src/outbox/render-entries.ts';
import { useRedis } from '../../support/on-redis.ts';
import { createPostingWorld } from '../../support/posting-world.ts';
import { declined, transactionAlert } from '../../templates/fixtures.ts';

const redis = useRedis();

describe('what a channel does not take', () => {
  const gone = new SlackError('chat.postMessage', 'channel_unusable', 'is_archived');
  const inFallback = async ({ outbox }: ReturnType<typeof createPostingWorld>) =>
    (await outbox.look('C0ALL', 9)).waiting.map(({ entry }) => entry);

  it('is posted in the fallback channel in words for everybody', async () => {
    const world = createPostingWorld(redis());
    const [message, elsewhere] = ['For few.', 'For all.'].map((text) => ({ text, blocks: [] }));
    const entry = OutboxEntry.parse({ kind: 'notice', id: 'n1', message, elsewhere });

    await world.undeliverable.redirect([entry], 'C1', gone);

    expect(await inFallback(world)).toMatchObject([{ id: 'n1', message: { text: 'For all.' } }]);
    expect(JSON.stringify(await inFallback(world))).not.toContain('For few.');
  });

  it('in plain text says in the fallback channel only what everybody may read', async () => {
    const world = createPostingWorld(redis());
    await world.alerts.save(declined('decline.card.pin', 'Incorrect PIN'));
    const { id } = transactionAlert().event;
    const entry = OutboxEntry.parse({ kind: 'tracked', id, subject: { kind: 'alert', id } });
    await world.undeliverable.refused(entry, 'D1', new SlackError('chat.postMessage', 'refused', 'invalid_blocks'));
    const [waiting] = (await world.outbox.look('D1', 9)).waiting;
    expect(waiting?.entry).toMatchObject({ message: { text: expect.stringMatching(/PIN/) } });

    await world.undeliverable.redirect(waiting === undefined ? [] : [waiting.entry], 'D1', gone);

    const [plain] = await inFallback(world);
    expect(plain).toMatchObject({ id: `${id}-plain` });
    expect(JSON.stringify(plain)).not.toMatch(/PIN/);
  });

  it('is never posted where another company reads: requests and notices wait while no other channel is left', async () => {
    const world = createPostingWorld(redis());
    const shared = new SlackError('conversations.info', 'channel_unusable', SHARED_CHANNEL);
    const entry = OutboxEntry.parse({ kind: 'notice', id: 'n1', message: { text: 'Who did what.', blocks: [] } });

    expect(await world.undeliverable.redirect([entry], 'C1', shared), 'no other channel').toBe(false);
    expect(await inFallback(world)).toEqual([]);
  });
});
