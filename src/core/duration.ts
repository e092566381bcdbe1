import { isMisspelt } from './closest.ts';

const HOUR_MS = 3_600_000;

const units: readonly (readonly [RegExp, number])[] = [
  [/^(m|min|mins|minute|minutes)$/, HOUR_MS / 60],
  [/^(h|hr|hrs|hour|hours)$/, HOUR_MS],
  [/^(d|day|days)$/, 24 * HOUR_MS],
  [/^(w|wk|wks|week|weeks)$/, 7 * 24 * HOUR_MS],
];

/** Numbers as words. They need a full unit after them: `two hours`, never `a m`. */
const numbers: ReadonlyMap<string, number> = new Map([
  ['a', 1],
  ['an', 1],
  ...['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'].map(
    (word, index) => [word, index + 1] as const,
  ),
  ['fifteen', 15],
  ['twenty', 20],
  ['thirty', 30],
  ['forty', 40],
  ['forty-five', 45],
  ['sixty', 60],
  ['ninety', 90],
]);

/** Without `a` and `an`. */
const readNumbers = [...numbers.keys()].filter((name) => name.length > 2).join('|');
const manyWords =
  'hundreds?|thousands?|dozens?|thirteen|fourteen|sixteen|seventeen|eighteen|nineteen|fifty|seventy|eighty';
/** A number as a word, also one that we do not read: `hundred`, `thirty-six`. */
const numberWord = `(${readNumbers}|${manyWords})(-[a-z]+)?`;

const wholeNumberWord = new RegExp(`^${numberWord}$`, 'i');

export const isNumberWord = (word: string): boolean => wholeNumberWord.test(word);

const DURATION_MAX_MS = 366 * 24 * HOUR_MS;

/**
 * Reads a duration at the start of `words`: `4h`, `90m`, `2 days`, `1.5 hours`, `1h30m`, `an hour`, `two hours`, `half
 * an hour`, `1/2 hour`, `2 hours and 30 minutes`, `an hour and a half`, `two and a half hours`.
 *
 * @returns milliseconds and how many words it took; null when there is none or it is longer than a year.
 */
export function readDuration(words: readonly string[]): { ms: number; words: number } | null {
  const read = readAnyDuration(words);
  return read !== null && read.ms <= DURATION_MAX_MS ? read : null;
}

/** The same for a duration of any length. */
export function readAnyDuration(words: readonly string[]): { ms: number; words: number } | null {
  const first = readPart(words) ?? readPartAndHalf(words);
  if (first === null) return null;
  let { ms, unitMs, words: taken } = first;
  for (;;) {
    const hasAnd = /^and$/i.test(words[taken] ?? '');
    if (hasAnd && /^a half$/i.test(words.slice(taken + 1, taken + 3).join(' '))) {
      ms += unitMs / 2;
      taken += 3;
      break;
    }
    const next = readPart(words.slice(taken + (hasAnd ? 1 : 0)));
    if (next === null || next.unitMs >= unitMs) break;
    ms += next.ms;
    taken += next.words + (hasAnd ? 1 : 0);
    ({ unitMs } = next);
  }
  return { ms, words: taken };
}

interface Part {
  readonly ms: number;
  readonly unitMs: number;
  readonly words: number;
}

/** `two and a half hours` */
function readPartAndHalf([count = '', ...words]: readonly string[]): Part | null {
  const whole = /^and a half$/i.test(words.slice(0, 3).join(' ')) ? readPart([count, ...words.slice(3)]) : null;
  return whole?.words === 2 ? { ...whole, ms: whole.ms + whole.unitMs / 2, words: 5 } : null;
}

