import { declineBody } from './sample.ts';

/** A decline of a storm, identified by its unique amount. */
export interface StormDecline {
  readonly amountCents: number;
  readonly body: string;
}

const merchants = [
  'CLOUDHOST ONLINE',
  'NORTHWIND FUEL 0117',
  'LUMEN STREAMING',
  'PAPER & PIXEL',
  'HARBOR HOTELS',
  'METRO TRANSIT',
  'FIELD SUPPLY CO',
  'ROASTERY 42',
];

const reasons: readonly (readonly [code: string, message: string])[] = [
  ['decline.rule.velocity', 'Transaction exceeded daily spend limit'],
  ['decline.rule.velocity', 'Transaction exceeded daily spend limit'],
  ['decline.rule.velocity', 'Transaction exceeded weekly spend limit'],
  ['decline.rule.mcc', 'Unauthorized merchant category: Streaming services'],
  ['decline.rule.location', 'International transactions not allowed'],
  ['decline.balance.card', 'Transaction exceeded current card balance'],
  ['decline.card.pin', 'PIN Verification Check'],
];

/**
 * Declines of many cards at many terminals. None repeats another, and no merchant tries many cards, so each must be
 * readable on its own.
 *
 * @param acctIds accounts to spread them over.
 * @param from how many were made earlier; these are not repeated.
 */
export function stormDeclines(
  count: number,
  acctIds: readonly number[],
  firstTransactionId = 88_000_000,
  from = 0,
): StormDecline[] {
  return Array.from({ length: count }, (_, index) => {
    const i = from + index;
    const amountCents = 1_001 + i;
    const [code, message] = reasons[i % reasons.length] ?? ['decline', ''];
    const amount = -amountCents / 100;
    return {
      amountCents,
      body: declineBody(0, {
        NetworkTransactionId: firstTransactionId + i,
        AcctId: acctIds[i % acctIds.length],
        TransactionTime: `2026-11-20T09:14:${String(Math.floor((index / count) * 20)).padStart(2, '0')}`,
        TransactionAmount: amount,
        AvailableBalance: 15.5,
        LedgerBalance: 15.5,
        MerchantName: merchants[(i * 7) % merchants.length],
        MerchantId: `4453${String(i).padStart(11, '0')}`,
        IsCardPresent: i % 3 !== 0,
        Message: message,
        MessageCode: code,
        MerchantRequestedAmount: amount,
      }),
    };
  });
}
