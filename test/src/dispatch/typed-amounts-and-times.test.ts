import { expect, it } from 'vitest';
import { parseCommand } from '../../../src/dispatch/command.ts';
import { muteEndOf } from '../../../src/routing/mute-end.ts';
import { parseQuiet } from '../../../src/routing/quiet-hours.ts';

/** Friday, 10 AM in New York. */
const clock = { now: new Date('2026-11-20T15:00:00Z'), zone: 'America/New_York' };
const HOUR = 3_600_000;
const hours = (count: number) => ({ kind: 'duration', ms: count * HOUR });
const day = (date: string) => ({ kind: 'day', day: date });
const until = (at: string) => ({ kind: 'until', at });

/** The typed text and the term. Null: Cardbell asks back. */
const times: readonly [string, object | null][] = [
  ['for an hour', hours(1)],
  ['two hours', hours(2)],
  ['2h', hours(2)],
  ['for 36h', hours(36)],
  ['for 1.5 hours', hours(1.5)],
  ['2h 30m', hours(2.5)],
  ['for 2 hours and 30 minutes', hours(2.5)],
  ['an hour and a half', hours(1.5)],
  ['for twenty minutes', hours(1 / 3)],
  ['today', day('2026-11-20')],
  ['today only', day('2026-11-20')],
  ['tonight', day('2026-11-20')],
  ['eod', day('2026-11-20')],
  ['tomorrow 9am', until('2026-11-21T14:00:00.000Z')],
  ['until noon tomorrow', until('2026-11-21T17:00:00.000Z')],
  ['til noon', until('2026-11-20T17:00:00.000Z')],
  ['untill monday', day('2026-11-23')],
  ['until thursday', day('2026-11-26')],
  // Today is a Friday.
  ['until friday', null],
  ['until weds', day('2026-11-25')],
  ['through thursday', day('2026-11-26')],
  ['until May 9', day('2027-05-09')],
  ['until 9 May 2027', day('2027-05-09')],
  ['until 12/24', day('2026-12-24')],
  ['until 11/19', null],
  ['until 11/19/2027', day('2027-11-19')],
  ['until Aug 19', day('2027-08-19')],
  ['next week', day('2026-11-29')],
  ['until next week', day('2026-11-22')],
  ['until 31 Feb', null],
  ['until Feb 31', null],
  ['until 13/5', null],
  ['until 2026-11-19', null],
  ['until 25:00', null],
  ['until 9', null],
  ['until the 24th', null],
  ['next friday', null],
  ['next month', null],
  ['in 2 weeks', null],
  ['within 2 hours', null],
  ['starting tomorrow', null],
  ['by friday', null],
  ['by 11/19', null],
  ['11/19', null],
  ['on monday', null],
  ['for 1:30', null],
  ['for 90', null],
  ['for 1,5 hours', null],
  ['for 2 h 30', null],
  ['-2h', null],
  ['for -2h', null],
  ['for 999d', null],
  ['for a few hours', null],
  ['for umpteen minutes', null],
  ['a while', null],
  ['all day', null],
  ['once', null],
  ['tmrw', null],
  ['tommorow', null],
  ['temporarily', null],
  ['(for 2h)', hours(2)],
  ['“2h”', hours(2)],
  ['for 2h.', hours(2)],
  ['~2h', hours(2)],
  ['2 hrs', hours(2)],
  ['2h max', hours(2)],
  ['for 2 hours from now', hours(2)],
  ['just 2h', hours(2)],
  ['at most 2 hours', hours(2)],
  ['1/2 hour', hours(0.5)],
  ['half an hour', hours(0.5)],
  ['1h30', hours(1.5)],
  ['90 min', hours(1.5)],
  ['for a week', hours(168)],
  ['for the weekend', day('2026-11-22')],
  ['until tomorrow', day('2026-11-21')],
  ['until midnight tomorrow', until('2026-11-22T05:00:00.000Z')],
  ['at noon', until('2026-11-20T17:00:00.000Z')],
  ['5pm', until('2026-11-20T22:00:00.000Z')],
  ['5 p.m.', until('2026-11-20T22:00:00.000Z')],
  ['up to thursday', day('2026-11-26')],
  ['1½ hours', null],
  ['10² days', null],
  // A time of day rather than many hours, and half a day rather than January 2.
  ['1600h', null],
  ['for 1600hrs', null],
  ['for 0900 h', null],
  ['1440hr', null],
  ['0900 hours', null],
  ['for 2 days 1600h', null],
  ['for 1600 hours', hours(1600)],
  ['1440 hours', hours(1440)],
  ['for 100h', hours(100)],
  ['for 1440 min', hours(24)],
  ['for 1/2 d', null],
  ['untilMay9', null],
  ['untilmay', null],
  ['untilnextweek', null],
  ['untilthe9th', null],
  ['fortwodays', null],
  ['fortheweekend', null],
  ['1/2 w', null],
  ['for 8¹h', null],
  ['2-hour', null],
  ['two-hour', null],
  ['2-3 hours', null],
  ['2 to 3 hours', null],
  ['3 business days', null],
  ['for december', null],
  ['through december', null],
  ['til end of month', day('2026-11-30')],
  ['eom', day('2026-11-30')],
  ['cob', null],
  ['monday to friday', null],
  ['mon-fri', null],
  ['today and tomorrow', null],
  ['2 hours ago', null],
  ['until monday morning', null],
  ['2pm-5pm', null],
  ['5 o’clock', null],
  ['a full day', null],
  ['for hour', null],
  ['for now', null],
  ['this afternoon', null],
  ['no later than friday', null],
  ['untl friday by noon', null],
  // Misspelled: Cardbell asks back, so that no typo makes a change permanent.
  ['for two horus', null],
  ['for an huor', null],
  ['half an huor', null],
  ['two dyas', null],
  ['2 hurs', null],
  ['2hors', null],
  ['for ten mintues', null],
  ['for a weke', null],
  ['next wek', null],
  ['nxt week', null],
  ['todya', null],
  ['tmr', null],
  ['2moro', null],
  ['tonite', null],
  ['friady', null],
  ['permanantly', null],
  ['forver', null],
  // Ambiguous: nine in the morning or in the evening.
  ['tomorrow at 9', null],
  ['until friday at 5', null],
  ['tonight at 9', null],
  ['tomorrow before noon', null],
  ['tomorrow after 5pm', null],
  ['until sunday night', null],
  ['two h', null],
  ['for two h', null],
  ['for ten m', null],
  ['for an h', null],
  ['for hours', null],
  ['for days', null],
  ['the wk', null],
  ['this wknd', null],
  ['a day or two', null],
  ['for a day or so', null],
  ['4h or more', null],
  ['2:30 hours', null],
  ['2:30 h', null],
  ['close of business', null],
  ['end of business', null],
  ['5 o clock', null],
  ['2nite', null],
  // The zone decides when it ends.
  ['until 10pm ET', until('2026-11-21T03:00:00.000Z')],
  ['until 10pm Eastern time', until('2026-11-21T03:00:00.000Z')],
  ['until 10pm america/new_york', until('2026-11-21T03:00:00.000Z')],
  ['until 10pm Europe/Berlin', null],
  ['until 10pm UTC', null],
  ['until 10pm Pacific', null],
  ['until 22:00 GMT+1', null],
  ['until 10pm Berlin time', null],
  ['tomorrow 9am CET', null],
];

