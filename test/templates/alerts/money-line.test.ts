import { describe, expect, it } from 'vitest';
import { renderAlert } from '../../../templates/alerts/alert.ts';
import { batchRows, nobody, transactionAlert } from '../fixtures.ts';
import { shown } from '../shown.ts';

const view = { place: 'public' } as const;

it.each([
  ['authorization', 'debit', 'Spent: $84.10 at Blue Bottle Coffee'],
  ['pin', 'debit', 'Spent with PIN: $84.10 at Blue Bottle Coffee'],
  ['settlement', 'debit', 'Settled: $84.10 at Blue Bottle Coffee'],
  ['settlement', 'credit', 'Refunded: $84.10 by Blue Bottle Coffee'],
  ['reversal', 'credit', 'Reversed: $84.10 by Blue Bottle Coffee'],
])('a %s that is a %s is one quiet line: %s', (kind, direction, words) => {
  const { text, blocks } = renderAlert(transactionAlert({ kind, direction, decline: null }), view);

  expect(text).toBe(`${words}, Austin, TX · Jane Doe · card 1212.`);
  expect(blocks.map(({ type }) => type)).toEqual(['context']);
  expect(shown(blocks)).toContain(`*${words}* · Jane Doe · card 1212 · Austin, TX`);
  expect(shown(blocks)).not.toMatch(/-\s?\$|\$-|\(\$/);
});

it.each([
  ['authorization', true, 'in person'],
  ['authorization', false, 'online or keyed in'],
  ['pin', true, 'in person'],
  ['authorization', null, null],
  ['settlement', true, null],
  ['reversal', false, null],
] as const)('a %s with the card present %s shows how it was paid: %s', (kind, isCardPresent, how) => {
  const line = shown(renderAlert(transactionAlert({ kind, isCardPresent, decline: null }), view).blocks);

  expect(/in person|online or keyed in/.exec(line)?.[0] ?? null).toBe(how);
});

it('names the event, which `/card why` takes', () => {
  const alert = transactionAlert({ kind: 'settlement', decline: null });

  expect(shown(renderAlert(alert, view).blocks)).toContain(` · ${alert.event.id}`);
});

it('calls an authorization of $0.00 a check of the card: nothing is spent', () => {
  const { text } = renderAlert(transactionAlert({ kind: 'authorization', amountCents: 0, decline: null }), view);

  expect(text).toMatch(/^Card checked: \$0\.00 at Blue Bottle Coffee/);
});

describe('a reversal', () => {
  const at = '2026-11-20T14:14:00Z';
  const own = {
    eventId: 'evt_0123456789abcdef',
    kind: 'reversal',
    direction: 'credit',
    cents: 8410,
    isInferred: false,
  };
  const step = (kind: string, cents: number, stepAt = '2026-11-20T14:00:00Z') => ({
    eventId: `evt_${String(kind.length).padStart(16, '0')}`,
    kind,
    direction: 'debit',
    cents,
    at: stepAt,
    isInferred: false,
  });
  const line = (...steps: ReturnType<typeof step>[]): string => {
    const timeline = { leaderId: steps[0]?.eventId ?? own.eventId, steps: [...steps, { ...own, at }] };
    const alert = transactionAlert({ kind: 'reversal', direction: 'credit', decline: null }, { timeline });
    return renderAlert(alert, view).text;
  };

  it.each([
    ['of an authorization releases a hold', [step('authorization', 8410)], 'Hold released: $84.10 by'],
    ['of a PIN purchase credits it back', [step('pin', 8410)], 'Credited back: $84.10 by'],
    [
      'after the settlement credits it back, since nothing was held anymore',
      [step('authorization', 8410), step('settlement', 8410, '2026-11-20T14:10:00Z')],
      'Credited back: $84.10 by',
    ],
    ['of an unknown purchase claims neither', [], 'Reversed: $84.10 by'],
    [
      'before a later settlement released a hold',
      [step('authorization', 8410), step('settlement', 590, '2026-11-21T14:10:00Z')],
      'Hold released: $84.10 by',
    ],
    [
      'of a part says what is still held',
      [step('authorization', 13_410), step('settlement', 5000, '2026-11-21T14:10:00Z')],
      /Part of the hold released: \$84\.10 by .* \$50\.00 still held\.$/,
    ],
  ])('%s', (_what, steps, words) => {
    expect(line(...steps)).toMatch(words);
  });

  it('that was fetched names no time: the terminal’s clock has a zone of its own', () => {
    const fetched = { kind: 'reversal', direction: 'credit', decline: null, occurredAt: at } as const;
    const requestedAt = '2026-11-20T14:00:00Z';
    const undated = transactionAlert({ ...fetched, requestedAt, callbackAt: requestedAt });
    const dated = transactionAlert({ ...fetched, requestedAt, callbackAt: at });
    const [row, datedRow] = batchRows([undated, dated], view);
    const started = step('authorization', 8410);
    const steps = [started, { ...own, eventId: 'evt_1123456789abcdef', at, isUndated: true }];
    const leader = { id: started.eventId, kind: 'authorization', decline: null } as const;
    const first = transactionAlert(leader, { timeline: { leaderId: started.eventId, steps } });

    expect(shown(renderAlert(undated, view).blocks)).toContain(' · time of the reversal not known · ');
    expect(shown(renderAlert(dated, view).blocks)).not.toContain('not known');
    expect([row?.at, datedRow?.at]).toEqual(['', at]);
    expect(shown(renderAlert(first, view).blocks)).toContain('*reversed*, hold released · evt_');
  });

  it.each([
    ['pin', 8410, 'Reversed, credited back'],
    ['pin', 10_000, 'Partly reversed: $84.10, credited back'],
    ['authorization', 8410, 'Reversed, hold released'],
    ['authorization', 10_000, 'Partly reversed: $84.10'],
  ])('of a %s of %i cents changes its message to: %s', (kind, cents, words) => {
    const leader = step(kind, cents);
    const timeline = { leaderId: leader.eventId, steps: [leader, { ...own, eventId: 'evt_1123456789abcdef', at }] };
    const event = { id: leader.eventId, kind, amountCents: cents, requestedCents: cents, decline: null };
    const { text } = renderAlert(transactionAlert(event, { timeline }), view);

    expect(text).toContain(words);
    if (kind === 'pin') expect(text).not.toContain('held');
  });
});

describe('the first message of a purchase', () => {
  const own = 'evt_0123456789abcdef';
  type Step = readonly [kind: string, cents: number, direction?: 'credit'];
  /** The text after the amount once these steps have followed the event. */
  const after = (kind: string, cents: number, ...steps: readonly Step[]): string => {
    const all: readonly Step[] = [[kind, cents], ...steps];
    const timeline = {
      leaderId: own,
      steps: all.map(([kind, cents, direction = kind === 'reversal' ? 'credit' : 'debit'], index) => {
        const eventId = index === 0 ? own : `evt_${index}123456789abcdef`.slice(0, 20);
        return { eventId, kind, direction, cents, at: '2026-11-20T14:14:00Z', isInferred: false };
      }),
    };
    const event = { id: own, kind, amountCents: cents, requestedCents: null, decline: null, direction: 'debit' };
    return renderAlert(transactionAlert(event, { timeline }), view).text.split('. ').slice(1).join('. ');
  };

  it.each<[string, string, readonly [string, number, ...Step[]]]>([
    [
      'adds up several captures',
      'Settled for $40.00',
      ['authorization', 4000, ['settlement', 2000], ['settlement', 2000]],
    ],
    ['adds them up even without the authorization', 'Settled for $40.00', ['settlement', 2000, ['settlement', 2000]]],
    [
      'shows the authorized amount next to the settled one',
      'Authorized for $50.00',
      ['settlement', 4000, ['authorization', 5000]],
    ],
    [
      'shows a partial refund',
      'Settled for $40.00, partly refunded: $10.00',
      ['authorization', 4000, ['settlement', 4000], ['settlement', 1000, 'credit']],
    ],
    [
      'shows a full refund',
      'Settled for $40.00, refunded: $40.00',
      ['authorization', 4000, ['settlement', 2000], ['settlement', 2000], ['settlement', 4000, 'credit']],
    ],
    [
      'shows it even without the settlement',
      'Refunded: $40.00',
      ['authorization', 4000, ['settlement', 4000, 'credit']],
    ],
    ['shows a partial reversal of a settlement', 'Partly reversed: $10.00', ['settlement', 4000, ['reversal', 1000]]],
    ['shows a full reversal of a settlement', 'Reversed after settlement', ['settlement', 4000, ['reversal', 4000]]],
    [
      'shows a partial credit for a PIN purchase',
      'Partly reversed: $10.00, credited back',
      ['pin', 4000, ['reversal', 1000]],
    ],
    [
      'adds up the reversed parts',
      'Reversed, hold released',
      ['authorization', 4000, ['reversal', 2000], ['reversal', 2000]],
    ],
  ])('%s: %s', (_what, words, [kind, cents, ...steps]) => {
    expect(after(kind, cents, ...steps)).toMatch(new RegExp(`^${words.replaceAll('$', '\\$')}(<!date|, |\\.|$)`));
  });
});

it('names an account once where its card is not known', () => {
  const alert = transactionAlert({ kind: 'pin', decline: null }, { card: nobody });
  const { text, blocks } = renderAlert(alert, view);

  expect(text).toMatch(/ · Account 7378\.$/);
  expect(shown(blocks)).not.toContain('card of account');
});

describe('a requested amount that differs', () => {
  it.each(['authorization', 'pin', 'settlement', 'reversal'])('is shown next to the amount in a %s', (kind) => {
    const alert = transactionAlert({ kind, amountCents: 4000, requestedCents: 10_000, decline: null });
    const { text, blocks } = renderAlert(alert, view);

    expect(text).toContain('$40.00');
    expect(text).toContain('The merchant asked for $100.00.');
    expect(shown(blocks)).toContain('merchant asked for $100.00');
  });

  it.each([null, 8410])('is not mentioned if it was %s', (requestedCents) => {
    const { text } = renderAlert(transactionAlert({ kind: 'pin', requestedCents, decline: null }), view);

    expect(text).not.toContain('asked for');
  });
});

it('says that a line arrived late', () => {
  const { text, blocks } = renderAlert(transactionAlert({ kind: 'pin', decline: null }, { late: true }), view);

  expect(text).toMatch(/^Late notice: Spent with PIN: /);
  expect(shown(blocks)).toMatch(/ · arrived late · evt_[0-9a-z]+$/);
});
