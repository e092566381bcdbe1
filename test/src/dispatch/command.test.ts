import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCardNumber } from '../../../src/core/card-number.ts';
import { parseCommand, readSlashText } from '../../../src/dispatch/command.ts';
import { entryOf, helpFor, verbNames } from '../../../src/dispatch/verbs.ts';
import { cardNumber } from '../../support/card-number-arbitrary.ts';
import { clock } from '../../support/clock.ts';
import { commandWords } from '../../support/command-words.ts';
import { examples } from '../../support/examples.ts';

const everyRole = ['holder', 'operator', 'approver'] as const;

const read = (verb: string, words: string[], input: object = {}, reason = '') => ({
  kind: 'read',
  verb,
  target: { kind: 'words', words },
  reason,
  input,
});
const recover = (since: object) => ({ ...read('recover', []), target: { kind: 'since', since } });

describe('parsing a command', () => {
  it.each([
    ['', { kind: 'pick' }],
    ['help', { kind: 'help' }],
    ['HELP me', { kind: 'help' }],
    ['?', { kind: 'help' }],
    ['--help', { kind: 'help' }],
    ['show 4242', read('show', ['4242'])],
    ['show me 4242', read('show', ['4242'])],
    ['show me', read('show', ['me'])],
    ['Block  Jane   Doe lost it', read('block', ['Jane', 'Doe', 'lost', 'it'])],
    ['activate 4242', read('activate', ['4242'])],
    ['unblock ••4242', read('unblock', ['••4242'])],
    ['link 4242', read('claim', ['4242'], { confirmed: false })],
    ['block <@U0JANE> lost', read('block', ['<@U0JANE>', 'lost'])],
    ['declines <@U0JANE> 30d', read('declines', ['<@U0JANE>'], { details: '30d', page: 1 })],
    ['link Jane Doe <@U0JANE>', read('link', ['Jane', 'Doe'], { subject: 'U0JANE' })],
    ['link <@U0JANE> Jane Doe', read('link', ['Jane', 'Doe'], { subject: 'U0JANE' })],
    ['unlink 4242', read('unlink', ['4242'])],
    ['recover', recover({ agoMs: 86_400_000 })],
    ['recover 2 hours', recover({ agoMs: 7_200_000 })],
    ['recover 2026-11-20', recover({ at: '2026-11-20T00:00' })],
    ['recover 2026-11-20T09:00Z', recover({ at: '2026-11-20T09:00Z' })],
  ])('%j', (text, command) => {
    expect(parseCommand(text, clock)).toEqual(command);
  });

  it.each([
    `limit 4242 daily 450 ${'lunch '.repeat(200)}for 4h`,
    `subscribe declines ${'or declines '.repeat(100)}and not country US`,
    `mute 4242 2h ${'trip '.repeat(200)}`,
  ])(
    'asks for fewer words instead of reading only the first 200, because the end may change what they mean',
    (text) => {
      expect(parseCommand(text, clock)).toMatchObject({ kind: 'unclear', why: expect.stringContaining('200 words') });
    },
  );

  it('blocks a card however long the reason is', () => {
    expect(parseCommand(`Block 4242 ${'lost '.repeat(300)}`, clock)).toMatchObject({ kind: 'read', verb: 'block' });
  });

  it.each<[string, string[], string, number | null, number | null, string]>([
    ['limit 4242 daily 450', ['4242'], 'daily', 45_000, null, ''],
    ['limit 4242 week $1,250.50 for 4h team lunch', ['4242'], 'weekly', 125_050, 14_400_000, 'team lunch'],
    ['limit Jane Doe monthly 20 for 2 days trip', ['Jane', 'Doe'], 'monthly', 2000, 172_800_000, 'trip'],
    ['limit Day daily 10', ['Day'], 'daily', 1000, null, ''],
    ['limit <@U0JANE> daily 10', ['<@U0JANE>'], 'daily', 1000, null, ''],
    ['limit 4242 annual none', ['4242'], 'yearly', null, null, ''],
    ['limit 4242 lifetime 0 frozen', ['4242'], 'lifetime', 0, null, 'frozen'],
    ['limit 4242 daily 30 for the team lunch', ['4242'], 'daily', 3000, null, 'for the team lunch'],
  ])('%j', (text, words, period, limitCents, durationMs, reason) => {
    const term = durationMs === null ? { kind: 'permanent' } : { kind: 'duration', ms: durationMs };
    const changeRequest = { goals: [{ rule: { kind: 'limit', period, category: null }, to: limitCents }], term };
    expect(parseCommand(text, clock)).toEqual(read('limit', words, { changeRequest }, reason));
  });

  it.each([
    ['until midnight gala', { kind: 'day', day: '2026-11-20' }, 'gala'],
    ['until 2026-12-24', { kind: 'day', day: '2026-12-24' }, ''],
  ])('limit 4242 daily 30 %s', (words, term, reason) => {
    expect(parseCommand(`limit 4242 daily 30 ${words}`, clock)).toMatchObject({
      input: { changeRequest: { term } },
      reason,
    });
  });

  it.each([
    'frobnicate',
    'block',
    'link',
    'recover yesterday',
    'recover 2h ago',
    'recover 2026-11-20T9',
    'link <@U0JANE>',
    'link 4242 @jane',
    'link 4242 <@U0JANE> <@U0JOE>',
    'unlink',
    'limit',
    'limit 4242',
    'limit 4242 hourly 4',
    'limit 4242 daily',
    'limit 4242 daily lots',
    'limit 4242 daily -4',
    'limit 4242 daily 1.234',
    'limit 4242 daily 4 for 0h',
    'limit 4242 daily 4 for 9 lightyears',
    'limit 4242 daily 4 for 99999 weeks',
    'limit 4242 daily 4 until 2026-02-30',
    'limit 4242 daily 4 until the cows come home',
    'limit 4242 daily 4 until the gala is over',
    'limit 4242 daily 4 until',
  ])('%j is unclear and gets a usage hint', (text) => {
    expect(parseCommand(text, clock)).toMatchObject({ kind: 'unclear', usage: expect.stringMatching(/^[a-z]/) });
  });

  it.each(['block help', 'block ?', 'BLOCK --help', 'help block', '? BLOCK'])(
    '%s explains the verb instead of looking for such a card',
    (text) => {
      expect(parseCommand(text, clock)).toMatchObject({
        kind: 'unclear',
        why: '“block” declines everything until the card is unblocked.',
        usage: expect.stringMatching(/^block /),
      });
    },
  );

  it.each([
    ['help virtual order', 'virtual order [NAME]'],
    ['virtual order help', 'virtual order [NAME]'],
    ['virtual resend ?', 'virtual resend CARD'],
    ['virtual resend', 'virtual resend CARD'],
    ['virtual send', 'virtual order [NAME] | virtual resend CARD'],
    ['help virtual', 'virtual resend CARD | virtual order [NAME]'],
    ['virtual help', 'virtual resend CARD | virtual order [NAME]'],
    ['help link', 'link CARD | link CARD @user'],
    ['help travel', 'travel-mute CARD COUNTRY[, COUNTRY] until DATE [reason]'],
  ])('%s shows every form', (text, usage) => {
    expect(parseCommand(text, clock)).toMatchObject({ kind: 'unclear', usage });
  });

  it('help lists all existing verbs and nothing else', () => {
    expect([...new Set(helpFor(everyRole, everyRole).own.map(({ usage }) => usage.split(' ')[0]))].toSorted()).toEqual(
      [...commandWords].toSorted(),
    );
  });
});

