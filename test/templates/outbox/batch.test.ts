import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ActivationReminder, CardTestingAlert, FraudCaseAlert } from '../../../src/alerts/alert.ts';
import type { Batch } from '../../../src/outbox/message-store.ts';
import { MESSAGE_SIZE_MAX, MESSAGE_TEXT_MAX } from '../../../src/slack/limits.ts';
import { batchForm, batchMessage } from '../../../templates/outbox/batch.ts';
import { type BatchRow, rowLabel } from '../../../templates/outbox/batch-row.ts';
import { rowsCsv, rowsPage, rowsPages } from '../../../templates/outbox/rows.ts';
import { charactersIn, checkBlocks } from '../../../workspace/block-limits.ts';
import { examples } from '../../support/examples.ts';
import {
  batchRows,
  card,
  change,
  declined,
  outcome,
  shippingAlert,
  statusAlert,
  transactionAlert,
} from '../fixtures.ts';
import { shown as shownIn } from '../shown.ts';

const inPublic = { place: 'public' } as const;
const row = (over: Partial<BatchRow> = {}): BatchRow => ({
  ...(batchRows([transactionAlert()], inPublic)[0] as BatchRow),
  ...over,
});
const rows = (count: number, over: (i: number) => Partial<BatchRow> = () => ({})): BatchRow[] =>
  Array.from({ length: count }, (_, i) => row({ id: `evt_${String(i).padStart(16, '0')}`, ...over(i) }));
const draw = (shown: readonly BatchRow[], { why = 'busy' as Batch['why'], hasTable = true, hasChart = true } = {}) =>
  batchMessage({ rows: shown, why, form: batchForm(shown, { hasTable }), hasChart });
const types = (shown: readonly BatchRow[], options = {}) => draw(shown, options).blocks.map(({ type }) => type);

