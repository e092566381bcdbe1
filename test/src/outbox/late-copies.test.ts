import { describe, expect, it } from 'vitest';
import { SlackError } from '../../../src/core/errors.ts';
import { createLog } from '../../../src/core/log.ts';
import { fileName } from '../../../src/outbox/attach-rows.ts';
import { createDeleteLateCopies, type LateCopies } from '../../../src/outbox/late-copies.ts';
import { refOf } from '../../../src/outbox/sending-store.ts';

const search = { channel: 'C1', threadTs: null, ref: 'm_1', file: null, slackMs: null };
const copies: LateCopies = { search, entryIds: ['a', 'b'], attempt: 1 };

/** @param kept where each of its entries was recorded. */
async function remaining(
  found: readonly string[],
  kept: readonly (string | null)[],
  refusal?: SlackError,
): Promise<string[]> {
  const left = new Set(found);
  const steps: string[] = [];
  const deleteLateCopies = createDeleteLateCopies({
    outbox: { sentAt: async () => [...kept], remove: async () => {} },
    batchMessages: { get: async () => null, delete: async () => {} },
    findPosted: { find: async () => found.map((ts) => ({ ts, ref: 'm_1', marks: [], files: [] })) },
    slack: {
      findMessages: async () => [],
      async delete({ ts }) {
        if (refusal !== undefined) throw refusal;
        steps.push(`delete ${ts}`);
        left.delete(ts);
      },
    },
    slackNow: () => null,
    trackedMessages: {
      async forget({ ts }) {
        steps.push(`forget ${ts}`);
      },
    },
    log: createLog({ level: 'silent', process: 'test' }),
  });
  await deleteLateCopies(copies, 1);
  const deleted = steps.filter((step) => step.startsWith('delete'));
  expect(deleted.every((step) => steps.indexOf(step.replace('delete', 'forget')) < steps.indexOf(step))).toBe(true);
  return [...left];
}

it.each([
  ['the recorded one', ['1.0', '2.0', '3.0'], ['2.0', '2.0'], ['2.0']],
  ['the first one, if it is a file', ['1.0', '2.0'], [''], ['1.0']],
  ['all of them while the message is still being posted', ['1.0', '2.0'], [null, null], ['1.0', '2.0']],
  ['all of them while one of its entries is still being posted', ['1.0', '2.0'], ['1.0', null], ['1.0', '2.0']],
  ['the only one that shows some entry', ['1.0', '2.0'], ['9.0', '1.0'], ['1.0']],
  ['none, if another message shows all of it', ['1.0'], ['9.0', '9.0'], []],
  ['a single message', ['1.0'], ['1.0'], ['1.0']],
])('of several messages with one reference, keeps %s', async (_what, found, kept, left) => {
  expect(await remaining(found, kept)).toEqual(left);
});

it('leaves a copy alone that Slack refuses to delete', async () => {
  const refusal = new SlackError('chat.delete', 'refused', 'cant_delete_message');

  expect(await remaining(['1.0', '2.0'], ['1.0'], refusal)).toEqual(['1.0', '2.0']);
});

it('deletes a copy of a summary together with its rows in the thread, and nothing else there', async () => {
  const [copy, kept] = ['1.000001', '2.000001'];
  const posted = { ref: null, marks: [], files: [] };
  const file = fileName({ of: { channel: 'C1', ts: copy } });
  const replies = [
    { ...posted, ts: copy, ref: 'm_1' },
    { ...posted, ts: '3.0', files: [file] },
    { ...posted, ts: '4.0', ref: refOf('C1', [`rows-${copy}-page-0`]) },
    { ...posted, ts: '5.0' },
    { ...posted, ts: '6.0', ref: 'm_step' },
  ];
  const steps: string[] = [];
  await createDeleteLateCopies({
    outbox: { sentAt: async () => [kept, kept], remove: async (_channel, id) => void steps.push(`remove ${id}`) },
    findPosted: { find: async () => [copy, kept].map((ts) => ({ ...posted, ts, ref: 'm_1' })) },
    slack: {
      findMessages: async ({ threadTs }) => (threadTs === copy ? replies : []),
      delete: async ({ ts }) => void steps.push(`delete ${ts}`),
    },
    batchMessages: {
      get: async () => ({
        why: 'busy',
        audience: 'team',
        form: 'summary',
        alerts: [{ id: 'a', label: '', times: 1 }],
      }),
      delete: async ({ ts }) => void steps.push(`remove summary ${ts}`),
    },
    trackedMessages: { forget: async () => {} },
    slackNow: () => null,
    log: createLog({ level: 'silent', process: 'test' }),
  })(copies, 1);

  expect(steps).toEqual([
    `remove rows-${copy}`,
    'delete 3.0',
    'delete 4.0',
    `remove summary ${copy}`,
    `delete ${copy}`,
  ]);
});

describe('the search for copies', () => {
  const slackMs = Date.parse('2026-11-20T15:00:00Z');
  const again = (afterMs: number, kept: string | null, looks: number): Promise<number | null> =>
    createDeleteLateCopies({
      outbox: { sentAt: async () => [kept], remove: async () => {} },
      batchMessages: { get: async () => null, delete: async () => {} },
      findPosted: { find: async () => [] },
      slack: { delete: async () => {}, findMessages: async () => [] },
      trackedMessages: { forget: async () => {} },
      slackNow: () => slackMs + afterMs,
      log: createLog({ level: 'silent', process: 'test' }),
    })({ search: { ...search, slackMs }, entryIds: ['a'], attempt: 1 }, looks);

  it("continues until five minutes have passed on Slack's clock, however often it ran before", async () => {
    expect(await again(30_000, '1.0', 1)).toBe(270_000);
    expect(await again(1000, '1.0', 2), "both runs came at once, because a worker's clock was slow").toBe(299_000);
    expect(await again(299_000, '1.0', 2)).toBe(30_000);
    expect(await again(301_000, '1.0', 3)).toBeNull();
  });

  it('continues while the message waits to be posted, less and less often, but not forever', async () => {
    expect(await again(400_000, null, 2)).toBe(60_000);
    expect(await again(400_000, null, 19)).toBe(570_000);
    expect(await again(400_000, null, 20)).toBeNull();
  });
});
