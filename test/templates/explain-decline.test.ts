import { expect, it } from 'vitest';
import { explainDecline } from '../../templates/explain-decline.ts';
import { declined, raise } from './fixtures.ts';

const whoMay = { approver: ['S0APPROVERS', 'U0ZOE'], operator: ['U0OLGA'] };
const shown = (...args: Parameters<typeof explainDecline>) => JSON.stringify(explainDecline(...args).blocks);

it('names who can do what would fix it, and the way of the event where it is given', () => {
  const alert = declined('decline.rule.velocity', 'Transaction exceeded daily spend limit', { remedy: raise });
  const trail = [{ at: '2026-11-20T14:14:06Z', text: 'Went to <#C1>, the channel for declines.' }];

  const text = shown([{ alert, trail }], { place: 'private', whoMay, more: 2 });

  expect(text).toContain('Approvers can change the limit: <!subteam^S0APPROVERS>, <@U0ZOE>.');
  expect(text).toMatch(/How it got here.*Went to &lt;#C1&gt;/);
  expect(text).toContain('2 more declines');
});

it('says that nobody can, where nobody can', () => {
  const alert = declined('decline.balance.card', 'Insufficient funds');

  expect(shown([{ alert, trail: null }], { place: 'private', whoMay, more: 0 })).toContain('Nobody from Slack');
});