describe('several alerts in one message', () => {
  it('are listed one below the other if few, with who, how much, where and why', () => {
    const { text, blocks } = draw(batchRows([transactionAlert(), shippingAlert()], inPublic));

    expect(text).toMatch(
      /^1 decline and 1 shipment: declined: \$84\.10 at Blue Bottle Coffee, Austin, TX · Jane Doe · card 1212: over the daily limit; card shipped: Jane Doe · card 1212/,
    );
    const shown = shownIn(blocks);
    expect(shown).toMatch(
      /\*Declined: \$84\.10 at Blue Bottle Coffee\* · Jane Doe · card 1212 · <!date[^>]*>\nOver the daily limit\nAustin, TX/,
    );
    expect(shown).toMatch(/\*Card shipped\* · Jane Doe · card 1212 · <!date[^>]*>\nUSPS, 9400111201080805483016/);
  });

  it('keep apart cards that shipped and cards that are still not activated', () => {
    const reminder = ActivationReminder.parse({ ...shippingAlert(), kind: 'activation-reminder' });
    const activated = { ...reminder, outcomes: [outcome({ verb: 'activate' })] };
    const { text, blocks } = draw(batchRows([shippingAlert(), reminder, reminder, activated], inPublic));

    expect(text).toMatch(/^3 activation reminders and 1 shipment/);
    expect(shownIn(blocks).match(/\*Card shipped\*/g)).toHaveLength(1);
    expect(shownIn(blocks).match(/\*Still not activated\* · Jane Doe · card 1212/g)).toHaveLength(2);
    expect(shownIn(blocks)).toContain('Still not activated* · Jane Doe · card 1212\nShipped Nov 20, 2026, 9:14 AM ET');
    expect(shownIn(blocks).match(/\*No longer waiting\*/g)).toHaveLength(1);
  });

  it.each(['table', 'summary'] as const)(
    'begin with no empty line if they have neither a time nor an amount: %s',
    (form) => {
      const reminder = ActivationReminder.parse({ ...shippingAlert(), kind: 'activation-reminder' });
      const reminders = batchRows(
        Array.from({ length: 6 }, () => reminder),
        inPublic,
      );
      const { blocks } = batchMessage({ rows: reminders, why: 'busy', form, hasChart: true });

      expect(shownIn(blocks)).toMatch(/^6 activation reminders\n/);
      expect(shownIn(blocks).split('\n')).not.toContain('–');
    },
  );

  it('name the year of what happened in another one, which is not the same day, and no time that is not known', () => {
    const at = ['2025-12-20T15:00:00Z', '2026-12-20T15:00:00Z', ''];
    const late = rows(12, (i) => ({ at: at[i % 3] ?? '', seenAt: '2026-12-21T15:00:00Z' }));
    const shown = JSON.stringify(draw(late).blocks);

    expect(shown).toContain('"Dec 20, 2025, 10:00 AM"');
    expect(shown).toContain('"Dec 20, 10:00 AM"');
    expect(shown).not.toContain('"value":null');
  });

  it('call an authorization of $0.00 a check of the card, not a purchase', () => {
    const of = (amountCents: number) =>
      transactionAlert({ kind: 'authorization', amountCents, requestedCents: amountCents, decline: null });
    const all = batchRows([of(0), of(0), of(8410)], inPublic);
    const { text, blocks } = draw(all);

    expect(text).toMatch(/^2 card checks and 1 purchase/);
    expect(shownIn(blocks).match(/\*Card checked: \$0\.00 at Blue Bottle Coffee\*/g)).toHaveLength(2);
    expect(rowsCsv(all)).toContain('Card checked');
    expect(draw(batchRows([of(0), of(8410)], inPublic)).text).toMatch(/^1 card check and 1 purchase/);
  });

  it('count a warning and a fraud case as what they are', () => {
    const { event, card, outcomes, late } = transactionAlert();
    const around = { event, card, outcomes, late };
    const warning = CardTestingAlert.parse({ ...around, kind: 'card-testing', tried: [] });
    const report = FraudCaseAlert.parse({
      ...around,
      kind: 'fraud-case',
      alertId: event.id,
      reported: { by: 'U9', at: event.occurredAt },
      operators: [],
      purchases: null,
    });

    expect(draw(batchRows([transactionAlert(), warning, report], inPublic)).text).toMatch(
      /^1 decline, 1 card-testing warning, and 1 fraud report/,
    );
  });

  it('tell another company only how many they are', () => {
    const { text, blocks } = draw(batchRows([transactionAlert(), shippingAlert()], { place: 'shared' }));

    expect(text).toMatch(/^2 alerts/);
    expect(`${text} ${shownIn(blocks)}`).not.toMatch(/decline|shipment|shipped/i);
  });

  it('are a table if many, and a summary with a chart in a flood', () => {
    expect(types(rows(5))).toEqual(['header', ...Array<string>(5).fill('section'), 'actions', 'context']);
    expect(types(rows(6))).toEqual(['header', 'section', 'data_table', 'actions', 'context']);
    expect(types(rows(55))).toContain('data_table');
    expect(types(rows(3000, (i) => ({ why: `Reason ${i % 7}` })))).toEqual([
      'header',
      'section',
      'data_visualization',
      'section',
      'actions',
      'context',
    ]);
  });

  it('are a table as long as each has a row in it', () => {
    const short = { what: '', who: '', last4: '', cents: null, merchant: '', place: '', why: 'No', at: '' };

    expect(types(rows(100, () => short))).toContain('data_table');
    expect(types(rows(101, () => short))).not.toContain('data_table');
  });

  it('count twelve declines as twelve, and repeats of one as its attempts', () => {
    expect(draw(rows(12)).text).toMatch(/^12 declines/);
    expect(draw(rows(2, (i) => ({ times: 1 + 10 * i }))).text).toMatch(/^2 declines \(12 attempts\)/);
  });

  const blockedRow = (count: number, minCents: number, maxCents: number): BatchRow[] => {
    const at = '2026-11-20T14:14:00Z';
    const repeats = { C1: { count, firstAt: at, lastAt: at, minCents, maxCents } };
    const blocked = declined('decline.card.status', 'Card is blocked', { remedy: { kind: 'unblock' }, repeats });
    return batchRows([blocked], { ...inPublic, channel: 'C1' });
  };

  it('show the range of the declines of a blocked card, of which equal ones may be attempts of one purchase', () => {
    const shown = blockedRow(4, 1250, 8410);

    expect(shownIn(draw([...shown, row({ cents: 1000 })]).blocks)).toContain('Declined 4 times: $12.50 to $84.10');
    expect(JSON.stringify(draw([...rows(6), ...shown]).blocks)).toContain('"value":12.5,"text":"$12.50 to $84.10"');
    expect(rowsCsv(shown)).toMatch(/"Declined 4 times","4",(?:"[^"]*",){2}"12\.50","84\.10","",""/);
  });

  it.each([
    ['as a lower bound if there are more than two', 4, 1250, 8410, '$3,470.60 or more in all'],
    ['exactly if there are two', 2, 1250, 8410, '$3,470.60 in all'],
    ['as a lower bound if they are equal, but perhaps at two shops', 2, 8410, 8410, '$3,458.10 or more in all'],
    ['exactly if there is one', 1, 8410, 8410, '$3,458.10 in all'],
  ])('add up the declines of a blocked card %s', (_how, count, least, most, sum) => {
    const shown = [...rows(40), ...blockedRow(count, least, most), row({ cents: 1000 })];

    expect(draw(shown).text).toContain(` ${sum}. `);
  });

  it('add up to the amounts in the two columns of their file', () => {
    const shown = [...rows(40), ...blockedRow(2, 1250, 8410), row({ cents: 1000 })];
    const amounts = rowsCsv(shown)
      .split('\r\n')
      .slice(1, -1)
      .flatMap((line) => line.slice(1, -1).split('","').slice(6, 8).map(Number));

    expect(amounts.reduce((sum, amount) => sum + amount, 0)).toBeCloseTo(3470.6);
    expect(draw(shown).text).toContain(' $3,470.60 in all. ');
  });

  it('add up repeats of one purchase, at one shop, exactly and once', () => {
    const at = '2026-11-20T14:14:00Z';
    const repeats = { C1: { count: 12, firstAt: at, lastAt: at, minCents: 8410, maxCents: 8410 } };
    const shown = batchRows([transactionAlert({}, { repeats })], { ...inPublic, channel: 'C1' });

    expect(draw([...rows(40), ...shown]).text).toContain(' $3,448.10 in all. ');
  });

  it('count the dollars of equal attempts at a blocked card once, like those at any card', () => {
    const [shown] = blockedRow(12, 8410, 8410);

    expect(shown).toMatchObject({ what: 'Declined 12 times', cents: 8410, maxCents: null, merchant: '', place: '' });
  });

  it('can be sorted by amount and time in a table whose row header is the cardholder', () => {
    const table = draw(rows(6, (i) => ({ cents: 1000 * i }))).blocks.find(({ type }) => type === 'data_table');

    expect(table).toMatchObject({ type: 'data_table', page_size: 10, row_header_column_index: 1 });
    expect(JSON.stringify(table)).toMatch(/"type":"raw_number","value":50,"text":"\$50\.00"/);
    expect(JSON.stringify(table)).toMatch(/"type":"raw_number","value":\d{13},"text":"[^"]*[AP]M"/);
  });

  it('read the same in words in a workspace without tables and charts', () => {
    const without = { hasTable: false, hasChart: false };
    expect(types(rows(12), without).filter((type) => type === 'section')).toHaveLength(12);
    expect(types(rows(13), without)).toEqual(['header', 'section', 'section', 'actions', 'context']);
  });

  it('show a chart of the reasons instead of a list, and count omitted entries once', () => {
    const flood = rows(300, (i) => ({
      why: i % 2 === 0 ? 'Over the daily limit' : 'Wrong merchant',
      merchant: `Shop ${i % 9}`,
    }));
    const drawn = JSON.stringify(draw(flood).blocks);
    const listed = JSON.stringify(draw(flood, { hasChart: false }).blocks);

    expect(drawn).toContain('By reason');
    expect(drawn).not.toContain('*Why*');
    expect(listed).toContain('*Why*');
    expect(drawn).toMatch(/\*Merchants \(9\)\*.*?and 4 more/);
  });

  it.each([
    [10, 'Reason 9', 10],
    [11, 'Others (2 reasons)', 20],
    [15, 'Others (6 reasons)', 60],
  ])('of %i reasons are all in a chart of ten bars, the last of which is “%s”', (count, last, value) => {
    const { blocks } = draw(rows(count * 10, (i) => ({ why: `Reason ${i % count}` })));
    const bars = [...JSON.stringify(blocks).matchAll(/"label":"([^"]*)","value":(\d+)/g)];

    expect(bars).toHaveLength(10);
    expect(bars.at(-1)?.slice(1)).toEqual([last, String(value)]);
    expect(bars.reduce((sum, [, , times]) => sum + Number(times), 0)).toBe(count * 10);
  });

  it.each([
    ['held', /^While it was quiet here: 2 declines/],
    ['late', /^Arrived late: 2 declines/],
    ['fraud', /^Suspected fraud: 2 declines/],
  ] as const)('say why they are combined: %s', (why, words) => {
    const { text, blocks } = draw(rows(2), { why });

    expect(text).toMatch(words);
    expect(blocks[0]).toMatchObject({ type: 'header', text: { text: expect.stringMatching(words) } });
    expect(`${text}${JSON.stringify(blocks)}`).not.toMatch(/<@|<!(?!date)/);
  });

  it('show the day of each decline that was fetched later', () => {
    const shown = batchRows([transactionAlert({}, { late: true }), transactionAlert()], inPublic);

    expect(shownIn(draw(shown, { why: 'late' }).blocks).match(/<!date[^|]*/g)).toEqual([
      '<!date^1795184040^{date_short_pretty} at {time}',
      '<!date^1795184040^{time}',
    ]);
  });

  it('show the day of a purchase that is dated ahead', () => {
    const ahead = { occurredAt: '2026-11-22T14:14:00Z', receivedAt: '2026-11-20T14:14:00Z' };
    const shown = batchRows([transactionAlert(ahead), transactionAlert()], inPublic);

    expect(shownIn(draw(shown).blocks).match(/<!date[^|]*\{time\}/g)).toEqual([
      '<!date^1795356840^{date_short_pretty} at {time}',
      '<!date^1795184040^{time}',
    ]);
  });

  it('show the outcome of a row, and whose it was', () => {
    const done = outcome({ verb: 'block', by: 'U0OLGA' });
    for (const count of [2, 10, 3000]) {
      const { blocks } = draw(rows(count, (i) => (i === 1 ? { done } : {})));
      expect([count, JSON.stringify(blocks)]).toEqual([count, expect.stringMatching(/Blocked.*U0OLGA/)]);
    }
  });

  it('offer each alert once: in the menu, or by search', () => {
    const values = (count: number) => JSON.stringify(draw(rows(count)).blocks).match(/"value":"evt_/g) ?? [];
    expect(values(3)).toHaveLength(3);
    expect(values(20)).toHaveLength(20);
    expect(JSON.stringify(draw(rows(21)).blocks)).toContain('external_select');
  });

  it('mention no wrong PIN in a public channel, in any form or in the file', () => {
    const pin = declined('decline.card.pin', 'Invalid PIN');
    for (const count of [2, 10, 3000]) {
      const shown = batchRows(
        Array.from({ length: count }, () => pin),
        inPublic,
      );
      expect(JSON.stringify(draw(shown))).not.toMatch(/PIN/i);
      expect(rowsCsv(shown)).not.toMatch(/pin/i);
    }
    expect(rowsCsv(batchRows([pin], { place: 'direct' }))).toContain('decline.card.pin');
  });

  it('stay within Slack’s limits, whatever the rows say', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.string({ unit: 'grapheme', minLength: 100, maxLength: 200 }),
      fc.constantFrom('', '<!channel>', '&&&&&&&&&&&&&&&&&&&&&&&&&&&&', '*b* _i_', '@here'),
    );
    const any = fc.record({
      what: text,
      who: text,
      last4: fc.constantFrom('', '1234'),
      cents: fc.option(fc.nat()),
      merchant: text,
      place: text,
      why: text,
      done: fc.option(fc.constant(outcome({ verb: 'limit', text: 'x'.repeat(400) }))),
    });
    fc.assert(
      fc.property(
        fc.array(any, { minLength: 1, maxLength: 30 }),
        fc.constantFrom(1, 2, 3, 20),
        fc.boolean(),
        (given, times, hasTable) => {
          const shown = rows(given.length * times, (i) => given[i % given.length] ?? {});
          const page = rowsPage(shown, { page: 0, noFile: 'missing_scope', hasTable });
          for (const { text: sentence, blocks } of [draw(shown, { hasTable }), page]) {
            expect(checkBlocks(blocks, 'message')).toEqual([]);
            expect(charactersIn(blocks)).toBeLessThanOrEqual(MESSAGE_SIZE_MAX);
            expect(sentence.length).toBeLessThanOrEqual(MESSAGE_TEXT_MAX);
            expect(JSON.stringify(blocks)).not.toContain('<!channel>');
          }
        },
      ),
      { numRuns: examples(30), endOnFailure: true },
    );
  });
});

