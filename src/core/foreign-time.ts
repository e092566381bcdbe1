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

/** Short units that are also words, names or titles: `2 man team`. */
const alsoWords = new Set(['jr', 'man', 'md', 'mon', 'pv', 'sa']);

/** Names of time units: `heures`, `stunden`, `godziny`. Short: `std`, `godz`, `sem`. */
function unitWords(unitDisplay: 'long' | 'short'): string[] {
  const each = languages.flatMap((language) =>
    units.flatMap((unit) => {
      const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay });
      // Some languages have different forms for one, a few and many.
      return [1, 2, 5].flatMap((count) => format.formatToParts(count).filter(({ type }) => type === 'unit'));
    }),
  );
  return [...new Set(each.map(({ value }) => plain(value.trim())))];
}

/** Without a letter that stands for a unit in some language, and for something else in most. */
function shortUnits(): string[] {
  const all = unitWords('short').map((word) => word.replace(/\.$/, ''));
  return all.filter((word) => word.length > 1 && !alsoWords.has(word));
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

/** `enero`, `märz`, `mars`. */
function monthWords(): string[] {
  const each = languages.flatMap((language) => {
    const { format } = new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' });
    return Array.from({ length: 12 }, (_, month) => format(Date.UTC(2026, month, 15)));
  });
  return [...new Set(each.map(plain))].filter((word) => /^\p{L}{3,}$/u.test(word));
}

/** Built on first use, from the runtime's language data. */
let known: RegExp | null = null;

function timeWords(): RegExp {
  const all = unitWords('long');
  // In German, `in zwei Tagen`.
  const unit = `(${all.join('|')})n?`;
  const alone = all.filter((word) => word.length > 3 && !alsoEnglish.has(word));
  const either = [
    // In Japanese, `3日間`.
    `\\d ?(${unit}間?|${[...shortUnits(), 'gg', 'stdn', 'dgn'].join('|')})`,
    // Except English: `in due time`.
    `(${numbers}) (?!time|week)(${unit}|h)`,
    [...alone, ...dayWords()].join('|'),
    // Allows an article in between: `für einen Tag`, `por un día`.
    `(fur|pour|por|para|per|voor|durante|pendant) (\\p{L}+[ '])?${unit}`,
    '(fur|pour|por|para|per|voor) \\d+ ?[jhduw]',
    `(im|in|en|em|ab|fur|pour|por|para|per|voor|durante|pendant) (${monthWords().join('|')})`,
    'vorubergehend|vorerst|befristet|tijdelijk|voorlopig|temporalmente|por ahora|per ora',
    "(temporar|temporaire|temporane|provisoire|provvisori|provisori)\\p{L}*|pour l'instant",
    `bis|hasta|fino|до|(ate (a|as|ao|o|\\d+)|tot \\d+) .*|jusqu\\p{L}*`,
    // Portuguese weekdays, which people shorten.
    'ate (segunda|terca|quarta|quinta|sexta)',
  ];
  return new RegExp(`(?<!\\p{L})(${either.join('|')})(?!\\p{L})`, 'u');
}

/** True when words in another language may give a duration: `pour 2 heures`, `für heute`, `hasta el viernes`. */
export function mayMeanForeignTime(words: readonly string[]): boolean {
  known ??= timeWords();
  const text = words.join(' ');
  // Without its accent it is an English word.
  return /(?<!\p{L})até(?!\p{L})/iu.test(text.normalize('NFC')) || known.test(plain(text));
}
