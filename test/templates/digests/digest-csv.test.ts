import { expect, it } from 'vitest';
import { digestCsv } from '../../../templates/digests/digest-csv.ts';
import { card } from '../fixtures.ts';

it("the controller’s file has a line for each decline, approval, override, open exception and card to be activated, with people's names", () => {
  const sums = { count: 1, attempts: 30, cents: 8410 };
  const decline = {
    code: 'decline.rule.velocity',
    reason: 'Over the daily limit',
    merchant: 'Corner Diner',
    group: 'Field',
  };
  const approved = {
    kind: 'raise',
    at: '2026-11-12T15:00:00.123Z',
    holder: 'Sam Rivera',
    last4: '1234',
    merchant: null,
    before: 'daily limit $150.00',
    after: 'daily limit $180.50',
    cents: 3050,
    duration: null,
    approvedBy: ['U0ANA', 'U0BEN'],
    isOverride: false,
    isUnconfirmed: false,
    reason: '=HYPERLINK("x")',
  } as const;
  const ordered = {
    ...approved,
    kind: 'order',
    last4: null,
    before: null,
    after: 'virtual card, not funded',
    cents: null,
    reason: '',
  } as const;
  const open = { kind: 'request', card, change: 'daily limit $1.00 → $2.00', by: 'U0SAM' } as const;

  const lines = digestCsv(
    {
      declines: [{ ...decline, ...sums }],
      approvals: [
        approved,
        { ...approved, isOverride: true, isUnconfirmed: true, duration: 'for 1 hour', reason: 'two\nlines' },
        ordered,
      ],
      open: [{ ...open, since: '2026-11-16T10:00:00Z', endsAt: '2026-11-17T10:00:00Z' }],
      inactive: [card],
    },
    new Map([
      ['U0ANA', 'Ana Lopez'],
      ['U0BEN', null],
    ]),
  ).split('\r\n');

  expect(lines).toEqual([
    '\uFEFF"What","Time (UTC)","Amount (USD)","Merchant","Cardholder","Card ending","Group","Why","Code","Declines","Attempts","Duration","Approved or asked by"',
    '"Declines","","84.10","Corner Diner","","","Field","Over the daily limit","decline.rule.velocity","1","30","",""',
    `"Approval","2026-11-12T15:00:00Z","30.50","","Sam Rivera","1234","","daily limit $150.00 → daily limit $180.50;'=HYPERLINK(""x"")","","","","permanent","Ana Lopez (U0ANA), U0BEN"`.replace(
      ";'=",
      "; '=",
    ),
    '"Emergency override","2026-11-12T15:00:00Z","30.50","","Sam Rivera","1234","","daily limit $150.00 → daily limit $180.50; two lines; not confirmed by the card service","","","","for 1 hour","Ana Lopez (U0ANA), U0BEN"',
    '"Approval","2026-11-12T15:00:00Z","","","Sam Rivera","","","virtual card, not funded","","","","","Ana Lopez (U0ANA), U0BEN"',
    '"Open: request","2026-11-16T10:00:00Z","","","Jane Doe","1212","Field team","daily limit $1.00 → $2.00","","","","until 2026-11-17T10:00:00Z","U0SAM"',
    '"Waiting to be activated","","","","Jane Doe","1212","Field team","Not activated yet","","","","",""',
    '',
  ]);
});
