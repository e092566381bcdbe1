import { parseAssumptions } from '../../../src/card-api/assumptions.ts';
import { AccountDetails } from '../../../src/card-api/schema-account.ts';
import { limitFields, readSpendRules, type SpendRules } from '../../../src/card-api/spend-rules.ts';
import { CardApiError } from '../../../src/core/errors.ts';
import type { CardStatus } from '../../../src/core/event.ts';
import { refusal } from '../card-api-errors.ts';
import type { WorldDeps } from '../perform-world.ts';

/** What happens to the answer of the next write: it was made, it was not, or it will be made later. */
export interface Lost {
  readonly how: 'made' | 'not made' | 'made later';
  /** When it is made, if later. */
  readonly afterMs: number;
  /** How many reads after it get no answer either. */
  readonly reads: number;
}

interface Account {
  /** Replaced, never mutated. */
  raw: Record<string, unknown>;
  /** Oldest first. */
  readonly cards: Map<number, CardStatus>;
}

/** A write of a job that changed something at the service. */
interface Write {
  readonly by: string | null;
  readonly acctId: number;
  readonly isLate: boolean;
}

interface LateWrite {
  readonly atMs: number;
  readonly by: string | null;
  readonly acctId: number;
  /** How many writes were made before it was sent. */
  readonly sentAfter: number;
  readonly make: () => void;
}

export type CardService = ReturnType<typeof createCardService>;

/** A card service that can lose answers, on the test's clock. */
export function createCardService(
  accountIds: readonly number[],
  cardIdOf: (acctId: number) => number,
  now: () => Date,
) {
  const accounts = new Map<number, Account>(accountIds.map((id) => [id, newAccount(cardIdOf(id))]));
  let writer: string | null = null;
  const writes: Write[] = [];
  const late: LateWrite[] = [];
  const orders = { cents: 0 };
  let lost: Lost | null = null;
  let unread = 0;
  let interruption: { left: number; readonly happens: () => Promise<void> } | null = null;

  const of = (acctId: number): Account => {
    const found = accounts.get(acctId);
    if (found === undefined) throw new Error('no such account');
    return found;
  };
  const read = async (acctId: number): Promise<Account> => {
    if (interruption !== null) interruption.left -= 1;
    if (interruption?.left === 0) {
      const { happens } = interruption;
      interruption = null;
      await happens();
    }
    if (unread === 0) return of(acctId);
    unread -= 1;
    throw noAnswer();
  };
  /** @param make returns whether it changed anything. */
  const write = (by: string | null, acctId: number, make: () => boolean): void => {
    const fate = lost;
    lost = null;
    // What happens after the write does not matter for it.
    interruption = null;
    if (fate !== null) unread = fate.reads;
    const made = (isLate: boolean) => {
      if (make()) writes.push({ by, acctId, isLate });
    };
    if (fate === null || fate.how === 'made') made(false);
    if (fate?.how === 'made later')
      late.push({ atMs: now().getTime() + fate.afterMs, by, acctId, sentAfter: writes.length, make: () => made(true) });
    if (fate !== null) throw noAnswer();
  };

  return {
    accounts,
    writes,
    /** When the next late write is made; Infinity: there is none. */
    nextLateMs: (): number => Math.min(Number.POSITIVE_INFINITY, ...late.map(({ atMs }) => atMs)),
    /** Makes the late writes that are due. @returns the actions of those that no other write to the card has followed. */
    makeLate(): string[] {
      const due = late.filter(({ atMs }) => atMs <= now().getTime());
      const alone = due.filter(
        ({ acctId, sentAfter }) => !writes.slice(sentAfter).some((one) => one.acctId === acctId),
      );
      for (const one of due) {
        late.splice(late.indexOf(one), 1);
        one.make();
      }
      return alone.map(({ by }) => by ?? '');
    },
    /** How many writes are made later. */
    lateWrites: (): number => late.length,
    /** As if the late writes were made already. @param from without the first ones. */
    async ahead<T>(from: number, look: () => Promise<T>): Promise<T> {
      const before = [...accounts].map(([id, { raw, cards }]) => ({ id, raw, cards: new Map(cards) }));
      const [count, { cents }] = [writes.length, orders];
      for (const { make } of late.slice(from)) make();
      const seen = await look();
      writes.length = count;
      orders.cents = cents;
      for (const { id, raw, cards } of before) {
        of(id).raw = raw;
        for (const [cardId, status] of cards) of(id).cards.set(cardId, status);
      }
      return seen;
    },
    /** The answer of the next write gets lost. */
    loseNext(fate: Lost): void {
      lost = fate;
    },
    /** Something happens while the card service answers a read, unless a write comes first. */
    atRead(read: number, happens: () => Promise<void>): void {
      interruption = { left: read, happens };
    },
    /** @returns whether an answer was lost. */
    loseNothing(): boolean {
      const isLost = lost === null;
      lost = null;
      interruption = null;
      unread = 0;
      return isLost;
    },
    /** Runs work whose writes are known to be this action's. */
    async writtenBy<T>(actionId: string, work: () => Promise<T>): Promise<T> {
      writer = actionId;
      try {
        return await work();
      } finally {
        writer = null;
      }
    },
    statusOf: (acctId: number): CardStatus => inUse(of(acctId)).status,
    inUseOf: (acctId: number): number => inUse(of(acctId)).cardId,
    newestOf: (acctId: number): number => Math.max(...of(acctId).cards.keys()),
    rulesOf: (acctId: number): SpendRules => rulesOf(of(acctId).raw),
    orderedCents: () => orders.cents,
    /** Someone changes the status in the admin portal. */
    setStatus: (acctId: number, status: CardStatus): void => void setStatus(of(acctId), status),
    /** Someone orders a new card in the admin portal. @param closes the old one, because it was lost. */
    replace(acctId: number, closes: boolean): void {
      const { cards } = of(acctId);
      const newest = Math.max(...cards.keys());
      // Of two new cards, the specification does not say which one a status is for.
      for (const [cardId, status] of cards) if (closes || status === 'INACTIVE') cards.set(cardId, 'CLOSED');
      cards.set(newest + 1, 'INACTIVE');
    },
    client: clientFor(() => writer),
    clientFor,
  };

  /** The calls of a job. @param by the action whose writes they are. */
  function clientFor(by: () => string | null): WorldDeps['card'] {
    return {
      getAccount: async (acctId) =>
        AccountDetails.parse({
          AccountId: acctId,
          AccountStatus: 'OPEN',
          CardList: [...(await read(acctId)).cards].map(([cardId, status]) => ({
            CardId: cardId,
            Last4CardNumber: String(cardId).slice(-4).padStart(4, '0'),
            CardStatus: status,
          })),
        }),
      setCardStatus: async (acctId, status) => write(by(), acctId, () => setStatus(of(acctId), status)),
      activateCard: async (acctId, cardId) => write(by(), acctId, () => activate(of(acctId), cardId)),
      getSpendRules: async (acctId) => {
        const { raw } = await read(acctId);
        return { rules: rulesOf(raw), raw: { ...raw } };
      },
      putSpendRules: async (acctId, raw) =>
        write(by(), acctId, () => {
          const account = of(acctId);
          if (!isOrdered(raw)) throw refusal('A shorter window is above a longer one.');
          const isChanged = JSON.stringify(account.raw) !== JSON.stringify(raw);
          account.raw = raw;
          return isChanged;
        }),
      orderVirtualCards: async ({ VirtualCards }) => {
        const ordered = VirtualCards as readonly { readonly FundCardAmount: number }[];
        write(by(), 0, () => {
          for (const { FundCardAmount } of ordered) orders.cents += Math.round(FundCardAmount * 100);
          return true;
        });
        return { virtualCardOrderId: 77, cards: 1 };
      },
      requestVirtualCardData: async () => {},
      getRemainingLimits: async (acctId) => {
        const { limits } = rulesOf((await read(acctId)).raw);
        const overall = (Object.keys(limitFields) as (keyof typeof limitFields)[]).map((period) => ({
          period,
          limitCents: limits[period],
          remainingCents: limits[period],
        }));
        return { overall: overall.filter(({ limitCents }) => limitCents !== null), categories: [] };
      },
      listAccountNetworkTransactions: async () => [],
      getCardOrder: async (cardOrderId) => ({ cardOrderId, orderedAt: null, cards: [] }),
    };
  }
}

