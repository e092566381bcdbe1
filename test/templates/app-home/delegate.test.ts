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
  const blocks = homeDelegate({ current, allowed: ['U0BEN'] }, []);

  expect(checkBlocks(blocks, 'home')).toEqual([]);
  expect(shown(blocks)).toContain('<@U0BEN> stands in for you Dec 24, 2026 to Jan 2, 2027 (ET).');
  expect(buttons(blocks).map(({ action_id }) => action_id)).toEqual(['name_delegate', 'end_delegation']);
  expect(shown(homeDelegate({ current: null, allowed: ['U0BEN'] }, []))).toContain('Nobody stands in for you.');
  expect(homeDelegate({ current: null, allowed: [] }, [])).toEqual([]);
});

it('App Home shows whom the policy names, also beside a delegate of one’s own', () => {
  const byPolicy = { to: 'U0CAL', from: '2026-11-20', until: '2026-12-01' };
  const words = 'By the policy, <@U0CAL> stands in for you Nov 20, 2026 to Dec 1, 2026 (ET).';

  const both = homeDelegate({ current, allowed: ['U0BEN'] }, [byPolicy]);
  expect(shown(both)).toMatch(/<@U0BEN> stands in for you .*\n?By the policy, <@U0CAL>/s);
  const onlyPolicy = homeDelegate({ current: null, allowed: [] }, [byPolicy]);
  expect(shown(onlyPolicy)).toContain(words);
  expect(shown(onlyPolicy)).not.toContain('Nobody');
  expect(buttons(onlyPolicy)).toEqual([]);
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
  expect(text).toMatch(/^<@U0ANA> named you as their delegate, Dec 24, 2026 to Jan 2, 2027 \(ET\)\./);
  expect(delegateEnded({ by: 'U0ANA', instead: null }).text).toBe(
    'You no longer stand in for <@U0ANA>. They ended it early.',
  );
  expect(delegateEnded({ by: 'U0ANA', instead: 'U0CAL' }).text).toContain('They named <@U0CAL> instead.');
});

it('is answered in a sentence', () => {
  expect(delegateSet(null, []).text).toBe('Nobody stands in for you.');
  expect(JSON.stringify(delegateSet(current, []).blocks)).toContain('/card delegate off');
});
