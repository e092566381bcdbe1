import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { SlackError } from '../../../src/core/errors.ts';
import { outboxKey, stateKey } from '../../../src/core/keys.ts';
import type { OutboxEntry } from '../../../src/outbox/entry.ts';
import { Killed } from '../../support/crash-at.ts';
import { useRedis } from '../../support/on-redis.ts';
import { createPostingWorld } from '../../support/posting-world.ts';

const redis = useRedis();

describe('a worker that is killed while attaching the rows of a summary', () => {
  it.each(['before Slack accepts the file', 'after it'])('%s: shares the file once', async (when) => {
    const shared: string[] = [];
    let isAlive = true;
    const world = createPostingWorld(redis(), {
      slack: {
        uploadFile: async ({ name, title }) => ({ id: 'F1', name, title }),
        async shareFile(_channel, { name }) {
          if (isAlive || when === 'after it') shared.push(name);
          if (!isAlive) throw new Killed(when);
        },
        findMessages: async () => shared.map((name) => ({ ts: '2.000001', ref: null, marks: [], files: [name] })),
      },
    });
    const of = { channel: 'C1', ts: '1.000001' };
    const alerts = (await world.entries(3)).map(({ id }) => ({ id, label: id, times: 1 }));
    await world.batchMessages.put(of, { why: 'busy', audience: 'team', form: 'summary', alerts });
    await world.outbox.put('C1', { kind: 'rows', id: `rows-${of.ts}`, of, page: null });
    isAlive = false;
    await expect(world.flush('C1')).rejects.toThrow(Killed);

    isAlive = true;
    expect(await world.flush('C1')).toBeGreaterThan(0);
    // The dead worker's claim has expired.
    const key = outboxKey('C1', 'sending');
    const sending = JSON.parse((await redis().get(key)) ?? '') as { startedAt: number };
    await redis().set(key, JSON.stringify({ ...sending, startedAt: sending.startedAt - 20_000 }));
    await world.flush('C1');

    expect(shared).toHaveLength(1);
    expect(await world.outbox.look('C1', 9)).toMatchObject({ unresolved: null, waiting: [] });
  });
});

it('posts an alert that Redis had forgotten when the rows were attached once it is counted again', async () => {
  const world = createPostingWorld(redis(), {
    slack: { uploadFile: async ({ name, title }) => ({ id: 'F1', name, title }), shareFile: async () => {} },
  });
  const of = { channel: 'C1', ts: '1.000001' };
  const ids = (await world.entries(2)).map(({ id }) => id);
  const [first = '', second = ''] = ids;
  for (const id of ids)
    await world.trackedMessages.add(of, [{ subject: { kind: 'alert', id }, audience: 'team', threadId: null }]);
  // The summary counted two attempts of the first alert, but the store has lost the second attempt.
  const alerts = [
    { id: first, label: first, times: 2 },
    { id: second, label: second, times: 1 },
  ];
  await world.batchMessages.put(of, { why: 'busy', audience: 'team', form: 'summary', alerts });
  await world.outbox.put('C1', { kind: 'rows', id: `rows-${of.ts}`, of, page: null });
  await world.flush('C1');
  expect(world.asked).toEqual([{ kind: 'alert', id: first }]);

  const repeats = '2 1 1 2026-05-09T16:00:00Z 2026-05-09T16:01:00Z';
  await redis().hset(stateKey(`alert:${first}`), 'repeats:C1', repeats);
  await world.update({ kind: 'alert', id: first });

  const { waiting } = await world.outbox.look('C1', 9);
  expect(waiting.map(({ entry }) => entry.id)).toEqual([`${first}-after-${of.ts}`]);
});

