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
];
