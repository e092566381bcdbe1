import { z } from 'zod';
import { actionOf, target } from '../actions/action.ts';
import type { VerbEntry } from '../actions/verb.ts';

export const DigestInput = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('at'),
    /** Null: every day. 0 is Sunday. */
    weekday: z.int().min(0).max(6).nullable(),
    hour: z.int().min(0).max(23),
    minute: z.int().min(0).max(59),
    /** Null: the time zone of the card service. */
    zone: z.string().nullable(),
  }),
  z.strictObject({ kind: z.literal('off') }),
  z.strictObject({ kind: z.literal('now') }),
]);
export type DigestInput = z.infer<typeof DigestInput>;

export const DigestAction = actionOf('digest', target.channel, { wanted: DigestInput });
export type DigestAction = z.infer<typeof DigestAction>;

export const digestVerbs = {
  digest: {
    action: DigestAction,
    permission: { role: 'approver', doing: 'set a channel’s digest' },
    refusedTo: 'set a digest',
    isOfCard: false,
    command: {
      usage: 'digest daily 09:00 [zone]',
      example: '/card digest weekly monday 09:00',
      effect: 'sums up declines in this channel, every day or week; “now” at once, “off” no more',
      read(words) {
        const wanted = readDigest(words);
        const usage = '/card digest daily 09:00 [zone] | weekly monday 09:00 [zone] | now | off';
        if (typeof wanted === 'string') return { kind: 'unclear', why: wanted, usage };
        const on = { kind: 'channel', text: words.join(' ') } as const;
        return { kind: 'read', verb: 'digest', target: on, reason: '', input: { wanted } };
      },
    },
  },
} as const satisfies Record<string, VerbEntry>;

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** US abbreviations; all other zones go by their full names. */
const shortZones: Readonly<Record<string, string>> = {
  et: 'America/New_York',
  ct: 'America/Chicago',
  mt: 'America/Denver',
  pt: 'America/Los_Angeles',
  utc: 'UTC',
  gmt: 'UTC',
};

/** Reads the words after `/card digest`. @returns a sentence for the user when they cannot be read. */
export function readDigest(words: readonly string[]): DigestInput | string {
  const [first = '', ...rest] = words.map((word) => word.toLowerCase());
  if (rest.length === 0 && (first === 'off' || first === 'now')) return { kind: first };
  if (first !== 'daily' && first !== 'weekly') return 'Say daily or weekly with a time, now, or off.';
  const weekday = first === 'weekly' ? weekdays.findIndex((day) => isDay(rest[0] ?? '', day)) : null;
  if (weekday === -1) return 'On which day of the week?';
  const [clock = '', zone, ...more] = weekday === null ? rest : rest.slice(1);
  const time = readClock(clock);
  if (time === null) return 'At which time? Write 09:00, 9am or 17:30.';
  if (more.length > 0) return 'There is too much behind the time.';
  const known = zone === undefined ? null : readZone(zone, words);
  if (known === undefined)
    return `I do not know the time zone “${(zone ?? '').slice(0, 40)}”. Write one such as America/Chicago.`;
  return { kind: 'at', weekday, ...time, zone: known };
}

function isDay(word: string, day: string): boolean {
  return word.length >= 3 && day.startsWith(word);
}

function readClock(word: string): { hour: number; minute: number } | null {
  const match = /^(\d{1,2})(?::(\d\d))?(am|pm)?$/.exec(word);
  if (match === null || (match[2] === undefined && match[3] === undefined)) return null;
  const minute = Number(match[2] ?? 0);
  let hour = Number(match[1]);
  if (match[3] !== undefined) {
    if (hour < 1 || hour > 12) return null;
    hour = (hour % 12) + (match[3] === 'pm' ? 12 : 0);
  }
  return hour > 23 || minute > 59 ? null : { hour, minute };
}

/** Undefined when there is no such zone. */
function readZone(word: string, typed: readonly string[]): string | undefined {
  const name = shortZones[word] ?? typed.at(-1) ?? '';
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
