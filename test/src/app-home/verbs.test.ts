import { describe, expect, it } from 'vitest';
import { appHomeVerbs, readDirectKind } from '../../../src/app-home/verbs.ts';

const read = (text: string) => appHomeVerbs.notify.command.read(text.split(' '));

describe('the words after /card notify', () => {
  it.each([
    ['shipping off', { kind: 'messages', what: 'shipping', isOn: false }],
    ['Limit-Warnings ON', { kind: 'messages', what: 'limit-warnings', isOn: true }],
    ['quiet 22:00-07:00 Europe/Berlin', { kind: 'quiet', hours: '22:00-07:00 Europe/Berlin' }],
    ['quiet off', { kind: 'quiet', hours: 'off' }],
  ])('%j', (text, preference) => {
    expect(read(text)).toMatchObject({ kind: 'read', verb: 'notify', input: { preference } });
  });

  it.each(['', 'everything off', 'shipping', 'shipping maybe', 'shipping off now'])('%j is asked about', (text) => {
    expect(read(text)).toMatchObject({ kind: 'unclear' });
  });

  it('names only messages that there are', () => {
    expect(readDirectKind('declines')).toBe('declines');
    expect(readDirectKind('low-balance')).toBeNull();
  });
});
