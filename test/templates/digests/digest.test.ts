import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noCard } from '../../../src/core/card-facts.ts';
import { withoutDataTables } from '../../../src/slack/data-tables.ts';
import { MESSAGE_SIZE_MAX, MESSAGE_TEXT_MAX } from '../../../src/slack/limits.ts';
import { type Digest, digest } from '../../../templates/digests/digest.ts';
import { charactersIn, checkBlocks } from '../../../workspace/block-limits.ts';
import { examples } from '../../support/examples.ts';
import { card } from '../fixtures.ts';
import { shown } from '../shown.ts';

const row = (name: string, count: number, before: number, over = {}) => {
  const sums = { count, attempts: count, cents: count * 1000, before };
  return { name, code: name, ...sums, ...over };
};

const approved = {
  kind: 'raise',
  at: '2026-11-12T15:00:00Z',
  holder: 'Sam Rivera',
  last4: '1234',
  merchant: 'Corner Diner',
  before: 'daily limit $150.00',
  after: 'daily limit $180.50',
  cents: 3050,
  duration: 'for 4 hours',
  approvedBy: ['U0ANA', 'U0BEN'],
  isOverride: false,
  isUnconfirmed: false,
  reason: 'Dinner with a client',
} as const;
const lifted = {
  ...approved,
  kind: 'lifted',
  cents: null,
  before: 'purchases abroad not allowed',
  after: 'purchases abroad allowed',
} as const;
const ordered = {
  ...approved,
  kind: 'order',
  cents: 250_000,
  before: null,
  after: 'virtual card, funded with $2,500.00',
  duration: null,
} as const;

const facts: Digest = {
  kind: 'weekly',
  isExact: true,
  from: '2026-11-09T14:00:00Z',
  to: '2026-11-16T14:00:00Z',
  total: { count: 12, attempts: 30, cents: 123_450 },
  before: 8,
  countedSince: null,
  reasons: [
    row('Over the daily limit', 9, 4, { code: 'decline.rule.velocity', attempts: 27 }),
    row('Wrong PIN', 3, 4, { code: 'decline.card.pin' }),
  ],
  merchants: [row('Blue Bottle Coffee', 7, 0)],
  groups: [row('Field team', 12, 8)],
  approvals: [approved, lifted],
  open: [
    {
      kind: 'temporary',
      card,
      change: 'daily limit $150.00 → $180.50',
      by: 'U0ANA',
      since: '2026-11-16T10:00:00Z',
      endsAt: '2026-11-16T18:00:00Z',
    },
  ],
  inactive: [card],
};

