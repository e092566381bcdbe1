import { describe, expect, it } from 'vitest';
import { appHomeVerbs } from '../../../src/app-home/verbs.ts';
import { clock } from '../../support/clock.ts';

const read = (text: string) => appHomeVerbs.notify.command.read(text.split(' '));

describe('the words after /card notify', () => {
  it.each([
    ['declines on', { kind: 'messages', what: 'declines', isOn: true }],
    ['shipping off', { kind: 'messages', what: 'shipping', isOn: false }],
    ['Limit-Warnings ON', { kind: 'messages', what: 'limit-warnings', isOn: true }],
    ['status off', { kind: 'messages', what: 'card-status', isOn: false }],
    ['virtual on', { kind: 'messages', what: 'virtual-cards', isOn: true }],
    ['quiet 22:00-07:00 Europe/Berlin', { kind: 'quiet', hours: '22:00-07:00 Europe/Berlin' }],
    ['quiet off', { kind: 'quiet', hours: 'off' }],
    ['digest weekly', { kind: 'digest', often: 'weekly' }],
    ['Digest OFF', { kind: 'digest', often: 'off' }],
  ])('%j', (text, preference) => {
    expect(read(text)).toMatchObject({ kind: 'read', verb: 'notify', input: { preference } });
  });

  it.each([
    '',
    'everything off',
    'low-balance off',
    'shipping',
    'shipping maybe',
    'shipping off now',
    'digest',
    'digest hourly',
    'digest daily please',
  ])('%j is unclear', (text) => {
    expect(read(text)).toMatchObject({ kind: 'unclear' });
  });
});

describe('the words after /card delegate', () => {
  const readDelegate = (text: string) => appHomeVerbs.delegate.command.read(text.split(' '), clock);

  it.each([
    ['<@U0BEN> 2026-12-24 2027-01-02', { to: 'U0BEN', from: '2026-12-24', until: '2027-01-02' }],
    // Days are read as in every other command. A date without a year is the next such date.
    ['<@U0BEN> Dec 24 Jan 2', { to: 'U0BEN', from: '2026-12-24', until: '2027-01-02' }],
    ['<@U0BEN> from 12/24 to 1/2', { to: 'U0BEN', from: '2026-12-24', until: '2027-01-02' }],
    ['<@U0BEN> today until friday', { to: 'U0BEN', from: '2026-11-20', until: '2026-11-27' }],
    // One day, also if it is named twice.
    ['<@U0BEN> thursday thursday', { to: 'U0BEN', from: '2026-11-26', until: '2026-11-26' }],
    ['<@U0BEN> today today', { to: 'U0BEN', from: '2026-11-20', until: '2026-11-20' }],
    ['<@U0BEN> tomorrow tomorrow', { to: 'U0BEN', from: '2026-11-21', until: '2026-11-21' }],
    ['<@U0BEN> from tomorrow until saturday', { to: 'U0BEN', from: '2026-11-21', until: '2026-11-21' }],
    ['<@U0BEN> Dec 24 Dec 24', { to: 'U0BEN', from: '2026-12-24', until: '2026-12-24' }],
    ['<@U0BEN> monday friday', { to: 'U0BEN', from: '2026-11-23', until: '2026-11-27' }],
    // Refused later: the last day is before the first.
    ['<@U0BEN> monday tomorrow', { to: 'U0BEN', from: '2026-11-23', until: '2026-11-21' }],
    ['<@U0BEN> tomorrow - 24 Dec', { to: 'U0BEN', from: '2026-11-21', until: '2026-12-24' }],
  ])('%j', (text, delegate) => {
    expect(readDelegate(text)).toMatchObject({ kind: 'read', verb: 'delegate', input: { delegate } });
  });

  it('“off” ends the delegation, for which no role is needed', () => {
    expect(readDelegate('off')).toMatchObject({ kind: 'read', verb: 'end-delegation', input: { delegate: null } });
  });

  it('asks about a first day that has passed', () => {
    expect(readDelegate('<@U0BEN> Nov 19 Dec 5')).toMatchObject({
      kind: 'unclear',
      why: '“Nov 19” has passed. Write “today”, or the year if you mean 2027.',
    });
  });

  it('asks about a first day that has the weekday of today', () => {
    expect(readDelegate('<@U0BEN> friday monday')).toMatchObject({
      kind: 'unclear',
      why: 'Today is Friday. Instead of “Friday”, write “today” or “Nov 27”.',
    });
  });

  it.each([
    '',
    '@ben 2026-12-24 2027-01-02',
    '<@U0BEN>',
    '<@U0BEN> 2026-12-24',
    '<@U0BEN> 2026-02-30 2026-03-01',
    '<@U0BEN> 2026-12-24 2027-01-02 x',
    '<@U0BEN> later',
    '<@U0BEN> for 2 weeks',
    '<@U0BEN> Feb 30 Mar 1',
  ])('%j is unclear', (text) => {
    expect(readDelegate(text)).toMatchObject({ kind: 'unclear' });
  });
});
