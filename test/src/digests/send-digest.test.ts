import { describe, expect, it } from 'vitest';
import type { CardFacts } from '../../../src/core/card-facts.ts';
import { webKeys } from '../../../src/core/keys.ts';
import type { DigestApproval } from '../../../src/digests/approved-changes.ts';
import { createDigests } from '../../../src/digests/schedule-store.ts';
import { createSendDigest } from '../../../src/digests/send-digest.ts';
import { createShownDeclines } from '../../../src/digests/shown-declines.ts';
import { createTallies } from '../../../src/digests/tally-store.ts';
import { withoutDataTables } from '../../../src/slack/data-tables.ts';
import { digestCsv } from '../../../templates/digests/digest-csv.ts';
import { type CountedOver, countedDecline } from '../../support/counted-decline.ts';
import { useRedis } from '../../support/on-redis.ts';
import { card } from '../../templates/fixtures.ts';
import { shown } from '../../templates/shown.ts';

const redis = useRedis();
const unrecorded = async () => {};

function createWorld(now: Date, inactive: readonly CardFacts[] = []) {
  const posted: { channel: string; text: string; elsewhere: string; page: string; csv: string | null }[] = [];
  const postedIds = new Set<string>();
  const failures: string[] = [];
  const recorded: string[] = [];
  const asked: string[][] = [];
  const tallies = createTallies(redis(), () => now);
  const digests = createDigests(redis());
  const digest = createSendDigest({
    digests,
    tallies,
    shownDeclines: createShownDeclines(redis()),
    exceptions: {
      async approved(from, to): Promise<DigestApproval[]> {
        asked.push([from, to].map((ms) => new Date(ms).toISOString().slice(0, 10)));
        return [];
      },
      open: async () => [],
      inactive: async () => [...inactive],
    },
    visibilityOf: async (channel) => (channel === 'C0SHARED' ? 'shared' : 'direct'),
    post: async (channel, id, { message, elsewhere, rows }) => {
      if (failures[0] === 'post') throw new Error(`killed: ${failures.shift()}`);
      if (postedIds.has(id)) return;
      postedIds.add(id);
      const page = shown(withoutDataTables(message.blocks).blocks);
      posted.push({
        channel,
        text: message.text,
        elsewhere: elsewhere.text,
        page,
        csv: rows === null ? null : digestCsv(rows, new Map()),
      });
    },
    record: async (channel, id, what) => {
      if (failures[0] === 'record') throw new Error(`killed: ${failures.shift()}`);
      if (recorded.some((said) => said.startsWith(`${channel}: ${id}: `))) return;
      recorded.push(`${channel}: ${id}: ${what}`);
    },
    now: () => new Date(now.getTime() + passedMs),
  });
  let passedMs = 0;
  let events = 0;
  const declined = (at: string, over: CountedOver = {}) => {
    events += 1;
    const reason = { code: 'decline.card.pin', title: 'Wrong PIN' };
    const decline = { acctId: events, cents: 1010, reason, merchant: 'Pin Shop' };
    return tallies.count(countedDecline(`evt_${events}`, at, { ...decline, ...over }));
  };
  const sendDue = async () => {
    for (const due of await digest.due()) await digest.send(due);
  };
  const pass = (ms: number) => (passedMs += ms);
  return { digest, digests, sendDue, pass, declined, posted, recorded, asked, failures };
}

it('has a version for any reader, and leaves a channel that another company can read to the outbox', async () => {
  const { digest, digests, sendDue, declined, posted, recorded } = createWorld(new Date('2026-11-20T23:00:00Z'));
  await declined('2026-11-20T20:00:00Z');
  await digests.set({ ...dailyAtNine, hour: 22, channel: 'C0SHARED', by: 'U1', at: '2026-11-19T23:00:00Z' });

  const said: string[] = [];
  await digest.now('D0ANA', 'n2', { of: null, zone: 'UTC' }, async (what) => void said.push(what));
  expect(said).toEqual(['daily digest of 1 decline']);
  await sendDue();

  expect(posted).toMatchObject([
    { channel: 'D0ANA', text: expect.stringMatching(/PIN/), csv: null },
    { channel: 'C0SHARED', text: expect.stringContaining('1 decline') },
  ]);
  expect(posted[0]?.elsewhere).not.toMatch(/PIN/);
  expect(posted[1]?.text).not.toContain('C0SHARED');
  expect(posted[1]?.elsewhere, 'elsewhere, readers learn whose it is').toMatch(
    /^Digest of <#C0SHARED>, where it could not be posted\. Declines of the last day: 1 decline/,
  );
  expect(recorded, 'who asked for the first one is on record').toEqual([expect.stringContaining('C0SHARED: digest-')]);
});

