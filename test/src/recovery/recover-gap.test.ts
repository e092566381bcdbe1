import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { FETCHED_PATH, type TransactionEvent } from '../../../src/core/event.ts';
import { type Gap, gapOf } from '../../../src/core/gap.ts';
import { createLog } from '../../../src/core/log.ts';
import { createLateIntake } from '../../../src/intake/take-late.ts';
import { createRecoverGap, type OnProgress, type ReadRow } from '../../../src/recovery/recover-gap.ts';
import { createRecoveries } from '../../../src/recovery/recovery-store.ts';
import { quarantine } from '../../../src/webhooks/quarantine.ts';
import { unanswered } from '../../support/card-api-errors.ts';
import { useRedis } from '../../support/on-redis.ts';
import { read } from '../webhooks/read.ts';

const HOUR = 3_600_000;
const redis = useRedis();
const nowMs = Date.parse('2026-11-20T12:00:00Z');
const gap = gapOf(nowMs - 60 * HOUR, nowMs - HOUR, 'start');
const inbox = '{cardbell:in}:webhooks';

interface Row extends Record<string, unknown> {
  readonly atMs: number;
  readonly event: TransactionEvent;
}
let rows: Row[];
let asked: [number, number][];

const DAY = 24;
const TEN_DAYS = 10 * DAY * HOUR;

const row = (hoursAgo: number): Row => {
  const atMs = nowMs - hoursAgo * HOUR;
  const event = read('decline', { NetworkTransactionId: Math.round(hoursAgo * 1000) }) as TransactionEvent;
  const at = new Date(atMs).toISOString();
  return { atMs, event: { ...event, occurredAt: at, requestedAt: at } };
};

beforeEach(() => {
  rows = [50, 40, 30.5, 20, 2].map(row);
  asked = [];
});

type Deps = Parameters<typeof createRecoverGap>[0];
interface Changed extends Partial<Omit<Deps, 'horizon' | 'intake'>> {
  readonly horizon?: Partial<Deps['horizon']>;
  readonly intake?: Partial<Deps['intake']>;
}

function deps({ horizon, intake, ...changed }: Changed = {}): Deps {
  return {
    async fetchRows(from, to) {
      asked.push([from.getTime(), to.getTime()]);
      return rows.filter(({ atMs }) => atMs >= from.getTime() && atMs <= to.getTime());
    },
    readRow: (each) => ({ kind: 'event', event: (each as Row).event }),
    intake: { ...createLateIntake(redis(), () => true), ...intake },
    recoverStatuses: async () => 0,
    recoveries: createRecoveries(redis()),
    horizon: { sinceMs: async () => 0, lookBackMs: 0, isSent: async () => true, ...horizon },
    now: () => new Date(nowMs),
    log: createLog({ level: 'silent', process: 'test' }),
    ...changed,
  };
}

const recoverGap = (of: Gap, given: Deps, onProgress: OnProgress = async () => {}) =>
  createRecoverGap(given)(of, onProgress);

const stored = async (): Promise<string[]> =>
  (await redis().xrange(inbox, '-', '+')).map(([, [, text]]) => {
    const entry = JSON.parse(text ?? '') as { isLate: boolean; event: TransactionEvent };
    expect(entry.isLate).toBe(true);
    return entry.event.networkTransactionId;
  });

it('fetches the complete gap in slices, and takes each event once, oldest first', async () => {
  const done: number[] = [];
  const result = await recoverGap(gap, deps(), async (share) => void done.push(share));

  expect(result).toMatchObject({ found: 5, recovered: 5, unreadable: 0 });
  expect(await stored()).toEqual(['50000', '40000', '30500', '20000', '2000']);
  for (const [index, [from]] of asked.entries()) if (index > 0) expect(from).toBe(asked[index - 1]?.[1]);
  expect(asked.length).toBeGreaterThan(3);
  expect(done).toEqual(done.toSorted((a, b) => a - b));
});

it('skips events already received as webhooks; a second run adds nothing and calls nothing', async () => {
  await redis().set(`{cardbell:in}:seen:${rows[1]?.event.id}`, '1');

  const first = await recoverGap(gap, deps());
  const questions = asked.length;
  const second = await recoverGap(gap, deps());

  expect(first).toMatchObject({ found: 5, recovered: 4 });
  expect(second).toEqual(first);
  expect(asked).toHaveLength(questions);
  expect(await stored()).toHaveLength(4);
});

