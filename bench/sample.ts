/**
 * A decline as the service sends it, about 1.2 KB. Each one is a different event.
 *
 * @param own fields that differ from the usual ones.
 */
export function declineBody(sequence: number, own: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    CallbackTime: '2026-11-20T09:14:03.5738865-05:00',
    Data: {
      NetworkTransactionId: 2_265_017 + sequence,
      TransactionId: null,
      AcctId: 7378 + (sequence % 500),
      TransactionTime: '2026-11-20T09:14:02',
      HoldTime: null,
      SettlementTime: null,
      MerchantLocalTime: '2026-11-20T08:14:02',
      AuthTransactionId: null,
      TransactionAmount: -84.1 - (sequence % 100),
      PaddingAmount: 0,
      AvailableBalance: 156,
      LedgerBalance: 156,
      TransactionType: 'NETWORK',
      Description: 'Declined',
      TransactionNotes: null,
      ReferencedTranId: null,
      ReferencedTransactionTime: null,
      MerchantName: 'BLUE BOTTLE COFFEE 0042',
      MerchantCity: 'AUSTIN',
      MerchantState: 'TX',
      MerchantZip: '787010000 ',
      MerchantCountry: 'US',
      MCCCode: '5814',
      AuthIdentityResponseCode: '',
      MerchantId: '445300000012345',
      TerminalId: '6548526 ',
      NetworkType: 'Auth',
      NetworkStatus: 'Declined',
      IsCardPresent: true,
      Message: 'Transaction exceeded daily spend limit',
      MessageCode: 'decline.rule.velocity',
      MerchantRequestedAmount: -84.1 - (sequence % 100),
      ...own,
    },
  });
}

export const CHANNEL = 'C0BENCH';
export const BOT_TOKEN = 'xoxb-bench';
export const CARD_TOKEN = 'bench-card-api-token';
export const SIGNING_SECRET = 'bench-signing-secret';
export const SHARED_SECRET = 'A1B2C3D4E5F60718293A4B5C6D7E8F90';
export const webhookHeaders: Readonly<Record<string, string>> = {
  'content-type': 'application/json; charset=utf-8',
  authorization: `Basic ${Buffer.from(SHARED_SECRET).toString('base64')}`,
  'x-service-version': '2.0.1.3',
};
