import { type SampleWebhook, sampleWebhook } from '../support/sample-webhook.ts';
import type { Random } from './random.ts';
import type { SentEvent } from './recording.ts';

/** An event of the card service, and the mark that identifies it. */
export interface ChaosEvent extends SentEvent {
  readonly webhook: SampleWebhook;
  /** Its card, if the card is one of the sandbox's. */
  readonly acctId: number | null;
}

const weights = {
  authorization: 18,
  decline: 22,
  repeat: 6,
  settlement: 6,
  pin: 8,
  reversal: 3,
  purchase: 5,
  'card-shipping': 6,
  'card-status': 4,
  history: 2,
  testing: 2,
  direct: 4,
  'virtual-card': 3,
  misfit: 2,
} as const;

const declines = ['decline.rule.velocity', 'decline.balance.card', 'decline.rule.location', 'decline.mcc', 'decline'];

/** The notation of a mark. Six digits, so that no mark contains another. */
export const markPattern = /K\d{6}X/g;

/** A card that is declined repeatedly at one merchant. */
interface AggregationGroup {
  readonly mark: string;
  readonly acctId: number;
  left: number;
}
const GROUPS_AT_ONCE = 4;
const TESTED_CARDS = [3, 4, 5] as const;
const HISTORY = ['INACTIVE', 'ACTIVE', 'BLOCKED', 'ACTIVE', 'CLOSED'];
const MINUTE_MS = 60_000;

export interface Events {
  next(): ChaosEvent;
  /** A decline that can be repeated. */
  first(): ChaosEvent;
  /** A decline that is never repeated, on a card meant for clicks. */
  alone(): ChaosEvent;
  isRepeated(mark: string): boolean;
  /** One more repeat of a decline. */
  repeat(mark: string): ChaosEvent | null;
}

/**
 * Creates events that differ in everything that groups alerts: each has a separate merchant, parcel or holder with its
 * mark in the name. Exceptions belong together: repeats of one decline, the steps of a purchase, the history of a card,
 * and cards that are tested at one merchant.
 *
 * @param acctIds cards whose declines people may act on.
 * @param from first serial number of marks, to keep them distinct between runs.
 * @param linked cards whose holder reads direct messages.
 */
export function createEvents(random: Random, acctIds: readonly number[], linked: readonly number[], from = 0): Events {
  let serial = from;
  let transactions = from * 10;
  const groups: AggregationGroup[] = [];
  const groupOf = new Map<string, AggregationGroup>();
  /** The later events of groups. */
  const later: ChaosEvent[] = [];

  return {
    next() {
      const waiting = later.length > 0 && random.next() < 0.4 ? later.shift() : undefined;
      return waiting ?? fresh();
    },
    first: () => repeatOf(createGroup(nextMark())),
    alone() {
      const mark = nextMark();
      const event = { kind: 'decline', mark, opening: null, acctId: null };
      return spend(random.pick(declines), event, mark, random.pick(acctIds));
    },
    isRepeated: (mark) => groupOf.has(mark),
    repeat(mark) {
      const group = groupOf.get(mark);
      return group === undefined ? null : repeatOf(group);
    },
  };

  function nextMark(): string {
    serial += 1;
    return `K${String(serial).padStart(6, '0')}X`;
  }

  function fresh(): ChaosEvent {
    const mark = nextMark();
    const kind = random.weighted(weights);
    const own = 700_000 + serial;
    const plain = { kind, mark, opening: null, acctId: null };
    switch (kind) {
      case 'card-shipping':
        return { ...plain, webhook: sampleWebhook(kind, { AcctId: own, TrackingNumber: mark, CardOrderId: own }) };
      case 'virtual-card': {
        const person = { FirstName: 'Chaos', LastName: mark, AccountId: own, VirtualCardOrderId: own };
        return { ...plain, webhook: sampleWebhook(kind, person) };
      }
      case 'card-status':
        return { ...plain, webhook: statusOf(mark, random.pick(['BLOCKED', 'ACTIVE', 'CLOSED']), new Date()) };
      case 'history': {
        const begin = Date.now() - HISTORY.length * 2 * MINUTE_MS;
        const [first, ...steps] = HISTORY.map((status, index) => ({
          ...plain,
          webhook: statusOf(mark, status, new Date(begin + index * 2 * MINUTE_MS)),
        }));
        later.push(...steps);
        return first as ChaosEvent;
      }
      case 'repeat':
        return repeatOf(groups.length < GROUPS_AT_ONCE ? createGroup(mark) : random.pick(groups));
      case 'testing': {
        const tried = random.shuffled(acctIds).slice(0, random.pick(TESTED_CARDS));
        const [first, ...others] = tried.map((acctId) => spend('decline.card.pin', plain, mark, acctId));
        later.push(...others);
        return first as ChaosEvent;
      }
      case 'purchase': {
        const acctId = random.pick(acctIds);
        const opening = spend('authorization', plain, mark, acctId);
        const after = nextMark();
        const NetworkTransactionId = JSON.parse(opening.webhook.body).Data.NetworkTransactionId as number;
        const fields = { NetworkTransactionId, AuthTransactionId: null };
        later.push(spend('settlement', { ...plain, mark: after, opening: mark }, after, acctId, fields));
        return opening;
      }
      case 'misfit': {
        const fields = { NetworkTransactionId: 400_000_000 + serial, TransactionAmount: `lots ${serial}` };
        return { ...plain, mark: null, webhook: sampleWebhook('decline', fields) };
      }
      case 'direct':
        return spend(random.pick(declines), plain, mark, random.pick(linked));
      default:
        return spend(kind === 'decline' ? random.pick(declines) : kind, plain, mark, random.pick(acctIds));
    }
  }

  function spend(
    name: string,
    event: Omit<ChaosEvent, 'webhook'>,
    merchant: string,
    AcctId: number,
    fields: Record<string, unknown> = {},
  ): ChaosEvent {
    transactions += 1;
    const NetworkTransactionId = 500_000_000 + transactions;
    const MerchantName = `Shop ${merchant}`;
    const own = { AcctId, NetworkTransactionId, AuthTransactionId: null, MerchantName, MerchantId: merchant };
    return { ...event, acctId: AcctId, webhook: sampleWebhook(name, { ...own, ...fields }) };
  }

  function createGroup(mark: string): AggregationGroup {
    const group = { mark, acctId: random.pick(acctIds), left: random.integer(2, 6) };
    groups.push(group);
    groupOf.set(mark, group);
    return group;
  }

  function repeatOf(group: AggregationGroup): ChaosEvent {
    group.left -= 1;
    if (group.left === 0) groups.splice(groups.indexOf(group), 1);
    const event = { kind: 'repeat', mark: group.mark, opening: null, acctId: group.acctId };
    return spend('decline.balance.card', event, group.mark, group.acctId);
  }
}

function statusOf(mark: string, CardStatus: string, at: Date): SampleWebhook {
  const own = 700_000 + Number(/\d+/.exec(mark)?.[0]);
  const card = {
    CardId: own,
    IssueDate: '2025-11-26T00:00:00',
    ExpirationDate: '2028-11-30T00:00:00',
    Last4CardNumber: String(own).slice(-4),
    CardStatus,
    CardOrderId: own,
  };
  const holder = { FirstName: 'Chaos', LastName: mark, AcctId: own, CustomId: '' };
  return sampleWebhook('card-status', { ...holder, CardList: [card] }, at);
}
