const languages = 'de fr es pt it nl pl cs sv da nb fi tr ru uk ja zh ko'.split(' ');
const units = ['minute', 'hour', 'day', 'week', 'month', 'year'] as const;

/** Also English words: they mean a time only next to a number. */
const alsoEnglish = new Set(['minute', 'minutes', 'time', 'timer', 'week']);

/** Small numbers in the languages that people use most. */
const numbers = 'une?|deux|trois|eine?n?|zwei|drei|una?|uno|dos|tres|due|tre|een|twee';

/** Lowercase without accents, because people leave accents out. */
function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').replace(/[’ʼ]/g, "'").toLowerCase();
}

/** Names of time units: `heures`, `stunden`, `godziny`. */
function unitWords(): string[] {
  const each = languages.flatMap((language) =>
    units.flatMap((unit) => {
      const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' });
      // Some languages have different forms for one, a few and many.
      return [1, 2, 5].flatMap((count) => format.formatToParts(count).filter(({ type }) => type === 'unit'));
    }),
  );
  return [...new Set(each.map(({ value }) => plain(value.trim())))];
}

/** `viernes`, `freitag`, `demain`, `i dag`. */
function dayWords(): string[] {
  const each = languages.flatMap((language) => {
    const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
    const { format } = new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' });
    const week = [1, 2, 3, 4, 5, 6, 7].map((day) => format(Date.UTC(2026, 10, day)));
    return [...week, relative.format(0, 'day'), relative.format(1, 'day')];
  });
  return [...new Set(each.map((word) => plain(word).replaceAll(' ', ' ?')))];
}

/** Built on first use, from the runtime's language data. */
let known: RegExp | null = null;

function timeWords(): RegExp {
  const all = unitWords();
  // In German, `in zwei Tagen`.
  const unit = `(${all.join('|')})n?`;
  const alone = all.filter((word) => word.length > 3 && !alsoEnglish.has(word));
  const either = [
    `\\d ?${unit}`,
    // Except English: `in due time`.
    `(${numbers}) (?!time|week)(${unit}|h)`,
    [...alone, ...dayWords()].join('|'),
    // Allows an article in between: `für einen Tag`, `por un día`.
    `(fur|pour|por|para|per|voor|durante|pendant) (\\p{L}+[ '])?${unit}`,
    `bis|hasta|fino|(ate (a|as|ao|o|\\d+)|tot \\d+) .*|jusqu\\p{L}*`,
  ];
  return new RegExp(`(?<!\\p{L})(${either.join('|')})(?!\\p{L})`, 'u');
}

/** True when words in another language may give a duration: `pour 2 heures`, `für heute`, `hasta el viernes`. */
export function mayMeanForeignTime(words: readonly string[]): boolean {
  known ??= timeWords();
  return known.test(plain(words.join(' ')));
}