it('does not name a PIN in its file either, not even by code', async () => {
  const { digest, declined, posted } = createWorld(new Date('2026-11-20T23:00:00Z'));
  await declined('2026-11-20T20:00:00Z');

  await digest.now('C1', 'n1', { of: 'monthly', zone: 'UTC' }, unrecorded);

  expect(posted[0]?.csv).toContain('"Pin Shop"');
  expect(posted[0]?.csv?.replace('Pin Shop', '')).not.toMatch(/pin/i);
});

it('counts every card that waits to be activated, and lists in the file those that the table leaves out', async () => {
  const inactive = Array.from({ length: 1500 }, (_, index) => ({ ...card, acctId: index }));
  const { digest, posted } = createWorld(new Date('2026-11-20T23:00:00Z'), inactive);

  await digest.now('D0ANA', 'n1', { of: null, zone: 'UTC' }, unrecorded);

  expect(posted[0]?.text).toContain('1,500 cards wait to be activated.');
  expect(posted[0]?.csv?.match(/^"Waiting to be activated"/gm)).toHaveLength(1500);
});

it('sums dollars exactly by reason and group, with ungrouped cards and the spellings of a merchant in one row each', async () => {
  const { digest, declined, posted } = createWorld(new Date('2026-11-20T23:00:00Z'));
  await declined('2026-11-20T20:00:00Z', { merchant: 'SQ *COFFEE BAR', group: 'Field' });
  await declined('2026-11-20T20:01:00Z', { merchant: 'COFFEE BAR #12', cents: 20 });
  await declined('2026-11-19T20:01:00Z', { merchant: 'Coffee Bar' });

  await digest.now('D0ANA', 'n1', { of: null, zone: 'UTC' }, unrecorded);

  const { page, text } = posted[0] ?? { page: '', text: '' };
  expect(text).toContain('2 declines, $10.30, 1 more than the day before (1)');
  expect(page).toMatch(/By reason\*\n• .*PIN · Declines 2 · Amount \$10\.30 · Day before 1/);
  expect(page).toContain('• COFFEE BAR · Declines 2 · Amount $10.30 · Day before 1');
  expect(page).toContain('• Field · Declines 1 · Amount $10.10 · Day before 0');
  expect(page).toContain('• No group · Declines 1 · Amount $0.20 · Day before 1');
});

it('counts the limits of each category, and blocked and inactive cards, as separate reasons', async () => {
  const { digest, declined, posted } = createWorld(new Date('2026-11-20T23:00:00Z'));
  const titles = {
    'decline.rule.velocity.mcc': ['Over the daily limit for Restaurants', 'Over the daily limit for Hotels'],
    'decline.card.status': ['Card is blocked', 'Card is not active'],
    'decline.of.tomorrow': ['Declined by the card service'],
    'decline.of.today': ['Declined by the card service'],
  };
  for (const [code, ofCode] of Object.entries(titles))
    for (const title of ofCode) await declined('2026-11-20T20:00:00Z', { reason: { code, title } });
  const hotels = { code: 'decline.rule.velocity.mcc', title: 'Over the daily limit for Hotels' };
  await declined('2026-11-20T20:01:00Z', { reason: hotels });
  await declined('2026-11-19T20:00:00Z', { reason: hotels });

  await digest.now('D0ANA', 'n1', { of: null, zone: 'UTC' }, unrecorded);

  const [{ text, page } = { text: '', page: '' }] = posted;
  expect(text).toContain('Most often: Over the daily limit for Hotels, 2 times.');
  const rows = [...page.matchAll(/^• (.*) · Declines (\d) .* Day before (\d)$/gm)].map((row) =>
    row.slice(1).join(', '),
  );
  expect(rows.filter((row) => /^(?:Over|Card|Declined)/.test(row)).toSorted()).toEqual([
    'Card is blocked, 1, 0',
    'Card is not active, 1, 0',
    'Declined by the card service, 1, 0',
    'Declined by the card service, 1, 0',
    'Over the daily limit for Hotels, 2, 1',
    'Over the daily limit for Restaurants, 1, 0',
  ]);
});

it('covers the calendar month in a monthly digest, even days late, with a file for the controller', async () => {
  const { digest, digests, sendDue, declined, posted, asked, recorded } = createWorld(new Date('2026-11-03T12:00:00Z'));
  const when = { weekday: null, isMonthly: true, hour: 9, minute: 0, zone: 'America/New_York' };
  await digests.set({ ...when, channel: 'D0ANA', by: 'U1', at: '2026-10-20T12:00:00Z' });
  await declined('2026-10-01T03:59:59Z');
  await declined('2026-10-01T04:00:00Z');
  await declined('2026-11-01T03:59:59Z');
  await declined('2026-11-01T04:00:00Z');

  await sendDue();
  await sendDue();
  await digest.now('D0ANA', 'last', { of: 'last-month', zone: 'UTC' }, unrecorded);

  expect(recorded[0]).toBe(
    `D0ANA: digest-D0ANA-monthly-${Date.parse('2026-11-01T14:00:00Z')}: monthly digest of 2 declines`,
  );
  expect(asked).toEqual([
    ['2026-10-01', '2026-11-01'],
    ['2026-10-01', '2026-11-01'],
  ]);
  expect(posted.map(({ text }) => text)).toEqual(Array(2).fill(expect.stringContaining('2 declines, $20.20, 1 more')));
  expect(posted[0]?.csv).toContain('"Declines","","20.20","Pin Shop"');
});

