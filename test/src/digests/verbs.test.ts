import { describe, expect, it } from 'vitest';
import { readDigest } from '../../../src/digests/verbs.ts';

const nine = { kind: 'at', weekday: null, isMonthly: false, hour: 9, minute: 0, zone: null };

describe('the words after /card digest', () => {
  it.each([
    ['daily 09:00', nine],
    ['DAILY 9am', nine],
    ['daily 12am', { ...nine, hour: 0 }],
    ['daily midnight', { ...nine, hour: 0 }],
    ['weekly monday Midnight', { ...nine, weekday: 1, hour: 0 }],
    ['daily 12:30pm', { ...nine, hour: 12, minute: 30 }],
    ['daily 17:30 America/Chicago', { ...nine, hour: 17, minute: 30, zone: 'America/Chicago' }],
    ['daily 9:00 PT', { ...nine, zone: 'America/Los_Angeles' }],
    ['daily 9:00 EST', { ...nine, zone: 'America/New_York' }],
    ['daily 9:00 europe/berlin', { ...nine, zone: 'Europe/Berlin' }],
    ['daily at 9am', nine],
    ['daily 9:00 AM', nine],
    ['daily 9 am', nine],
    ['daily 9:00 am et', { ...nine, zone: 'America/New_York' }],
    ['weekly fri 5 pm ET', { ...nine, weekday: 5, hour: 17, zone: 'America/New_York' }],
    ['weekly monday 09:00', { ...nine, weekday: 1 }],
    ['weekly on monday at 9am', { ...nine, weekday: 1 }],
    ['weekly sun 9am utc', { ...nine, weekday: 0, zone: 'UTC' }],
    ['off', { kind: 'off' }],
    ['off c0old', { kind: 'off', channel: 'C0OLD' }],
    ['off weekly', { kind: 'off', of: 'weekly' }],
    ['OFF Daily', { kind: 'off', of: 'daily' }],
    ['off monthly C0OLD', { kind: 'off', of: 'monthly', channel: 'C0OLD' }],
    ['now', { kind: 'now', of: null }],
    ['now week', { kind: 'now', of: 'weekly' }],
    ['now daily', { kind: 'now', of: 'daily' }],
    ['now weekly', { kind: 'now', of: 'weekly' }],
    ['now monthly', { kind: 'now', of: 'monthly' }],
    ['now last month', { kind: 'now', of: 'last-month' }],
    ['monthly 9am CT', { ...nine, isMonthly: true, zone: 'America/Chicago' }],
  ])('%j', (text, changeRequest) => {
    expect(readDigest(text.split(' '))).toEqual(changeRequest);
  });

  it.each([
    '',
    'hourly',
    'daily',
    'daily 9',
    'daily 25:00',
    'weekly monday 24:00',
    'daily 13pm',
    'daily am',
    'daily 13 pm',
    'daily 09:60',
    'daily 09:00 Atlantis',
    'daily 09:00 ET now',
    'now and then',
    'monthly',
    'weekly 09:00',
    'weekly someday 09:00',
    'weekly monday',
    'off #old',
    'off weekly daily',
    'off c0old weekly',
    'off C0OLD C0NEW',
  ])('%j cannot be read', (text) => {
    expect(typeof readDigest(text.split(' '))).toBe('string');
  });
});
