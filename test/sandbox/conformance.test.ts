import { describe, expect, it } from 'vitest';
import { createRouter } from '../../sandbox/api/route.ts';
import { REMOVED, ROUTES } from '../../sandbox/api/routes.ts';
import { DECLINE_CODES } from '../../sandbox/webhook/decline-code.ts';
import {
  CardListEntry,
  CardShippingData,
  CardStatusData,
  NetworkData,
  VirtualCardData,
} from '../../sandbox/webhook/schema.ts';
import { ENDPOINT_ROWS, REMOVED_ROWS } from '../spec-coverage/sandbox-rows.ts';

/** A second copy of the specification's field tables, to detect mistakes in the schema. */
const FIELDS: readonly (readonly [name: string, shape: object, fields: string])[] = [
  [
    'network transaction',
    NetworkData.shape,
    `NetworkTransactionId TransactionId AcctId TransactionTime HoldTime SettlementTime MerchantLocalTime AuthTransactionId TransactionAmount
     PaddingAmount AvailableBalance LedgerBalance TransactionType Description TransactionNotes ReferencedTranId ReferencedTransactionTime
     MerchantName MerchantCity MerchantState MerchantZip MerchantCountry MCCCode AuthIdentityResponseCode MerchantId TerminalId NetworkType
     NetworkStatus IsCardPresent Message MessageCode MerchantRequestedAmount`,
  ],
  ['card status', CardStatusData.shape, 'AcctId TransactionType Description FirstName LastName CustomId CardList'],
  ['card list entry', CardListEntry.shape, 'CardId IssueDate ExpirationDate Last4CardNumber CardStatus CardOrderId'],
  [
    'card shipping',
    CardShippingData.shape,
    'AcctId TransactionType Description TrackingNumber ShippingMethod Last4CardNumber CardOrderId',
  ],
  [
    'virtual card',
    VirtualCardData.shape,
    `AccountId AccountNumber FirstName LastName CardNumber ExpirationDate CVV2 Status Balance VirtualCardOrderId OrderDateTime Errors Message`,
  ],
];

describe('conformance', () => {
  it.each(FIELDS)('the %s payload has exactly the fields of the specification', (_name, shape, fields) => {
    expect(Object.keys(shape).sort()).toEqual(fields.split(/\s+/).sort());
  });

  it.each(ENDPOINT_ROWS)('serves %s', (row) => {
    const [method = '', path = ''] = row.split(' ');

    const found = createRouter(ROUTES)(method, path.replace(/\{\w+\}/g, '123'));

    expect('route' in found && !REMOVED.some(([, removed]) => removed === found.route.path)).toBe(true);
  });

  it.each(REMOVED_ROWS)('treats %s as removed', (row) => {
    expect(REMOVED.map(([method, path]) => `${method} ${path}`)).toContain(row);
  });

  it('has the twelve decline codes with the messages of the specification', () => {
    expect(DECLINE_CODES.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'decline.rule.location: International transactions not allowed',
      'decline.rule.cardnotpresent: Card not present',
      'decline.rule.velocity: Transaction exceeded daily spend limit',
      'decline.rule.velocity.mcc: Transaction exceeded merchant category limit',
      'decline.rule.mcc: Unauthorized merchant category: Hardware Stores',
      'decline.balance.business: Insufficient balance in service account',
      'decline.remote: Remote service decline',
      'decline.mcc: Transaction type not allowed',
      'decline.balance.card: Transaction exceeded current card balance',
      'decline.card.status: New Card Pending Activation',
      'decline.card.pin: PIN Verification Check',
      'decline: Do not honor',
    ]);
  });
});