describe('arbitrary input', () => {
  it('parses without throwing', () => {
    const verb = fc.constantFrom('', 'block ', 'limit ', 'limit 1 daily ', 'limit 1 daily 4 for ', 'show ');
    fc.assert(
      fc.property(verb, fc.string({ unit: 'binary', maxLength: 400 }), (start, rest) => {
        expect(parseCommand(`${start}${rest}`, clock)).toHaveProperty('kind');
      }),
      { numRuns: examples(500) },
    );
  });

  it('never comes back with a card number in it', () => {
    const separator = fc.constantFrom('', ' ', '-', '  ', '\t', '\u00a0', '.');
    const number = fc
      .array(fc.integer({ min: 0, max: 9 }), { minLength: 15, maxLength: 15 })
      .map((digits) => withCheckDigit(digits.join('')));
    fc.assert(
      fc.property(
        number,
        separator,
        fc.constantFrom('block ', '', 'limit ', 'limit 1 daily ', 'limit 1 daily 4 for '),
        fc.boolean(),
        (digits, between, start, isWide) => {
          const groups = digits.match(/.{4}/g)?.join(between) ?? '';
          const typed = isWide
            ? groups.replaceAll(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)))
            : groups;
          const shown = JSON.stringify(parseCommand(`${start}${typed}`, clock)).normalize('NFKC');
          expect(shown.replaceAll(/\D/g, '')).not.toContain(digits);
        },
      ),
      { numRuns: examples(500) },
    );
  });
});