it('on request covers the same month as the channel’s monthly digest, if it gets a daily one in another zone, too', async () => {
  const { digest, digests, declined, posted } = createWorld(new Date('2026-11-20T12:00:00Z'));
  const set = { channel: 'D0ANA', by: 'U1', at: '2026-09-20T12:00:00Z', weekday: null, hour: 9, minute: 0 };
  await digests.set({ ...set, isMonthly: false, zone: 'America/Los_Angeles' });
  await digests.set({ ...set, isMonthly: true, zone: 'America/New_York' });
  await declined('2026-10-01T03:59:59Z');
  await declined('2026-10-01T04:00:00Z');
  await declined('2026-11-01T03:59:59Z');
  await declined('2026-11-01T04:00:00Z');

  await digest.now('D0ANA', 'last', { of: 'last-month', zone: 'UTC' }, unrecorded);
  await digest.now('D0ANA', 'so-far', { of: 'monthly', zone: 'UTC' }, unrecorded);

  expect(posted.map(({ text }) => text)).toEqual([
    expect.stringContaining('2 declines, $20.20, 1 more'),
    expect.stringContaining('1 decline, $10.10'),
  ]);
});

describe('what the time before is compared with', () => {
  it('is all of the month before the last one, even on the last day of a month', async () => {
    const now = new Date('2026-05-31T12:00:00Z');
    const { declined, digest, posted } = createWorld(now);
    for (const at of ['2026-03-01T12:00:00Z', '2026-04-01T12:00:00Z', '2026-04-02T12:00:00Z']) await declined(at);

    await digest.now('D0ANA', 'last', { of: 'last-month', zone: 'UTC' }, unrecorded);

    expect(posted[0]?.text).toContain('2 declines, $20.20, 1 more than the month before (1).');
  });

  it('is as many days, for a month that is not over', async () => {
    const { declined, digest, posted } = createWorld(new Date('2026-06-02T12:00:00Z'));
    for (const at of ['2026-05-20T12:00:00Z', '2026-05-31T12:00:00Z', '2026-06-01T12:00:00Z']) await declined(at);

    await digest.now('D0ANA', 'n1', { of: 'monthly', zone: 'UTC' }, unrecorded);

    expect(posted[0]?.text).toContain(
      'Declines since May 31, 8:00 PM ET: 1 decline, $10.10, as many as in the same time',
    );
  });

  it('is in quarters of an hour, for a month that has just begun', async () => {
    const { digest, declined, posted } = createWorld(new Date('2026-12-01T00:10:00Z'));
    for (const at of ['2026-11-30T23:52:00Z', '2026-11-30T23:44:00Z']) await declined(at);

    await digest.now('D0ANA', 'n1', { of: 'monthly', zone: 'UTC' }, unrecorded);

    expect(posted[0]?.text).toContain('No declines, 1 fewer than in the same time before (1).');
  });

  it.each([
    ['2026-11-20T12:00:00Z', /1 decline, \$10\.10\. Most.* Only declines .*since/],
    ['2026-11-18T23:00:01Z', /1 decline, \$10\.10\. Most/],
    ['2026-11-18T23:00:00Z', /1 decline, \$10\.10, 1 more than the day before \(0\)\. Most/],
  ])('is nothing if webhooks arrive only since %s', async (since, words) => {
    const { declined, digest, posted } = createWorld(new Date('2026-11-20T23:00:00Z'));
    await redis().set(webKeys.since, String(Date.parse(since)));
    await declined('2026-11-20T20:00:00Z');

    await digest.now('D0ANA', 'n1', { of: null, zone: 'UTC' }, unrecorded);

    expect(posted[0]?.text).toMatch(words);
  });
});

