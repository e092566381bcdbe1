import { beforeEach, describe, expect, it } from 'vitest';
import { createAlerts } from '../../../src/alerts/alert-store.ts';
import { createEventLog } from '../../../src/alerts/event-log.ts';
import { createThreads } from '../../../src/alerts/thread-store.ts';
import { updateMessage } from '../../../src/alerts/update-alert.ts';
import type { ChannelVisibility } from '../../../src/core/channel-visibility.ts';
import { SlackError } from '../../../src/core/errors.ts';
import { outboxKey } from '../../../src/core/keys.ts';
import { createLock } from '../../../src/core/lock.ts';
import { createLog } from '../../../src/core/log.ts';
import { createAttachRows } from '../../../src/outbox/attach-rows.ts';
import { createBatchMessages } from '../../../src/outbox/batch-store.ts';
import { OutboxEntry } from '../../../src/outbox/entry.ts';
import { flushOutbox } from '../../../src/outbox/flush-outbox.ts';
import { createOutbox } from '../../../src/outbox/outbox-store.ts';
import { createRenderBatch } from '../../../src/outbox/render-batch.ts';
import { createRenderEntries } from '../../../src/outbox/render-entries.ts';
import { createSender } from '../../../src/outbox/send-message.ts';
import { defaultThrottle } from '../../../src/outbox/throttle.ts';
import { createUnsupportedBlocks } from '../../../src/outbox/unsupported-blocks-store.ts';
import type { Slack } from '../../../src/slack/client.ts';
import { renderAlert } from '../../../templates/alerts/alert.ts';
import { Killed } from '../../support/crash-at.ts';
import { useRedis } from '../../support/on-redis.ts';
import { declined, transactionAlert } from '../../templates/fixtures.ts';

const redis = useRedis();
const log = createLog({ level: 'silent', process: 'test' });
/** Alerts whose messages somebody asked to bring up to date. */
let woken: string[] = [];
beforeEach(() => {
  woken = [];
});

const never = (): Promise<never> => Promise.reject(new Error('not asked for here'));

interface Files {
  readonly uploadFile: Slack['uploadFile'];
  readonly shareFile: Slack['shareFile'];
  readonly findFile: Slack['findFile'];
}

function world(files: Files = { uploadFile: never, shareFile: never, findFile: never }) {
  const [alerts, outbox, threads] = [createAlerts(redis()), createOutbox(redis()), createThreads(redis())];
  const unsupported = createUnsupportedBlocks(redis());
  const batchMessages = createBatchMessages(redis());
  const visibilityOf = async (channel: string): Promise<ChannelVisibility> =>
    channel.startsWith('D') ? 'direct' : 'public';
  const notifyOps = async (): Promise<void> => {};
  const batch = createRenderBatch({ alerts, unsupported, visibilityOf, notifyOps });
  const slack = { ...files, post: never, findByRef: never };
  const rows = createAttachRows({ slack, batchMessages, batch, outbox, unsupported, notifyOps });
  const sender = createSender({
    slack,
    alerts,
    outbox,
    threads,
    eventLog: createEventLog(redis()),
    drawing: createRenderEntries({
      alerts,
      threads,
      batch,
      rows,
      unsupported,
      notifyOps,
      renderAlert: async (alert, { channel }) => renderAlert(alert, { place: await visibilityOf(channel), channel }),
    }),
    batch,
    batchMessages,
    rows,
    unsupported,
    fallbackChannel: 'C0ALL',
    wakeOutbox: async () => {},
    updateMessages: async (id) => {
      woken.push(id);
    },
    postTrackedMessage: never,
    notifyOps,
  });
  /** Something about it has changed, and its messages were told so. */
  const edit = (alertId: string): Promise<void> =>
    updateMessage(alertId, {
      alerts,
      render: async () => null,
      update: never,
      withLock: createLock(redis()),
      log,
    });
  return { alerts, outbox, sender, batchMessages, edit };
}

const idOf = (index: number): string => `evt_${String(index).padStart(16, '0')}`;

async function entriesOf(count: number, { alerts }: ReturnType<typeof world>): Promise<OutboxEntry[]> {
  const ids = Array.from({ length: count }, (_, index) => idOf(index));
  for (const id of ids) await alerts.save(transactionAlert({ id }));
  return ids.map((id) => OutboxEntry.parse({ kind: 'alert', id, alertId: id }));
}