describe('numbers beside a card', () => {
  const day = fc.date({ min: new Date('2026-11-21'), max: new Date('2030-12-31'), noInvalidDate: true });
  const iso = (date: Date): string => date.toISOString().slice(0, 10);
  const american = (date: Date): string => `${date.getUTCMonth() + 1}/${date.getUTCDate()}/${date.getUTCFullYear()}`;
  const amount = fc
    .integer({ min: 1, max: 99_999_999 })
    .map((cents) => (cents / 100).toLocaleString('en-US', { minimumFractionDigits: 2 }));

  it.each(['2026-11-22 2026-11-23', '2026-11-26 2026-11-30', '12/22/2026 01/04/2027', '2026-11-22, 2026-11-23'])(
    'reads both days of “delegate @jane %s”',
    (days) => {
      expect(parseCommand(`delegate <@U0JANE> ${days}`, clock)).toMatchObject({ kind: 'read', verb: 'delegate' });
    },
  );

  it('takes no two days for a card number', () => {
    fc.assert(
      fc.property(day, day, fc.constantFrom(iso, american), (from, until, write) => {
        const delegate = { to: 'U0JANE', from: iso(from), until: iso(until) };
        expect(parseCommand(`delegate <@U0JANE> ${write(from)} ${write(until)}`, clock)).toMatchObject({
          input: { delegate },
        });
      }),
      { numRuns: examples(500) },
    );
  });

  it.each([
    'subscribe declines category 4829,6051,6211,7995',
    'subscribe declines and not (Category: 4829, 6051, 6211, 7995)',
    'unsubscribe declines category 4829,6051,6211,7995',
    'quiet 22:00-07:00 except declines category:4829,6051,6211,7995 over 500',
  ])('keeps all codes of “%s”, although they have the check digit of a card number', (typed) => {
    const [verb = '', ...words] = typed.split(' ');
    expect(parseCommand(typed, clock)).toMatchObject({ verb, target: { text: words.join(' ') } });
  });

  it('are masked behind codes, and behind a category that is no list of codes', () => {
    for (const typed of ['category 4111-1111-1111-1111', 'category 5812,5813 4111 1111 1111 1111'])
      expect(JSON.stringify(parseCommand(`subscribe declines ${typed}`, clock))).toContain('••1111');
  });

  const lastFour = fc.integer({ min: 0, max: 9999 }).map((end) => String(end).padStart(4, '0'));
  const german = (date: Date): string => iso(date).split('-').toReversed().join('.');
  const behind = fc.oneof(
    lastFour.map((end) => ` 512-555-${end} called`),
    lastFour.map((end) => `, 4343, 4545, ${end} stolen`),
    lastFour.map((end) => ` & 4343 & 4545 & ${end} stolen`),
    day.map((date) => ` ${german(date)} 17:30 ok`),
  );
  const ofCard = fc.constantFrom('block', 'unblock', 'show', 'activate', 'virtual resend', 'please block card');
  const cardNamed = (typed: string): string => {
    const command = parseCommand(typed, clock);
    const words = command.kind === 'read' && command.target.kind === 'words' ? command.target.words : [];
    return words.find((word) => /\d/.test(word)) ?? '';
  };

  it('never make another card of the one in front of them, when all digits together pass for a card number', () => {
    fc.assert(
      fc.property(ofCard, behind, (lead, rest) => {
        expect(cardNamed(`${lead} 4242${rest}`)).toMatch(/^4242,?$/);
      }),
      { numRuns: examples(1000) },
    );
    expect(parseCommand('block 4242 512-555-0102 called', clock)).toEqual(read('block', ['4242', '••0102', 'called']));
    expect(parseCommand('block 4242, 4343, 4545, 4608 stolen', clock)).toEqual(
      read('block', ['4242,', '••4608', 'stolen']),
    );
    // A CustomId, of which only the last four digits are stored.
    expect(parseCommand('block 4242-512-555-0102 called', clock)).toEqual(read('block', ['••0102', 'called']));
    // An amount may be typed in this place, so a card must not become one.
    expect(parseCommand('ask 4242 512-555-0102', clock)).toMatchObject({ kind: 'unclear' });
  });

  it('never make another card of a card number in front of them', () => {
    const groupings = [/\d+/g, /\d{4}/g];
    const numbers = fc
      .integer({ min: 0, max: 10 ** 11 - 1 })
      .map((digits) => withCheckDigit(`4111${String(digits).padStart(11, '0')}`));
    fc.assert(
      fc.property(
        ofCard,
        numbers,
        fc.constantFrom(...groupings),
        fc.constantFrom(' ', '-', '.'),
        behind,
        (lead, number, grouping, separator, rest) => {
          const typed = number.match(grouping)?.join(separator) ?? '';
          expect(cardNamed(`${lead} ${typed}${rest}`)).toMatch(new RegExp(`^••${number.slice(-4)},?$`));
        },
      ),
      { numRuns: examples(1000) },
    );
    expect(parseCommand('block 3782 822463 10005 512-555-0128', clock)).toEqual(
      read('block', ['••0005', '512-555-0128']),
    );
  });

  it.each([
    '4532 0151 12830366',
    '4532 015112830366',
    '453201 5112830366',
    '45320151 12830366',
    '4532 01511283 0366',
    '4532 0151-1283-0366',
    '4532 / 0151 / 1283 / 0366',
    '4532/0151/1283/0366',
    '4532–0151 1283-0366',
  ])('name the card of “%s”, a complete card number', (number) => {
    expect(parseCommand(`block ${number}`, clock)).toEqual(read('block', ['••0366']));
    expect(cardNamed(`please block card ${number} 512-555-0128`)).toBe('••0366');
    expect(cardNamed(`unblock ${number} lost`)).toBe('••0366');
  });

  it('name the card of a number with 19 digits, and of one with the code on its back', () => {
    const long = withCheckDigit('453201511283037712');
    expect(cardNamed(`block ${long.match(/\d{1,4}/g)?.join(' ')}`)).toBe(`••${long.slice(-4)}`);
    expect(cardNamed('block 4532 0151 1283 0366 123 stolen')).toBe('••0366');
  });

  it.each(['4532 015 1128 30366', '4532 01 5112830366', '45320 151 128 30366'])(
    'are asked about, if they may be one card number or more: “%s”',
    (digits) => {
      for (const typed of [`block ${digits} stolen`, `please virtual resend ${digits}`])
        expect(parseCommand(typed, clock)).toMatchObject({
          kind: 'unclear',
          why: expect.stringContaining('Is “••0366”'),
        });
    },
  );

  it('takes no amount and its neighbors for a card number', () => {
    const withinAYear = fc.date({ min: new Date('2026-11-21'), max: new Date('2027-11-21'), noInvalidDate: true });
    fc.assert(
      fc.property(amount, withinAYear, fc.integer({ min: 10_000_000, max: 999_999_999 }), (dollars, date, acctId) => {
        const limit = parseCommand(`limit 4242 daily ${dollars} ${iso(date)} team`, clock);
        const ask = parseCommand(`ask ${acctId} ${dollars} hotel`, clock);

        expect(limit).toMatchObject({ kind: 'read', reason: 'team' });
        expect(ask).toMatchObject({ kind: 'read', target: { words: [String(acctId)] }, reason: 'hotel' });
      }),
      { numRuns: examples(500) },
    );
  });

  it('never hide a card number, however it is grouped', () => {
    const groupings = [
      /\d+/g,
      /\d{1,4}/g,
      /^\d{4}|\d{6}|\d+$/g,
      /^\d{6}|\d+$/g,
      /\d{1,8}/g,
      /^\d{4}|\d+$/g,
      /\d{1,2}/g,
      /\d/g,
    ];
    const beside = fc.oneof(day.map(iso), day.map(american), amount, fc.constant('team'));
    const start = fc.constantFrom('block ', 'limit 4242 daily 450 ', 'ask 300 ', 'limit ');
    const separator = fc.constantFrom(' ', '-', '.', '/', ' - ', '\u2013');
    fc.assert(
      fc.property(
        fc.tuple(start, beside, beside, fc.constantFrom('', '', '.11', '.50,', ',')),
        cardNumber,
        fc.constantFrom(...groupings),
        separator,
        ([lead, before, behind, cents], digits, grouping, between) => {
          const number = digits.match(grouping)?.join(between) ?? '';
          expect(number.replaceAll(/\D/g, '')).toBe(digits);
          const typed = `${number}${cents}`;

          const shown = JSON.stringify(parseCommand(`${lead}${before} ${typed} ${behind}`, clock));

          expect(shown.replaceAll(/\D/g, '')).not.toContain(digits);
          expect(shown).not.toContain(number);
        },
      ),
      { numRuns: examples(500) },
    );
  });
});