/** One number and its unit. */
function readPart(words: readonly string[]): Part | null {
  const [first = '', second = '', third = ''] = words.slice(0, 3).map((word) => word.toLowerCase());
  const together = /^(\d{1,5}(?:\.\d{1,2})?)([a-z]+)$/.exec(first);
  // `6M` is six months to most people, and `6m` six minutes.
  if (together !== null && words[0]?.endsWith('M') === true) return null;
  if (together !== null) return toMs(Number(together[1]), together[2], 1);
  const hoursAndMinutes = /^(\d{1,3})h(\d{1,2})m?$/.exec(first);
  if (hoursAndMinutes !== null) return toMs(Number(hoursAndMinutes[1]) + Number(hoursAndMinutes[2]) / 60, 'h', 1);
  if (/^\d{1,5}(?:\.\d{1,2})?$/.test(first)) return toMs(Number(first), second, 2);
  if (first === 'half' && /^an?$/.test(second)) return isWord(third) ? toMs(0.5, third, 3) : null;
  const [top = 0, bottom = 0] = (/^([1-9])[/⁄]([2-9])$/.exec(first)?.slice(1) ?? []).map(Number);
  if (top < bottom) return isWord(second) ? toMs(top / bottom, second, 2) : null;
  const number = numbers.get(first);
  return number !== undefined && isWord(second) ? toMs(number, second, 2) : null;
}

function isWord(unit: string): boolean {
  return /^(min|mins|minutes?|hours?|days?|weeks?)$/.test(unit);
}

const timeUnit =
  /^(sec|second|min|minute|hr|hour|day|night|evening|wk|week|weekend|fortnight|mth|mnth|month|qtr|quarter|yr|year|while|bit)s?$/;
const unitNames = ['minute', 'hour', 'day', 'night', 'week', 'month', 'year'].flatMap((name) => [name, `${name}s`]);
const amount =
  /^(a|an|the|some|few|several|couple|coupla|of|next|nxt|this|coming|rest|whole|full|entire|little|short|all|more|half|\d[\d.,]*)$/;

/** True for words about a length of time, also when the length is unclear: `a few hours`, `400d`, `two horus`. */
export function soundsLikeDuration(words: readonly string[]): boolean {
  const said = words.slice(0, 5).map((word) => word.toLowerCase().replace(/[,.]$/, ''));
  const [first = ''] = said;
  if (/^[-–]?\d[\d.]*(s|m|h|d|w|y|sec|min|hr|hour|day|wk|week|mo|month|yr|year)s?$/.test(first)) return true;
  const together = /^\d[\d.]*([a-z]+)$/.exec(first)?.[1];
  const at = said.findIndex((word) => !amount.test(word) && !numbers.has(word));
  const unit = together ?? (at > 0 ? said[at] : undefined) ?? '';
  // `a while` is a time. `450 while traveling` is an amount and what it is for.
  if (unit === 'while' && /^\d/.test(said[at - 1] ?? first)) return false;
  return timeUnit.test(unit) || isMisspelt(unit, unitNames);
}

/** Strips punctuation around a time: `(for 2h)`, `2h.` */
export function bare(word: string): string {
  return (
    word
      // Not that of a year: `'27`.
      .replace(/^(?!['’‘]\d\d$)(?:[([{<"'“‘’„«`*_~•·|:]|\.{2,}|\p{Extended_Pictographic}\uFE0F?)+(?=[\p{L}\d])/u, '')
      .replace(/(?<=[\p{L}\d])(?:[)\]}>"'“”’»`*_~|.,;:!?]|\p{Extended_Pictographic}\uFE0F?)+$/u, '')
      .replace(/(?<=\d|^)([ap])\.m$/i, '$1m')
  );
}

const month =
  '(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?|dec(ember)?)';
const weekday = '(mon|tues?|wed(s|nes)?|thu(rs?)?|fri|sat(ur)?|sun)(days?)?';
/** Not `min`, `hr` and `second`, which are other words, too. */
const unit =
  '(half|mid|over|all|multi)?-?(seconds|mins|minutes?|hrs|hours?|days?|nights?|wks?|weeks?|fortnights?|mths?|months?|qtrs?|quarters?|yrs?|years?|decades?|century|centuries)(long|time)?';
