import { expect, it } from 'vitest';
import { ruleRemedy } from '../../../src/alerts/rule-remedy.ts';
import { remedyForm } from '../../../templates/limits/remedy-form.ts';
import { declined, raise } from '../fixtures.ts';

const formOf = (code: string, state: 'checking' | 'passes') => {
  const message = 'Unauthorized merchant category: Bars';
  const remedy = code === 'decline.rule.velocity' ? raise : ruleRemedy({ code, message });
  return remedyForm({ privateMetadata: 'p', alert: declined(code, message), remedy, state, today: '2026-11-20' });
};

it.each([
  ['decline.rule.location', 'Allow purchases abroad'],
  ['decline.rule.cardnotpresent', 'Allow online purchases'],
  ['decline.rule.mcc', 'Allow a category'],
])('the form of a decline with %s is about its rule, and only says that it is allowed by now', (code, title) => {
  const [open, allowed] = [formOf(code, 'checking'), formOf(code, 'passes')];

  expect([open.title.text, open.submit?.text]).toEqual([title, 'Allow']);
  expect(JSON.stringify(open.blocks)).not.toMatch(/imit/);
  expect([allowed.title.text, allowed.submit, allowed.close?.text]).toEqual([title, undefined, 'Close']);
  expect(allowed.blocks.map(({ type }) => type)).toEqual(['section', 'context']);
  expect(JSON.stringify(allowed)).toContain('No limit or rule stops this purchase any more. Have it tried again.');
});

it('a limit may still be raised when nothing stops the purchase any more', () => {
  expect(formOf('decline.rule.velocity', 'passes').submit?.text).toBe('Raise limit');
});
