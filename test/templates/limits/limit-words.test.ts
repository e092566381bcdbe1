import { describe, expect, it } from 'vitest';
import type { TransactionAlert } from '../../../src/alerts/alert.ts';
import { renderAlert } from '../../../templates/alerts/alert.ts';
import { alertDetails } from '../../../templates/alerts/alert-details.ts';
import { explainDecline } from '../../../templates/alerts/explain-decline.ts';
import type { View } from '../../../templates/core/view.ts';
import { renderHolderAlert } from '../../../templates/holders/holder-alert.ts';
import { holderWays, limitLine, limitLines } from '../../../templates/limits/limit-words.ts';
import { limitRaise, remedyOf } from '../../support/limit-goals.ts';
import { declined, outcome, transactionAlert } from '../fixtures.ts';
import { shown } from '../shown.ts';

const view: View = { place: 'direct' };

it('shows what is set aside as a part of what was needed, also when it is more than what is missing', () => {
  const daily = limitRaise('daily', 40_000, 41_000, { remainingCents: 12_310 });
  const single = limitRaise('transaction', 10_000, 13_310, { remainingCents: 10_000 });
  const alert = transactionAlert({ paddingCents: 4900 }, { remedy: remedyOf(daily) });
  const atOnce = transactionAlert({ paddingCents: 4900 }, { remedy: remedyOf(single) });
  const needed = '$84.10 plus $49.00 that the card service sets aside is';

  expect(limitLine(alert, view)).toContain(`*Over the daily limit:* ${needed} $10.00 more than the $123.10 left. `);
  expect(limitLines(alert, view)).toContain(`${needed} *$10.00 over the daily limit of $400.00*; $123.10 was left. `);
  expect(limitLine(atOnce, view)).toContain(`${needed} $33.10 more than the $100.00 allowed.`);
});

it('says that nothing is left without an amount that is set aside', () => {
  const daily = limitRaise('daily', 40_000, 53_310, { remainingCents: 0 });
  const alert = transactionAlert({ paddingCents: 4900 }, { remedy: remedyOf(daily) });

  expect(limitLine(alert, view)).toContain('*Over the daily limit:* nothing is left of $400.00. ');
});

describe('a decline that arrives days later', () => {
  const monthly = limitRaise('monthly', 50_000, 58_110, { remainingCents: 300 });
  const weekly = limitRaise('weekly', 9000, 9500, { remainingCents: 0 });

  it('says what is left now, not what was left then', () => {
    const alert = transactionAlert({}, { remedy: remedyOf(monthly, weekly), isKnownLater: true });
    const nothing = transactionAlert({}, { remedy: remedyOf(weekly), isKnownLater: true });

    expect(limitLine(alert, view)).toMatch(
      /^\*Over the monthly limit:\* \$81\.10 more than the \$3\.00 that is left now\. </,
    );
    expect(limitLines(alert, view)).toMatch(
      /^More than what was left of the monthly limit of \$500\.00; \$3\.00 is left now\. </,
    );
    for (const text of [limitLine(alert, view), limitLines(alert, view)])
      expect(text).toContain('Also too small: weekly limit (nothing is left now, ');
    expect(limitLine(nothing, view)).toContain('*Over the weekly limit:* nothing is left now of $90.00. ');
    expect(limitLines(nothing, view)).toContain('; nothing is left now. ');
    expect(limitLines(alert, view), 'the holder can pay that now').not.toContain('was left.');
    expect(holderWays(alert, view)).toContain('Ask for a higher limit, or wait ');
  });

  it('still says what a single purchase may cost', () => {
    const single = limitRaise('transaction', 6000, 8410, { remainingCents: 6000 });
    const alert = transactionAlert({}, { remedy: remedyOf(single), isKnownLater: true });

    expect(limitLine(alert, view)).toContain('$24.10 more than the $60.00 allowed.');
    expect(limitLines(alert, view)).toContain('*$24.10 over the limit for a single purchase of $60.00*.');
  });
});

