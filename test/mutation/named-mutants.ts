/** A fault that once passed every test and must never do so again. */
export interface NamedMutant {
  readonly name: string;
  readonly file: string;
  /** Text that occurs once in the file, and its replacement. */
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
    from: "isDecline ? 'Ignored' : 'Not Reviewed'",
    to: "isDecline ? 'Ignored' : 'NotReviewed'",
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
    from: '    HoldTime: toServiceTime(new Date(made.at)),',
    to: '    HoldTime: null,',
  },
  {
    name: 'a status history begins with the newest known status',
    file: 'src/alerts/deliver-status.ts',
    from: '  const start = activation ?? index;',
    to: '  const start = index;',
  },
  {
    name: 'a status history begins with what the directory read after the event',
    file: 'src/alerts/deliver-status.ts',
    from: 'from: start === 0 && from === steps[0]?.status ? null : from,',
    to: 'from,',
  },
  {
    name: 'a status history that does not begin with the first event asks the directory',
    file: 'src/alerts/deliver-status.ts',
    from: '  const from = history[start - 1]?.status ?? (start === 0 ? knownBefore : null);',
    to: '  const from = history[start - 1]?.status ?? null;',
  },
  {
    name: 'the oldest statuses of a card are kept instead of the newest',
    file: 'src/alerts/keep-latest.lua',
    from: "redis.call('ZREMRANGEBYRANK', KEYS[list], 0, removed - 1)",
    to: "redis.call('ZREMRANGEBYRANK', KEYS[list], ARGV[1], -1)",
  },
  {
    name: 'an event is about any card of the account',
    file: 'src/directory/account.ts',
    from: 'one.last4 === last4 : one.cardId === cardId',
    to: 'one.last4 === last4 : true',
  },
  {
    name: 'an event of one card shows another with the same last four digits',
    file: 'src/directory/account.ts',
    from: 'cardId === null ? one.last4 === last4 : one.cardId === cardId',
    to: 'one.last4 === last4',
  },
  {
    name: 'an event of an account is about a card that is closed',
    file: 'src/directory/account.ts',
    from: "account?.cards.filter((card) => card.status !== 'CLOSED') ?? []",
    to: 'account?.cards ?? []',
  },
  {
    name: 'an event of an account with several open cards is about the first',
    file: 'src/directory/account.ts',
    from: ': open.length === 1',
    to: ': open.length >= 1',
  },
  {
    name: 'what the inbox remembers counts as reported',
    file: 'src/recovery/recovery-store.ts',
    from: 'if (age(event) < INBOX_REMEMBERS_MS) return false;',
    to: 'if (age(event) < INBOX_REMEMBERS_MS) return true;',
  },
  {
    name: 'what has an alert is reported again',
    file: 'src/recovery/recovery-store.ts',
    from: '(await redis.exists(stateKey(`alert:${event.id}`))) === 1',
    to: '(await redis.exists(stateKey(`alert:${event.id}`))) === 2',
  },
  {
    name: 'what happened in a gap long ago counts as reported',
    file: 'src/recovery/recovery-store.ts',
    from: '      !gaps.some(',
    to: '      gaps.some(',
  },
  {
    name: 'what happened before Cardbell ran counts as reported',
    file: 'src/recovery/recovery-store.ts',
    from: '      atMs > Number(since) &&',
    to: '      true &&',
  },
  {
    name: 'an ops issue is open though nobody was told',
    file: 'src/ops/notify-ops.ts',
    from: 'isKnown: async (opsIssue: OpsIssue): Promise<boolean> => (await knownSince(opsIssue)) !== null',
    to: 'isKnown: async (opsIssue: OpsIssue): Promise<boolean> => (await knownSince(opsIssue)) === null',
  },
  {
    name: 'an ops issue stays open when it is resolved',
    file: 'src/ops/notify-ops.ts',
    from: '      await memory.end(opsIssue, since);\n',
    to: '',
  },
  {
    name: 'an ops issue that nobody was told about is told as resolved',
    file: 'src/ops/notify-ops.ts',
    from: '      if (since === null) return;',
    to: '      if (since !== null) return;',
  },
  {
    name: 'an ops issue is open for ever',
    file: 'src/ops/notify-ops.ts',
    from: "'EX', SILENT_SECONDS",
    to: "'EX', SILENT_SECONDS * 30",
  },
  {
    name: 'a refusal names nobody',
    file: 'templates/policy/refusal.ts',
    from: "mentions(userIds, 'or')",
    to: "''",
  },
  {
    name: 'a refusal to undo a block does not name who else wants it',
    file: 'src/actions/undo-block.ts',
    from: 'userIds: [other]',
    to: 'userIds: []',
  },
  {
    name: 'a refusal names the channel beside the people',
    file: 'templates/policy/refusal.ts',
    from: 'channel === undefined ?',
    to: 'channel !== undefined ?',
  },
  {
    name: 'a payment without the card is in person',
    file: 'templates/alerts/decline.ts',
    from: "return isCardPresent ? 'In person' : 'Online or keyed in';",
    to: "return 'In person';",
  },
  {
    name: 'a payment of which nobody says how is online',
    file: 'templates/alerts/decline.ts',
    from: 'isCardPresent === null || ',
    to: '',
  },
  {
    name: 'a payment is told the other way round',
    file: 'templates/alerts/decline.ts',
    from: "return isCardPresent ? 'In person'",
    to: "return !isCardPresent ? 'In person'",
  },
  {
    name: 'how a settlement was paid is guessed',
    file: 'templates/alerts/decline.ts',
    from: " || kind === 'settlement'",
    to: '',
  },
  {
    name: 'a request under a temporary lowering is judged from what the limit goes back to',
    file: 'src/limits/raise-amount.ts',
    from: 'return isLooser([{ rule, from: before, to: from }]) ? { ...change, from: before } : change;',
    to: 'return { ...change, from: before };',
  },
  {
    name: 'a limit that is higher only for the moment counts as enough',
    file: 'src/approvals/judge-click.ts',
    from: ' || isLooser([change]))',
    to: ')',
  },
  {
    name: 'the glass is broken for as much again as the person raised before',
    file: 'src/approvals/emergency-override.ts',
    from: '.needed > 1)',
    to: '.needed > 99)',
  },
  {
    name: 'a temporary change that ends under a shorter one comes back and stays',
    file: 'src/limits/supersede.ts',
    from: '      given.push(...onOurs);\n',
    to: '',
  },
  {
    name: 'a temporary change counts as untouched when another sets the same again',
    file: 'src/limits/open-temporary-change.ts',
    from: '(isSetAgain(change, earlier) && !isUnderneath(earlier, stacked[index]?.change ?? change, others))',
    to: 'false',
  },
  {
    name: 'a value that is set again keeps what is below it from going back',
    file: 'src/limits/open-temporary-change.ts',
    from: ' && !isUnderneath(earlier, stacked[index]?.change ?? change, others)',
    to: '',
  },
  {
    name: 'an approval counts for numbers that the person has not seen',
    file: 'src/approvals/judge-click.ts',
    from: 'if (hasSeen(click, request))',
    to: 'if (true)',
  },
  {
    name: 'the policy file sets no cap for a card',
    file: 'src/policy/policy-file.ts',
    from: 'given.caps?.card ?? approval.caps.card',
    to: 'approval.caps.card',
  },
  {
    name: 'the policy file sets no cap for the program',
    file: 'src/policy/policy-file.ts',
    from: 'given.caps?.program ?? approval.caps.program',
    to: 'approval.caps.program',
  },
  {
    name: 'a group that sets nothing about it has no longest duration',
    file: 'src/policy/policy-file.ts',
    from: 'given.durations?.longest ?? approval.durations.longestMs',
    to: 'given.durations?.longest ?? null',
  },
  {
    name: 'a group that sets nothing about it allows permanent changes',
    file: 'src/policy/policy-file.ts',
    from: 'given.durations?.permanent ?? approval.durations.mayStay',
    to: 'given.durations?.permanent ?? true',
  },
  {
    name: 'a group that sets no channel posts its requests to the channel of the variables',
    file: 'src/policy/policy-file.ts',
    from: 'given.approvals_channel ?? outer.approvalsChannel',
    to: 'given.approvals_channel ?? null',
  },
  {
    name: 'orders follow the amounts for raises',
    file: 'src/policy/policy-file.ts',
    from: 'given.orders ?? approval.orderBands',
    to: 'given.orders ?? given.amounts ?? approval.orderBands',
  },
  {
    name: 'raises add up for 8 hours',
    file: 'src/policy/decide-action.ts',
    from: 'COUNTED_MS = 24 * 3_600_000',
    to: 'COUNTED_MS = 8 * 3_600_000',
  },
  {
    name: 'a cap counts 10 days',
    file: 'src/policy/decide-action.ts',
    from: 'CAPPED_MS = 30 *',
    to: 'CAPPED_MS = 10 *',
  },
  {
    name: 'a former holder may decide about the card after an hour',
    file: 'src/holders/link-store.ts',
    from: 'FORMER_HOLDER_MS = 24 * 3_600_000',
    to: 'FORMER_HOLDER_MS = 3_600_000',
  },
  {
    name: 'somebody who left a user group still has its roles for minutes',
    file: 'src/policy/slack-answers.ts',
    from: 'export const KNOWN_FOR_MS = 5000',
    to: 'export const KNOWN_FOR_MS = 500_000',
  },
];
