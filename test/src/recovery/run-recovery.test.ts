import { describe, expect, it } from 'vitest';
import { BusyError, CardApiError, StoreUnavailableError } from '../../../src/core/errors.ts';
import { gapOf } from '../../../src/core/gap.ts';
import { intakeKey } from '../../../src/core/keys.ts';
import { createLog } from '../../../src/core/log.ts';
import { momentOf } from '../../../src/core/since.ts';
import { createRecoveries } from '../../../src/recovery/recovery-store.ts';
import {
  createRunRecovery,
  createShowRecovery,
  createStartRecovery,
  recoveryMessage,
} from '../../../src/recovery/run-recovery.ts';
import { held, withoutLock } from '../../support/held.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask } from '../../support/perform-world.ts';

const redis = useRedis();
const gap = gapOf(0, 3_600_000, 'start');
const apiError = (code: CardApiError['code'], status: number) =>
  new CardApiError('refused', { operation: 'x', status, outcome: 'refused', code, apiMessage: null });

/** A recovery that throws `error`. @returns when it runs again, and what was reported. */
async function run(error: Error | null, isBusy = false, shown: number[] = []) {
  const reported: string[] = [];
  const recoveries = createRecoveries(redis());
  const { run: asJob } = createRunRecovery({
    async recoverGap(_gap, onProgress) {
      if (error === null) return await recoveries.read(gap.id);
      await onProgress(0.61, await recoveries.read(gap.id));
      throw error;
    },
    async show(_gap, state, done) {
      if (state !== 'running') reported.push(state);
      shown.push(done);
    },
    recoveries,
    async tryLock(_name, work) {
      if (isBusy) throw new BusyError('the lock is taken');
      return await work(held);
    },
    withLock: withoutLock,
    log: createLog({ level: 'silent', process: 'test' }),
  });
  return { againMs: await asJob(gap), reported };
}

it.each([
  ['is closed', null, null, ['done']],
  ['waits for an unresponsive card service', apiError('unavailable', 503), 15_000, ['waiting']],
  ['waits for room in Redis', new StoreUnavailableError('redis is nearly full'), 15_000, ['waiting']],
  ['waits for another token when the card service rejects this one', apiError('token_dead', 401), 60_000, ['waiting']],
  ['fails when the card service refuses it', apiError('refused', 400), null, ['failed']],
] as const)('a gap %s', async (_what, error, againMs, reported) => {
  expect(await run(error)).toEqual({ againMs, reported });
});

it('a gap that waits shows how far it is', async () => {
  const shown: number[] = [];
  await run(apiError('unavailable', 503), false, shown);

  expect(shown).toEqual([0.61, 0.61]);
});

it.each([
  ['a year', 366, []],
  ['more', 367, ['The card service can be asked about the last 12 months only.']],
])('/card recover goes back %s only if the card service can be asked about it', async (_what, days, refused) => {
  const why: string[] = [];
  const start = createStartRecovery({
    momentOf: (since, askedAt) => momentOf(since, askedAt, 'UTC'),
    enqueueRecovery: async () => {},
    opsChannel: 'C0OPS',
    responses: {
      answer: async () => {},
      refuse: async (_action, refusal) => void why.push(refusal.why),
    },
    record: async () => {},
  });

  await start(ask('recover', { target: { kind: 'since', since: { agoMs: days * 86_400_000 } } }));

  expect(why).toEqual(refused);
});

it('/card recover 366d says from when on the card service can be asked', async () => {
  const [answers, asked]: [string[], string[]] = [[], []];
  const start = createStartRecovery({
    momentOf: (since, askedAt) => momentOf(since, askedAt, 'UTC'),
    enqueueRecovery: async ({ from }) => void asked.push(from),
    opsChannel: 'C0OPS',
    responses: { answer: async (_action, { text }) => void answers.push(text), refuse: async () => {} },
    record: async () => {},
  });

  const sinceDays = (days: number) => ({ kind: 'since', since: { agoMs: days * 86_400_000 } }) as const;
  const askedAt = '2026-11-20T12:00:00.000Z';
  await start(ask('recover', { askedAt, target: sinceDays(366) }));
  await start(ask('recover', { askedAt, target: sinceDays(364) }));

  expect(asked).toEqual(['2025-11-21T12:00:00.000Z', '2025-11-21T12:00:00.000Z']);
  expect(answers[0]).toContain('Nov 21, 2025');
  expect(answers[0]).toBe(answers[1]);
});