describe.each([1, 3])('a message of %i alerts', (count) => {
  const ref = { channel: 'C1', ts: '1.000001' };

  it('is brought up to date where something changed between its drawing and its noting', async () => {
    const here = world();
    const entries = await entriesOf(count, here);
    await here.sender.render(entries, 'C1');
    await here.edit(idOf(count - 1));

    await here.sender.posted(entries, ref);

    expect(woken).toEqual([idOf(count - 1)]);
    expect((await here.alerts.get(idOf(0)))?.refs).toEqual([{ ...ref, audience: 'team' }]);
  });

  it('is left alone where nothing did', async () => {
    const here = world();
    const entries = await entriesOf(count, here);
    await here.edit(idOf(0));
    await here.sender.render(entries, 'C1');

    await here.sender.posted(entries, ref);

    expect(woken).toEqual([]);
  });

  it('that another worker drew before it died is brought up to date', async () => {
    const here = world();
    await here.sender.posted(await entriesOf(count, here), ref);

    expect(woken).toEqual([idOf(0)]);
  });
});

describe('what a channel does not take', () => {
  const gone = new SlackError('chat.postMessage', 'channel_unusable', 'is_archived');
  const inFallback = async ({ outbox }: ReturnType<typeof world>) =>
    (await outbox.look('C0ALL', 9)).waiting.map(({ entry }) => entry);

  it('is told elsewhere in words for everybody', async () => {
    const here = world();
    const [message, elsewhere] = ['For few.', 'For all.'].map((text) => ({ text, blocks: [] }));
    const entry = OutboxEntry.parse({ kind: 'notice', id: 'n1', message, elsewhere, requestId: null });

    await here.sender.redirect([entry], 'C1', gone);

    expect(await inFallback(here)).toMatchObject([{ id: 'n1', message: { text: 'For all.' } }]);
    expect(JSON.stringify(await inFallback(here))).not.toContain('For few.');
  });

  it('made plain for one person, says no more than everybody may read where everybody reads it', async () => {
    const here = world();
    await here.alerts.save(declined('decline.card.pin', 'Incorrect PIN'));
    const { id } = transactionAlert().event;
    const entry = OutboxEntry.parse({ kind: 'alert', id, alertId: id });
    await here.sender.refused(entry, 'D1', new SlackError('chat.postMessage', 'refused', 'invalid_blocks'));
    const [waiting] = (await here.outbox.look('D1', 9)).waiting;
    expect(waiting?.entry).toMatchObject({ message: { text: expect.stringMatching(/PIN/) } });

    await here.sender.redirect(waiting === undefined ? [] : [waiting.entry], 'D1', gone);

    const [plain] = await inFallback(here);
    expect(plain).toMatchObject({ id: `${id}-plain` });
    expect(JSON.stringify(plain)).not.toMatch(/PIN/);
  });
});

describe('a worker that is killed while it attaches the rows of a summary', () => {
  it.each(['before Slack takes the file', 'after it'])('%s: the file stands there once', async (when) => {
    const shared: string[] = [];
    let isAlive = true;
    const here = world({
      uploadFile: async ({ name, title }) => ({ id: 'F1', name, title }),
      async shareFile(_channel, { name }) {
        if (isAlive || when === 'after it') shared.push(name);
        if (!isAlive) throw new Killed(when);
      },
      findFile: async (_channel, name) => (shared.includes(name) ? '2.000001' : null),
    });
    const entries = await entriesOf(3, here);
    const of = { channel: 'C1', ts: '1.000001' };
    const known = entries.map(({ id }) => ({ id, label: id }));
    await here.batchMessages.save('C1', of.ts, { why: 'busy', audience: 'team', form: 'summary', alerts: known });
    await here.outbox.put('C1', { kind: 'rows', id: `rows-${of.ts}`, of, page: null });
    const flush = () =>
      flushOutbox('C1', {
        ...here,
        ...here.sender,
        wakeIn: async () => {},
        throttle: defaultThrottle,
        log,
        now: () => performance.now(),
        sleep: async () => {},
      });
    isAlive = false;
    await expect(flush()).rejects.toThrow(Killed);

    isAlive = true;
    expect(await flush()).toBeGreaterThan(0);
    // The lease of whoever died is over.
    const key = outboxKey('C1', 'sending');
    const sending = JSON.parse((await redis().get(key)) ?? '') as { startedAt: number };
    await redis().set(key, JSON.stringify({ ...sending, startedAt: sending.startedAt - 20_000 }));
    await flush();

    expect(shared).toHaveLength(1);
    expect(await here.outbox.look('C1', 9)).toMatchObject({ unsettled: null, waiting: [] });
  });
});