describe('a digest', () => {
  it('that another channel gets says whose it is, and how to end it', () => {
    const { message } = digest(facts, 'public', 'C0OLD');

    expect(message.text).toMatch(/^Digest of <#C0OLD>, where it could not be posted\. Declines of /);
    expect(shown(message.blocks)).toContain('To end it: `/card digest off C0OLD`');
  });

  it('says in sentences what the page shows', () => {
    expect(digest(facts, 'private').message.text).toBe(
      'Declines of the last week: 12 declines (30 attempts), $1,234.50, 4 more than the week before (8). Most often: Over the daily limit, 9 times. 1 raise, $30.50; 1 restriction lifted. 1 temporary change. 1 card waits to be activated.',
    );
  });

  it('compares with nothing when the time before was not counted, and says since when declines are', () => {
    const { text, blocks } = digest(
      { ...facts, before: null, countedSince: '2026-11-12T15:00:00Z' },
      'private',
    ).message;
    const page = shown(withoutDataTables(blocks).blocks);

    expect(text.replaceAll(/<!date[^|]*\|([^>]*)>/g, '$1')).toContain(
      '12 declines (30 attempts), $1,234.50. Most often: Over the daily limit, 9 times. Only declines since Nov 12, 2026, 10:00 AM ET are counted.',
    );
    expect(page).not.toMatch(/before/i);
    expect(page).toContain('Over the daily limit · Declines 9');
  });

  it('names the year of what ends in another one', () => {
    const [one] = facts.open;
    const open = one === undefined ? [] : [one, { ...one, endsAt: '2027-02-03T18:00:00Z' }];
    const page = shown(withoutDataTables(digest({ ...facts, open }, 'private').message.blocks).blocks);

    expect(page).toContain(' Nov 16, 1:00 PM ');
    expect(page).toContain(' Feb 3, 2027, 1:00 PM ');
  });

  it.each([1, 2])('gives no sum for %i approvals without an amount', (count) => {
    const approvals = Array.from({ length: count }, () => ({ ...approved, cents: null }));
    const { text } = digest({ ...facts, approvals }, 'private').message;

    expect(text).toMatch(/ \d raises? without an amount\. /);
    expect(text).not.toContain('$0.00');
  });

  it('counts overrides by operators in place of approvers', () => {
    const override = { ...approved, isOverride: true };
    const { message } = digest({ ...facts, approvals: [approved, override] }, 'private');

    expect(message.text).toContain('2 raises, $61.00 in all, 1 of them by emergency override.');
  });

  it.each<[string, readonly Digest['approvals'][number][], string]>([
    [
      'one of each',
      [ordered, { ...approved, cents: 10_000 }, lifted],
      '1 raise, $100.00; 1 virtual card ordered, funded with $2,500.00; 1 restriction lifted.',
    ],
    [
      'several of each',
      [approved, approved, { ...approved, cents: null }, ordered, { ...ordered, cents: null }, lifted, lifted],
      '3 raises, $61.00 in all, 1 of them without an amount; 2 virtual cards ordered, funded with $2,500.00 in all; 2 restrictions lifted.',
    ],
    ['an order without money', [{ ...ordered, cents: null }], '1 virtual card ordered, not funded.'],
    ['no raise', [{ ...lifted, isOverride: true }], '1 restriction lifted, by emergency override.'],
    ['nothing that was seen', [{ ...approved, isUnconfirmed: true }], '1 raise, $30.50, not confirmed.'],
    [
      'one that was not seen',
      [approved, { ...approved, isOverride: true, isUnconfirmed: true }],
      '2 raises, $61.00 in all, 1 of them by emergency override, 1 of them not confirmed.',
    ],
  ])('calls only the raise of a limit a raise: %s', (_what, approvals, words) => {
    const { text, blocks } = digest({ ...facts, approvals }, 'private').message;

    expect(text).toContain(` ${words}`);
    expect(JSON.stringify(blocks)).toContain('Approved changes and orders');
  });

  it('says no duration of an ordered card', () => {
    const page = shown(withoutDataTables(digest({ ...facts, approvals: [ordered] }, 'direct').message.blocks).blocks);

    expect(page).toContain('$2,500.00 · virtual card, funded with $2,500.00 · Nov 12, 10:00 AM');
  });

  it('shows dollars by reason and group, and each approval with amount, duration and approvers', () => {
    const page = shown(withoutDataTables(digest(facts, 'direct').message.blocks).blocks);

    expect(page).toContain('• Over the daily limit · Declines 9 · Attempts 27 · Amount $90.00 · Week before 4');
    expect(page).toContain('• Field team · Declines 12 · Amount $120.00 · Week before 8');
    expect(page).toContain(
      '• Sam Rivera · card 1234 · $30.50 · Daily limit $150.00 → $180.50 · for 4 hours · Nov 12, 10:00 AM · approved · <@U0ANA>, <@U0BEN>',
    );
    expect(page).toContain('no amount · Purchases abroad not allowed → allowed');
    expect(page).toContain(
      '• Jane Doe · card 1212 · daily limit $150.00 → $180.50 · temporary · Nov 16, 1:00 PM · <@U0ANA>',
    );
    expect(page).toContain('/card activate 1212');
  });

  it('names no card for a request about several', () => {
    const blocks = {
      ...facts.open[0],
      kind: 'request',
      card: noCard,
      change: 'block 6 cards',
    } as Digest['open'][number];
    const page = shown(withoutDataTables(digest({ ...facts, open: [blocks] }, 'direct').message.blocks).blocks);

    expect(page).toContain('• block 6 cards · waiting for approval');
    expect(page).not.toContain('Card · block');
  });

  it('has pages for a long list, and says how many more rows there are', () => {
    const merchants = Array.from({ length: 60 }, (_, index) => row(`Shop ${index}`, 1, 0));
    const { message, isWhole } = digest({ ...facts, merchants }, 'private');
    const table = message.blocks.find(
      (block) => block.type === 'data_table' && block.caption.startsWith('By merchant'),
    );

    expect(table).toMatchObject({
      page_size: 10,
      caption: expect.stringMatching(/^By merchant \(\d+ more\)$/),
    });
    expect(isWhole).toBe(false);
    expect(digest(facts, 'private').isWhole).toBe(true);
  });

  it('is not whole if a workspace without tables would miss a row: the rows are then also in a file', () => {
    const merchants = Array.from({ length: 18 }, (_, index) => row(`Market and Deli Number ${index}`, 3, 2));
    const { message, isWhole } = digest({ ...facts, merchants }, 'private');

    expect(JSON.stringify(message.blocks)).not.toContain('more)');
    expect(withoutDataTables(message.blocks).left).toBeGreaterThan(0);
    expect(isWhole).toBe(false);
  });

  it('writes large counts like large amounts', () => {
    const total = { ...facts.total, count: 3203 };
    const merchants = [row('Market', 1203, 1000)];
    const { message } = digest({ ...facts, total, before: 1000, merchants }, 'private');

    expect(message.text).toContain('3,203 declines');
    expect(message.text).toContain('2,203 more than the week before (1,000).');
    expect(JSON.stringify(message.blocks)).toContain('"text":"1,203"');
  });

  it.each(['public', 'private'] as const)('mentions no PIN in a %s channel', (place) => {
    expect(JSON.stringify(digest(facts, place))).not.toMatch(/PIN/);
  });

  it('of a quiet day is short', () => {
    const none = { reasons: [], merchants: [], groups: [], approvals: [], open: [], inactive: [] };
    const total = { count: 0, attempts: 0, cents: 0 };
    const { text, blocks } = digest({ ...facts, ...none, kind: 'daily', total, before: 0 }, 'private').message;

    expect(text).toBe('Declines of the last day: No declines, and none the day before.');
    expect(blocks).toHaveLength(3);
  });

  it('says so if only earlier declines were tried again', () => {
    const { message } = digest({ ...facts, total: { count: 0, attempts: 2, cents: 0 } }, 'private');

    expect(message.text).toContain('No new declines (2 attempts at earlier ones), ');
    const again = {
      ...facts,
      reasons: [row('Over the daily limit', 0, 0)],
      total: { count: 0, attempts: 1, cents: 0 },
    };
    expect(digest(again, 'private').message.text).not.toContain('Most often');
  });

  it('fits any names', () => {
    const words = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.constantFrom('', '<!channel>', 'x'.repeat(5000), '&'.repeat(5000)),
    );
    fc.assert(
      fc.property(words, fc.integer({ min: 0, max: 60 }), (name, size) => {
        const rows = Array.from({ length: size }, (_, i) => row(name, size - i, i));
        const named = { ...card, holder: name, last4: name };
        const approvals = Array(size).fill({
          ...approved,
          holder: name,
          after: name,
          approvedBy: Array(5).fill('U0ANA'),
        });
        const open = Array(size).fill({ ...facts.open[0], card: named, change: name });
        const some = {
          reasons: rows,
          merchants: rows,
          groups: rows,
          approvals,
          open,
          inactive: Array(size).fill(named),
        };
        const { text, blocks } = digest({ ...facts, ...some }, 'public').message;

        for (const each of [blocks, withoutDataTables(blocks).blocks]) {
          expect(checkBlocks(each, 'message')).toEqual([]);
          expect(charactersIn(each)).toBeLessThan(MESSAGE_SIZE_MAX);
        }
        expect(text.length).toBeLessThanOrEqual(MESSAGE_TEXT_MAX);
      }),
      { numRuns: examples(20) },
    );
  });
});