it('recovers the same times again from a terminal, but continues what has not finished', async () => {
  const recoveries = createRecoveries(redis());
  const asked: string[] = [];
  let isKilled = false;
  const { runHere } = createRunRecovery({
    async recoverGap(of) {
      asked.push(of.id);
      if (isKilled) throw apiError('unavailable', 503);
      await recoveries.finish(of, { found: asked.length, finishedAt: of.to });
      return await recoveries.read(of.id);
    },
    show: async ({ id }, state) => void asked.push(`${id} ${state}`),
    recoveries,
    tryLock: withoutLock,
    withLock: withoutLock,
    log: createLog({ level: 'silent', process: 'test' }),
  });
  const runAgain = async () => await runHere({ ...gap, cause: 'asked' }, async () => {});

  expect(await runAgain()).toMatchObject({ found: 1 });
  isKilled = true;
  await expect(runAgain()).rejects.toThrow(CardApiError);
  isKilled = false;
  expect(await runAgain()).toMatchObject({ found: 4 });

  const [first, , second] = asked;
  expect(second).not.toBe(first);
  expect(asked).toEqual([first, `${first} done`, second, second, `${second} done`]);
});

it('waits while another worker recovers a gap', async () => {
  expect(await run(null, true)).toEqual({ againMs: 1000, reported: [] });
});

describe('the message of a recovery', () => {
  const twoHours = gapOf(Date.parse('2026-11-20T10:00:00Z'), Date.parse('2026-11-20T12:00:00Z'), 'away');

  function createWorld() {
    const recoveries = createRecoveries(redis());
    const steps: string[] = [];
    let nowMs = 0;
    const now = () => new Date(nowMs);
    const text = async (id: string) => (await recoveryMessage(id, { recoveries }))?.text ?? 'nothing';
    const show = createShowRecovery({
      recoveries,
      post: async (id) => void steps.push(`posted: ${await text(id)}`),
      updateMessage: async (id) => void steps.push(`edited: ${await text(id)}`),
      now,
    });
    return {
      steps,
      async show(shown: typeof gap, state: 'running' | 'waiting' | 'done', done: number, afterMs = 6000) {
        nowMs += afterMs;
        await show(shown, state, done, await recoveries.read(shown.id));
      },
    };
  }

  it('shows how far it is, and the result', async () => {
    const { steps, show } = createWorld();

    for (const done of [0.1, 0.5]) await show(twoHours, 'running', done);
    await show(twoHours, 'waiting', 0.5);
    await show(twoHours, 'done', 1);

    expect(steps).toEqual([
      expect.stringMatching(/^posted: .*: 50% done/),
      expect.stringMatching(/^edited: .*: 50% done/),
      expect.stringMatching(/^posted: .*: 50% done.*not responding/),
      expect.stringMatching(/^edited: .*: 50% done.*not responding/),
      expect.stringMatching(/^posted: No purchase or card status was missed/),
      expect.stringMatching(/^edited: No purchase or card status was missed/),
    ]);
  });

  it('names the time that was looked at, which begins before the gap', async () => {
    const { steps, show } = createWorld();
    await createRecoveries(redis()).write(twoHours.id, { start: '2026-11-20T08:55:00.000Z' });

    await show(twoHours, 'done', 1);

    expect(steps[0]).toContain('between Nov 20, 2026, 3:55 AM ET');
  });

  it('is not edited more often than people can read', async () => {
    const { steps, show } = createWorld();
    await show(twoHours, 'running', 0.1);
    await show(twoHours, 'running', 0.2);

    await show(twoHours, 'running', 0.3, 1000);

    expect(steps).toHaveLength(2);
  });

  it('is not posted for a quick recovery that finds nothing', async () => {
    const { steps, show } = createWorld();
    await show(gapOf(Date.parse(twoHours.from), Date.parse(twoHours.from) + 5000, 'start'), 'done', 1);

    expect(steps).toEqual([]);

    await show(twoHours, 'done', 1);
    expect(steps, 'a two-hour recovery is reported anyway').not.toEqual([]);
  });

  it('is not posted after a restart for what has no webhook address, but for anything else', async () => {
    const { steps, show } = createWorld();
    const restart = gapOf(Date.parse(twoHours.from), Date.parse(twoHours.from) + 5000, 'start');
    const key = intakeKey(`recovery:${restart.id}`);
    await redis().hset(key, { recovered: 3, unsent: 3 });
    await show(restart, 'done', 1);
    expect(steps).toEqual([]);

    await redis().hset(key, { recovered: 4 });
    await show(restart, 'done', 1);
    expect(steps[0]).toMatch(/^posted: 4 events were missed .*; 4 recovered/);
  });
});