it('does not take for late what is on its way when the gap ends', async () => {
  const brief = gapOf(nowMs - 5000, nowMs - 2500, 'start');
  rows = [row(3000 / HOUR)];

  const recovering = recoverGap(brief, deps());
  await sleep(100);
  await redis().set(`{cardbell:in}:seen:${rows[0]?.event.id}`, '1');

  expect(await recovering).toMatchObject({ found: 1, recovered: 0 });
});

it.each([
  ['by a slow clock it has not ended yet', gapOf(nowMs - 5000, nowMs + 60_000, 'start')],
  ['a person waits', gapOf(nowMs - 5000, nowMs, 'asked')],
])('waits for nothing if %s', async (_why, brief) => {
  const startedAt = performance.now();

  await recoverGap(brief, deps());

  expect(performance.now() - startedAt).toBeLessThan(2000);
});

it('counts and takes a row once that the card service lists for two calls, also with one before the gap', async () => {
  const start = Date.parse(gap.from) - 65 * 60_000;
  const around = [start + HOUR, start + 11 * HOUR, start + 12 * HOUR, start + 13 * HOUR];
  rows = around.map((atMs) => row((nowMs - atMs) / HOUR));
  const misfit = row((nowMs - start - 12.5 * HOUR) / HOUR);
  rows.push(misfit);
  const receivedAt = new Date(nowMs).toISOString();
  const [taken, kept]: [string[], string[]] = [[], []];
  const given = deps({
    horizon: { lookBackMs: TEN_DAYS },
    // As around a clock change, and when the list of a call is asked for in parts.
    async fetchRows(from, to) {
      const asked = rows.filter(({ atMs }) => atMs >= from.getTime() - 2 * HOUR && atMs <= to.getTime() + 2 * HOUR);
      return [...asked, ...asked];
    },
    readRow(each) {
      const { event } = each as Row;
      if (each !== misfit) return { kind: 'event', event };
      const facts = { path: FETCHED_PATH, issues: ['x'], version: undefined, receivedAt };
      return { kind: 'misfit', times: event, webhook: quarantine(each, facts) };
    },
    intake: {
      async take(_gapId, events) {
        taken.push(...events.map(({ id }) => id));
        return events.length;
      },
      async quarantineRows(_gapId, webhooks) {
        kept.push(...webhooks.map(({ id }) => id));
        return webhooks.length;
      },
    },
  });

  expect(await recoverGap(gap, given)).toMatchObject({ found: 5 });
  expect(taken).toHaveLength(4);
  expect(kept).toHaveLength(1);
});

it('takes an event that was under way in a call, and no longer is in the next one that lists it', async () => {
  const brief = gapOf(nowMs - 13 * HOUR, nowMs - 2000, 'asked');
  rows = [row(1000 / HOUR)];
  let calls = 0;
  const given = deps({
    // As around a clock change.
    async fetchRows() {
      calls += 1;
      return rows;
    },
    // As if the second call waited for the card service's quota.
    now: () => new Date(nowMs + (calls > 1 ? 120_000 : 0)),
  });

  expect(await recoverGap(brief, given)).toMatchObject({ found: 1, recovered: 1 });
  expect(calls).toBe(2);
});

it('continues where it stopped after a crash, and counts nothing twice', async () => {
  for (const step of ['fetch', 'take', 'journal'] as const) {
    await redis().flushall();
    let calls = 0;
    const dying = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
      const result = await work();
      if (name === step) calls += 1;
      if (calls === 3) throw new Error('killed');
      return result;
    };
    const whole = deps();
    const broken = deps({
      fetchRows: (from, to) => dying('fetch', () => whole.fetchRows(from, to)),
      intake: { take: (...events) => dying('take', () => whole.intake.take(...events)) },
      recoveries: {
        ...whole.recoveries,
        write: (id, progress) => dying('journal', () => whole.recoveries.write(id, progress)),
        finish: (of, progress) => dying('journal', () => whole.recoveries.finish(of, progress)),
      },
    });

    await expect(recoverGap(gap, broken)).rejects.toThrow('killed');
    asked = [];
    const result = await recoverGap(gap, deps());

    expect(result.recovered).toBe(5);
    expect(await stored()).toHaveLength(5);
    expect(asked[0]?.[0]).toBeGreaterThan(Date.parse(gap.from));
  }
});