describe('a limit that has reset since, of which too little is left again', () => {
  const sinceReset = { leftCents: 1000, readAt: '2026-11-21T12:00:00.000Z' };
  const daily = limitRaise('daily', 15_000, 22_410, { sinceReset });
  const weekly = limitRaise('weekly', 50_000, 50_410, { remainingCents: 8000 });
  const later = { now: new Date('2026-11-21T12:00:00Z'), place: 'private' } as const;
  const over = (...limits: Parameters<typeof remedyOf>) =>
    declined('decline.rule.velocity', '', { remedy: remedyOf(...limits), isKnownLater: true });
  const texts = (alert: TransactionAlert, now = later.now) =>
    [true, false].flatMap((isLong) => [
      shown(renderAlert(alert, { ...later, now, isLong }).blocks),
      shown(renderHolderAlert(alert, { place: 'direct', now, isLong })?.blocks ?? []),
    ]);

  it('is not enough to try again: it says what is left, and until when', () => {
    for (const text of texts(over(daily))) {
      expect(text).toMatch(/It has reset since, but \$10\.00 is left <!date\^1795323600\^until /);
      expect(text).not.toMatch(/try again|tried again: the limit/i);
    }
    expect(texts(over(daily))[0]).toContain('Raise the daily limit to at least $224.10 if');
    expect(holderWays(over(daily), later)).toMatch(
      /^Ask for a higher limit, pay \$10\.00 or less, or wait <!date\^1795323600\^until /,
    );
    expect(limitLine(over({ ...daily, sinceReset: { ...sinceReset, leftCents: 0 } }), later)).toContain(
      '*Over the daily limit of $150.00.* It has reset since, but nothing is left <',
    );
  });

  it('is named besides another one', () => {
    expect(limitLine(over(weekly, daily), later)).toMatch(
      /Also too small: daily limit \(\$10\.00 is left now, <!date\^1795323600\^resets /,
    );
    expect(holderWays(over(weekly, daily), later)).toContain('pay $10.00 or less');
  });

  it('does not hide the others', () => {
    for (const text of [limitLine(over(daily, weekly), later), limitLines(over(daily, weekly), later)])
      expect(text).toContain('Also too small: weekly limit ($80.00 is left now, ');
  });

  it('is enough once it has reset again', () => {
    const nextDay = new Date('2026-11-22T12:00:00Z');

    expect(holderWays(over(daily), { ...later, now: nextDay })).toBe('Try again: the limit has reset since.');
    for (const text of texts(over(daily), nextDay)) expect(text).not.toContain('is left');
  });
});

describe('a decline that is read days later', () => {
  const daily = limitRaise('daily', 15_000, 18_410, { remainingCents: 5000 });
  const small = limitRaise('daily', 6000, 9410, { remainingCents: 5000 });
  const weekly = limitRaise('weekly', 50_000, 50_410, { remainingCents: 8000 });
  const later = { now: new Date('2026-11-21T12:00:00Z'), place: 'private' } as const;
  const explained = (alert: TransactionAlert) => {
    const whoMay = { approver: ['U0ZOE'], operator: ['U0OLGA'] };
    return JSON.stringify(explainDecline([{ alert, eventLog: null, whoMay }], { ...later, more: 0 }));
  };
  const details = (alert: TransactionAlert) => JSON.stringify(alertDetails(alert, 'team', later));
  const over = (...limits: Parameters<typeof remedyOf>) =>
    declined('decline.rule.velocity', 'Transaction exceeded daily spend limit', { remedy: remedyOf(...limits) });

  it('gives the advice of that day: the limit has reset', () => {
    for (const text of [explained(over(daily)), details(over(daily))]) {
      expect(text).toContain('It has reset since.');
      expect(text).toContain('Try again: the limit has reset since.');
      expect(text).toContain('Have the purchase tried again: the limit has reset since.');
      expect(text).not.toMatch(/Resets|wait until|Raise the/);
    }
    expect(explained(over(daily))).toContain('The cardholder can try again.');
    expect(limitLine(over(daily), later)).toContain('It has reset since.');
  });

  it('still names what is too small', () => {
    const both = over(daily, weekly);

    expect(explained(both)).toContain('Admin: Raise the weekly limit to at least $504.10 if');
    expect(explained(both)).toMatch(/Cardholder: Ask for a higher limit, or wait <!date/);
    expect(explained(over(small))).toContain('Admin: Raise the daily limit to at least $84.10 if');
    expect(explained(over(small))).toContain('Cardholder: Ask for a higher limit, or pay a smaller amount.');
  });

  it('names the block of a card that was blocked since', () => {
    const blocked = { ...over(daily), outcomes: [outcome({ verb: 'block' })] };

    expect(explained(blocked)).toContain('Approvers can unblock the card: <@U0ZOE>.');
  });
});

describe('a purchase of more than the whole limit', () => {
  it('is not to be tried again after the reset', () => {
    const daily = limitRaise('daily', 5000, 8410, { remainingCents: 5000 });
    const weekly = limitRaise('weekly', 50_000, 50_410, { remainingCents: 8000 });

    expect(holderWays(transactionAlert({}, { remedy: remedyOf(daily) }), view)).toBe(
      'Ask for a higher limit, or pay $50.00 or less.',
    );
    expect(holderWays(transactionAlert({}, { remedy: remedyOf(daily, weekly) }), view)).not.toContain('wait');
    expect(holderWays(transactionAlert({}, { remedy: remedyOf(weekly) }), view)).toContain('wait');
  });

  it('with what is set aside is not either', () => {
    const daily = limitRaise('daily', 8500, 9410, { remainingCents: 8000 });

    expect(holderWays(transactionAlert({}, { remedy: remedyOf(daily) }), view)).toContain('wait');
    expect(holderWays(transactionAlert({ paddingCents: 1000 }, { remedy: remedyOf(daily) }), view)).not.toContain(
      'wait',
    );
  });

  it.each([true, false])('is not either if nobody knows what is left (long: %s)', (isLong) => {
    const words = (from: number | null) => {
      const alert = transactionAlert({}, { remedy: remedyOf(limitRaise('daily', from, null)) });
      return shown(renderHolderAlert(alert, { place: 'direct', isLong })?.blocks ?? []);
    };

    expect(words(5000)).toContain('Ask for a higher limit, or pay a smaller amount.');
    for (const from of [8410, null]) expect(words(from)).toContain('or wait until midnight Eastern time.');
  });
});

describe('a limit of the other kind than the code says', () => {
  const restaurants = { id: 9, name: 'Restaurants' };
  const ofCategory = limitRaise('monthly', 20_000, 26_820, { remainingCents: 1590, category: restaurants });
  const ofCard = limitRaise('weekly', 50_000, 58_110, { remainingCents: 300 });
  const atOnce = limitRaise('transaction', 2000, 8410, { remainingCents: 2000, category: restaurants });

  it.each([
    [
      'decline.rule.velocity',
      atOnce,
      'Over the daily limit',
      'limit for a single purchase at Restaurants ($20.00 at most)',
    ],
    ['decline.rule.velocity', ofCategory, 'Over the daily limit', 'monthly limit for Restaurants ($15.90 was left, '],
    [
      'decline.rule.velocity.mcc',
      ofCard,
      'Over the limit for this merchant category',
      'overall weekly limit ($3.00 was left, ',
    ],
  ])('is no cause, but too small as well: %s', (code, limit, title, also) => {
    const alert = declined(code, '', { remedy: remedyOf(limit) });
    const messages = [true, false].flatMap((isLong) => [
      renderAlert(alert, { place: 'private', isLong }),
      renderHolderAlert(alert, { place: 'direct', isLong }),
    ]);

    expect(limitLine(alert, view)).toBe('');
    for (const message of messages) {
      const text = shown(message?.blocks ?? []);
      expect(text).toMatch(new RegExp(`\\*${title}\\.?\\*\\s+Also too small: `));
      expect(text).toContain(`Also too small: ${also}`);
      expect(text).not.toMatch(/over the (monthly|weekly)/i);
    }
  });
});

it('the limit for a single purchase names its category unless the exceeded limit is of the same one', () => {
  const restaurants = { id: 9, name: 'Restaurants' };
  const atOnce = limitRaise('transaction', 2000, 8410, { remainingCents: 2000, category: restaurants });
  const also = (exceeded: typeof atOnce, code: string) =>
    limitLine(declined(code, '', { remedy: remedyOf(exceeded, atOnce) }), view);

  expect(also(limitRaise('daily', 15_000, 18_410, { remainingCents: 5000 }), 'decline.rule.velocity')).toContain(
    'Also too small: limit for a single purchase at Restaurants ($20.00 at most).',
  );
  const ofSame = limitRaise('daily', 15_000, 23_000, { remainingCents: 410, category: restaurants });
  expect(also(ofSame, 'decline.rule.velocity.mcc')).toContain('Also too small: single purchase ($20.00 at most).');
});
