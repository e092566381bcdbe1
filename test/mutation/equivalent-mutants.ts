/** A mutant that no test can detect, because the program behaves the same. */
export interface EquivalentMutant {
  readonly file: string;
  /** Its line, trimmed. */
  readonly text: string;
  /** Its name in the output of a run. */
  readonly what: string;
  readonly reason: string;
}

export const EQUIVALENT: readonly EquivalentMutant[] = [
  {
    file: 'src/core/money.ts',
    text: 'return amount < 0 && cents !== 0 ? -cents : cents;',
    what: '< becomes <=',
    reason: 'an amount of 0 is 0 cents, which the other half of the condition excludes',
  },
  {
    file: 'src/core/service-time.ts',
    text: 'if (known !== undefined) return known;',
    what: 'known !== undefined becomes false',
    reason: 'recomputed instead of cached, with the same result',
  },
  {
    file: 'src/webhooks/receive-webhook.ts',
    text: "response.writeHead(status, isLast ? [...headers, 'connection', 'close'] : headers);",
    what: 'isLast becomes true',
    reason: 'closes connections that could be kept, with the same responses; covered by the benchmarks and flows',
  },
  {
    file: 'src/webhooks/receive-webhook.ts',
    text: 'const version = Array.isArray(header) ? header[0] : header;',
    what: 'Array.isArray(header) becomes false',
    reason: 'Node joins repeated headers of this kind, so that only the type allows a list',
  },
  {
    file: 'src/approvals/decide-request.ts',
    text: "if (request.state !== 'open' && isDecidedBy(request, click.id)) {",
    what: "'open' becomes ''",
    reason: 'no click has decided an open request, so the other half of the condition is false',
  },
  {
    file: 'src/limits/recent-raise-store.ts',
    text: ".zremrangebyscore(key, '-inf', atMs - CAPPED_MS)",
    what: "'-inf' becomes ''",
    reason: 'Redis reads an empty string as 0, and no raise is from before 1970',
  },
  {
    file: 'src/limits/contradiction.ts',
    text: 'at === index ? [] : [{ rule: limitRule(window, category), isAbove: at > index, apartCents }],',
    what: '> becomes >=',
    reason: 'equal windows are handled before, so neither comparison sees them',
  },
  {
    file: 'src/core/card-number.ts',
    text: 'if (!mayHoldOne.test(text)) return text;',
    what: '!mayHoldOne.test(text) becomes false',
    reason: 'a shortcut: text without a card number is returned unchanged',
  },
  {
    file: 'src/core/card-number.ts',
    text: 'if (/^\\d*$/.test(identifier) && !isCardNumber(identifier)) return identifier;',
    what: '/^\\d*$/.test(identifier) && !isCardNumber(identifier) becomes false',
    reason: 'a shortcut: the search below returns such an identifier unchanged, too',
  },
  {
    file: 'src/core/card-number.ts',
    text: 'if (!mayHoldOne.test(identifier)) return identifier;',
    what: '!mayHoldOne.test(identifier) becomes false',
    reason: 'a shortcut: text without a card number is returned unchanged',
  },
  {
    file: 'src/webhooks/step-times.ts',
    text: 'const requestedAt = referencedAt !== null && referencedAt < transactionAt ? referencedAt : transactionAt;',
    what: '< becomes <=',
    reason: 'if both times are equal, it does not matter which is used',
  },
  {
    file: 'src/core/seal.ts',
    text: "const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);",
    what: "'utf8' becomes ''",
    reason: 'Node reads strings as UTF-8 by default',
  },
  {
    file: 'src/limits/remedy.ts',
    text: 'const FORM_ADVICE_TIMEOUT_MS = 5000;',
    what: '5000 becomes 5001',
    reason: 'a form waits a millisecond longer, and nothing relies on the exact time',
  },
  {
    file: 'src/recovery/recover-gap.ts',
    text: 'sliceMs = Math.max(SLICE_MS, ((askedToMs - askedFromMs) * ANSWER_ROWS) / Math.max(rows, 1));',
    what: '1 becomes 2',
    reason: 'after a response with no row or one, the next call covers more than a year in both cases',
  },
  {
    file: 'src/core/service-time.ts',
    text: 'const knownReadings = new BoundedMap<string, readonly string[]>(4096);',
    what: '4096 becomes 4097',
    reason: 'only limits memory: evicted values are recomputed with the same result',
  },
  {
    file: 'src/core/card-number.ts',
    text: 'for (let end = start; end < groups.length && digits.length < DIGITS_MAX; end += 1) {',
    what: '< becomes <=',
    reason:
      'checks one more group, with which there are more digits than in a card number; there is none after the last',
  },
  {
    file: 'src/core/money.ts',
    text: 'if (Math.abs(size * 100 - near) < 1e-6) return amount < 0 && near !== 0 ? -near : near;',
    what: '100 becomes 101',
    reason: 'the shortcut is not taken, and the slower way gives the same cents',
  },
  {
    file: 'src/core/money.ts',
    text: 'const near = Math.round(size * 100);',
    what: '* becomes /',
    reason: 'the shortcut is not taken, and the slower way gives the same cents',
  },
];