const courtesy = 'please|pls|plz|thanks|thank|thx|ty';
/** Words behind which something else begins. */
const between = `(${courtesy}|for|with|in|at|on|from|by|of|because|since|as|while|if|due|only|until|till?|per|then)(?![a-z])`;
/** A word about time ends the text, or what follows does not belong to it: `q4`, `q4 in Denver`. Not `q4 travel`. */
const alone = `(?=$| ${between})`;
/** Words about time that no reason may have, in every form that is plain enough. Also joined: `until=friday`, `for4h`. */
const timeWord = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:(?:for|until{1,2}|till?|through|thru|by|next|this|only|just)(?:an?|the|next|this|${readNumbers})?)?(${[
    `(\\d[\\d.,]*)?${unit}`,
    weekday,
    // `24dec`, `Jul4`
    `(\\d{1,2}(st|nd|rd|th)?)?${month}(\\d{0,4}|\\d{1,2}(st|nd|rd|th))`,
    'week-?(days?|ends?)|wk-?ends?|wknds?|work-?days?|(year|month|quarter)-?ends?|lunchtime|wensday|saterday|agust',
    'to-?day|to-?night|tonite|2nite|tom+or+ow|tmrw|tmr|tmw|tomoz|2morrow|2moro|yesterday|noon|midnight|mornings?|afternoons?|evenings?',
    'eo[bdmqwy]|eofy|fye|cob|temp|temporary|temporarily',
    // Dates. Not `24/7`, `2020-2024` or `INV-2026-11`.
    '(?!24/7(?!\\d))\\d{1,2}/(\\d{1,2}|20\\d\\d)(/\\d{2,4})?|(?<!\\p{L}-)20\\d\\d[-/.](0?[1-9]|1[0-2])([-/.]\\d{1,2}(t\\d[\\d:.]*z?)?)?',
    '\\d{1,2}\\.\\d{1,2}\\.(\\d{2,4})?|\\d{1,2}-\\d{1,2}-\\d{2,4}|(1[0-2]|0?[1-9])-(1[3-9]|2\\d|3[01])',
    // Days of a month. The first three are often counts: `2nd attempt`.
    `([4-9]|[12]\\d|3[01])(st|nd|rd|th)|[1-3](st|nd|rd)(?=[,.;:!?)…]|${alone})|(four|fif|six|seven|eigh|nin|ten|eleven|twelf|[a-z]+teen|twentie|thirtie)th`,
    // Hours, and lengths: `five pm`, `half past nine`, `9ish`, `5 p.m.`, `17:30`, `17h30`, `2h`, `1,5 d`.
    `(${readNumbers}) ?[ap]m|half past|quarter (past|to|till?) (\\d{1,2}|${readNumbers})`,
    '[\\p{L}\\p{N}]*(day|tomorrow|tonight|noon|soon|late|later|\\d|[ap]m)[- ]?ish',
    "\\d{1,2}([:.]\\d\\d)? ?[ap]\\.?m|\\d{1,2}[:h]\\d\\d|o[’' ]?clock",
    '\\d[\\d.,]*(s|secs?|mos?|y)|\\d[\\d.,]* ?(m|mins?|h|hs|hrs?|d|w)',
  ].join('|')})(?![\\p{L}\\p{N}])`,
  'iu',
);
const longMonths = ['january', 'february', 'september', 'october', 'november', 'december'];
/** In lower case, `may` is a verb more often than a month: `client may travel`. */
const may =
  /(?<!\p{L})(May|MAY)(?!\p{L})|(?<!\p{L})(for|[Uu]ntil|till?|through|thru)[Mm]ay(?!\p{L})|(^|\d|(?<!\p{L})(in|for|until|till?|through|thru|by|during|over|of|this|next|all|since|from|to|early|mid|late|end)[ -])may(?!\p{L})|(?<!\p{L})may(?! ?\p{L})/u;
/** `the Friday crew`, `the May conference`: what kind of crew, not when. */
const adjective = new RegExp(
  `(?<!\\p{L})(?<!(by|on|until|till?|through|thru|before|after|from) )((the|an?) (${weekday}|${month}|may)|an? \\d{1,2}th|the \\d{1,2}th(?= (floor|street|avenue|anniversary|annual|grade|edition)))(['’]s)? (?!${between})(?=\\p{L}{2})`,
  'giu',
);
/** Words that are neither a duration nor an end, but are used like one, before or after the reason. */
const vague = '(soon|later|awhile|briefly|shortly|sometime|eventually|whenever|next time)';
const holiday =
  "(thanksgiving|christmas|x-?mas|easter|halloween|nye|new year['’]?s?|hanukkah|diwali|ramadan|holidays?)";
const season = '(spring|summer|fall|autumn|winter|season|semester)';
const quarter = '(q[1-4]|fy( ?\\d{2,4})?)';
const hour = '(\\d{1,2}(:\\d\\d)?( ?[ap]m?)?|[012]\\d[0-5][05])';
const during = '(for|in|during|over|throughout|through|thru|all|this|next|rest of)( the)?';
const kindOfPeriod = '(pay|billing|trial|limited|short|brief|long|certain|temporary|interim|extended|grace)';
/** `shift`, `the billing cycle`. */
const ownPeriod = `((the|a|an) )?(shift|(${kindOfPeriod} )?(sprint|period|cycle))`;
/** What ends at a time that only people know: `end of project`, `trip end`. */
const course = '(shift|sprint|trip|term|project|job|event|visit|stay|tour|conference|assignment|contract|campaign)';
/** Words about time that also have other meanings, so that it depends on where they stand. */
const hints: readonly RegExp[] = [
  // Times of day that we do not read: `5 past nine`, `5p`, `from 9 to 5`.
  new RegExp(`(^| )(\\d{1,2}|${readNumbers}) (past|till?) (\\d{1,2}|${readNumbers})${alone}`),
  new RegExp(`^(5|10|20|25|five|ten|twenty) to (\\d{1,2}|${readNumbers})$`),
  // Not at the end: a `room 12a`.
  /^\d{1,2}[ap](?= |$)|\d:\d\d ?[ap](?![a-z])|(^| )\d{1,2}p$/,
  // What counts things rises, as in `seats 3 to 5`. Only hours fall.
  new RegExp(`^((office|business|working) )?(hours )?${hour} ?(-|–|—|to|and) ?${hour}( only)?${alone}`),
  new RegExp(
    `(^| )(from|between) ${hour} ?(-|–|—|to|and|until|till?) ?${hour}( only)?${alone}|(^| )([6-9]|1[0-2]) to [1-6]${alone}`,
  ),
  new RegExp(`(^| )[012]\\d[0-5]0 ?(-|–|—|to) ?[012]\\d[0-5]0( only)?${alone}`),
  // `through year end`: right after the amount, it hardly ever means by way of.
  /^(through|thru) |(^| )(through|thru) (the )?end(?![a-z])/,
  // `3.-5. Dezember`
  /(^| )\d{1,2}\. ?[-–—] ?\d{1,2}(?= |\.|$)/,
  // `for q4`, `this summer`: where nothing follows, unless they cannot be part of a name.
  new RegExp(`(^| )${during} ${quarter}(?![a-z\\d])|(^| )${quarter}( 20\\d\\d)?${alone}`),
  new RegExp(`(^| )${during} (20\\d\\d|${season})${alone}|^${season}${alone}`),
  new RegExp(
    `(^| )(interim|meantime|meanwhile|provisional(ly)?|stopgap)( (raise|increase|limit|measure|solution))?${alone}`,
  ),
  new RegExp(
    `(^| )((at|by|around|about|before|after|from|through|thru) \\d{1,2}[ap]?( sharp)?|(before|after) (breakfast|lunch|dinner|work))${alone}`,
  ),
  new RegExp(`(^| )${holiday}( (eve|season))?${alone}`),
  new RegExp(`(^| )(hourly|daily|nightly|weekly|biweekly|fortnightly|monthly|quarterly|yearly|annually)${alone}`),
  new RegExp(`^always |(^| )(always|on-?going|recurring|regularly)${alone}`),
  /(^| )(every ?time|(each|all the) time)(?![a-z]|[ -]zone)|(^| )for$|(^| )(limited time|time[- ]limited|right now)(?= |$)/,
  new RegExp(
    `(^| )next (\\d+|one|time|round|pay ?(check|roll)|payday|statement|invoice|bill|cycle|period|sprint|shift|semester|term|season|renewal|review|close)${alone}`,
  ),
  new RegExp(`^((for|until|till?) )?${vague}(?= |$)|(^| )(${vague}|a (little|few|moment|spell))${alone}`),
  new RegExp(
    `(^| )(in|for) (the (interim|meantime|moment|time being|foreseeable future|duration)|a (moment|spell)|ages)(?![a-z])|(^| )(for (good|long)${alone}|as long as )`,
  ),
  new RegExp(`(^| )(this|that) eve(?![a-z])|(^| )for now(?![a-z])|(^| )short[- ]term(?![a-z])|(^| )long-term${alone}`),
  /(^| )((during|while|whilst|throughout)(?![a-z])|m ?(-|–|to) ?f(?= |$))/,
  /(^| )((some|short) (time|while)|(unti|untl|unitl|untli|util|utnil|ntil) |for (a|one|the) (semester|trimester|term|season)(?![a-z]))|(^| )(until?|till?)[^\p{L} ]/u,
  // Too short to be read as a duration: `for two h`.
  new RegExp(`(^| )(${readNumbers}|for an?)[ -][hdwm](?= |$)`),
  new RegExp(`(^| )(\\d+|${numberWord}) ?(mos?|sprints?|shifts?)(?![a-z])`),
  new RegExp(
    `(^| )(for|over|during|throughout|this|next|that|my|our|his|her|their|one|whole|full) ${ownPeriod}(?![a-z])`,
  ),
  new RegExp(`(^| )${kindOfPeriod} (period|time|term|cycle|spell|stint)${alone}`),
  /(^| )(length|duration|remainder|rest|course) of (the|this|my|our|his|her|their) |(^| )for (length|remainder|course|rest) of /,
  /(^| )(for|over|during|throughout) ([a-z]+ )*duration(?![a-z])|(^| )duration$/,
  new RegExp(
    `(^| )(end|rest|remainder) of ((the|my|our|his|her|their) )?${course}${alone}|(^| )${course}['’]?s? ends?${alone}`,
  ),
  /^when(ever)? |^(and )?then back$|(^| )(close|end) of business(?![a-z])/,
  // `P1D`, `PT4H`, `W48`.
  /(^| )(p(\d+[ymwd])+|p(\d+d)?t(\d+[hms])+|w\d{2})(?= |$)/,
  new RegExp(`(^| )(this|next|last|all) (fy|h[12])(?= |$)|(^| )h[12]${alone}|(^| )(first|second|last) half${alone}`),
];

/** What may stand between one time and the next: `but not on weekends`, `outside of office hours`. */
const leads = new RegExp(
  `^(([^\\p{L}\\p{N}]+|but|and|or|not|then|again|also|only|every|each|to|on|in|at|by|of|from|per|during|within|outside|over|past|early|late|mid|next|this|the|an?|business|office|working|(${numberWord}|\\d+) times) )+`,
  'iu',
);
const dayContinues = /^(\d+(st|th)|mornings?|afternoons?|evenings?|nights?|weeks?|hours?)$/i;
/** Behind a day, does not make it an adjective: `Friday nights`, `Friday or Monday`, `Friday in May`. */
const startsBetween = new RegExp(`^(${between}|(mornings|afternoons|evenings|nights|or|to)(?![a-z]))`, 'i');

/** True if a time word says what kind of thing the next word is: `Sunday brunch`, `7th floor`, `April Johnson`. */
export function isTimeAdjective([first = '', next = '']: readonly string[]): boolean {
  const mayBe = /^(\p{L}+|\d+[-/]\d+|\d+(st|nd|rd|th))$/u.test(first) && !/^(to|2)(day|night|nite|m)/i.test(first);
  return mayBe && namesTime([first]) && /^\p{L}{2}/u.test(next) && !startsBetween.test(next);
}

/** True for words that begin with a time, so that they may go on with the one before. @param isDay whether that names a day. */
export function beginsWithTime(words: readonly string[], isDay: boolean): boolean {
  const rest = words.join(' ').replace(leads, '').split(' ');
  const [first = ''] = rest;
  // `Friday to Monday`, `Friday 11th`, `Friday morning`
  const goesOn = /^(to|and|or)$/i.test(words[0] ?? '') || (isDay && dayContinues.test(first));
  if (isTimeAdjective(rest) && !goesOn) return false;
  return namesTime(/^\d/.test(first) ? rest.slice(0, 2) : [first]) || timeWord.exec(rest.join(' '))?.index === 0;
}

/** True for words about time that no reason may have, because they may say when something ends. */
export function namesTime(words: readonly string[]): boolean {
  const text = words.join(' ').replaceAll(adjective, '');
  // `4 dayz`, `2 hors`, `3-4d`, `2hh`
  const said = words.map((word) => bare(word).toLowerCase());
  const isLength = said.some((word, index) => {
    const [, together, name = ''] = /^(\p{Nd}[\p{Nd}.,+-]*)?([a-z]+)$/u.exec(word) ?? [];
    const count = together ?? said[index - 1] ?? '';
    const isShort = /^[hdw]$/.test(name) ? /[.,+]|\d-\d/.test(count) : /^(hh|dd|ww)$/.test(name);
    const isUnit = isShort || timeUnit.test(name.replace(/z$/, 's')) || isMisspelt(name, unitNames);
    return isUnit && /^\p{Nd}[\p{Nd}.,+-]*$/u.test(count);
  });
  return isLength || timeWord.test(text) || may.test(text) || said.some((word) => isMisspelt(word, longMonths));
}

/** True when a text without a readable time may mention one: `2-3 hours`, `for december`, `for now`. */
export function mayMeanTime(words: readonly string[]): boolean {
  const phrases = phrasesIn(words);
  return namesTime(words) || hints.some((hint) => phrases.some((phrase) => hint.test(phrase)));
}

/** A text as a whole, and its parts, because brackets, commas and the like end what is said: `hotel (q4), Denver`. */
export function phrasesIn(words: readonly string[]): string[] {
  const parts = words.join(' ').split(/(?:^| )[^\p{L}\p{N}\p{Sc} ]+|[^\p{L}\p{N}\p{Sc} ]+(?= |$)/u);
  return [words.map(bare).join(' '), ...parts].map((phrase) => phrase.trim().toLowerCase());
}

function toMs(count: number, unit: string | undefined, words: number): Part | null {
  const found = units.find(([pattern]) => pattern.test(unit ?? ''));
  if (found === undefined) return null;
  const ms = Math.round(count * found[1]);
  return ms > 0 ? { ms, unitMs: found[1], words } : null;
}

/** `4 hours`, `90 minutes`, `2 days`: the largest unit that needs no fraction. */
export function formatDuration(ms: number): string {
  const names = [
    ['week', 7 * 24 * HOUR_MS],
    ['day', 24 * HOUR_MS],
    ['hour', HOUR_MS],
    ['minute', HOUR_MS / 60],
  ] as const;
  const [name, size] = names.find(([, unit]) => ms >= unit && ms % unit === 0) ?? ['minute', HOUR_MS / 60];
  const count = Math.max(1, Math.round(ms / size));
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

/** The same, as people say it: minutes up to two hours, then hours. */
export function formatRoughly(ms: number): string {
  const minutes = Math.max(1, Math.round((ms / HOUR_MS) * 60));
  return formatDuration(minutes > 120 ? Math.round(minutes / 60) * HOUR_MS : (minutes * HOUR_MS) / 60);
}