function withCheckDigit(digits: string): string {
  return (
    Array.from('0123456789')
      .map((digit) => `${digits}${digit}`)
      .find(isCardNumber) ?? ''
  );
}

it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
  'does not take %s for a limit period, although every object has that property',
  (word) => {
    expect(parseCommand(`limit 4242 ${word} 450`, clock)).toMatchObject({ kind: 'unclear' });
  },
);

describe('command text that Slack escaped', () => {
  it.each([
    ['link 4242 <@U0JANE|jane>', 'link 4242 <@U0JANE>'],
    ['block 4242 lost by <@U0JANE|jane> at A&amp;B', 'block 4242 lost by @jane at A&B'],
    ['block 4242 see <#C0OPS|ops> <https://example.com/x|example.com/x>', 'block 4242 see #ops example.com/x'],
    ['digest off <#C0OLD|old>', 'digest off C0OLD'],
    ['block 4242 see <https://example.com/x>', 'block 4242 see https://example.com/x'],
    ['block 4242 said <!subteam^S1|@team> 1 &lt; 2', 'block 4242 said @team 1 < 2'],
    ['show 4242', 'show 4242'],
    // In place of a card a person stays one; elsewhere it is a word.
    ['show <@U0JANE|jane>', 'show <@U0JANE>'],
    ['  block  <@U0JANE>, lost by <@U0SAM|sam>', '  block  <@U0JANE>, lost by @sam'],
    ['virtual resend <@U0JANE|jane>', 'virtual resend <@U0JANE>'],
    ['please block <@U0JANE|jane>', 'please block <@U0JANE>'],
    [' Can you  link 4242 to <@U0JANE|jane>', ' Can you  link 4242 to <@U0JANE>'],
    ['show me <@U0JANE|jane>', 'show me <@U0JANE>'],
    ['why <@U0JANE|jane>', 'why <@U0JANE>'],
    ['travel <@U0JANE|jane> ES', 'travel <@U0JANE> ES'],
    ['travel mute <@U0JANE|jane> ES', 'travel mute <@U0JANE> ES'],
    ['limit  <@U0JANE|jane> daily 10', 'limit  <@U0JANE> daily 10'],
    ['<@U0JANE|jane>', '@jane'],
    ['virtual order <@U0JANE|jane>', 'virtual order @jane'],
    ['subscribe <@U0JANE|jane>', 'subscribe @jane'],
    // Typed with angle brackets, so Slack did not resolve it to a person.
    ['block 4242 &lt;@U0JANE&gt;', 'block 4242 <@U0JANE>'],
  ])('%j', (escaped, typed) => {
    expect(readSlashText(escaped)).toBe(typed);
  });
});

