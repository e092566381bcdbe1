import { describe, expect, it } from 'vitest';
import { SlackError } from '../../../src/core/errors.ts';
import { outboxKey } from '../../../src/core/keys.ts';
import { OutboxEntry, type Sending } from '../../../src/outbox/entry.ts';
import { movedTo, refOf } from '../../../src/outbox/sending-store.ts';
import { useRedis } from '../../support/on-redis.ts';
import { createPostingWorld } from '../../support/posting-world.ts';
import { declined, transactionAlert } from '../../templates/fixtures.ts';

const redis = useRedis();

describe('a message that its channel cannot take', () => {
  const gone = { kind: 'unusable', slackError: 'is_archived' } as const;
  const inFallback = async ({ outbox }: ReturnType<typeof createPostingWorld>) =>
    (await outbox.look('C0ALL', 9)).waiting.map(({ entry }) => entry);

  it('is posted in the fallback channel in a version for everyone', async () => {
    const world = createPostingWorld(redis());
    const [message, elsewhere] = ['For few.', 'For all.'].map((text) => ({ text, blocks: [] }));
    const entry = OutboxEntry.parse({ kind: 'notice', id: 'n1', message, elsewhere });

    await world.undeliverable.redirect([entry], { channel: 'C1', to: 'C0ALL' }, gone);

    expect(await inFallback(world)).toMatchObject([{ id: 'n1', message: { text: 'For all.' } }]);
    expect(JSON.stringify(await inFallback(world))).not.toContain('For few.');
  });

  it.each([
    ['an alert that its own channel had held', { priority: 'decline', notBefore: 1 }, 5000, 5000],
    ['an alert outside those hours', { priority: 'decline', notBefore: 1 }, null, null],
    ['suspected fraud', { priority: 'fraud' }, 5000, null],
  ])('follows the quiet hours of the channel that gets it: %s', async (_what, more, heldUntil, notBefore) => {
    const world = createPostingWorld(redis(), { heldUntil });
    const subject = { kind: 'alert', id: 'evt_1' };
    const entry = OutboxEntry.parse({ kind: 'tracked', id: 'evt_1', subject, ...more });

    await world.undeliverable.redirect([entry], { channel: 'C1', to: 'C0ALL' }, gone);

    expect(await inFallback(world)).toMatchObject([{ id: 'evt_1', notBefore }]);
  });

  it.each([
    ['a warning, or another notice that nobody waits for', 'record', 5000],
    ['a notice to ops', 'ops', null],
  ])('follows them if it is no alert, too: %s', async (_what, priority, notBefore) => {
    const world = createPostingWorld(redis(), { heldUntil: 5000 });
    const entry = OutboxEntry.parse({ kind: 'notice', id: 'n1', message: { text: 'A.', blocks: [] }, priority });

    await world.undeliverable.redirect([entry], { channel: 'C1', to: 'C0ALL' }, gone);

    expect(await inFallback(world)).toMatchObject([{ id: 'n1', notBefore }]);
  });

  const file = { kind: 'file', file: { name: 'a.csv', title: 'A', content: 'a' }, comment: 'The same.' };
  const rows = { kind: 'rows', of: { channel: 'C1', ts: '1.000001' }, page: null };
  it.each([
    ['the file of a digest, which they hold', file, 5000],
    ['the rows of a summary, if they exempt none of its alerts', rows, 5000],
    ['a page of these rows', { ...rows, page: 0, priority: 'spend' }, 5000],
    ['rows, if they may exempt some of its alerts', rows, null, true],
  ])('follows them like what it belongs to: %s', async (_what, more, notBefore, mayExempt = false) => {
    const heldUntil = async (_channel: string, _alertId: string | null, isOfSeveral = false) =>
      isOfSeveral && mayExempt ? null : 5000;
    const world = createPostingWorld(redis(), { heldUntil });
    const entry = OutboxEntry.parse({ id: 'e1', ...more });

    await world.undeliverable.redirect([entry], { channel: 'C1', to: 'C0ALL' }, gone);

    expect(await inFallback(world)).toMatchObject([{ id: 'e1', notBefore }]);
  });

  it('to a person is not moved, and ops are told the person, not their conversation', async () => {
    const world = createPostingWorld(redis());
    const message = { text: 'For you.', blocks: [] };
    const entry = OutboxEntry.parse({ kind: 'notice', id: 'n1', audience: 'holder', message });

    expect(await world.undeliverable.redirect([entry], { channel: 'D1', to: 'C0ALL' }, gone)).toEqual([]);

    expect(world.opsIssues).toMatchObject([{ cause: 'person:U0HUGO', about: 'U0HUGO' }]);
    expect(JSON.stringify(world.opsIssues)).not.toContain('D1');
  });

  it('in plain text shows only what everyone may read in the fallback channel', async () => {
    const world = createPostingWorld(redis());
    await world.alerts.save(declined('decline.card.pin', 'Incorrect PIN'));
    const { id } = transactionAlert().event;
    const entry = OutboxEntry.parse({ kind: 'tracked', id, subject: { kind: 'alert', id } });
    await world.undeliverable.refused(entry, 'D1', new SlackError('chat.postMessage', 'refused', 'invalid_blocks'));
    const [waiting] = (await world.outbox.look('D1', 9)).waiting;
    const plain = waiting === undefined ? [] : [waiting.entry];
    const textOf = (text: unknown) => ({ message: { text, blocks: [] } });
    expect(await world.renderEntries(plain, 'D1')).toMatchObject(textOf(expect.stringMatching(/PIN/)));

    await world.undeliverable.redirect(plain, { channel: 'D1', to: 'C0ALL' }, gone);

    const posted = await inFallback(world);
    expect(posted).toMatchObject([{ id: `${id}-as-text` }]);
    expect(await world.renderEntries(posted, 'C0ALL')).toMatchObject(textOf(expect.not.stringMatching(/PIN/)));
  });

  it('is never posted where another company reads: requests and notices wait if there is no other channel', async () => {
    const world = createPostingWorld(redis());

    expect(await world.undeliverable.insteadOf('C1', { kind: 'shared' }), 'no other channel').toBeNull();
  });

  it('waits if its channel is the fallback, and ops are told so', async () => {
    const world = createPostingWorld(redis());

    expect(await world.undeliverable.insteadOf('C0ALL', gone)).toBeNull();

    expect(world.opsIssues).toMatchObject([
      {
        title: 'Cardbell cannot post in a channel (is_archived)',
        means: expect.stringContaining('wait until this is fixed'),
        about: 'C0ALL',
      },
    ]);
  });

  it('waits without a notice if that is the ops channel, too: ops could read it only afterwards', async () => {
    const world = createPostingWorld(redis(), { opsChannel: 'C0ALL' });

    expect(await world.undeliverable.insteadOf('C0ALL', gone)).toBeNull();

    expect(world.opsIssues).toEqual([]);
  });

  it('still goes to the fallback channel when the worker that moved it died, even if its channel is back', async () => {
    const posts: string[] = [];
    const post = async (channel: string) => {
      posts.push(channel);
      return { channel, ts: '1.000001' };
    };
    const world = createPostingWorld(redis(), { slack: { post, findMessages: async () => [] } });
    const entries = await world.entries(3);
    const ids = entries.map(({ id }) => id);
    for (const entry of entries) await world.outbox.put('C1', entry);
    const sending = await world.outbox.claim('C1', ids, null);
    expect(sending).not.toBeNull();
    if (sending === null) return;
    await world.outbox.beginRedirect('C1', sending, { to: 'C0ALL', why: gone });
    await world.undeliverable.redirect(entries.slice(0, 1), { channel: 'C1', to: 'C0ALL' }, gone);
    // The worker died here, and its claim has expired.
    const stored = JSON.parse((await redis().get(outboxKey('C1', 'sending'))) ?? '') as Sending;
    await redis().set(outboxKey('C1', 'sending'), JSON.stringify({ ...stored, startedAt: stored.startedAt - 20_000 }));

    await world.flush('C1');

    expect(posts).toEqual([]);
    expect((await inFallback(world)).map(({ id }) => id).toSorted()).toEqual(ids);
    const moved = movedTo('C0ALL');
    expect(await world.outbox.sentAt('C1', ids)).toEqual([moved, moved, moved]);
  });

  it('waits while two unusable channels each redirect to the other, until one works again', async () => {
    const posts: string[] = [];
    let isArchived = true;
    const post = async (channel: string) => {
      posts.push(channel);
      if (isArchived) throw new SlackError('chat.postMessage', 'channel_unusable', 'is_archived');
      return { channel, ts: '1.000001' };
    };
    const world = createPostingWorld(redis(), { slack: { post }, shared: ['C0ALL'], unshared: 'C0OPS' });
    const notice = OutboxEntry.parse({ kind: 'notice', id: 'n1', message: { text: 'For ops.', blocks: [] } });
    await world.outbox.put('C0OPS', notice);

    for (const attempt of ['first', 'second']) {
      await world.flush('C0OPS');
      await world.flush('C0ALL');
      expect(await world.outbox.pauseLeft('C0OPS'), `retried from time to time: ${attempt}`).toBeGreaterThan(5000);
      await redis().del(outboxKey('C0OPS', 'paused'));
    }
    expect(await world.outbox.pauseLeft('C0ALL'), 'alerts do not wait').toBe(0);
    isArchived = false;

    await world.flush('C0OPS');

    expect(posts).toEqual(['C0OPS', 'C0OPS', 'C0OPS']);
    expect(await world.outbox.sentAt('C0OPS', ['n1'])).toEqual(['1.000001']);
  });

  describe('and was redirected before Redis came back without the redirected entry', () => {
    async function moved(entry: OutboxEntry, channel: string) {
      const world = createPostingWorld(redis());
      await world.outbox.put(channel, entry);
      const sending = await world.outbox.claim(channel, [entry.id], null);
      if (sending === null) throw new Error('nothing to claim');
      const entryIds = await world.undeliverable.redirect([entry], { channel, to: 'C0ALL' }, gone);
      await world.outbox.markMoved(channel, sending, { to: 'C0ALL', entryIds });
      return world;
    }
    const alertEntry = (more = {}) =>
      OutboxEntry.parse({ kind: 'tracked', id: 'evt_1', subject: { kind: 'alert', id: 'evt_1' }, ...more });

    it('is redirected again when its job runs again, but not once it is posted', async () => {
      const { outbox } = await moved(alertEntry(), 'C1');
      await outbox.remove('C0ALL', 'evt_1');

      expect(await outbox.put('C1', alertEntry())).toBe(true);
      expect((await outbox.look('C0ALL', 9)).waiting.map(({ entry }) => entry.id)).toEqual(['evt_1']);
      expect((await outbox.look('C1', 9)).waiting).toEqual([]);

      const sending = await outbox.claim('C0ALL', ['evt_1'], null);
      if (sending === null) throw new Error('nothing to claim');
      await outbox.markSent('C0ALL', sending, '1.000001');
      expect(await outbox.put('C1', alertEntry())).toBe(false);
      expect((await outbox.look('C0ALL', 9)).waiting).toEqual([]);
    });

    it('is redirected again in the version for everyone', async () => {
      const [message, elsewhere] = ['For few.', 'For all.'].map((text) => ({ text, blocks: [] }));
      const notice = OutboxEntry.parse({ kind: 'notice', id: 'n1', message, elsewhere });
      const { outbox } = await moved(notice, 'C1');
      await outbox.remove('C0ALL', 'n1');

      await outbox.put('C1', notice);

      const { waiting } = await outbox.look('C0ALL', 9);
      expect(waiting).toMatchObject([{ entry: { message: { text: 'For all.' } } }]);
      expect(JSON.stringify(waiting)).not.toContain('For few.');
    });

    it('is not redirected if it is for a cardholder who could not receive it', async () => {
      const { outbox } = await moved(alertEntry({ audience: 'holder' }), 'D1');

      expect(await outbox.put('D1', alertEntry({ audience: 'holder' }))).toBe(false);
      expect((await outbox.look('C0ALL', 9)).waiting).toEqual([]);
    });

    it('stays where it came back to if another worker records the first move again', async () => {
      const { outbox } = await moved(alertEntry(), 'C1');
      const back = await outbox.claim('C0ALL', ['evt_1'], null);
      if (back === null) throw new Error('nothing to claim');
      expect(await outbox.takeBack('C1', ['evt_1'], 'C0ALL')).toBe(true);
      await outbox.put('C1', alertEntry());
      await outbox.markMoved('C0ALL', back, { to: 'C1', entryIds: ['evt_1'] });

      const first = { ...back, ref: refOf('C1', ['evt_1']) };
      await outbox.markMoved('C1', first, { to: 'C0ALL', entryIds: ['evt_1'] });

      expect((await outbox.look('C1', 9)).waiting.map(({ entry }) => entry.id)).toEqual(['evt_1']);
      expect(await outbox.sentAt('C1', ['evt_1'])).toEqual([null]);
    });

    it('ends if two channels redirect to each other', async () => {
      const { outbox } = await moved(alertEntry(), 'C1');
      const sending = await outbox.claim('C0ALL', ['evt_1'], null);
      if (sending === null) throw new Error('nothing to claim');
      await outbox.markMoved('C0ALL', sending, { to: 'C1', entryIds: ['evt_1'] });

      expect(await outbox.put('C1', alertEntry())).toBe(false);
    });
  });
});
