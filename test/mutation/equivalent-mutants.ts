/** A mutant that no test can notice, because the program does the same. */
export interface EquivalentMutant {
  readonly file: string;
  /** The line it is in, without the blanks around it. */
  readonly text: string;
  /** As the run names it. */
  readonly what: string;
  readonly reason: string;
}

export const EQUIVALENT: readonly EquivalentMutant[] = [
  {
    file: 'src/core/money.ts',
    text: 'return amount < 0 && cents !== 0 ? -cents : cents;',
    what: '< becomes <=',
    reason: 'an amount of 0 is 0 cents, which the other half of the condition asks for',
  },
  {
    file: 'src/core/service-time.ts',
    text: 'if (known !== undefined) return known;',
    what: 'known !== undefined becomes false',
    reason: 'made again instead of remembered, with the same result',
  },
  {
    file: 'src/webhooks/receive-webhook.ts',
    text: "response.writeHead(status, isLast ? [...headers, 'connection', 'close'] : headers);",
    what: 'isLast becomes true',
    reason: 'closes connections that could be kept: the same answers, held by the benchmarks and flows',
  },
  {
    file: 'src/webhooks/receive-webhook.ts',
    text: 'const version = Array.isArray(header) ? header[0] : header;',
    what: 'Array.isArray(header) becomes false',
    reason: 'Node joins repeated headers of this kind: it is never a list, only its type is',
  },
  {
    file: 'src/approvals/emergency-override.ts',
    text: "if (request.state !== 'open' && isDecidedBy(request, action.id)) return await deps.finish(request);",
    what: "'open' becomes ''",
    reason: 'an open request is decided by no click, which the other half of the condition asks for',
  },
  {
    file: 'src/approvals/decide-request.ts',
    text: "if (request.state !== 'open' && isDecidedBy(request, action.id)) {",
    what: "'open' becomes ''",
    reason: 'an open request is decided by no click, which the other half of the condition asks for',
  },
  {
    file: 'src/holders/decide-claim.ts',
    text: "if (claim.state !== 'open' && isDecidedBy(claim, action.id)) return await announce(claim, deps);",
    what: "'open' becomes ''",
    reason: 'an open claim is decided by no click, which the other half of the condition asks for',
  },
  {
    file: 'src/limits/recent-raise-store.ts',
    text: ".zremrangebyscore(key, '-inf', atMs - CAPPED_MS)",
    what: "'-inf' becomes ''",
    reason: 'Redis reads an empty text as 0, and no raise is from before 1970',
  },
  {
    file: 'src/limits/contradiction.ts',
    text: 'at === index ? [] : [{ rule: limitRule(window, category), isAbove: at > index, apartCents }],',
    what: '> becomes >=',
    reason: 'of the same window nothing is said here, so neither reading meets it',
  },
  {
    file: 'src/core/card-number.ts',
    text: 'if (!mayHoldOne.test(text)) return text;',
    what: '!mayHoldOne.test(text) becomes false',
    reason: 'a shortcut: what holds no card number comes out as it was',
  },
  {
    file: 'src/core/card-number.ts',
    text: 'if (!mayHoldOne.test(identifier)) return identifier;',
    what: '!mayHoldOne.test(identifier) becomes false',
    reason: 'a shortcut: what holds no card number comes out as it was',
  },
  {
    file: 'src/webhooks/transaction.ts',
    text: 'const requestedAt = referencedAt !== null && referencedAt < transactionAt ? referencedAt : transactionAt;',
    what: '< becomes <=',
    reason: 'where both are the same moment it does not matter which of them is taken',
  },
  {
    file: 'src/core/seal.ts',
    text: "const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);",
    what: "'utf8' becomes ''",
    reason: 'Node reads a text as UTF-8 where no encoding is named',
  },
  {
    file: 'src/limits/remedy.ts',
    text: 'const FORM_ADVICE_TIMEOUT_MS = 5000;',
    what: '5000 becomes 5001',
    reason: 'a form waits a thousandth of a second longer: nobody relies on the exact time',
  },
  {
    file: 'src/recovery/recover-gap.ts',
    text: 'sliceMs = Math.max(SLICE_MS, ((askedToMs - askedFromMs) * ANSWER_ROWS) / Math.max(rows, 1));',
    what: '1 becomes 2',
    reason: 'after an answer with no rows or one, the next call covers more than the whole year either way',
  },
  {
    file: 'src/core/service-time.ts',
    text: 'if (knownReadings.size >= KNOWN_READINGS_MAX) knownReadings.clear();',
    what: 'knownReadings.size >= KNOWN_READINGS_MAX becomes false',
    reason: 'only keeps memory small: what is forgotten is made again, with the same result',
  },
  {
    file: 'src/core/card-number.ts',
    text: 'for (let end = start; end < groups.length && digits.length < DIGITS_MAX; end += 1) {',
    what: '< becomes <=',
    reason:
      'looks at one group more, with which there are more digits than a card number has; beyond the last there is none',
  },
  {
    file: 'src/core/money.ts',
    text: 'if (Math.abs(size * 100 - near) < 1e-6) return amount < 0 && near !== 0 ? -near : near;',
    what: '100 becomes 101',
    reason: 'the shortcut is not taken: the slower way gives the same cents',
  },
  {
    file: 'src/core/money.ts',
    text: 'const near = Math.round(size * 100);',
    what: '* becomes /',
    reason: 'the shortcut is not taken: the slower way gives the same cents',
  },
];
