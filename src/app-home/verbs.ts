import { z } from 'zod';
import { actionOf, target } from '../actions/action.ts';
import { aboutChannel, type ReadCommand, type UnclearCommand, type VerbEntry } from '../actions/verb.ts';
import { addDays, readDay, todayOr } from '../core/calendar-words.ts';
import type { Clock } from '../core/end-time.ts';
import { localDate } from '../core/service-time.ts';
import { directKinds, ownDigestTimes } from '../holders/preference-store.ts';
import { mentioned } from '../slack/mrkdwn.ts';

/** A preference about a person's own direct messages. */
const Preference = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('messages'), what: z.enum(directKinds), isOn: z.boolean() }),
  /** As typed; parsed when the action is performed. */
  z.strictObject({ kind: z.literal('quiet'), hours: z.string() }),
  z.strictObject({ kind: z.literal('digest'), often: z.enum([...ownDigestTimes, 'off']) }),
]);

export const PreferenceAction = actionOf('notify', target.channel, { preference: Preference });
export type PreferenceAction = z.infer<typeof PreferenceAction>;

/** An approver names a delegate. */
export const DelegateAction = actionOf('delegate', target.channel, {
  delegate: z.strictObject({ to: z.string(), from: z.iso.date(), until: z.iso.date() }),
});
export type DelegateAction = z.infer<typeof DelegateAction>;

/** Takes only rights away, so people may do it who are no approvers any more. */
const EndDelegationAction = actionOf('end-delegation', target.channel, { delegate: z.null() });
export type EndDelegationAction = z.infer<typeof EndDelegationAction>;

export const delegateUsage = 'delegate @user monday friday | off';

const usage = 'notify KIND on|off, notify digest daily|weekly|off, or notify quiet 22:00-07:00 | off';

export const appHomeVerbs = {
  notify: {
    action: PreferenceAction,
    permission: { role: null, doing: 'change message settings' },
    refusedTo: 'change message settings',
    alsoCalled: ['notifications', 'preferences', 'settings'],
    command: {
      usage: 'notify KIND on|off',
      example: 'notify shipping off',
      effect:
        'sets which direct messages you get; “notify digest weekly” sums up your cards, “notify quiet 22:00-07:00” sets your own quiet hours',
      read(words) {
        const preference = readPreference(words);
        if (typeof preference === 'string') return { kind: 'unclear', why: preference, usage };
        return aboutChannel('notify', words, { preference });
      },
    },
  },
  delegate: {
    action: DelegateAction,
    permission: { role: 'approver', doing: 'name a delegate' },
    refusedTo: 'name a delegate',
    alsoCalled: ['deputy', 'substitute'],
    command: {
      usage: 'delegate @user FROM UNTIL',
      example: 'delegate @jane monday friday',
      isPersonal: true,
      effect: 'names who stands in for you while you are away, where the policy allows it; “off” ends it',
      read: readDelegate,
    },
  },
  'end-delegation': {
    action: EndDelegationAction,
    permission: { role: null, doing: 'end a delegation' },
    refusedTo: 'end a delegation',
  },
} as const satisfies Record<string, VerbEntry>;

function readDelegate(words: readonly string[], clock: Clock): ReadCommand | UnclearCommand {
  if (/^off$/i.test(words.join(' '))) return aboutChannel('end-delegation', words, { delegate: null });
  const at = words.findIndex((word) => mentioned(word) !== null);
  const days = words.toSpliced(at, 1);
  const to = mentioned(words[at] ?? '');
  const unclear = (why: string): UnclearCommand => ({ kind: 'unclear', why, usage: delegateUsage });
  if (to === null) return unclear('Who stands in for you? Pick the name from the list that Slack shows.');
  const found = readDays(days, clock);
  if (typeof found === 'string') return unclear(found);
  if (found === null)
    return unclear('From which day until which? Write both, such as “Dec 24 Jan 2” or “monday friday”.');
  return aboutChannel('delegate', words, { delegate: { to, ...found } });
}

/**
 * `Dec 24 Jan 2`, `from today until friday`: the first and the last day. Null when these are not exactly two days. A
 * question if the first has passed, or if it may be today.
 */
function readDays(typed: readonly string[], { now, zone }: Clock): { from: string; until: string } | string | null {
  const words = typed.filter((word) => !/^(from|to|till?|until|through|thru|[-–—])$/i.test(word));
  const today = localDate(now, zone);
  const first = readDay(words, today);
  if (first === null) return null;
  const behind = words.slice(first.words);
  // The last day may be the first: “friday friday”. Tomorrow is always the day after today.
  const eve = addDays(first.date, -1);
  const last = readDay(behind, eve < today || /^to(day|morrow)/i.test(behind[0] ?? '') ? today : eve);
  if (last === null || last.words < behind.length) return null;
  if (first.isTodaysWeekday === true) return todayOr(first.date);
  if (first.hasPassed === true) {
    const nextYear = first.date.slice(0, 4);
    return `“${words.slice(0, first.words).join(' ')}” has passed. Write “today”, or the year if you mean ${nextYear}.`;
  }
  return { from: first.date, until: last.date };
}

/** Parses the words after `/card notify`, or of a button in App Home. @returns a question when they cannot be parsed. */
export function readPreference(words: readonly string[]): PreferenceAction['preference'] | string {
  const [first = '', second = '', ...more] = words.map((word) => word.toLowerCase());
  if (first === 'quiet') return { kind: 'quiet', hours: words.slice(1).join(' ') };
  if (first === 'digest') {
    const often = [...ownDigestTimes, 'off' as const].find((time) => time === second);
    return often === undefined || more.length > 0 ? 'How often? Say daily, weekly or off.' : { kind: 'digest', often };
  }
  // The words of `subscribe`.
  const meant = first === 'status' ? 'card-status' : first === 'virtual' ? 'virtual-cards' : first;
  const what = directKinds.find((kind) => kind === meant);
  if (what === undefined) return `Which messages? There are ${directKinds.join(', ')}, digest and quiet.`;
  if ((second !== 'on' && second !== 'off') || more.length > 0) return 'On or off?';
  return { kind: 'messages', what, isOn: second === 'on' };
}