it('quarantines an unreadable row, redacted and counted once even after a crash, without blocking the others', async () => {
  const whole = deps();
  const misfit = { ...row(30), CardNumber: '4111111111111111', Note: 'PAN 4111111111111111' };
  rows.push(misfit);
  const readRow = (each: Record<string, unknown>): ReadRow => {
    if (each !== misfit) return { kind: 'event', event: (each as Row).event };
    const issues = ['TransactionAmount: expected a number'];
    const receivedAt = new Date(nowMs).toISOString();
    return {
      kind: 'misfit',
      times: null,
      webhook: quarantine(each, { path: FETCHED_PATH, issues, version: undefined, receivedAt }),
    };
  };
  const dying = deps({
    readRow,
    intake: {
      async quarantineRows(id, misfits) {
        await whole.intake.quarantineRows(id, misfits);
        if (misfits.length > 0) throw new Error('killed');
        return 0;
      },
    },
  });

  await expect(recoverGap(gap, dying)).rejects.toThrow('killed');
  const result = await recoverGap(gap, deps({ readRow }));

  expect(result).toMatchObject({ found: 6, recovered: 5, unreadable: 1 });
  const entries = (await redis().xrange(inbox, '-', '+')).map(([, [, text]]) => text ?? '');
  const kept = entries.filter((text) => text.includes('"quarantine"')).map((text) => JSON.parse(text).webhook);
  expect(kept).toMatchObject([{ path: FETCHED_PATH, issues: ['TransactionAmount: expected a number'] }]);
  expect(entries.join()).not.toContain('4111111111111111');
});

it('counts apart the events of kinds whose webhooks are not sent, and stores all in the order in which they happened', async () => {
  const purchase = (minute: number) => ({
    ...row(minute),
    event: { ...row(minute).event, kind: 'authorization' as const },
  });
  rows = [purchase(50), row(40), purchase(30), row(20)];

  const result = await recoverGap(gap, deps({ horizon: { isSent: async (kind) => kind === 'decline' } }));

  expect(result).toMatchObject({ found: 4, recovered: 4, unsent: 2 });
  const entries = await redis().xrange(inbox, '-', '+');
  const stored = entries.map(([, [, entry = '']]) => (JSON.parse(entry) as { event: Row['event'] }).event.occurredAt);
  expect(stored).toHaveLength(4);
  expect(stored).toEqual(stored.toSorted());
});

it('stores from when it asks the card service, for its message', async () => {
  await recoverGap(gap, deps());

  const { start } = await createRecoveries(redis()).read(gap.id);
  expect(Date.parse(start ?? '')).toBe(Math.min(...asked.map(([from]) => from)));
});

it('keeps its progress when the service stops answering', async () => {
  const away = unanswered({ outcome: 'refused' });
  let calls = 0;
  const failing = deps({
    async fetchRows(from, to) {
      calls += 1;
      if (calls > 2) throw away;
      return await deps().fetchRows(from, to);
    },
  });

  await expect(recoverGap(gap, failing)).rejects.toBe(away);

  expect((await stored()).length).toBeGreaterThan(0);
  expect((await createRecoveries(redis()).read(gap.id)).position).not.toBeNull();
});

/** A later step of a purchase, which the service lists under the time of the purchase request. */
const laterStep = (kind: 'settlement' | 'reversal', requestedHoursAgo: number, happenedHoursAgo: number): Row => {
  const [atMs, happenedMs] = [nowMs - requestedHoursAgo * HOUR, nowMs - happenedHoursAgo * HOUR];
  const happenedAt = new Date(happenedMs).toISOString();
  const event = read(kind, {
    NetworkTransactionId: Math.round(requestedHoursAgo * 1000),
    MerchantLocalTime: happenedAt,
    SettlementTime: kind === 'settlement' ? happenedAt : null,
  }) as TransactionEvent;
  const settledAt = kind === 'settlement' ? happenedAt : null;
  const occurredAt = kind === 'settlement' ? happenedAt : new Date(atMs).toISOString();
  return { atMs, event: { ...event, requestedAt: new Date(atMs).toISOString(), occurredAt, settledAt } };
};

