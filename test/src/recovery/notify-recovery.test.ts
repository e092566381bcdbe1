import { expect, it } from 'vitest';
import { SlackError } from '../../../src/core/errors.ts';
import { gapOf } from '../../../src/core/gap.ts';
import { createLog } from '../../../src/core/log.ts';
import { createNotifyRecovery } from '../../../src/recovery/notify-recovery.ts';
import { createRecoveries } from '../../../src/recovery/recovery-store.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const gap = gapOf(Date.parse('2026-11-20T10:00:00Z'), Date.parse('2026-11-20T12:00:00Z'), 'away');
const lost = new SlackError('post', 'unknown', 'no_answer');

/** @param given.isLate The answer to the post is lost, and Slack shows the line only after the search for it. */
function createWorld({ isLate = false } = {}) {
  const recoveries = createRecoveries(redis());
  const steps: string[] = [];
  let nowMs = 0;
  let isShown = false;
  const notify = createNotifyRecovery({
    slack: {
      async post() {
        steps.push('posted');
        if (isLate) throw lost;
        return { channel: 'C1', ts: '1.1' };
      },
      update: async (_ref, { text }) => void steps.push(`edited: ${text}`),
      findMessages: async () => (isShown ? [{ ts: '1.1', ref: `recovery_${gap.id}`, marks: [], files: [] }] : []),
    },
    channel: 'C1',
    recoveries,
    render: (_gap, state) => ({ text: state, blocks: [] }),
    postNotice: async (id) => void steps.push(`notice ${id}`),
    now: () => nowMs,
    log: createLog({ level: 'silent', process: 'test' }),
  });
  return {
    steps,
    appears: () => {
      isShown = true;
    },
    async progress() {
      nowMs += 4000;
      await notify.progress(gap, 'running', 0.5, await recoveries.read(gap.id));
    },
    end: async () => await notify.end(gap, 'done', await recoveries.read(gap.id)),
  };
}

it('posts one line and edits it as the recovery proceeds', async () => {
  const { steps, progress, end } = createWorld();

  for (let time = 0; time < 3; time += 1) await progress();
  await end();

  expect(steps).toEqual(['posted', 'edited: running', 'edited: done']);
});

it('does not post twice when the answer is lost and Slack shows the line only after the search', async () => {
  const { steps, appears, progress, end } = createWorld({ isLate: true });

  for (let time = 0; time < 3; time += 1) await progress();
  appears();
  await progress();
  await end();

  expect(steps).toEqual(['posted', 'edited: running', 'edited: done']);
});

it('posts a separate message with the result if the line is never found', async () => {
  const { steps, progress, end } = createWorld({ isLate: true });

  for (let time = 0; time < 3; time += 1) await progress();
  await end();

  expect(steps).toEqual(['posted', `notice recovery_${gap.id}`]);
});

it('posts nothing for a quick recovery that finds nothing', async () => {
  const { steps, end } = createWorld();
  const quick = gapOf(Date.parse('2026-11-20T10:00:00Z'), Date.parse('2026-11-20T10:00:05Z'), 'start');
  const recoveries = createRecoveries(redis());
  const notify = createNotifyRecovery({
    slack: { post: () => Promise.reject(lost), update: async () => {}, findMessages: async () => [] },
    channel: 'C1',
    recoveries,
    render: (_gap, state) => ({ text: state, blocks: [] }),
    postNotice: async (id) => void steps.push(`notice ${id}`),
    now: () => 0,
    log: createLog({ level: 'silent', process: 'test' }),
  });

  await notify.end(quick, 'done', await recoveries.read(quick.id));
  expect(steps).toEqual([]);

  await end();
  expect(steps, 'a two-hour recovery is reported anyway').toEqual([`notice recovery_${gap.id}`]);
});