it.each([
  'soonish',
  'soon',
  'later',
  'for later',
  'later-ish',
  'a bit',
  'a little',
  'a little while',
  'a while',
  'awhile',
  'for awhile',
  'for some time',
  'sometime',
  'for the moment',
  'for the time being',
  'for the foreseeable future',
  'for the duration',
  'as long as needed',
  'briefly',
  'shortly',
  'a moment',
  'for a sec',
  'for ages',
  'for long',
  'for good',
  'for a few',
  'eventually',
  'whenever',
  'next time',
  'tomorrowish',
  'fridayish',
  '5pm-ish',
  '2 hours later',
  '2026/12/24',
  '24.12.2026',
  '24.12.',
  '12-24',
  '24th',
  'the 24th',
  'by 5',
  'at 5',
  'at 5 sharp',
  'around 5',
  '4 dayz',
  'morning',
  'weekdays',
  'Thanksgiving',
  'christmas eve',
  '-friday',
  'limited time',
  'for',
  'through year end',
  'through winter',
  'thru Q1',
  'Dec 3-5',
  'Dec 3 - 5',
  'Dec 3rd-5th',
  'December 3 and 4',
  '3-5 Dec',
  'Dec-Jan',
  '12/3-12/5',
  '3.-5. Dezember',
  'q4',
  'for q4',
  'in Q1 2027',
  'for FY27',
  'for the fiscal year',
  'for 2027',
  'for h2',
  'year-end',
  'for the summer',
  'this season',
  'mid December',
  'first week of March',
  'end of May',
  'interim',
  'in the meantime',
  'provisionally',
  'stopgap',
  'for another week',
  'another week',
  'for an additional week',
  'thirty-six hours',
  'for one hundred days',
  'a hundred days',
  'two hundred hours',
  'for a dozen weeks',
  'for half a dozen days',
  '3 mos',
  '6 mths',
  '2 mth',
  '6M',
  'for a decade',
  'for two centuries',
  'that week',
  '12/24/26',
  '12/2026',
  '2027-01',
  'the 24th of December',
  '1st of December',
  'first of December',
  'Fourth of July',
  '24-Dec',
  '24-Dec-2026',
  'Nov 2027',
  'jan ’27',
  "jan '27",
  'this FY',
  'H1',
  'first quarter',
  'calendar week 48',
  'week 48',
  'Sat/Sun',
  'for a limited period',
  'for a short period',
  'limited period',
  'for the length of the trip',
  'for duration of the trip',
  'next shift',
  'for my shift',
  'next pay period',
  'this pay cycle',
  'for the billing cycle',
  'next sprint',
  'for the trial period',
  '1 yr',
  '2 yrs',
  'two yrs',
  'rest of November',
  'the rest of Nov',
  'remainder of November',
  'all of November',
  'only November',
  'just December',
  'entire December',
  'the whole of December',
  'this calendar month',
  'current month',
  'for the current week',
  'this work week',
  'business week',
  'end of shift',
  'rest of the trip',
  '1 sprint',
  'two shifts',
  '2 hs',
  'next 24',
  'weekdays only',
  'W48',
  'P1D',
  'PT4H',
  '3日間',
  'до пятницы',
  '2026-12-24T17:00',
  '24/12',
  '24dec',
  'dec24',
  'Jul4',
  '24DEC2026',
  'five pm',
  'five o’clock',
  '5p',
  '5:00p',
  'by 5p',
  'midday',
  'half past five',
  'quarter to six',
  '9 to 5',
  'from 9 to 5',
  'between 9 and 5',
  '0900-1700',
  'from 0900 to 1700',
  'until=friday',
  'till=fri',
  'end=friday',
  'exp=12/24',
  'until-fri',
  'till,fri',
  'until_friday',
  'valid:4h',
  'thru 23',
  'this eve',
  'NYE',
  'new year’s eve',
  "new year's eve",
  'yearend',
  'monthend',
  'by month’s end',
  'EOFY',
  'FYE',
  'next payday',
  'a mth',
  'the qtr',
  'coupla days',
  'tempoary',
  'time-limited',
  'for duration of trip',
  'for project duration',
  'for length of trip',
  'até sexta',
  'ate sexta',
  'starting december',
  'until monday 9 o’clock',
  'until mon am',
  'until mon 9ish',
  'until mon half past nine',
  'until mon five pm',
  'until friday 0900',
  'for 3 days starting monday',
  'for 3 days starting december',
  'for 3 days effective monday',
  'for 3 days in december',
  'for 3 days on monday',
  // Without a space.
  'for4h',
  'for2days',
  'for4hours',
  'foraday',
  'for90min',
  'fortoday',
  'untilfriday',
  'untilDec24',
  'untilnoon',
  'untileod',
  'until12/24',
  'tilltomorrow',
  'throughFriday',
  'thru12/24',
  'bytomorrow',
  'nextweek',
  'thisweek',
  'onlytoday',
])('asks back about %j, which is no readable time, and never takes it for the reason', (said) => {
  for (const text of [
    `limit 4242 daily 450 ${said}`,
    `limit 4242 daily 450 team lunch ${said}`,
    `ask 300 ${said}`,
    `ask 300 team lunch ${said}`,
  ])
    expect(parseCommand(text, clock), text).toMatchObject({ kind: 'unclear' });
  expect(muteEndOf(said.split(' '), clock)).toHaveProperty('why');
  for (const text of [`mute 4242 ${said}`, `travel-mute 4242 Spain ${said}`]) {
    const read = parseCommand(text, clock);
    if (read.kind === 'read') expect(muteEndOf(String(read.input['details']).split(' '), clock)).toHaveProperty('why');
    else expect(read, text).toMatchObject({ kind: 'unclear' });
  }
});

