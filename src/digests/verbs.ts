import { z } from 'zod';
import { actionOf, target } from '../actions/action.ts';
import { aboutChannel, type VerbEntry } from '../actions/verb.ts';
import { joinAmPm, readTimeOfDay, readWeekday } from '../core/calendar-words.ts';
import { commandCode } from '../core/installation.ts';
import { readTimeZone } from '../core/service-time.ts';
import { DigestSchedule, digestKinds } from './schedule-store.ts';

export const DigestInput = z.discriminatedUnion('kind', [
  DigestSchedule.pick({ weekday: true, isMonthly: true, hour: true, minute: true }).extend({
    kind: z.literal('at'),
    /** Null: the card service's time zone. */
    zone: z.string().nullable(),
  }),
  z.strictObject({
    kind: z.literal('off'),
    /** Absent: all of them. */
    of: z.enum(digestKinds).optional(),
    /** Absent: the channel where it is typed. */
    channel: z.string().optional(),
  }),
  /** Null: the period of the channel's own digest, or a day. */
  z.strictObject({ kind: z.literal('now'), of: z.enum([...digestKinds, 'last-month']).nullable() }),
]);
export type DigestInput = z.infer<typeof DigestInput>;

export const DigestAction = actionOf('digest', target.channel, { wanted: DigestInput });
export type DigestAction = z.infer<typeof DigestAction>;

export const digestVerbs = {
  digest: {
    action: DigestAction,
    permission: { role: 'approver', ofAllCards: true, doing: 'set a channel’s digest' },
    refusedTo: 'set a digest',
    // `Report 4242` is about a card.
    alsoCalled: ['summary', 'report daily', 'report weekly', 'report monthly'],
    command: {
      usage: 'digest daily 09:00 [zone]',
      example: 'digest weekly monday 09:00',
      effect:
        'posts a summary of declines and approvals here every day, week or month; “now” posts one immediately, “off” ends it',
      read(words) {
        const wanted = readDigest(words);
        const usage =
          'digest daily 09:00 [zone] | weekly monday 09:00 [zone] | monthly 09:00 [zone] | now [last month] | off [daily|weekly|monthly] [CHANNEL]';
        if (typeof wanted === 'string') return { kind: 'unclear', why: wanted, usage };
        return aboutChannel('digest', words, { wanted });
      },
    },
  },
} as const satisfies Record<string, VerbEntry>;

const periodWords = new Map<string, Extract<DigestInput, { kind: 'now' }>['of']>([
  ['', null],
  ...digestKinds.map((kind) => [kind, kind] as const),
  ['day', 'daily'],
  ['week', 'weekly'],
  ['month', 'monthly'],
  ['last month', 'last-month'],
]);

/** Not a word such as “cards”. A direct conversation gets no digests. */
const channelId = /^[cg](?=[a-z]*\d)[a-z\d]+$/;

function readOff(words: readonly string[]): DigestInput | string {
  const of = digestKinds.find((kind) => kind === words[0]);
  const kind = { kind: 'off', ...(of !== undefined && { of }) } as const;
  const [channel, ...more] = of === undefined ? words : words.slice(1);
  if (channel === undefined) return kind;
  if (channel.startsWith('#')) return `Write the channel’s id, as ${commandCode('subscriptions all')} shows it.`;
  if (more.length === 0 && channelId.test(channel)) return { ...kind, channel: channel.toUpperCase() };
  return 'Which digest should end? Write off for all of them, or off daily, off weekly or off monthly.';
}

/** Parses the words after `/card digest`. @returns a sentence for the user when they cannot be parsed. */
export function readDigest(words: readonly string[]): DigestInput | string {
  // `weekly on monday at 9am`
  const [first = '', ...rest] = joinAmPm(words.join(' ').toLowerCase())
    .split(' ')
    .filter((word) => word !== 'on' && word !== 'at');
  if (first === 'off') return readOff(rest);
  if (first === 'now') {
    const of = periodWords.get(rest.join(' '));
    return of === undefined ? 'For which time? Say now, now week, now month or now last month.' : { kind: 'now', of };
  }
  if (first !== 'daily' && first !== 'weekly' && first !== 'monthly')
    return 'How often? Write daily, weekly or monthly with a time; or “now”, or “off”.';
  const weekday = first === 'weekly' ? (readWeekday(rest[0] ?? '') ?? -1) : null;
  if (weekday === -1) return 'On which day of the week?';
  const [clock = '', zone, ...more] = weekday === null ? rest : rest.slice(1);
  // Midnight is read as the end of a day. A digest is posted at the start of one, and 24:00 is not that.
  const time = clock === 'midnight' ? '00:00' : readTimeOfDay(clock);
  if (time === null || time === '24:00') return 'At what time? Write 09:00, 9am or 17:30.';
  if (more.length > 0) return `I didn’t understand “${more.join(' ').slice(0, 40)}” after the time.`;
  const timeZone = zone === undefined ? null : readTimeZone(zone);
  if (zone !== undefined && timeZone === null)
    return `I don’t know the time zone “${zone.slice(0, 40)}”. Write one such as America/Chicago.`;
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return { kind: 'at', weekday, isMonthly: first === 'monthly', hour, minute, zone: timeZone };
}