it('sends a digest at its time in its zone, once a day, and not for a time before it was set', async () => {
  const { digest, digests, sendDue, pass, recorded } = createWorld(new Date('2026-11-20T15:00:00Z'));
  const when = { weekday: null, isMonthly: false, hour: 9, minute: 30, zone: 'America/Chicago' };
  await digests.set({ ...when, channel: 'C1', by: 'U1', at: '2026-11-20T15:00:00Z' });
  const daysSent = () =>
    recorded.map((said) => new Date(Number(/daily-(\d+)/.exec(said)?.[1])).toISOString().slice(0, 10));

  await sendDue();
  pass(29 * 60_000);
  await sendDue();
  expect(daysSent(), 'a minute before').toEqual([]);

  pass(60_000);
  const due = await digest.due();
  expect(due).toEqual([{ channel: 'C1', kind: 'daily', dueMs: Date.parse('2026-11-20T15:30:00Z') }]);
  await sendDue();
  await sendDue();
  for (const each of due) await digest.send(each);
  expect(daysSent()).toEqual(['2026-11-20']);

  pass(24 * 3_600_000 + 11 * 3_600_000);
  await sendDue();
  pass(24 * 3_600_000 + 2 * 3_600_000);
  await sendDue();
  expect(daysSent(), 'sent eleven hours late, but not thirteen').toEqual(['2026-11-20', '2026-11-21']);

  pass(12 * 3_600_000);
  const [next] = await digest.due();
  await digests.remove('C1', 'daily');
  if (next !== undefined) await digest.send(next);
  expect(next?.dueMs).toBe(Date.parse('2026-11-23T15:30:00Z'));
  expect(daysSent(), 'the digest was turned off meanwhile').toHaveLength(2);
});

const DAY_MS = 24 * 3_600_000;
const dailyAtNine = { weekday: null, isMonthly: false, hour: 9, minute: 0, zone: 'UTC' };

it('covers its own period if it was set long ago and no earlier digest is on record', async () => {
  const { digests, sendDue, declined, posted } = createWorld(new Date('2026-11-20T09:00:00Z'));
  await digests.set({ ...dailyAtNine, channel: 'D0ANA', by: 'U1', at: '2026-09-20T12:00:00Z' });
  for (const at of ['2026-09-21T08:00:00Z', '2026-11-18T08:00:00Z', '2026-11-20T08:00:00Z']) await declined(at);

  await sendDue();

  expect(posted.map(({ text }) => text)).toEqual([expect.stringContaining(': 1 decline, $10.10, ')]);
});

it('also covers the time of a digest that was never sent, from when it was set', async () => {
  const { digests, sendDue, pass, declined, posted, asked } = createWorld(new Date('2026-11-20T09:00:00Z'));
  await declined('2026-11-18T08:00:00Z');
  await digests.set({ ...dailyAtNine, channel: 'D0ANA', by: 'U1', at: '2026-11-19T12:00:00Z' });
  await sendDue();
  await declined('2026-11-20T10:00:00Z', { cents: 2 });
  await declined('2026-11-21T10:00:00Z', { cents: 1 });

  // No worker ran when the digest of the next day was due.
  pass(2 * DAY_MS);
  await sendDue();
  pass(DAY_MS);
  await sendDue();

  expect(posted.map(({ text }) => text)).toEqual([
    expect.stringContaining('No declines'),
    expect.stringContaining(
      'Declines since Nov 20, 4:00 AM ET: 2 declines, $0.03, 2 more than in the same time before (0).',
    ),
    expect.stringMatching(/Declines of the last day: No declines, 1 fewer than the day before \(1\)/),
  ]);
  expect(asked).toEqual([
    ['2026-11-19', '2026-11-20'],
    ['2026-11-20', '2026-11-22'],
    ['2026-11-22', '2026-11-23'],
  ]);
});

it('owes nothing for the time in which it was turned off', async () => {
  const { digests, sendDue, pass, declined, posted } = createWorld(new Date('2026-11-20T09:00:00Z'));
  await digests.set({ ...dailyAtNine, channel: 'D0ANA', by: 'U1', at: '2026-11-19T12:00:00Z' });
  await sendDue();
  await digests.remove('D0ANA', 'daily');
  await declined('2026-11-20T10:00:00Z');
  await digests.set({ ...dailyAtNine, channel: 'D0ANA', by: 'U1', at: '2026-11-22T12:00:00Z' });

  pass(3 * DAY_MS);
  await sendDue();

  expect(posted.map(({ text }) => text)).toEqual(Array(2).fill(expect.stringContaining('No declines')));
});

it.each(['record', 'post'])('finishes a digest whose worker died at its %s, and shows it once', async (step) => {
  const { digests, sendDue, posted, recorded, failures } = createWorld(new Date('2026-11-20T09:00:00Z'));
  await digests.set({ ...dailyAtNine, channel: 'D0ANA', by: 'U1', at: '2026-11-19T12:00:00Z' });
  failures.push(step);
  await expect(sendDue()).rejects.toThrow('killed');
  expect(posted, 'nothing is posted before it is on record').toEqual([]);
  expect(recorded).toHaveLength(step === 'post' ? 1 : 0);

  await sendDue();
  await sendDue();

  expect(posted).toHaveLength(1);
  expect(recorded).toHaveLength(1);
});