it('finds settlements and reversals in the gap, however long ago the purchase was requested', async () => {
  rows = [laterStep('settlement', 5 * DAY, 20), laterStep('reversal', 9 * DAY, 20), row(20)];

  const result = await recoverGap(gap, deps({ horizon: { lookBackMs: TEN_DAYS } }));

  expect(result).toMatchObject({ found: 3, recovered: 3 });
  expect((await stored()).toSorted()).toEqual(['120000', '20000', '216000']);
});

it('finds settlements that were settled up to a day before the gap, since their webhook may come later', async () => {
  const begin = 60 + 65 / 60;
  rows = [
    laterStep('settlement', 6 * DAY, begin + 23.9),
    laterStep('settlement', 7 * DAY, begin + 24.1),
    row(begin + 1),
  ];

  const result = await recoverGap(gap, deps({ horizon: { lookBackMs: TEN_DAYS } }));

  expect(result).toMatchObject({ found: 1, recovered: 1 });
  expect(await stored()).toEqual(['144000']);
});

it('finds no settlement from before Cardbell first ran', async () => {
  rows = [laterStep('settlement', 6 * DAY, 70)];
  const sinceMs = async (): Promise<number> => nowMs - 62 * HOUR;

  const result = await recoverGap(gap, deps({ horizon: { lookBackMs: TEN_DAYS, sinceMs } }));

  expect(result).toMatchObject({ found: 0, recovered: 0 });
});

it('leaves out settlements and purchases from long before the gap', async () => {
  rows = [laterStep('settlement', 6 * DAY, 4 * DAY), row(5 * DAY)];

  expect(await recoverGap(gap, deps({ horizon: { lookBackMs: TEN_DAYS } }))).toMatchObject({ found: 0, recovered: 0 });
});

it('does not report reversals of purchases from before Cardbell first ran', async () => {
  rows = [laterStep('reversal', 5 * DAY, 4 * DAY)];

  const result = await recoverGap(
    gap,
    deps({ horizon: { lookBackMs: TEN_DAYS, sinceMs: async () => nowMs - 4.5 * DAY * HOUR } }),
  );

  expect(result).toMatchObject({ found: 0, recovered: 0 });
});

it('quarantines an unreadable row only if its webhook may have been due in the gap, or nobody can say', async () => {
  const [before, within, unknown] = [row(5 * DAY), laterStep('settlement', 6 * DAY, 20), row(7 * DAY)];
  rows = [before, within, unknown];
  const receivedAt = new Date(nowMs).toISOString();
  const readRow = (each: Record<string, unknown>): ReadRow => ({
    kind: 'misfit',
    times: each === unknown ? null : (each as Row).event,
    webhook: quarantine(each, { path: FETCHED_PATH, issues: ['x'], version: undefined, receivedAt }),
  });

  const result = await recoverGap(gap, deps({ readRow, horizon: { lookBackMs: TEN_DAYS } }));

  expect(result).toMatchObject({ found: 2, recovered: 0, unreadable: 2 });
});

it('looks back in few calls when the responses are short, and in more when they are long', async () => {
  await recoverGap(gap, deps({ horizon: { lookBackMs: TEN_DAYS } }));
  const inGap = Math.ceil((59 + 66 / 60) / 12);
  expect(asked.length).toBeLessThanOrEqual(inGap + 5);
  expect(Math.min(...asked.map(([from]) => from))).toBe(
    Math.min(...asked.slice(0, inGap).map(([from]) => from)) - TEN_DAYS,
  );

  await redis().flushall();
  asked = [];
  const many = Array.from({ length: 5000 }, () => row(7 * DAY));
  await recoverGap(
    gap,
    deps({
      horizon: { lookBackMs: TEN_DAYS },
      fetchRows: async (from, to) => {
        asked.push([from.getTime(), to.getTime()]);
        return many;
      },
    }),
  );
  for (const [from, to] of asked) expect(to - from).toBeLessThanOrEqual(12 * HOUR);
});

it('never requests more than the last twelve months', async () => {
  await recoverGap(gap, deps({ horizon: { lookBackMs: 400 * DAY * HOUR } }));

  expect(Math.min(...asked.map(([from]) => from))).toBe(nowMs - 364 * DAY * HOUR);
});

