import { describe, expect, it } from 'vitest';
import { appHomeVerbs, readDirectKind } from '../../../src/app-home/verbs.ts';

const read = (text: string) => appHomeVerbs.notify.command.read(text.split(' '));

describe('the words after /card notify', () => {
  it.each([
    ['shipping off', { kind: 'messages', what: 'shipping', isOn: false }],
    ['Limit-Warnings ON', { kind: 'messages', what: 'limit-warnings', isOn: true }],
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
    'shipping',
    'shipping maybe',
    'shipping off now',
    'digest',
    'digest hourly',
    'digest daily please',
  ])('%j is asked about', (text) => {
    expect(read(text)).toMatchObject({ kind: 'unclear' });
  });

  it('names only messages that there are', () => {
    expect(readDirectKind('declines')).toBe('declines');
    expect(readDirectKind('low-balance')).toBeNull();
  });
});

describe('the words after /card delegate', () => {
  const readDelegate = (text: string) => appHomeVerbs.delegate.command.read(text.split(' '));

  it.each([
    ['<@U0BEN> 2026-12-24 2027-01-02', { to: 'U0BEN', from: '2026-12-24', until: '2027-01-02' }],
    ['off', null],
  ])('%j', (text, delegate) => {
    expect(readDelegate(text)).toMatchObject({ kind: 'read', verb: 'delegate', input: { delegate } });
  });

  it.each([
    '',
    '@ben 2026-12-24 2027-01-02',
    '<@U0BEN>',
    '<@U0BEN> 2026-12-24',
    '<@U0BEN> 2026-02-30 2026-03-01',
    '<@U0BEN> 2026-12-24 2027-01-02 x',
  ])('%j is asked about', (text) => {
    expect(readDelegate(text)).toMatchObject({ kind: 'unclear' });
  });
});
