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
    text: "if (request.state !== 'open' && isDecidedBy(request, action.id)) return await deps.finish(request);",
    what: "'open' becomes ''",
    reason: 'an open request is decided by no click, which the other half of the condition asks for',
  },
  {
    file: 'src/holders/decide-claim.ts',
    text: "if (claim.state !== 'open' && isDecidedBy(claim, action.id)) return await announce(claim);",
    what: "'open' becomes ''",
    reason: 'an open claim is decided by no click, which the other half of the condition asks for',
  },
  {
    file: 'src/holders/decide-claim.ts',
    text: 'const acctId = choice === null ? undefined : claim.acctIds[choice];',
    what: 'choice === null becomes false',
    reason: 'a list has no entry named null either',
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
];
