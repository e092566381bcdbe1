import { beforeAll, expect, it } from 'vitest';
import { reverse, settle } from '../../sandbox/engine/after-purchase.ts';
import { purchase } from '../../sandbox/engine/purchase.ts';
import type { NetworkRow } from '../../sandbox/state/transaction.ts';
import { bareWorld, oneHolder, onlyAccount } from './bare-world.ts';

const kinds = ['authorization', 'settlement', 'reversal', 'pin', 'decline'] as const;
type Kind = (typeof kinds)[number];
const told = new Map<string, NetworkRow>();

beforeAll(() => {
  const bare = bareWorld({ seed: oneHolder(1000) });
  const { acctId: AcctId } = onlyAccount(bare);
  const buy = (over: object) => purchase(bare.world, { AcctId, Amount: 40, MerchantZip: '76102', ...over });
  bare.at('2026-03-04T17:00:00Z');
  settle(bare.world, buy({}));
  reverse(bare.world, buy({}));
  buy({ Pin: 'correct' });
  buy({ Amount: 9000 });
  for (const { kind, data } of bare.emitted) told.set(kind, data);
});

/** Meanings of the words in {@link notes}. Any other text is a literal value. */
const meanings: Readonly<Record<string, unknown>> = {
  null: null,
  empty: '',
  'an id': expect.any(Number),
  'a time': expect.stringMatching(/^2026-03-04T12:00:00/),
  'a text': expect.stringMatching(/./),
};

/** Expected values per field from the notes of the specification, in the order of {@link kinds}. Null means no note. */
const notes: readonly (readonly [field: keyof NetworkRow, ...expected: (string | null)[]])[] = [
  ['TransactionId', 'null', 'an id', 'null', 'null', 'null'],
  ['HoldTime', 'null', null, null, null, null],
  ['SettlementTime', 'null', 'a time', null, null, 'null'],
  ['TransactionType', 'NETWORK', 'NETWORK', 'NETWORK', 'NETWORK', 'NETWORK'],
  ['Description', 'Pending', 'Settlement', 'Reversal', 'Settlement', 'Declined'],
  ['AuthIdentityResponseCode', 'a text', 'a text', 'a text', 'a text', 'empty'],
  ['NetworkType', 'Auth', 'Settlement', 'Reversal', 'Pin', 'Auth'],
  ['NetworkStatus', 'Approved', 'null', 'null', 'Approved', 'Declined'],
  ['Message', 'null', 'null', 'null', 'null', 'Transaction exceeded current card balance'],
  ['MessageCode', 'null', 'null', 'null', 'null', 'decline.balance.card'],
];

const cases = notes.flatMap(([field, ...expected]) =>
  kinds.flatMap((kind, index): [keyof NetworkRow, Kind, string][] => {
    const value = expected[index] ?? null;
    return value === null ? [] : [[field, kind, value]];
  }),
);

it.each(cases)('%s of the %s is %s', (field, kind, value) => {
  expect(told.get(kind)?.[field]).toEqual(value in meanings ? meanings[value] : value);
});

it.each(['MerchantZip', 'TerminalId'] as const)('%s may carry trailing spaces', (field) => {
  expect(
    [...told.values()].some((row) => row[field].endsWith(' ')),
    field,
  ).toBe(true);
});
