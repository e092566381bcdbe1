import { describe, expect, it } from 'vitest';
import {
  homePreferences,
  ownDigestSet,
  preferenceSet,
  quietHoursSet,
} from '../../../templates/app-home/preferences.ts';
import { checkBlocks } from '../../../workspace/block-limits.ts';
import { buttons, shown } from '../shown.ts';

const delegate = { to: 'U0BEN', from: '2026-12-24', until: '2027-01-02' };

describe('the preferences in App Home', () => {
  it('have a button for each kind of message that says what it does', () => {
    const blocks = homePreferences({
      off: ['shipping'],
      digest: 'weekly',
      quiet: '10:00 PM to 7:00 AM Europe/Berlin, daily',
      delegates: [delegate],
    });

    expect(checkBlocks(blocks, 'home')).toEqual([]);
    expect(buttons(blocks)).toContainEqual(
      expect.objectContaining({
        action_id: 'set_preference',
        value: 'shipping:on',
        accessibility_label: 'Turn on: Your card is on its way',
      }),
    );
    expect(buttons(blocks)).toContainEqual(expect.objectContaining({ value: 'declines:off' }));
    expect(shown(blocks)).toContain('Quiet 10:00 PM to 7:00 AM Europe/Berlin, daily.');
    expect(shown(blocks)).toContain('By the policy, <@U0BEN> stands in for you Dec 24, 2026 to Jan 2, 2027 (ET).');
  });

  it('say how to set quiet hours if there are none', () => {
    expect(shown(homePreferences({ off: [], digest: null, quiet: null, delegates: [] }))).toContain(
      '`/card notify quiet 22:00-07:00`',
    );
  });

  it('are answered in a sentence', () => {
    expect(preferenceSet({ what: 'declines', isOn: true, hasCard: true }).text).toBe(
      'I’ll message you when your card is declined.',
    );
    expect(ownDigestSet({ often: 'off', hasCard: false }).text).toBe('You get no digest of your cards.');
    expect(quietHoursSet({ words: null }).text).toBe('You have no quiet hours.');
  });

  it('end with a command that changes them back', () => {
    const undoOf = (often: 'daily' | 'weekly' | 'off') => shown(ownDigestSet({ often, hasCard: true }).blocks);

    expect(undoOf('daily')).toContain('To change that: `/card notify digest off`');
    expect(undoOf('weekly')).toContain('To change that: `/card notify digest off`');
    expect(undoOf('off')).toContain('To change that: `/card notify digest weekly`');
  });

  it('say that suspected fraud comes although declines are off, and only then', () => {
    const rows = shown(homePreferences({ off: ['declines', 'shipping'], digest: null, quiet: null, delegates: [] }));

    expect(rows).toContain('Your card is declined · *off, unless it may be fraud*');
    expect(rows).toContain('Your card is on its way · *off*');
    expect(preferenceSet({ what: 'shipping', isOn: false, hasCard: true }).text).toBe(
      'I won’t message you when your card is on its way.',
    );
  });

  it('promise nothing to a person without a card before one is linked to them', () => {
    expect(preferenceSet({ what: 'declines', isOn: true, hasCard: false }).text).toBe(
      'I’ll message you when your card is declined, once a card is linked to you: `/card link`.',
    );
    expect(preferenceSet({ what: 'declines', isOn: false, hasCard: false }).text).toBe(
      'I won’t message you when your card is declined, unless it may be fraud.',
    );
    expect(ownDigestSet({ often: 'weekly', hasCard: false }).text).toBe(
      'You get a digest of your cards every Monday at 9:00 AM ET, once a card is linked to you: `/card link`.',
    );
  });
});