describe('a file for the controller', () => {
  const file = { name: 'cardbell-1.csv', title: 'Declines.csv', content: 'a,b' };
  const entry = { kind: 'file', id: 'digest-csv', file, comment: 'For the controller.' } as const;

  it('is shared once in its channel, with its comment', async () => {
    const shared: string[] = [];
    const world = createPostingWorld(redis(), {
      slack: {
        uploadFile: async ({ name, title, content }) => ({ id: content, name, title }),
        shareFile: async (channel, { id, name }, comment, thread) =>
          void shared.push([channel, id, name, comment, thread].join(' ')),
      },
    });
    await world.outbox.put('C1', entry);
    await world.flush('C1');
    await world.outbox.put('C1', entry);
    await world.flush('C1');

    expect(shared).toEqual(['C1 a,b cardbell-1.csv For the controller. ']);
  });

  it.each(['uploadFile', 'shareFile'] as const)(
    'that Slack refuses (%s) is replaced by a text that it is missing',
    async (call) => {
      const posted: string[] = [];
      const world = createPostingWorld(redis(), {
        slack: {
          uploadFile: async ({ name, title }) => ({ id: 'F1', name, title }),
          async post(channel, { text }) {
            posted.push(text);
            return { channel, ts: '3.1' };
          },
          [call]: async () => {
            throw new SlackError(call, 'refused', 'file_uploads_disabled');
          },
        },
      });
      await world.outbox.put('C1', entry);
      await world.flush('C1');

      const { waiting } = await world.outbox.look('C1', 9);
      const said = [
        ...posted,
        ...waiting.map(({ entry }) => (entry.kind === 'notice' ? entry.message.text : entry.kind)),
      ];
      expect(said).toEqual([expect.stringMatching(/\(file_uploads_disabled\), so “Declines.csv” is missing here/)]);
      expect(world.opsIssues.map(({ cause }) => cause)).toEqual(['files:file_uploads_disabled']);
    },
  );
});

describe('a file that Slack neither takes nor refuses', () => {
  async function flushedWith(
    entry: z.input<typeof OutboxEntry>,
    call: 'uploadFile' | 'shareFile',
    slackError = 'no_answer',
  ) {
    const posted: string[] = [];
    let calls = 0;
    const world = createPostingWorld(redis(), {
      slack: {
        uploadFile: async ({ name, title }) => ({ id: 'F1', name, title }),
        findMessages: async () => [],
        async post(channel, { text }) {
          posted.push(text);
          return { channel, ts: `3.${posted.length}` };
        },
        [call]: async () => {
          calls += 1;
          throw new SlackError(call, 'unknown', slackError);
        },
      },
    });
    const of = { channel: 'C1', ts: '1.000001' };
    const alerts = (await world.entries(3)).map(({ id }) => ({ id, label: id, times: 1 }));
    await world.batchMessages.put(of, { why: 'busy', audience: 'team', form: 'summary', alerts });
    await world.outbox.put('C1', entry);
    await world.outbox.put('C1', { kind: 'notice', id: 'n1', message: { text: 'A decline.', blocks: [] } });
    for (let run = 0; run < 9; run += 1) {
      await world.flush('C1');
      await redis().del(outboxKey('C1', 'paused'));
    }
    return { posted, calls, causes: world.opsIssues.map(({ cause }) => cause) };
  }

  it.each([
    ['uploadFile', 6],
    ['shareFile', 5],
  ] as const)('is replaced after several attempts, and does not block its channel (%s)', async (call, most) => {
    const file = { name: 'cardbell-1.csv', title: 'Declines.csv', content: 'a,b' };

    const digest = await flushedWith({ kind: 'file', id: 'digest-csv', file, comment: 'For you.' }, call);

    expect(digest.posted.toSorted()).toEqual([
      'A decline.',
      expect.stringMatching(/^Slack took no file \(no_answer\)/),
    ]);
    expect(digest.posted.join()).toContain('files.slack.com');
    expect(digest).toMatchObject({ calls: most, causes: ['files:no_answer'] });
  });

  it('is not blamed on the workspace’s settings', async () => {
    const file = { name: 'cardbell-1.csv', title: 'Declines.csv', content: 'a,b' };
    const entry = { kind: 'file', id: 'digest-csv', file, comment: 'For you.' } as const;

    const { posted } = await flushedWith(entry, 'uploadFile', 'http_503');

    expect(posted.join()).toMatch(/Slack took no file \(http_503\).* gave no clear answer: see slack-status\.com\./);
  });

  it.each(['uploadFile', 'shareFile'] as const)(
    'is replaced by tables if it is the rows of a summary (%s)',
    async (call) => {
      const of = { channel: 'C1', ts: '1.000001' };

      const rows = await flushedWith({ kind: 'rows', id: `rows-${of.ts}`, of, page: null }, call);

      expect(rows.posted.toSorted()).toEqual(['A decline.', expect.stringContaining('rows as a file (no_answer)')]);
      expect(rows.causes).toEqual(['files:no_answer']);
    },
  );
});