it('asks back about “right now”, except where it can only be when somebody wants to pay', () => {
  for (const text of [
    'limit 4242 daily 450 right now',
    'limit 4242 daily 450 lunch right now',
    'ask 300 lunch right now',
  ])
    expect(parseCommand(text, clock), text).toMatchObject({ kind: 'unclear' });
  expect(muteEndOf(['right', 'now'], clock)).toHaveProperty('why');
  expect(parseCommand('ask 300 right now', clock)).toMatchObject({ kind: 'read', reason: '' });
});

it.each(['soonish', 'later', 'a bit', 'a while', 'for some time', 'briefly', 'awhile'])(
  'asks back about %j in front of the reason',
  (said) => {
    expect(parseCommand(`limit 4242 daily 450 ${said} team lunch`, clock)).toMatchObject({ kind: 'unclear' });
    expect(parseCommand(`ask 300 ${said} team lunch`, clock)).toMatchObject({ kind: 'unclear' });
  },
);

it.each([
  'friday’s dinner',
  "Monday's meeting",
  'next week’s offsite',
  'friday-dinner',
  'not until friday',
  'hotel not until friday',
  'for 4h lunch until friday',
  'starting december for 2 weeks',
])('asks back about %j, which may end at another time than it seems', (said) => {
  expect(parseCommand(`limit 4242 daily 450 ${said}`, clock)).toMatchObject({ kind: 'unclear' });
  expect(parseCommand(`ask 300 ${said}`, clock)).toMatchObject({ kind: 'unclear' });
});