/** The service, and its portal, reject a limit above that of a longer window. */
export function isOrdered(raw: Record<string, unknown>): boolean {
  const limits = Object.values(limitFields).flatMap((field) => (typeof raw[field] === 'number' ? [raw[field]] : []));
  return limits.every((limit, index) => index === 0 || limit >= (limits[index - 1] ?? 0));
}

function noAnswer(): CardApiError {
  const details = { operation: 'write', status: null, outcome: 'unknown', code: 'timeout', apiMessage: null } as const;
  return new CardApiError('card API did not answer in time', details);
}

function newAccount(cardId: number): Account {
  return {
    raw: {
      IsActive: true,
      DailySpendLimit: 5000,
      WeeklySpendLimit: null,
      MonthlySpendLimit: 20_000,
      YearlySpendLimit: null,
      LifetimeSpendLimit: null,
      InternationalSpendEnabled: false,
      CardNotPresentUse: false,
      MerchantCategories: [{ Id: 5812, Name: 'Restaurants' }],
    },
    cards: new Map([[cardId, 'ACTIVE']]),
  };
}

/** The service sets the status of the card in use: the newest that was activated, else the newest. CLOSED is final. */
function inUse({ cards }: Account): { readonly cardId: number; readonly status: CardStatus } {
  const open = [...cards].filter(([, status]) => status !== 'CLOSED');
  const [cardId, status] = open.findLast(([, one]) => one !== 'INACTIVE') ?? open.at(-1) ?? [...cards].at(-1)!;
  return { cardId, status };
}

function setStatus(account: Account, status: CardStatus): boolean {
  const current = inUse(account);
  if (current.status === status || current.status === 'CLOSED') return false;
  if (status === 'ACTIVE' && current.status === 'INACTIVE') return false;
  account.cards.set(current.cardId, status);
  return true;
}

/** Closes the other cards of the account. */
function activate({ cards }: Account, cardId: number): boolean {
  if (cards.get(cardId) !== 'INACTIVE') return false;
  for (const other of cards.keys()) cards.set(other, 'CLOSED');
  cards.set(cardId, 'ACTIVE');
  return true;
}

const assumptions = parseAssumptions();
const known = new WeakMap<Account['raw'], SpendRules>();

function rulesOf(raw: Account['raw']): SpendRules {
  const found = known.get(raw) ?? readSpendRules(raw, assumptions);
  if (found === null) throw new Error('no rules');
  known.set(raw, found);
  return found;
}
