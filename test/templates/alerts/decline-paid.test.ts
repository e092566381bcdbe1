import { expect, it } from 'vitest';
import { declinePaid } from '../../../templates/alerts/decline-paid.ts';
import { declined, outcome } from '../fixtures.ts';

const paid = outcome({ verb: 'paid', by: null, at: '2026-11-20T14:21:00Z' });
const linesOf = (outcomes: Parameters<typeof outcome>[0][]) => {
  const alert = declined('decline.rule.velocity', 'Over limit', { outcomes: [...outcomes.map(outcome), paid] });
  return declinePaid(alert, alert.event).text;
};

it('says who approved what was paid', () => {
  expect(linesOf([{ verb: 'limit', by: 'U0ANA', at: '2026-11-20T14:15:00Z' }])).toMatch(
    /^Paid: \$84\.10 at .*\. Approved by <@U0ANA>, paid at /,
  );
});

it('says only once that it was paid if the retry was faster than the answer to the change', () => {
  expect(linesOf([])).toMatch(/^Paid: \$84\.10 at .*\. At <!date/);
  expect(linesOf([]).match(/paid/gi)).toHaveLength(1);
});