it.each([
  'team lunch',
  'Christmas party',
  'summer interns',
  'to see Sam',
  'in Winter Park',
  'on business',
  'of gifts',
  'Amazon order',
])('takes %j behind a time for the reason', (reason) => {
  for (const end of ['for 2 days', 'until thursday'])
    expect(parseCommand(`limit 4242 daily 450 ${end} ${reason}`, clock), end).toMatchObject({ kind: 'read', reason });
});

it.each(times)('/card limit and /card ask read %j before and after the reason, or ask back', (said, term) => {
  for (const text of [
    `limit 4242 daily 450 ${said}`,
    `limit 4242 daily 450 ${said} team lunch`,
    `ask 300 ${said} team lunch`,
  ]) {
    const read = parseCommand(text, clock);
    if (term === null) expect(read, text).toMatchObject({ kind: 'unclear' });
    else
      expect(read, text).toMatchObject({
        kind: 'read',
        reason: text.endsWith('lunch') ? 'team lunch' : '',
        input: text.startsWith('ask') ? { ask: { term } } : { changeRequest: { term } },
      });
  }
  // After the reason these are ordinary words: a lunch for 90 people, and once a year.
  if (said === 'for 90' || said === 'once') return;
  const behind = parseCommand(`limit 4242 daily 450 lunch ${said}`, clock);
  expect(behind, 'words about time never become part of the reason').not.toMatchObject({
    kind: 'read',
    input: { changeRequest: { term: { kind: 'permanent' } } },
  });
});

it.each([
  'pour 2 heures',
  'für 2 Stunden',
  'por 2 horas',
  'für heute',
  'hasta el viernes',
  'bis Freitag',
  '2 uur',
  'pour une heure',
  'für einen Tag',
  'eine halbe Stunde',
  'por un día',
  'por un dia',
  '3 Tage',
  '3tage',
  'jusqu’à minuit',
  'bis Mitternacht',
  'hasta mañana',
  "aujourd'hui",
  'até o dia 9',
  'per un’ora',
  'fino a domani',
  'tot vrijdag',
  'na 2 godziny',
  '2 timer',
  'i dag',
  'idag',
  'на 2 часа',
  'до завтра',
  '4時間',
  '2 小时',
  '3일',
  '4 Std',
  '4std',
  '4 Std.',
  '2 sem',
  '4 godz.',
  '3 gg',
  'pour 2 j',
  'vorübergehend',
  'temporaire',
  'por ahora',
])('asks back about %j, a time in another language, in any position', (said) => {
  for (const text of [
    `limit 4242 daily 450 ${said}`,
    `limit 4242 daily 450 ${said} team lunch`,
    `limit 4242 daily 450 lunch ${said}`,
    `ask 300 ${said} team lunch`,
  ])
    expect(parseCommand(text, clock), text).toMatchObject({ kind: 'unclear' });
});

