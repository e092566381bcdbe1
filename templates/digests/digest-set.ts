import { clockWords, weekdayNames } from '../../src/core/calendar-words.ts';
import { capital } from '../../src/core/first-letter.ts';
import { commandCode, zoneWord } from '../../src/core/installation.ts';
import type { DigestKind, DigestSchedule } from '../../src/digests/schedule-store.ts';
import type { Message } from '../../src/slack/message.ts';
import { channelMention, dateAfter } from '../../src/slack/mrkdwn.ts';
import { escapeUntrusted, headed, section, sentence } from '../core/blocks.ts';

/**
 * A channel no longer gets digests.
 *
 * @param ended none: it got none; null: not known any more.
 * @param about.named the channel, if it is another one than where this is read.
 * @param about.of the only kind that was to end. `left`: the channel’s other digests.
 */
export function digestOff(
  ended: readonly DigestKind[] | null,
  {
    named,
    of,
    left,
  }: { readonly named: string | undefined; readonly of: DigestKind | undefined; readonly left: readonly DigestKind[] },
): Message {
  const which = ended === null || of !== undefined ? '' : ` (ended: ${ended.join(', ')})`;
  const channel = named === undefined ? 'This channel' : channelMention(named);
  const what = of === undefined ? 'digests' : `${of} digest`;
  const others =
    left.length === 0 ? '' : `The ${left.join(' and ')} ${left.length === 1 ? 'digest stays' : 'digests stay'}.`;
  return headed(`${channel} gets no ${what}${ended?.length === 0 ? '' : ` any more${which}`}.`, others);
}

/** Some digests have ended, and others were set again after somebody had asked to end all. */
export function digestPartlyOff(ended: readonly DigestKind[], stay: readonly DigestKind[]): Message {
  const [off, on] = [ended, stay].map((kinds) => `${kinds.join(' and ')} ${kinds.length === 1 ? 'digest' : 'digests'}`);
  const stays = stay.length === 1 ? 'was set again since and stays' : 'were set again since and stay';
  return headed(capital(`${off} ended.`), `The ${on} ${stays}.`);
}

interface DigestSet extends Pick<DigestSchedule, 'weekday' | 'isMonthly' | 'hour' | 'minute' | 'zone'> {
  /** When the first digest is sent, UTC ISO 8601. */
  readonly next: string;
}

/** `every Monday at 9:00 AM ET`. */
export function scheduleInWords({ weekday, isMonthly, hour, minute, zone }: Omit<DigestSet, 'next'>): string {
  const often = isMonthly ? 'on the first of each month' : 'every day';
  const day = weekday === null ? often : `every ${weekdayNames[weekday] ?? ''}`;
  return `${day} at ${clockWords(hour, minute)} ${escapeUntrusted(zoneWord(zone), 40)}`;
}

/** This channel now gets a digest. */
export function digestSet({ next, ...when }: DigestSet): Message {
  const head = `This channel gets a digest ${scheduleInWords(when)}.`;
  return {
    text: sentence(`${head} The next one ${dateAfter('comes', next)}.`),
    blocks: [
      section(
        `*${head}*`,
        `The next one ${dateAfter('comes', next)}. ${commandCode('digest off')} ends all digests of this channel.`,
      ),
    ],
  };
}
