import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import {
  auditCsvLine,
  auditHeader,
  createCarryOver,
  peopleIn,
  type ReadableEntry,
} from '../../../bin/audit/audit-csv.ts';
import { statement } from '../../support/audit-records.ts';

const entry = (over: Partial<ReadableEntry['record']> = {}): ReadableEntry => ({
  number: 7,
  hash: 'ab'.repeat(32),
  record: { ...statement('act_a'), twoPersonAboveCents: 100_000, ...over },
});
const names: Readonly<Record<string, string>> = { U1: 'Ana Ruiz', U2: 'Zoe Park' };
const nameOf = (userId: string) => names[userId] ?? null;

/** Parses the lines as a program would, with columns by name. */
function read(...entries: ReadableEntry[]): Record<string, string>[] {
  const lines = [auditHeader, ...entries.map((each) => auditCsvLine(each, nameOf))];
  return parse(lines.join('\r\n'), { columns: true, bom: true });
}

it('starts with what lets a spreadsheet recognize UTF-8, and two exports put together can still be read', () => {
  const file = `${[auditHeader, auditCsvLine(entry({ holder: 'Zoë' }), nameOf)].join('\r\n')}\r\n`;
  const rows = parse(`${file}${file}`, { columns: true, bom: true }) as Record<string, string>[];

  expect([...Buffer.from(file).subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  expect(rows.map(({ cardholder }) => cardholder)).toEqual(['Zoë', 'cardholder', 'Zoë']);
  expect(rows.map(({ record }) => record)).toEqual(['7', '\uFEFFrecord', '7']);
});

it('lists in columns who changed whose card, from what to what, for how long, and who approved', () => {
  const over = {
    verb: 'limit',
    holder: 'Sam Rivera',
    last4: '1234',
    merchant: 'Corner Diner',
    before: 'daily limit $150.00',
    after: 'daily limit $180.50',
    duration: 'for 4 hours',
    approvers: ['U2', 'U9'],
  };

  expect(read(entry(over))[0]).toMatchObject({
    record: '7',
    user: 'U1',
    user_name: 'Ana Ruiz',
    cardholder: 'Sam Rivera',
    last_four: '1234',
    merchant: 'Corner Diner',
    before: 'daily limit $150.00',
    after: 'daily limit $180.50',
    duration: 'for 4 hours',
    approvers: 'Zoe Park, U9',
    approver_ids: 'U2 U9',
    two_person_above_usd: '1000.00',
  });
});

it('names Cardbell if nobody asked for the change, and leaves unknown values empty', () => {
  expect(read(entry({ actor: null }))[0]).toMatchObject({ user: 'Cardbell', user_name: 'Cardbell', approvers: '' });
  expect(read(entry({ actor: { userId: 'U8', teamId: 'T1' } }))[0]).toMatchObject({ user: 'U8', user_name: '' });
});

it('does not name Cardbell for what somebody did at a terminal', () => {
  expect(read(entry({ actor: null, policy: null }))[0]).toMatchObject({
    user: 'at a terminal',
    user_name: 'at a terminal',
  });
});

it('leaves the amount for two people empty if one person might allow any', () => {
  expect(read(entry({ twoPersonAboveCents: null }))[0]).toMatchObject({ two_person_above_usd: '' });
});

it('neutralizes formulas and keeps commas and quotes in their cells', () => {
  const formula = '=HYPERLINK("http://x.example","a, b")';

  expect(read(entry({ reason: formula, merchant: 'Diner;+1', holder: '@Sam' }))[0]).toMatchObject({
    reason: `'=HYPERLINK("http://x.example","a, b")`,
    merchant: "Diner;'+1",
    cardholder: "'@Sam",
  });
});

it('carries approvers and duration over to later records of the same action', () => {
  const carryOver = createCarryOver();
  carryOver(entry({ event: 'sent', approvers: ['U2'], duration: 'for 4 hours' }));

  expect(carryOver(entry({ event: 'confirmed' })).record).toMatchObject({ approvers: ['U2'], duration: 'for 4 hours' });
  expect(carryOver(entry({ actionId: 'act_b' })).record.approvers).toBeUndefined();
});

it('returns the people that a record names', () => {
  expect(peopleIn(entry({ approvers: ['U2'] }).record)).toEqual(['U1', 'U2']);
  expect(peopleIn(entry({ actor: null }).record)).toEqual([]);
});