const limitSyntax = 'limit CARD PERIOD AMOUNT [for DURATION | until DATE] [reason]';

it('suggests the word that a typo probably means', () => {
  const why = expect.stringContaining('Did you mean “block”?');
  expect(parseCommand('blok 4242 lost', clock)).toMatchObject({ why, usage: 'block 4242 lost' });
  expect(parseCommand('blok 4242 `<@U1>`', clock)).toMatchObject({ why, usage: 'block CARD [reason]' });
  expect(parseCommand('travl 4242 ES until friday', clock)).toMatchObject({ usage: 'travel 4242 ES until friday' });
  expect(parseCommand('frobnicate', clock)).toMatchObject({ why: 'I don’t know “frobnicate”.', usage: 'help' });
  // Too long to be read, so its end would be missing.
  const long = `limt 4242 daily 450 ${'lunch '.repeat(200)}for 4h`;
  expect(parseCommand(long, clock)).toMatchObject({ usage: limitSyntax });
});

it.each([
  ['freeze 4242 lost', 'block', 'block 4242 lost'],
  ['Lock 4242', 'block', 'block 4242'],
  ['cancel 4242', 'block', 'block 4242'],
  ['freez 4242', 'block', 'block 4242'],
  ['unfreeze 4242', 'unblock', 'unblock 4242'],
  ['unlock 4242', 'unblock', 'unblock 4242'],
  ['raise 4242 daily to 500', 'limit', 'limit 4242 daily to 500'],
  ['raise limit 4242 daily to 500', 'limit', 'limit 4242 daily to 500'],
  ['lower Jane Doe $50 a day', 'limit', 'limit Jane Doe $50 a day'],
  ['increase 4242 to 500', 'limit', limitSyntax],
  ['order Jane Doe', 'virtual order', 'virtual order Jane Doe'],
  ['resend 4242', 'virtual resend', 'virtual resend 4242'],
  ['report daily 09:00', 'digest', 'digest daily 09:00'],
  ['request 300 hotel', 'ask', 'ask 300 hotel'],
  ['view 4242', 'show', 'show 4242'],
  ['limti 4242 daily 450 until 12/5 lunch', 'limit', 'limit 4242 daily 450 until 12/5 lunch'],
  ['blok O’Brien lost', 'block', "block O'Brien lost"],
  [
    'subscrib declines (country US or group “Field Ops”)',
    'subscribe',
    'subscribe declines (country US or group "Field Ops")',
  ],
  // If a part cannot be copied, the rest may mean something else: a limit without its end, a claim instead of a link.
  ['blok <@U1> 4242', 'block', 'block CARD [reason]'],
  ['raise 4242 daily 450 R&D offsite until friday', 'limit', limitSyntax],
  ['limt 4242 daily 450 ~4h', 'limit', limitSyntax],
  ['increase 4242 daily 450 – 4h', 'limit', limitSyntax],
  ['lnik 4242 @jane', 'link', 'link CARD | link CARD @user'],
  ['assign 4242 @jane', 'link', 'link CARD | link CARD @user'],
])('%j gets the suggestion “%s” and a command to copy', (typed, meant, usage) => {
  expect(parseCommand(typed, clock)).toMatchObject({
    kind: 'unclear',
    why: expect.stringContaining(`Did you mean “${meant}”?`),
    usage,
  });
});

