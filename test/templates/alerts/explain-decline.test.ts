import { expect, it } from 'vitest';
import { explainDecline } from '../../../templates/alerts/explain-decline.ts';
import { declined, raise } from '../fixtures.ts';

const whoMay = { approver: ['S0APPROVERS', 'U0ZOE'], operator: ['U0OLGA'] };
const shown = (...args: Parameters<typeof explainDecline>) => JSON.stringify(explainDecline(...args).blocks);

it('names who can do what would fix it, and the way of the event where it is given', () => {
  const alert = declined('decline.rule.velocity', 'Transaction exceeded daily spend limit', { remedy: raise });
  const at = '2026-11-20T14:14:06Z';
  const eventLog = [
    { step: 'routed', at, channel: 'C1', text: 'Because it is the default channel for declines.' },
    { step: 'posted', at, channel: 'C1', text: 'Posted.' },
    { step: 'posted', at, channel: 'D0SAM', text: 'Posted.' },
  ];

  const text = shown([{ alert, eventLog }], { place: 'private', whoMay, more: 2 });

  expect(text).toContain('Approvers can change the limit: <!subteam^S0APPROVERS>, <@U0ZOE>.');
  expect(text).toMatch(
    /How it got here.*\*Goes to\* <#C1><!date[^>]+>\. Because it is the default channel for declines\./,
  );
  // In how many places, and in which: “posted” twice would be a riddle.
  expect(text).toMatch(/\*Posted in\* <#C1><!date.*\*Posted in\* a direct message<!date/);
  expect(text).toMatch(/at Blue Bottle Coffee<!date\^\d+\^, \{date_short_pretty\}/);
  expect(text).toContain('2 more declines');
});

it('says that nobody can, where nobody can', () => {
  const alert = declined('decline.balance.card', 'Insufficient funds');

  expect(shown([{ alert, eventLog: null }], { place: 'private', whoMay, more: 0 })).toContain('Nobody from Slack');
});
