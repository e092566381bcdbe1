import { expect, it } from 'vitest';
import { entryOf } from '../../../src/dispatch/verbs.ts';
import type { Mute } from '../../../src/routing/mute-store.ts';
import { muteEnded, muteList, muteSet } from '../../../templates/routing/mutes.ts';
import { card } from '../fixtures.ts';
import { shown } from '../shown.ts';

const mute: Mute = {
  kind: 'travel',
  id: 'mute_1',
  acctId: 1,
  card,
  countries: ['ES', 'PT'],
  directChannel: 'D1',
  by: 'U0OLGA',
  reason: '',
  at: '2026-11-20T14:00:00Z',
  endsAt: '2026-11-27T05:00:00Z',
};

it('a travel mute says wherever it is named that it hides declines and permits nothing abroad', () => {
  const { effect } = entryOf('travel').command ?? { effect: '' };
  expect(effect).toMatch(/^hides the declines that a trip explains.*does not allow purchases abroad/);
  const set = muteSet(mute);
  for (const text of [set.text, shown(set.blocks)])
    expect(text).toMatch(/in Spain and Portugal are hidden.*does not allow purchases abroad/s);
  const list = muteList({ mutes: [{ ...mute, count: 1 }], page: 1 });
  expect(shown(list.blocks)).toMatch(/Declines in Spain and Portugal hidden .*until/);
  const ended = muteEnded({ mutes: [mute], endedBy: null, channel: 'C1', kinds: ['decline'] });
  for (const text of [ended.text, shown(ended.blocks)])
    expect(text).toMatch(/travel mute of .* has ended: .*channels get these declines again/);
});

it('a mute and a travel mute say that the cardholder still gets the alerts', () => {
  const { effect } = entryOf('travel').command ?? { effect: '' };

  expect(effect).toContain('they go only to you and the cardholder');
  expect(shown(muteSet(mute).blocks)).toContain('go to you and the cardholder, not to the channels');
  expect(shown(muteSet({ ...mute, kind: 'mute' }).blocks)).toContain('the cardholder still gets direct messages');
  expect(muteEnded({ mutes: [mute], endedBy: null, channel: 'C1', kinds: ['decline'] }).text).toMatch(
    /1 alert was sent to you instead in that time: 1 decline\.$/,
  );
});

it('a travel mute beside a mute says that the mute comes first, whichever was set first and whichever ends first', () => {
  const muted: Mute = { ...mute, kind: 'mute', by: 'U0ANA', endsAt: '2026-11-25T05:00:00Z' };
  const longer = { ...muted, endsAt: '2026-11-30T05:00:00Z' };
  const said = (beside: Mute) => shown(muteSet(mute, beside).blocks);
  expect(said(muted)).toMatch(
    /card is also muted .*declines that .* go only to the cardholder; after that, also to you\./s,
  );
  expect(said(longer)).toMatch(/card is also muted .*declines that .* go only to the cardholder\. .*rules stay/s);
  expect(said(longer)).not.toMatch(/to you|as usual/);
  expect(shown(muteSet(longer, mute).blocks)).toContain(
    'While it is muted, <@U0OLGA> gets no declines from their travel mute.',
  );

  const ended = muteEnded({ mutes: [mute], stillMuted: longer.endsAt, channel: 'C1', kinds: ['decline'] });
  for (const text of [ended.text, shown(ended.blocks)]) {
    expect(text).toMatch(
      /The travel mute of [^:]* has ended\..*While the card is muted \(.*until .*\), the channels do not get these declines\./s,
    );
    expect(text).not.toContain('get these declines again');
  }
});

it('a mute says what is posted nevertheless: also that the card was unblocked or activated', () => {
  expect(shown(muteSet({ ...mute, kind: 'mute' }).blocks)).toContain(
    'Changes of its status, suspected fraud and a wrong PIN are still posted, and everything while a fraud case is open.',
  );
});

it('the end of a mute names the channel that did not get the alerts: if it is archived, another one gets the message', () => {
  const { text } = muteEnded({
    mutes: [{ ...mute, kind: 'mute' }],
    endedBy: null,
    channel: 'C0OLD',
    kinds: ['decline'],
  });

  expect(text).toContain('1 alert was not posted in <#C0OLD> in that time: 1 decline.');
});
