import { describe, expect, it } from 'vitest';
import type { Mute } from '../../../src/routing/mute-store.ts';
import { createWhyMutePasses } from '../../../src/routing/route.ts';
import { card, declineEvent } from './subjects.ts';

const common = { id: 'mute_1', acctId: 7378, card: card({}), by: 'U0ANA', reason: '', at: '', endsAt: '' };
const mute: Mute = { kind: 'mute', ...common };
const travel: Mute = { kind: 'travel', ...common, countries: ['ES'], directChannel: 'D1' };
const subject = { event: declineEvent({ code: 'decline' }), card: card({}) };

function passes(facts: { isHolder?: boolean; isTested?: boolean; mayRead?: 'yes' | 'no' | 'unknown' }) {
  return createWhyMutePasses({
    isHolder: async () => facts.isHolder ?? false,
    cardTesting: { join: async () => (facts.isTested === true ? { warningId: 'evt_1', isCause: false } : null) },
    mayBeNotified: async () => facts.mayRead ?? 'yes',
  });
}

describe('a mute in force', () => {
  it('withholds an event by default', async () => {
    expect(await passes({})(mute, subject, ['C1'])).toBeNull();
    expect(
      await passes({ mayRead: 'no' })(mute, subject, ['C1']),
      'it remains after its author has lost the role',
    ).toBeNull();
  });

  it('withholds nothing for its author’s own card, and no card-testing alert', async () => {
    expect(await passes({ isHolder: true })(mute, subject, ['C1'])).toMatch(/holds the card/);
    expect(await passes({ isTested: true })(mute, subject, ['C1'])).toMatch(/several cards/);
  });

  it.each([['no', /no role any more/] as const, ['unknown', /Slack could not say/] as const])(
    'as a travel mute counts only while its author may read the alerts: %s',
    async (mayRead, why) => {
      expect(await passes({ mayRead })(travel, subject, ['C1'])).toMatch(why);
    },
  );
});