it.each(['one hundred twenty minutes', 'team lunch one hundred twenty minutes', 'ninety five minutes'])(
  'does not take the end of the number in %j for all of it',
  (said) => {
    expect(parseCommand(`limit 4242 daily 450 ${said}`, clock)).toMatchObject({ kind: 'unclear' });
    expect(parseCommand(`ask 300 ${said}`, clock)).toMatchObject({ kind: 'unclear' });
  },
);

it.each([
  ['over the weekend', 'team lunch over the weekend'],
  ['for the next 4h', 'team lunch for the next 4h'],
  ['lasting 4h', 'team lunch lasting 4h'],
  ['valid for 4h', 'team lunch, valid for 4h'],
  ['duration: 4h', 'team lunch duration: 4h'],
  ['another 2 hours', 'team lunch another 2 hours'],
])('takes %j for the time, and no part of it for the reason', (alone, behind) => {
  expect(parseCommand(`limit 4242 daily 450 ${alone}`, clock)).toMatchObject({ kind: 'read', reason: '' });
  const read = parseCommand(`limit 4242 daily 450 ${behind}`, clock);
  expect(read).toMatchObject({ kind: 'read', reason: expect.stringMatching(/^team lunch,?$/) });
});

it.each(['wait until approval', 'bridge until paid', 'hotel until check-out'])(
  'takes %j behind a time for the reason',
  (said) => {
    const read = parseCommand(`limit 4242 daily 450 for 4h ${said}`, clock);
    expect(read).toMatchObject({ kind: 'read', input: { changeRequest: { term: hours(4) } }, reason: said });
  },
);

it('reads a word of hundreds of parts once', () => {
  const said = `${'for-'.repeat(300)}x`;
  expect(parseCommand(`limit 4242 daily 450 ${said}`, clock)).toMatchObject({ kind: 'read', reason: said });
});

it.each(times)('/card mute ends with %j, or asks back', (said, term) => {
  const read = muteEndOf(`${said} trip`.split(' '), clock);
  const isTooLong = 'why' in read && read.why.startsWith('That is longer than 90 days');
  expect('endsAt' in read || (isTooLong && said !== 'for 999d')).toBe(term !== null);
  if (said === 'for 999d') expect(isTooLong).toBe(true);
});

it.each([
  'team dinner',
  'seats 3 to 5',
  'wire 2 to 3',
  'dinner for 5 to 7',
  'next project',
  'our next client',
  'for lunch',
  'room 12',
  '2 laptops',
  'for the May conference',
  'q4 travel',
  '2 new laptops',
  'team of 5',
  'real time display',
  'para el equipo de ventas',
  'almuerzo con clientes',
  'Fahrt nach Hamburg',
  'dîner d’équipe à Lyon',
  'Día de los Muertos party',
  'price tags',
  'we ate at Otto’s',
  '12 timers for the kitchen',
  'bistro for 4 people',
  'Jordan’s 3 monitors',
  'first aid kits',
  'let them buy 2 chairs',
  'for two tours',
  'a house call',
  'for two guests',
  'Sundry items',
  'monitors for 3 dads',
  'a long meeting',
  'a little gift for a client',
  'a few chairs',
  'for good customers',
  'Jane Soon and the later shift',
  'fresh fish for 5',
  'a D battery',
  'PT equipment',
  '2nd laptop',
  'the 5th floor kitchen',
  'hotel at 5 star level',
  'quotes from 3 vendors',
  'fee of 24.12 per seat',
  'Christmas party supplies',
  'booking through Expedia',
  'Decor 3-5',
  'room 3-5',
  'summer interns',
  'winter coats for the crew',
  'season tickets',
  'the 2027 catalog',
  'interim CFO travel',
  'provisioning servers',
  '2 man team',
  '5 MD visits',
  '5 PV panels',
  'one hundred chairs',
  'a dozen donuts',
  'another laptop',
  'supplies for the late shift team',
  'the first of many orders',
  'period furniture',
  'cycle repair',
  'sprint shoes',
  'two hundred T-shirts',
  'H1 visa fees',
  'first class ticket',
  'hotel for 2 guests',
  'dinner with 5 clients',
  'printer for room 24',
  'between 5 and 10 chairs',
  'from 5 to 7 people',
  'two to three guests',
  'support 24/7',
  'taxes 2020-2024',
  'room 12a',
  'the Friday’s menu catering',
  'holiday-party decor',
  'through-hole parts for 3-D printers',
  'end-user training',
  'check-in kiosk',
  'next-gen laptops',
  'length of rope',
  'long-term parking',
  'A/V rental, projector',
  'see example.com/menu',
  'not a gift',
  'ask:Sam',
  'invoice INV-2026-11',
  'we ate sushi',
  'formal dinner',
  'Forman & Sons',
  'fortnite vouchers',
  'tilt sensors for the lab',
  'bylaws printing',
  'for4people dinner',
])('takes %j for the reason, since it is not about time', (reason) => {
  expect(parseCommand(`limit 4242 daily 450 ${reason}`, clock)).toMatchObject({ kind: 'read', reason });
});

