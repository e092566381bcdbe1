import type { SandboxAccount } from '../../sandbox/server.ts';
import { type SampleWebhook, sampleWebhook } from '../support/sample-webhook.ts';
import type { Random } from './random.ts';

/** An event of the card service, and what it must be recognised by. */
export interface ChaosEvent {
  readonly webhook: SampleWebhook;
  /**
   * Stands in what people see of the event, and in nothing else; repeats of one decline have it in common. Null: it is not
   * to be seen by itself.
   */
  readonly mark: string | null;
  readonly kind: string;
}

const weights = {
  authorization: 30,
  decline: 24,
  repeat: 6,
  settlement: 14,
  pin: 9,
  reversal: 5,
  'card-shipping': 6,
  'card-status': 5,
  'virtual-card': 3,
  misfit: 2,
} as const;

const declines = ['decline.rule.velocity', 'decline.balance.card', 'decline.rule.location', 'decline.mcc', 'decline'];

/** How a mark is written; six digits, so that no mark is a part of another. */
export const markPattern = /K\d{6}X/g;

/** A card that is tried again and again at one merchant. */
interface AggregationGroup {
  readonly mark: string;
  readonly AcctId: number;
  left: number;
}
const GROUPS_AT_ONCE = 4;

/**
 * Makes events that differ in all that groups alerts: each has a merchant, a parcel or a holder of its own, and its mark
 * in that name. But for some declines, which are repeats of one another.
 */
export function createEvents(random: Random, accounts: readonly SandboxAccount[]): () => ChaosEvent {
  let serial = 0;
  const aggregationGroups: AggregationGroup[] = [];
  return function next() {
    serial += 1;
    const mark = `K${String(serial).padStart(6, '0')}X`;
    const kind = random.weighted(weights);
    const NetworkTransactionId = 500_000_000 + serial;
    const { AcctId } = random.pick(accounts);
    const own = 700_000 + serial;
    const person = { FirstName: 'Chaos', LastName: mark };
    switch (kind) {
      case 'card-shipping':
        return { kind, mark, webhook: sampleWebhook(kind, { AcctId: own, TrackingNumber: mark }) };
      case 'virtual-card':
        return { kind, mark, webhook: sampleWebhook(kind, { ...person, AccountId: own, VirtualCardOrderId: own }) };
      case 'card-status': {
        const card = {
          CardId: own,
          IssueDate: '2025-11-26T00:00:00',
          ExpirationDate: '2028-11-30T00:00:00',
          Last4CardNumber: String(own).slice(-4),
          CardStatus: random.pick(['BLOCKED', 'ACTIVE', 'CLOSED']),
          CardOrderId: own,
        };
        return { kind, mark, webhook: sampleWebhook(kind, { ...person, AcctId: own, CustomId: '', CardList: [card] }) };
      }
      case 'repeat': {
        if (aggregationGroups.length < GROUPS_AT_ONCE) {
          const left = random.integer(2, 6);
          aggregationGroups.push({ mark, AcctId, left });
        }
        const aggregationGroup = random.pick(aggregationGroups);
        aggregationGroup.left -= 1;
        if (aggregationGroup.left === 0) aggregationGroups.splice(aggregationGroups.indexOf(aggregationGroup), 1);
        const fields = {
          AcctId: aggregationGroup.AcctId,
          NetworkTransactionId,
          MerchantName: `Shop ${aggregationGroup.mark}`,
          MerchantId: aggregationGroup.mark,
        };
        return { kind, mark: aggregationGroup.mark, webhook: sampleWebhook('decline.balance.card', fields) };
      }
      case 'misfit':
        return {
          kind,
          mark: null,
          webhook: sampleWebhook('decline', { NetworkTransactionId, TransactionAmount: `lots ${serial}` }),
        };
      default: {
        const name = kind === 'decline' ? random.pick(declines) : kind;
        const fields = { AcctId, NetworkTransactionId, MerchantName: `Shop ${mark}`, MerchantId: mark };
        return { kind, mark, webhook: sampleWebhook(name, fields) };
      }
    }
  };
}