describe('pages instead of a file', () => {
  it('show every row once', () => {
    const all = rows(250, (i) => ({ cents: 1000 + i }));
    const pages = Array.from({ length: rowsPages(all.length) }, (_, page) =>
      rowsPage(all, { page, noFile: 'missing_scope', hasTable: true }),
    );

    const shown = pages.flatMap(({ blocks }) => JSON.stringify(blocks).match(/\$1\d\.\d\d/g) ?? []);
    expect(new Set(shown).size).toBe(250);
    expect(shown).toHaveLength(250);
    expect(pages[0]?.text).toMatch(/did not take the rows as a file.*missing.scope/);
    expect(pages.at(-1)?.text).toMatch(/of 250\.$/);
  });
});

describe('money in a message of several alerts', () => {
  const moved = (kind: string, over: Record<string, unknown> = {}) =>
    transactionAlert({ kind, decline: null, ...over });
  const headOf = (alerts: ReturnType<typeof transactionAlert>[]): string =>
    shownIn(draw(batchRows(alerts, inPublic)).blocks).split('\n')[1] ?? '';

  it('is added up if it is all of one kind', () => {
    expect(headOf(Array.from({ length: 6 }, () => moved('settlement')))).toMatch(
      /^\*\$504\.60\* in all<!date\^\d+\^, /,
    );
  });

  it('is not added up across spent, settled and refunded amounts, which may be the same money', () => {
    const alerts = [
      ...['authorization', 'pin', 'settlement', 'settlement', 'reversal'].map((kind) => moved(kind)),
      moved('settlement', { direction: 'credit', amountCents: 1000 }),
      transactionAlert(),
    ];

    expect(headOf(alerts)).toMatch(
      /^\*\$168\.20\* spent, \*\$168\.20\* settled, \*\$84\.10\* reversed, \*\$10\.00\* refunded, \*\$84\.10\* declined<!date\^\d+\^, /,
    );
    expect(draw(batchRows(alerts, inPublic)).text).toContain('$168.20 spent, $168.20 settled, $84.10 reversed');
  });

  it('is shown next to the amount requested by the merchant if that differs', () => {
    const partial = { amountCents: 4000, requestedCents: 10_000 };

    expect(shownIn(draw(batchRows([moved('pin', partial), moved('pin')], inPublic)).blocks)).toContain(
      'Spent: $40.00 (of $100.00 requested) at Blue Bottle Coffee',
    );
    const table = JSON.stringify(draw(batchRows([moved('pin', partial), ...Array(6).fill(moved('pin'))], inPublic)));
    expect(table).toMatch(/"Amount".*"Requested".*"\$40\.00".*"\$100\.00"/);
    expect(JSON.stringify(draw(rows(7)))).not.toContain('Requested');
    expect(rowsCsv(batchRows([moved('settlement', partial)], inPublic))).toContain(
      '"40.00","","100.00","Blue Bottle Coffee"',
    );
  });

  it('shows how it was paid only for payments made at that moment', () => {
    const whys = ['authorization', 'pin', 'settlement', 'reversal'].map(
      (kind) => batchRows([moved(kind, { isCardPresent: true, mcc: '' })], inPublic)[0]?.why,
    );

    expect(whys).toEqual(['In person', 'In person', '', '']);
  });
});