/** The typed text and the amount in cents. Null: Cardbell asks back. */
const amounts: readonly [string, number | null][] = [
  ['450', 45_000],
  ['$450', 45_000],
  ['$ 450', 45_000],
  ['450 dollars', 45_000],
  ['450 USD', 45_000],
  ['450usd', 45_000],
  ['450$', 45_000],
  ['1.5k$.', 150_000],
  ['450:', 45_000],
  ['$450.', 45_000],
  ['450,', 45_000],
  ['$1,250;', 125_000],
  ['USD 450', 45_000],
  ['US$450', 45_000],
  ['$1,250', 125_000],
  ['1.250,00', 125_000],
  ['1k', 100_000],
  ['$2.5k', 250_000],
  ['0.01', 1],
  ['1 000', null],
  ['1 250.50', null],
  ['1k5', null],
  ['1,5k', null],
  ['€5', null],
  ['5€', null],
  ['5C$', null],
  ['5 €', null],
  ['450 eur', null],
  ['450 pounds', null],
  ['450 k', null],
  ['$1.250,5', null],
  ['1.250', null],
  ['12,50', null],
  ['+50', null],
  ['-5', null],
  ['450.123', null],
  ['1e3', null],
  ['450-500', null],
  ['300 or 400', null],
  ['2 hours', null],
  ['50%', null],
  ['5 hundred', null],
  ['$5 hundred', null],
  ['5 hundred dollars', null],
  ['2 mil', null],
  ['2 mill', null],
  ['100 more', null],
  ['$100 more', null],
  ['100 dollars more', null],
  ['100 extra', null],
  ['100 higher', null],
  ['100 less', null],
  ['100, more', null],
  // Another currency, however it is written.
  ['450 SEK', null],
  ['450 MAD', null],
  ['450 (ILS)', null],
  ['450 inr', null],
  ['450 kr.', null],
  ['450 rupees', null],
  ['450 ₩', null],
  ['450 C$', null],
  ['84.10 300 lunch', null],
  ['450 in euros', null],
  ['450 Canadian dollars', null],
  ['450 Swedish kronor', null],
  ['2000 (thb)', null],
  ['2000 Rs.', null],
  ['2000 ALL', null],
  ['2000 TRY', null],
  // Cents.
  ['50 cents', null],
  ['50 ¢', null],
  ['50c', null],
  ['12 dollars 50 cents', null],
  // A sign of a footnote or an exponent.
  ['$450¹', null],
  ['450²', null],
  ['¹450', null],
  ['10⁵', null],
  ['45⁰', null],
  ['450₁', null],
  ['450①', null],
  ['450½', null],
  // Another amount joined to the first.
  ['300 -> 500', null],
  ['300 ->500', null],
  ['300 → $500', null],
  ['300 => 500', null],
  ['150 > 160', null],
  ['300 + 200', null],
  ['300 +200', null],
  ['300 plus 200', null],
  ['2 x 300', null],
  ['300 x2', null],
  ['2 × 300', null],
  ['2 @ 300', null],
  ['300 / 500', null],
  ['300 and 500', null],
  ['300 up to 500', null],
  ['300 increase to 500', null],
  ['300 then up to 500', null],
  ['$300 $500', null],
];

