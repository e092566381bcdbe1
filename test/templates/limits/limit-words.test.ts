import { expect, it } from 'vitest';
import { limitLine, limitLines } from '../../../templates/limits/limit-words.ts';
import { limitRaise, remedyOf } from '../../support/limit-goals.ts';
import { transactionAlert } from '../fixtures.ts';

it('shows what is set aside as a part of what was needed, also when it is more than what is missing', () => {
  const daily = limitRaise('daily', 40_000, 41_000, { remainingCents: 12_310 });
  const single = limitRaise('transaction', 10_000, 13_310, { remainingCents: 10_000 });
  const alert = transactionAlert({ paddingCents: 4900 }, { remedy: remedyOf(daily) });
  const atOnce = transactionAlert({ paddingCents: 4900 }, { remedy: remedyOf(single) });
  const needed = '$84.10 plus $49.00 that the card service sets aside is';

  expect(limitLine(alert)).toContain(`*Over the daily limit:* ${needed} $10.00 more than the $123.10 left. `);
  expect(limitLines(alert)).toContain(`${needed} *$10.00 over the daily limit of $400.00*; $123.10 was left. `);
  expect(limitLine(atOnce)).toContain(`${needed} $33.10 more than the $100.00 allowed.`);
});

it('says that nothing is left without an amount that is set aside', () => {
  const daily = limitRaise('daily', 40_000, 53_310, { remainingCents: 0 });
  const alert = transactionAlert({ paddingCents: 4900 }, { remedy: remedyOf(daily) });

  expect(limitLine(alert)).toContain('*Over the daily limit:* nothing is left of $400.00. ');
});