it.each([
  [12, 0],
  // Longer than what it had fetched before.
  [30, 6],
])(
  'continues a recovery of a year after an outage of %i hours, without the %i hours that nobody can be asked about any more',
  async (awayHours, lostHours) => {
    const year = gapOf(nowMs - 365 * DAY * HOUR, nowMs, 'asked');
    const start = nowMs - 364 * DAY * HOUR;
    rows = [row(363 * DAY), row(20)];
    let calls = 0;
    const failing = deps({
      async fetchRows(from, to) {
        calls += 1;
        if (calls > 2) throw unanswered();
        return await deps().fetchRows(from, to);
      },
    });
    await expect(recoverGap(year, failing)).rejects.toThrow('unavailable');
    asked = [];

    const later = () => new Date(nowMs + awayHours * HOUR);
    const result = await recoverGap(year, deps({ now: later }));

    expect(asked[0]?.[0]).toBe(start + (24 + lostHours) * HOUR);
    expect(asked.at(-1)?.[1]).toBe(nowMs);
    expect(result).toMatchObject({ recovered: 2 });
    expect(Date.parse(result.start ?? '')).toBe(lostHours === 0 ? start : start + 30 * HOUR);
  },
);

it('continues looking back where it stopped, without fetching the gap again', async () => {
  rows = [laterStep('settlement', 5 * DAY, 20), laterStep('settlement', 12 * DAY, 20), row(20)];
  const from = Date.parse(gap.from);
  let before = 0;
  // Long responses, so that it takes many calls.
  const many = Array.from({ length: 5000 }, () => row(7 * DAY));
  const dying = deps({
    horizon: { lookBackMs: TEN_DAYS },
    async fetchRows(since, until) {
      if (since.getTime() < from) before += 1;
      if (before === 4) throw new Error('killed');
      return [...(await deps().fetchRows(since, until)), ...many];
    },
  });
  await expect(recoverGap(gap, dying)).rejects.toThrow('killed');
  const reached = Math.min(...asked.map(([since]) => since));
  asked = [];

  const result = await recoverGap(gap, deps({ horizon: { lookBackMs: TEN_DAYS } }));

  expect(result).toMatchObject({ found: 3, recovered: 3 });
  expect(Math.max(...asked.map(([, until]) => until))).toBe(reached);
});

it('includes events from the second in which the gap began, since the service’s times have no fractions', async () => {
  const startMs = nowMs - 60 * HOUR + 700;
  // Happened 100 ms into the gap. The service reports the start of that second, which is before the gap.
  rows = [{ ...row(60), atMs: startMs + 100 }];

  const begun = deps({ horizon: { sinceMs: async () => startMs } });
  const result = await recoverGap(gapOf(startMs, nowMs - HOUR, 'start'), begun);

  expect(result).toMatchObject({ found: 1, recovered: 1 });
});

it('compares no statuses for webhooks that do not arrive: such a gap comes every hour, and the directory reports them', async () => {
  const compared: string[] = [];
  const given = deps({
    async recoverStatuses({ cause }) {
      compared.push(cause);
      return 1;
    },
  });

  const unnoticed = await recoverGap(gapOf(nowMs - 3_600_000, nowMs, 'unnoticed'), given);
  await recoverGap(gapOf(nowMs - 3_600_000, nowMs - 1, 'away'), given);

  expect(unnoticed).toMatchObject({ statuses: 0 });
  expect(compared).toEqual(['away']);
});

it('counts card statuses that a run has stored before it was interrupted', async () => {
  const late = createLateIntake(redis(), () => true);
  const statuses = [row(5).event, row(6).event];
  let isAway = true;
  const given = deps({
    async recoverStatuses({ id }) {
      await late.takeStatuses(id, statuses);
      if (isAway) throw unanswered();
    },
  });

  await expect(recoverGap(gap, given)).rejects.toThrow();
  isAway = false;

  expect(await recoverGap(gap, given)).toMatchObject({ found: 5, recovered: 7, statuses: 2 });
});

it('is not done while it waits for the statuses, also in a run that has nothing else to do', async () => {
  const done: number[] = [];
  const given = deps({ recoverStatuses: () => Promise.reject(unanswered()) });

  for (const run of [gap, gap, gapOf(nowMs, nowMs, 'asked')])
    await expect(recoverGap(run, given, async (share) => void done.push(share))).rejects.toThrow('unavailable');

  expect(done.at(-1)).toBe(0.99);
  expect(Math.max(...done)).toBe(0.99);
});
