/** A fault that once passed every test of the sandbox: it must never do so again. */
export interface NamedMutant {
  readonly name: string;
  readonly file: string;
  /** Text that occurs once in the file, and what stands in its place. */
  readonly from: string;
  readonly to: string;
}

export const NAMED_MUTANTS: readonly NamedMutant[] = [
  {
    name: 'the reversal of a PIN debit credits nothing',
    file: 'sandbox/engine/after-purchase.ts',
    from: '  moveLedger(world, made, cents);\n  made.refundableCents -= cents;',
    to: '  made.refundableCents -= cents;',
  },
  {
    name: 'retries at 120, 120, 120, 120 and 3600 seconds',
    file: 'sandbox/assumptions.ts',
    from: '[15, 30, 60, 120, 3600]',
    to: '[120, 120, 120, 120, 3600]',
  },
  { name: 'CustomId limited to 20', file: 'sandbox/api/card-request.ts', from: '.max(50,', to: '.max(20,' },
  {
    name: 'MetadataApprovalStatus NotReviewed',
    file: 'sandbox/api/transactions.ts',
    from: "'Not Reviewed'",
    to: "'NotReviewed'",
  },
  {
    name: 'a settlement with TransactionId null',
    file: 'sandbox/engine/after-purchase.ts',
    from: "    TransactionId: takeId(world, 'transaction'),",
    to: '    TransactionId: null,',
  },
  {
    name: 'a settlement with HoldTime null',
    file: 'sandbox/engine/after-purchase.ts',
    from: '    HoldTime: toEastern(new Date(made.at)),',
    to: '    HoldTime: null,',
  },
];