it.each(['please block 4242 lost', 'Can you please block 4242 lost'])('reads %j without the courtesies', (typed) => {
  expect(parseCommand(typed, clock)).toEqual(parseCommand('block 4242 lost', clock));
});

it.each([
  ['report stolen 4242', 'block 4242'],
  ['report lost card 4242', 'block card 4242'],
  ['fraud 4242', 'block 4242'],
  ['report stolen', 'block CARD [reason]'],
  ['lost my card', 'block my card lost'],
  ['report stolen card', 'block my card stolen'],
  ['report lost card', 'block my card lost'],
  ['lost card', 'block my card lost'],
  ['STOLEN CARD', 'block my card stolen'],
  ['I lost my card!', 'block my card lost'],
  ['I’ve lost my card', 'block my card lost'],
  ['my card is lost', 'block my card lost'],
  ['My card was stolen', 'block my card stolen'],
  ['lock card', 'block CARD [reason]'],
  ['blok my new card', 'block CARD [reason]'],
  ['cancel the card', 'block CARD [reason]'],
  ['stolen card of Jane Doe', 'block CARD [reason]'],
  ['report my card stolen', 'block my card stolen'],
  ['blok jane doe card stolen', 'block jane doe card stolen'],
  ['lock jane doe lost her card', 'block jane doe lost her card'],
])('suggests for %j how to block the card', (typed, usage) => {
  expect(parseCommand(typed, clock)).toMatchObject({ why: expect.stringContaining('Did you mean “block”?'), usage });
});