it.each([
  'ron',
  'try',
  'mad',
  'Ft',
  'lei',
  'in aed',
  'php',
  'rub',
  'Kč',
  'zł',
  'baht',
  'Turkish lira',
  'forint',
  'koruna',
  'dirhams',
  'shekels',
  'rubles',
  'roubles',
  'dinars',
  'riyals',
  'ringgit',
  'rupiah',
  'hryvnia',
  'naira',
  'tenge',
])('asks about 2000 %s, unless it begins a reason', (currency) => {
  const kindOf = (text: string): string => parseCommand(`limit 4242 daily ${text}`, clock).kind;
  for (const behind of ['', ',', ' for 4h', ' until friday', ' in Paris'])
    expect([behind, kindOf(`2000 ${currency}${behind}`)]).toEqual([behind, 'unclear']);
  for (const amount of ['$2000', '2000 usd', 'US$ 2000']) expect(kindOf(`${amount} ${currency}`)).toBe('read');
  expect(kindOf(`2000 ${currency} restaurant`)).toBe('read');
});

it.each(['huf', 'Czk', 'in thb'])('asks about 2000 %s, also before a reason', (currency) => {
  const kindOf = (text: string): string => parseCommand(`limit 4242 daily ${text}`, clock).kind;
  for (const behind of ['', ' for 4h', ' lunch', ' for the team', ', client dinner'])
    expect([behind, kindOf(`2000 ${currency}${behind}`)]).toEqual([behind, 'unclear']);
  expect(kindOf(`$2000 ${currency} lunch`), 'the amount is plainly in dollars').toBe('read');
});

it.each([
  'php hosting',
  'aed training',
  'mvp launch',
  'RS Components',
  'lira restaurant',
  'crc handbook',
  'sar training',
  'all hands lunch',
  'All hands lunch',
  'top up',
  'try new vendor',
  'mad props',
  'pen and paper',
  'cup holders',
  'Ron farewell',
  'bob farewell',
  'gel pens',
  'mop and bucket',
  'cop training',
  'sos kits',
  'amd servers',
  'svc call',
  'real estate photos',
  'gold membership',
  'ft cable',
  'try-outs',
  'ALLY supplies',
  'android tablets',
  'Canadian trip',
  'cent-a-page copies',
  '12 people',
  '- lunch',
  '> lunch',
  'x-ray film',
  'up for renewal',
  '#500',
  '(2 guests)',
  '12 person dinner',
  '27 inch monitor',
  '10 new laptops',
  '15 team members',
  '24 port switch',
  '12 children',
  'points of sale system',
  'C batteries',
  'Singapore',
])('takes %j for the reason, as it is neither a currency nor another amount', (reason) => {
  expect(parseCommand(`limit 4242 daily 450 ${reason}`, clock)).toMatchObject({ kind: 'read', reason });
});

it.each([
  '300 2,000',
  '450 points',
  '450 c.',
  '$12 50',
  '$12 50 for lunch',
  '12 50 tonight',
  '450 canadian',
  '450 Canadian for the trip',
])('asks back about %j', (said) => {
  expect(parseCommand(`limit 4242 daily ${said}`, clock)).toMatchObject({ kind: 'unclear' });
});

it('takes no number for cents of an amount that has cents', () => {
  expect(parseCommand('ask $300.00 25 for the team', clock)).toMatchObject({ input: { ask: { amountCents: 30_000 } } });
});

it.each(['48 hr', '10 pm'])('takes %j behind an amount for a time, not for cents', (said) => {
  expect(parseCommand(`limit 4242 daily 450 ${said} lunch`, clock)).toMatchObject({ kind: 'read', reason: 'lunch' });
});

it.each(['ask 2 for $300', 'ask 4 tires at $150 each', 'ask 4242 2 tickets, $300.'])(
  'asks whether a number before a larger amount in dollars is a count: %s',
  (text) => {
    expect(parseCommand(text, clock)).toMatchObject({ why: expect.stringMatching(/^Do you want to pay \$\d\.00 or /) });
    expect(parseCommand(text.replace(/(?<= )(\d )/, '$$$1'), clock)).toMatchObject({ kind: 'read' });
  },
);

it.each(['more chairs', 'extra batteries', 'milling parts', 'hundreds of flyers'])(
  'takes %j for the reason if it does not follow the amount',
  (words) => {
    const reason = `for ${words}`;
    expect(parseCommand(`limit 4242 daily 450 ${reason}`, clock)).toMatchObject({ kind: 'read', reason });
  },
);

