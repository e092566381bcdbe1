import { expect, it } from 'vitest';
import {
  delegateEnded,
  delegateForm,
  delegateNamed,
  delegateSet,
  homeDelegate,
} from '../../../templates/app-home/delegate.ts';
import { checkBlocks } from '../../../workspace/block-limits.ts';
import { buttons, shown } from '../shown.ts';

const current = { to: 'U0BEN', from: '2026-12-24', until: '2027-01-02' };

it('App Home shows the delegate, and a button to name one if the policy allows it', () => {
  const blocks = homeDelegate({ current, allowed: ['U0BEN'] });

  expect(checkBlocks(blocks, 'home')).toEqual([]);
  expect(shown(blocks)).toContain('<@U0BEN> may do what you may, from 2026-12-24 to 2027-01-02 (ET).');
  expect(buttons(blocks).map(({ action_id }) => action_id)).toEqual(['name_delegate', 'end_delegation']);
  expect(homeDelegate({ current: null, allowed: [] })).toEqual([]);
});

it('the form has a user picker, and names the people the policy lists', () => {
  const { blocks } = delegateForm(['U0BEN', 'U0CAL']);

  expect(checkBlocks(blocks, 'modal')).toEqual([]);
  expect(JSON.stringify(blocks)).toContain('users_select');
  expect(JSON.stringify(blocks)).toContain('The policy lets you name <@U0BEN> or <@U0CAL>.');
});

it('the delegate reads who named them, for which days, and that it ended', () => {
  const { text, blocks } = delegateNamed({ by: 'U0ANA', ...current });

  expect(checkBlocks(blocks, 'message')).toEqual([]);
  expect(text).toMatch(/^<@U0ANA> named you as their delegate from 2026-12-24 to 2027-01-02 \(ET\)\./);
  expect(delegateEnded({ by: 'U0ANA', instead: null }).text).toBe(
    'You no longer stand in for <@U0ANA>. They ended it early.',
  );
  expect(delegateEnded({ by: 'U0ANA', instead: 'U0CAL' }).text).toContain('They named <@U0CAL> instead.');
});

it('is answered in a sentence', () => {
  expect(delegateSet(null).text).toBe('Nobody stands in for you any more.');
  expect(JSON.stringify(delegateSet(current).blocks)).toContain('/card delegate off');
});