it.each([
  ['where is my card', 'track my card'],
  ['where is my new card', 'track my new card'],
  ['where is card 4242', 'track card 4242'],
  ["where's 4242", 'track 4242'],
  ['where’s my card', 'track my card'],
  ['where is the card', 'track CARD'],
  ['where are 4242 and 4343', 'track 4242 and 4343'],
  ['where Are Hansen', 'track Are Hansen'],
  ['blok Are Hansen', 'block Are Hansen'],
  ['unblok are hansen', 'unblock are hansen'],
  ['new card', 'virtual order [NAME]'],
  ['order a new card for Sam', 'virtual order [NAME]'],
  ['order another virtual card', 'virtual order [NAME]'],
  ['claim my card', 'link CARD | link CARD @user'],
  ['subscibe virtual cards', 'subscribe virtual cards'],
])('suggests for %j a command for a card that is named, else the syntax', (typed, usage) => {
  expect(parseCommand(typed, clock)).toMatchObject({ kind: 'unclear', usage });
});

it.each([
  'spend 4242',
  'send 4242',
  'reissue 4242',
  'pleas block 4242',
  'how do i block my card',
  'how much is left',
  'who holds 4242',
  "who's 4242",
])('suggests nothing for %j, which is no typo of another word for a command', (typed) => {
  expect(parseCommand(typed, clock)).toMatchObject({ why: expect.stringMatching(/^I don’t know “[^”]*”\.$/) });
});

it.each([
  ['block my card', 'block'],
  ['show my card', 'show'],
  ['declines my card', 'declines'],
  ['track my card', 'track'],
  ['unlink my card', 'unlink'],
  ['ask my card 300', 'ask'],
  ['activate my card', 'activate'],
  ['activate my new card', 'activate'],
  ['track my new card', 'track'],
  ['unblock my card', 'unblock'],
  ['limit my card daily 500', 'limit'],
  ['mute my card 8h', 'mute'],
  ['unmute my card', 'unmute'],
  ['travel my card Spain until friday', 'travel'],
  ['virtual resend my card', 'resend-virtual'],
])('%j is about the person’s only card', (typed, verb) => {
  expect(parseCommand(typed, clock)).toMatchObject({ verb, target: { kind: 'own' } });
});

it.each(['block my new card', 'unblock my new card', 'show my new card', 'mute my new card 8h'])(
  '“%s” is not about the card in use',
  (typed) => {
    const target = { kind: 'words', words: ['my', 'new', 'card'] };
    expect(parseCommand(typed, clock)).toMatchObject({ target });
  },
);