it.each([
  'per weekly 900',
  'per day weekly 900',
  'per week 900',
  '/ weekly 900',
  '(weekly 900)',
  '/ $900 per week',
  '| weekly 900',
  '. Weekly 900',
  '- weekly 900',
])('asks back about a second limit behind “daily 450”: %j', (second) => {
  expect(parseCommand(`limit 4242 daily 450 ${second}`, clock)).toMatchObject({
    why: expect.stringContaining('One limit at a time'),
  });
});

it.each(amounts)('/card limit and /card ask read %j, or ask back', (said, cents) => {
  for (const text of [`limit 4242 daily ${said} lunch`, `ask ${said} lunch`, `ask 4242 ${said} lunch`]) {
    // This means $4,242 for 2 hours.
    if (text === 'ask 4242 2 hours lunch') continue;
    const read = parseCommand(text, clock);
    if (cents === null) expect(read, text).toMatchObject({ kind: 'unclear' });
    else
      expect(read, text).toMatchObject({
        kind: 'read',
        reason: 'lunch',
        input: text.startsWith('ask') ? { ask: { amountCents: cents } } : { changeRequest: { goals: [{ to: cents }] } },
      });
  }
});

it.each<[string, string | null]>([
  ['22:00-07:00', '22:00-07:00'],
  ['22:00 - 07:00', '22:00-07:00'],
  ['22:00 to 07:00', '22:00-07:00'],
  ['10 pm to 7 am', '22:00-07:00'],
  ['\u206022:00\u200b-07:00', '22:00-07:00'],
  ['noon-1pm', '12:00-13:00'],
  ['22-07', '22:00-07:00'],
  ['10-7', null],
  ['25:00-07:00', null],
  ['22:00', null],
  ['eod', null],
  ['22:00-07:00 tommorow', null],
])('quiet hours accept %j, or ask back', (said, range) => {
  const read = parseQuiet(said, clock.zone);
  expect(read.kind === 'hours' ? `${read.window.from}-${read.window.to}` : null).toBe(range);
});

it.each(['daily: 500', 'daily = 500', 'daily limit: $500'])('/card limit reads “%s”', (said) => {
  const input = { changeRequest: { goals: [{ to: 50_000 }] } };
  expect(parseCommand(`limit 4242 ${said} lunch`, clock)).toMatchObject({ kind: 'read', reason: 'lunch', input });
});

it('/card limit reads “no limit” as none', () => {
  const input = { changeRequest: { goals: [{ to: null }] } };
  expect(parseCommand('limit 4242 daily no limit lunch', clock)).toMatchObject({
    kind: 'read',
    reason: 'lunch',
    input,
  });
});

it('suggests the period that a typo probably means', () => {
  for (const [typed, meant] of [
    ['dayly', 'daily'],
    ['wekly', 'weekly'],
    ['montly', 'monthly'],
  ])
    expect(parseCommand(`limit 4242 ${typed} 450`, clock)).toMatchObject({
      kind: 'unclear',
      why: expect.stringContaining(`Did you mean “${meant}”?`),
    });
});

it.each(['permanently', 'forever'])('%j makes a limit permanent', (said) => {
  const input = { changeRequest: { term: { kind: 'permanent' } } };
  expect(parseCommand(`limit 4242 daily 450 ${said} lunch`, clock)).toMatchObject({ kind: 'read', input });
});

it.each(['this purchase', 'for this purchase only', 'the next purchase', 'one-time', 'just once', 'single use'])(
  '/card limit asks back about %j, which /card ask means anyway',
  (said) => {
    expect(parseCommand(`limit 4242 daily 450 ${said}`, clock)).toMatchObject({ kind: 'unclear' });
    expect(parseCommand(`limit 4242 daily 450 lunch ${said}`, clock)).toMatchObject({ kind: 'unclear' });
    const asked = parseCommand(`ask 300 lunch ${said}`, clock);
    expect(asked).toMatchObject({ kind: 'read', input: { ask: { term: { kind: 'purchase' } } } });
  },
);

it('/card ask accepts any words about time after “this purchase”', () => {
  const example = 'ask 300 this purchase the 9am flight';
  expect(parseCommand('ask 300 the 9am flight', clock)).toMatchObject({
    kind: 'unclear',
    why: expect.stringContaining('Or write “this purchase” behind the amount.'),
    example,
  });
  expect(parseCommand(example, clock)).toMatchObject({
    kind: 'read',
    reason: 'the 9am flight',
    input: { ask: { term: { kind: 'purchase' } } },
  });
});
