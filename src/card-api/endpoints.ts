import { z } from 'zod';
import { toWallClock } from '../core/service-time.ts';
import type { CardApiAssumptions } from './assumptions.ts';
import type { Retry } from './retry.ts';
import {
  AnyRecord,
  CardOrder,
  NetworkTransactionRows,
  Ruleset,
  remainingLimitsSchema,
  rowsOf,
  VirtualCardOrderPlaced,
} from './schema.ts';
import { AccountDetails, Business, CurrentToken } from './schema-account.ts';
import { readSpendRules, type SpendRulesRead, toSpendRulesBody } from './spend-rules.ts';

/** The arguments of a call as sent. */
export interface Sent {
  /** By their names in the path. */
  readonly ids?: Readonly<Record<string, number>>;
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
}

export interface Endpoint<Args extends readonly unknown[], Answer> {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Variants of the path, with `{name}` in place of an id. The next one is tried on 404 and 405. */
  readonly paths: readonly string[];
  readonly retry: Retry;
  readonly send: (...args: Args) => Sent;
  /** Null: the body does not matter. It may be empty, `{}`, `null` or a date. */
  readonly answer: z.ZodType<Answer> | null;
  /** Fields that we do not know are written back, so a number must stay one, whatever its size. */
  readonly isWrittenBack?: boolean | undefined;
}

export type Endpoints = ReturnType<typeof cardEndpoints>;

const read = <Args extends readonly unknown[], Answer>(
  path: string | readonly string[],
  send: Endpoint<Args, Answer>['send'],
  answer: z.ZodType<Answer>,
): Endpoint<Args, Answer> => ({ method: 'GET', paths: [path].flat(), retry: 'safe', send, answer });

const write = <Args extends readonly unknown[]>(
  method: 'POST' | 'PUT',
  path: string | readonly string[],
  retry: Retry,
  send: Endpoint<Args, void>['send'],
): Endpoint<Args, void> => ({ method, paths: [path].flat(), retry, send, answer: null });

const nothing = (): Sent => ({});
const ofAccount = (acctId: number): Sent => ({ ids: { acctId } });

/**
 * The calls of the card program's API that Cardbell makes, by the client's method names. Bodies use the service's own field
 * names.
 */
export function cardEndpoints(assumptions: CardApiAssumptions, timezone: string) {
  return {
    ping: { ...read(assumptions.pingPaths, nothing, z.unknown()), answer: null } satisfies Endpoint<[], void>,
    /** Until when the token works. Checked at startup. */
    getCurrentToken: read(assumptions.getCurrentTokenPaths, nothing, CurrentToken),
    /** Blocks or unblocks the account's card immediately; a webhook confirms it. */
    setCardStatus: write(
      'PUT',
      assumptions.setCardStatusPaths,
      'by-caller',
      (acctId: number, status: 'ACTIVE' | 'BLOCKED') => ({
        ids: { acctId },
        body: status === 'BLOCKED' ? assumptions.blockedBody : assumptions.activeBody,
      }),
    ),
    /** Activates one card, which permanently closes all other cards of the account. Never sent twice. */
    activateCard: write('POST', assumptions.activateCardPaths, 'by-caller', (acctId: number, cardId: number) => ({
      ids: { acctId, cardId },
    })),
    getSpendRules: {
      ...read('/Card/SpendRules/{acctId}/Advanced', ofAccount, spendRulesSchema(assumptions)),
      isWrittenBack: true,
    },
    /** Replaces all rules: `raw` from `getSpendRules`, with `applyChanges` applied. */
    putSpendRules: write(
      'PUT',
      '/Card/SpendRules/{acctId}/Advanced',
      'by-caller',
      (acctId: number, raw: AnyRecord) => ({
        ...ofAccount(acctId),
        body: toSpendRulesBody(raw, assumptions),
      }),
    ),
    getRemainingLimits: read(assumptions.getRemainingLimitsPaths, ofAccount, remainingLimitsSchema(assumptions)),
    getCardOrder: read('/Card/CardOrder/{cardOrderId}', (cardOrderId: number) => ({ ids: { cardOrderId } }), CardOrder),
    /** Orders virtual cards (`{ VirtualCards: […] }`). The cards arrive as webhooks. */
    orderVirtualCards: {
      ...write('POST', '/VirtualCard/Order', 'after-429', (order: AnyRecord) => ({ body: order })),
      answer: VirtualCardOrderPlaced,
    },
    /** Requests a virtual card's webhook again; `data` with `AcctId`. */
    requestVirtualCardData: write('POST', '/VirtualCard/Data', 'after-429', (data: AnyRecord) => ({ body: data })),
    /** The business with every account. Limited to ten calls an hour, so only the directory uses it. */
    listAccounts: read('/Details/AccountDetails', nothing, Business),
    /** One account with every card ever issued to it, without first and last name. */
    getAccount: read('/Details/AccountDetails/{acctId}', ofAccount, AccountDetails),
    /** Network transactions of one account, with the same fields as the webhooks. */
    listAccountNetworkTransactions: read(
      '/Details/{acctId}/NetworkTransactions',
      (acctId: number, period: Period) => ({ ...ofAccount(acctId), query: toServiceWindow(period, timezone) }),
      NetworkTransactionRows,
    ),
    /** Network transactions of all accounts. Used to find missed ones. */
    listNetworkTransactions: read(
      '/Details/NetworkTransactions',
      (period: Period) => ({ query: toServiceWindow(period, timezone) }),
      NetworkTransactionRows,
    ),
    listRulesets: read('/SpendingRuleset/Advanced', nothing, rowsOf(Ruleset)),
  };
}

const spendRulesSchema = (assumptions: CardApiAssumptions) =>
  AnyRecord.transform((raw, context): SpendRulesRead => {
    const rules = readSpendRules(raw, assumptions);
    if (rules !== null) return { rules, raw };
    context.addIssue({ code: 'custom', message: 'no spend rules' });
    return z.NEVER;
  });

/** A period to ask about. The service accepts at most the last twelve months. */
interface Period {
  readonly from: Date;
  readonly to: Date;
}

const TWO_HOURS_MS = 2 * 60 * 60 * 1000;

/**
 * Converts instants to the service's wall clock: `YYYY-MM-DDThh:mm:ss` in its own zone, without offset.
 *
 * Around a clock change one wall time can mean two instants, so the period is widened by up to two hours on each side:
 * the answer may contain more than requested, never less.
 */
export function toServiceWindow({ from, to }: Period, timezone: string) {
  return {
    StartDate: toWallClock(clearOfClockChange(from, timezone, -1), timezone),
    EndDate: toWallClock(clearOfClockChange(roundUp(to), timezone, 1), timezone),
  };
}

function roundUp(instant: Date): Date {
  return new Date(Math.ceil(instant.getTime() / 1000) * 1000);
}

function clearOfClockChange(instant: Date, timezone: string, direction: -1 | 1): Date {
  const before = new Date(instant.getTime() - TWO_HOURS_MS);
  const after = new Date(instant.getTime() + TWO_HOURS_MS);
  if (offsetMs(before, timezone) === offsetMs(after, timezone)) return instant;
  return direction === -1 ? before : after;
}

function offsetMs(instant: Date, timezone: string): number {
  return Date.parse(`${toWallClock(instant, timezone)}Z`) - Math.floor(instant.getTime() / 1000) * 1000;
}