describe('the file', () => {
  it('works in any spreadsheet, and nothing in it is a formula', () => {
    const evil = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '\r=1', '\u200B=1', '＝1'];
    const [, ...lines] = rowsCsv(evil.map((merchant) => row({ merchant, who: 'Doe, "Jane"' }))).split('\r\n');

    expect(lines.filter(Boolean)).toHaveLength(evil.length);
    for (const line of lines.filter(Boolean)) {
      expect(line).toContain('"Doe, ""Jane"""');
      expect(line).toMatch(/"'[\s\p{Cf}]*[=+\-@＝]/u);
    }
  });

  it('has a header and a line for each row', () => {
    expect(rowsCsv([row()])).toBe(
      '\uFEFF"Event","Time (UTC)","What","Times","Cardholder","Card ending","Amount (USD)","Highest amount (USD)","Requested (USD)","Merchant","Where","Why","Code","Done"\r\n' +
        '"evt_0123456789abcdef","2026-11-20T14:14:00Z","Declined","1","Jane Doe","1212","84.10","","","Blue Bottle Coffee","Austin, TX","Over the daily limit","decline.rule.velocity",""\r\n',
    );
  });
});

describe('the row of a status change', () => {
  const known = { card: { ...card, cardId: 10_010, last4: '1001' } };
  const second = change({ cardId: 3312, last4: '3312', from: null, steps: [{ status: 'INACTIVE', at: '' }] });
  const [closed, active] = [
    change({ cardId: 10_010, last4: '1001', steps: [{ status: 'CLOSED', at: '' }] }),
    change({ cardId: 10_015, last4: '2201', from: null, steps: [{ status: 'ACTIVE', at: '' }] }),
  ];

  it('shows the card that changed, whichever the account is known by', () => {
    for (const of of [known, { card: { ...card, cardId: null, last4: null } }]) {
      const [row] = batchRows([statusAlert([second], of)], inPublic);
      expect(row).toMatchObject({ last4: '3312', why: 'Not activated' });
    }
  });

  it('names each of several cards, also in the menu', () => {
    const rows = batchRows([statusAlert([closed, active], known)], inPublic);

    expect(rows[0]).toMatchObject({ last4: '', why: 'Card 1001: active → closed; card 2201: active' });
    expect(rows.map(rowLabel)).toEqual([expect.stringContaining('Card status: Card 1001: active → closed; card 2201')]);
  });
});
