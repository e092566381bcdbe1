import { type Clock, endOf, readCertainEnd } from '../core/end-time.ts';
import { secondEndAt } from '../limits/read-term.ts';
import { countryBehindEnd } from './read-countries.ts';

const DAY_MS = 24 * 3_600_000;
const DAYS_MAX = 90;

/**
 * When a mute ends and how many words it took; or why the text is invalid. What follows is the reason, so another time there
 * is asked about.
 *
 * @param countries of a trip; null: it is a mute.
 */
export function muteEndOf(
  words: readonly string[],
  clock: Clock,
  countries: readonly string[] | null = null,
): { endsAt: Date; words: number } | { why: string } {
  const read = readCertainEnd(words, clock);
  if (read.kind === 'unclear') return { why: read.why };
  const endsAt = read.kind === 'end' ? endOf(read.end, clock) : null;
  if (read.kind === 'none' || endsAt === null) return { why: 'For how long? A mute always has an end.' };
  const second = secondEndAt(words, read.words, clock);
  if (second !== -1) return { why: twoEnds(words.slice(second)) };
  const isTooLong = endsAt.getTime() - clock.now.getTime() > DAYS_MAX * DAY_MS;
  if (isTooLong) return { why: `That is longer than ${DAYS_MAX} days, the longest that a mute can last.` };
  const country = countries === null ? null : countryBehindEnd(words.slice(read.words), countries);
  return country === null ? { endsAt, words: read.words } : { why: country };
}

function twoEnds(words: readonly string[]): string {
  return `Is “${words.join(' ').slice(0, 40)}” how long it lasts? A mute has one end. Write it before the reason, or quote the reason.`;
}