it('“link my card” names no card, because nobody’s only card is known before it is linked', () => {
  const target = { kind: 'words', words: ['my', 'card'] };
  expect(parseCommand('link my card', clock)).toMatchObject({ verb: 'claim', target });
  expect(parseCommand('link my card <@U0JANE>', clock)).toMatchObject({ verb: 'link', target });
});

it('keeps the reason behind “my card”', () => {
  expect(parseCommand('unblock my card found again', clock)).toMatchObject({ reason: 'found again' });
  expect(parseCommand('limit my card daily 500 team lunch', clock)).toMatchObject({ reason: 'team lunch' });
});

it.each(['approve 4242', 'deny', 'revert 4242', 'ack'])('explains that %j is a button', (typed) => {
  const word = typed.split(' ')[0] ?? '';
  expect(parseCommand(typed, clock)).toMatchObject({
    why: expect.stringContaining(`“${word}” is a button, not a command`),
  });
});

it('no synonym is itself a command or belongs to two verbs', () => {
  const others = verbNames.flatMap((verb) => entryOf(verb).alsoCalled ?? []);
  expect(new Set(others).size).toBe(others.length);
  expect(others.filter((word) => parseCommand(`${word} 4242`, clock).kind !== 'unclear')).toEqual([]);
});

describe('every typo of a command or a synonym', () => {
  const typos = (word: string): string[] => [
    ...Array.from(word, (_, at) => word.slice(0, at) + word.slice(at + 1)),
    ...Array.from(word, (letter, at) => word.slice(0, at) + letter + word.slice(at)),
  ];
  const sentences =
    /^I don’t know “[^“”]+”\.( Did you mean “(?<meant>[a-z -]+)”\?)?$|^“[^“”]+” is a button, not a command: /;

  it.each([...commandWords, ...verbNames.flatMap((verb) => entryOf(verb).alsoCalled ?? [])])('%s', (word) => {
    for (const typed of typos(word)) {
      const read = parseCommand(`${typed} 4242 daily 450 lost`, clock);
      if (read.kind !== 'unclear' || commandWords.includes(typed.toLowerCase())) continue;
      const meant = sentences.exec(read.why);
      expect(meant, read.why).not.toBeNull();
      // The usage hint matches the suggestion and parses, either literally or through its example.
      expect(read.usage.startsWith(meant?.groups?.['meant'] ?? 'help'), `${typed}: ${read.usage}`).toBe(true);
      expect(parseCommand((read.example ?? read.usage).replace('@jane', '<@U0JANE>'), clock).kind).not.toBe('unclear');
    }
  });
});

it('reads the digits of every script', () => {
  expect(parseCommand('block ٤٢٤٢', clock)).toEqual(parseCommand('block 4242', clock));
  expect(parseCommand('limit 4242 daily ٤٥٠', clock)).toEqual(parseCommand('limit 4242 daily 450', clock));
});

it('takes a raised digit for no digit of the number before it', () => {
  expect(parseCommand('block 4242¹ lost', clock)).toEqual(read('block', ['4242^1', 'lost']));
  expect(parseCommand('block 4242 H₂O damage ² ³', clock)).toEqual(read('block', ['4242', 'H2O', 'damage', '2', '3']));
  expect(JSON.stringify(parseCommand('block 4111 1111 1111 111¹', clock))).toContain('••1111');
});

it('ignores invisible characters', () => {
  expect(parseCommand('\u2060block\u200b 42\u200b42\u202flost\ufeff', clock)).toEqual(
    parseCommand('block 4242 lost', clock),
  );
});

it('shows the syntax in place of a corrected command that is too long to show', () => {
  expect(parseCommand(`blok 4242 ${'stolen '.repeat(50)}`, clock)).toMatchObject({ usage: 'block CARD [reason]' });
  expect(parseCommand('blok 4242 stolen', clock)).toMatchObject({ usage: 'block 4242 stolen' });
});
