import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCardNumber, maskCardNumbers, maskIdentifier, plainText } from '../../../src/core/card-number.ts';
import { cardNumber } from '../../support/card-number-arbitrary.ts';
import { examples } from '../../support/examples.ts';

describe('a card number', () => {
  it.each([
    '4111111111111111',
    '5555555555554444',
    '378282246310005',
    '6011111111111117',
    '4222222222222',
    '6304000000000000000',
  ])('is %s', (digits) => {
    expect(isCardNumber(digits)).toBe(true);
  });

  it.each([
    ['a wrong check digit', '4111111111111112'],
    ['twelve digits', '411111111113'],
    ['twenty digits', '41111111111111111110'],
    ['nothing', ''],
  ])('is not %s', (_what, digits) => {
    expect(isCardNumber(digits)).toBe(false);
  });

  it('is any 12 to 18 digits with their Luhn check digit', () => {
    fc.assert(fc.property(cardNumber, (digits) => isCardNumber(digits)));
  });
});

/** CPU time, so that a busy machine does not matter. */
function cpuMsOf(text: string): number {
  const before = process.cpuUsage();
  maskCardNumbers(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

describe('masking', () => {
  it.each([
    ['4111111111111111', '[card ••1111]'],
    ['paid with 4111 1111 1111 1111 today', 'paid with [card ••1111] today'],
    ['4111-1111-1111-1111', '[card ••1111]'],
    ['4111.1111.1111.1111', '[card ••1111]'],
    ['4111_1111_1111_1111', '[card ••1111]'],
    ['3782 822463 10005', '[card ••0005]'],
    ['4111  1111 - 1111\t1111', '[card ••1111]'],
    ['4111\u00a01111\u202f1111\u20131111', '[card ••1111]'],
    ['4111/1111/1111/1111', '[card ••1111]'],
    ['4111, 1111, 1111, 1111', '[card ••1111]'],
    ['4111|1111|1111|1111', '[card ••1111]'],
    ['4111*1111*1111*1111', '[card ••1111]'],
    ['4111;1111;1111;1111', '[card ••1111]'],
    ['4111+1111+1111+1111', '[card ••1111]'],
    ['(4111)(1111)(1111)(1111)', '([card ••1111])'],
    ['["4111","1111","1111","1111"]', '["[card ••1111]"]'],
    ["4111'1111'1111'1111", '[card ••1111]'],
    ['x4111111111111111y', 'x[card ••1111]y'],
    ['12 4111 1111 1111 1111 99', '12 [card ••1111] 99'],
    ['4111111111111111 5555555555554444', '[card ••1111] [card ••4444]'],
    ['4222222222222 006', '[card ••2006]'],
    ['4111111111111111,5555555555554444', '[card ••1111],[card ••4444]'],
    ['6011%200009%209013%209424', '[card ••9424]'],
    ['4111    1111    1111    1111', '[card ••1111]'],
    ['4111\r\n\r\n1111\r\n\r\n1111\r\n\r\n1111', '[card ••1111]'],
    ['4111 · 1111 · 1111 · 1111', '[card ••1111]'],
    ['4111•1111•1111•1111', '[card ••1111]'],
    ['4111~1111~1111~1111', '[card ••1111]'],
    ['4111: 1111: 1111: 1111', '[card ••1111]'],
    ['6011%2D0009%2d9013%2d9424 20', '[card ••9424] 20'],
  ])('turns %j into %j', (text, masked) => {
    expect(maskCardNumbers(text)).toBe(masked);
  });

  it.each(['…', '?', '!', '@', '$', '%', '^', '<', '>', '\u00b0', '€', '😀', '\u0000'])(
    'finds groups of four with %j in between',
    (sign) => {
      expect(maskCardNumbers(['4111', '1111', '1111', '1111'].join(sign))).toBe('[card ••1111]');
    },
  );

  it.each([
    ['nothing', ''],
    ['a tracking number of 22 digits', '9400111899000000055211'],
    ['a number whose check digit is wrong', '4111111111111112'],
    ['a phone number', 'call 800-555-0199'],
    ['a store number', 'SHELL OIL 57444 AUSTIN'],
    ['a date and time', '2026-03-02 12:31:07'],
    ['text far apart', '4111 and 1111 and 1111 and 1111'],
    ['masked text', '[card ••1111]'],
    ['the last digits of four cards', '••4111, ••1111, ••1111, ••1111'],
    ['four questions', 'Was it 4111? 1111? 1111? 1111?'],
    ['an address', 'https://example.com/411111111111?1111'],
    ['four amounts', 'from $4111 <$1111 <$1111 <$1111'],
  ])('leaves %s alone', (_what, text) => {
    expect(maskCardNumbers(text)).toBe(text);
  });

  it('masks every card number in any text, in one piece or in groups', () => {
    const separator = fc.constantFrom(' ', '-', '.', '  ', ' - ', '\u00a0', '\u2013');
    const notDigits = fc.string().map((text) => text.replace(/\d/g, ''));
    const grouped = fc.tuple(cardNumber, separator, fc.integer({ min: 1, max: 6 }));
    fc.assert(
      fc.property(
        notDigits,
        fc.tuple(cardNumber, fc.boolean()),
        grouped,
        notDigits,
        (before, [plain, spaced], of, after) => {
          const [digits, between, size] = of;
          const inGroups = (digits.match(new RegExp(`\\d{1,${size}}`, 'g')) ?? []).join(between);

          const masked = maskCardNumbers(`${before}${plain}${spaced ? ' ' : 'x'}${inGroups}${after}`);

          const left = masked.replace(/\D/g, '');
          expect(left).not.toContain(plain);
          expect(left).not.toContain(digits);
          expect(masked).not.toContain(inGroups);
        },
      ),
      { numRuns: examples(300) },
    );
  });

  it('leaves at most the last four digits of a number among other groups of digits', () => {
    const group = fc.stringMatching(/^\d{1,8}$/);
    fc.assert(
      fc.property(
        fc.array(group, { maxLength: 3 }),
        cardNumber,
        fc.array(group, { maxLength: 3 }),
        (before, digits, after) => {
          const masked = maskCardNumbers([...before, digits, ...after].join(' '));

          const around = [...before, ...after].join('');
          expect(masked.replace(/\D/g, '').length).toBeLessThanOrEqual(around.length + 4);
          expect(masked).not.toContain(digits);
        },
      ),
      { numRuns: examples(300) },
    );
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.string(), cardNumber, fc.string(), (before, digits, after) => {
        const once = maskCardNumbers(`${before} ${digits} ${after}`);
        expect(maskCardNumbers(once)).toBe(once);
      }),
    );
  });

  it.each([
    ['single digits', '1 '.repeat(128 * 1024)],
    ['zeros, where every sequence passes', '0 '.repeat(128 * 1024)],
    ['one endless run', '1'.repeat(256 * 1024)],
    ['runs that are just too short', `${'1'.repeat(12)}   x`.repeat(16 * 1024)],
    ['runs that end in spaces', `${'1 '.repeat(12)}${' '.repeat(3000)}x`.repeat(80)],
    ['groups far apart', `1${' '.repeat(16 * 1024)}`.repeat(16)],
    ['all separators', '1111 : '.repeat(32 * 1024)],
  ])('is fast enough for the largest body: %s', (_what, text) => {
    // Trying every sequence of groups would take hours.
    expect(cpuMsOf(text), 'milliseconds of CPU time').toBeLessThan(5000);
  });

  it('takes no longer for any separators than for spaces', () => {
    const all = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code));
    const separators = all.filter((each) => /[\s\p{P}\p{S}\p{Cf}]/u.test(each));
    const text = (between: readonly string[]) => `1${between.join('').repeat(120).slice(0, 120)}x`.repeat(10);
    const plain = cpuMsOf(text([' ']));
    const some = fc.array(fc.constantFrom(...separators), { minLength: 1, maxLength: 4 });
    // Some are a space and something else at once.
    const inTwoClasses = separators.filter((each) => /\s/.test(each) && /[\p{P}\p{S}\p{C}]/u.test(each));

    fc.assert(
      fc.property(some, (between) => {
        expect(cpuMsOf(text(between)), 'milliseconds of CPU time').toBeLessThan(100 * plain + 100);
      }),
      { examples: inTwoClasses.map((each) => [[each]]), numRuns: examples(300), endOnFailure: true },
    );
  });
});

it('reads digits of every script, and letters that are only written in another form, as plain ones', () => {
  expect(plainText('٤٢٤٢ ४२४२ ４２４２ \u{1D7DC}')).toBe('4242 4242 4242 4');
  expect(plainText('ﬁ-①')).toBe('fi-1');
});

describe('an identifier', () => {
  it.each([
    ['2265018', '2265018'],
    ['4111111111111112', '4111111111111112'],
    ['4111111111111111', '4111••••••••1111'],
    ['4111-1111-1111-1111', '4111••••••••1111'],
    ['４１１１１１１１１１１１１１１１', '4111••••••••1111'],
    ['MRC 4111111111111111', 'MRC [card ••1111]'],
    ['9400111899000000055211', '9400111899000000055211'],
  ])('%s is kept as %s', (given, kept) => {
    expect(maskIdentifier(given)).toBe(kept);
  });
});
