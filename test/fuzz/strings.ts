import fc from 'fast-check';

/** Strings that break naive code: markup, half characters, reversed direction, very long text, and text like our own. */
export const spiteful: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 200, maxLength: 400 }) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '',
      ' ',
      '\u0000',
      '__proto__',
      'constructor',
      'toString',
      'null',
      'NaN',
      '-0',
      '1e309',
      '0x10',
      '９９９',
      '٤٢',
      '<!channel>',
      '$1',
      '..',
      '/',
      '%00',
      '\uD83D',
      '\u202Eturned\u2066',
      'שלום 12',
      'ı İ ß ﬀ',
      '9'.repeat(400),
      '-'.repeat(6000),
      'a '.repeat(6000),
      '('.repeat(6000),
      '&'.repeat(6000),
    ),
  },
);

/** Any JSON, with our own words among its keys and values. */
export const anyJson: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    spiteful,
    fc.constantFrom('NETWORK', 'CARD', 'CARDORDER', 'Auth', 'Approved', 'ACTIVE', null, true, 0, -1, 1.005, 1e300),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie('any'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc
    .array(
      fc.tuple(
        fc.oneof(
          fc.constantFrom(
            'Data',
            'CallbackTime',
            'TransactionType',
            'CardList',
            'AcctId',
            'SpendRules',
            'DailySpendLimit',
          ),
          spiteful,
        ),
        tie('any'),
      ),
      { maxLength: 6 },
    )
    .map((entries) => Object.fromEntries(entries)),
})).any;
