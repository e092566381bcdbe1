import { isTimeZone } from './service-time.ts';

/** How many leading words match. */
export function wordsRead(pattern: RegExp, words: readonly string[]): number {
  const fits = pattern.exec(words.slice(0, 3).join(' '))?.[0].trim();
  return fits === undefined ? 0 : fits.split(' ').length;
}

/** How many words behind a time name a time zone. */
export function zoneWords(words: readonly string[]): number {
  const [first = ''] = words;
  return first.includes('/') && isTimeZone(first) ? 1 : wordsRead(zoneName, words);
}

/** A time zone behind a time: `ET`, `EST`, `Eastern time`, `UTC`, `GMT+1`, `Berlin time`. */
const zoneName =
  /^((UTC|GMT|utc|gmt)([+-]\d{1,2}(:?\d\d)?)?|([ECMP][SD]?T|[ecmp][sd]t|et|AK[SD]T|HST|CES?T|EES?T|WES?T|BST|IST|JST|AE[SD]T)(?= |$)|([Ee]astern|[Cc]entral|[Mm]ountain|[Pp]acific)( ([Ss]tandard|[Dd]aylight))?( [Tt]ime)?|\p{Lu}\p{L}+ time)(?= |$)/u;

/** True when the typed name is that of `zone`, in summer or in winter. */
export function isZone(typed: string, { now, zone }: { readonly now: Date; readonly zone: string }): boolean {
  const halfYear = new Date(now.getTime() + 182 * 86_400_000);
  const names = (['short', 'long', 'shortGeneric', 'longGeneric'] as const).flatMap((timeZoneName) => {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName });
    return [now, halfYear].flatMap((at) => format.formatToParts(at).filter(({ type }) => type === 'timeZoneName'));
  });
  const plain = (name: string): string => name.toLowerCase().replace(/ time$/, '');
  return [zone, ...names.map(({ value }) => value)].some((name) => plain(name) === plain(typed));
}
