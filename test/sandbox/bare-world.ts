import { createRouter } from '../../sandbox/api/route.ts';
import { transactionRoutes } from '../../sandbox/api/transactions.ts';
import { type Assumptions, assumptionsWith } from '../../sandbox/assumptions.ts';
import { buildState } from '../../sandbox/seed/build-state.ts';
import type { SeedData } from '../../sandbox/seed/seed-data.ts';
import { STANDARD_SEED } from '../../sandbox/seed/standard.ts';
import type { Account } from '../../sandbox/state/account.ts';
import { createWorld, type World } from '../../sandbox/state/world.ts';
import type { WebhookKind } from '../../sandbox/webhook/kind.ts';
import type { Payload } from './payload.ts';

/** A webhook emitted by the engine, before it is wrapped and sent. */
export interface Emitted {
  readonly kind: WebhookKind;
  readonly data: Payload;
}

export interface BareWorld {
  readonly world: World;
  readonly emitted: Emitted[];
  /** Sets the clock. */
  at(instant: string | Date): void;
}

/** The engine alone: without HTTP or Redis, and with a stopped clock. */
export function bareWorld(
  options: { seed?: SeedData; start?: string; timeScale?: number; assumptions?: Partial<Assumptions> } = {},
): BareWorld {
  let clock = new Date(options.start ?? '2026-03-04T17:00:00Z');
  const assume = assumptionsWith(options.assumptions);
  const emitted: Emitted[] = [];
  const world = createWorld(buildState(options.seed ?? STANDARD_SEED, assume, clock), {
    assume,
    timeScale: options.timeScale ?? 1,
    now: () => clock,
    emit: (kind, data) => void emitted.push({ kind, data }),
    later: () => {},
  });
  return {
    world,
    emitted,
    at(instant) {
      clock = new Date(instant);
    },
  };
}

/** One holder with one active card and this balance, otherwise with the defaults of a new card. */
export function oneHolder(balance = 10_000, more: Partial<SeedData['accounts'][number]> = {}): SeedData {
  return {
    business: { name: 'Test', balance: 1000 },
    groups: [{ id: 1, name: 'All' }],
    rulesets: [],
    accounts: [{ name: ['Ada', 'Test'], balance, cards: [{ status: 'ACTIVE' }], ...more }],
  };
}

/** The only account of this world. */
export function onlyAccount({ world }: BareWorld): Account {
  const [account] = world.state.accounts;
  if (account === undefined) throw new Error('the seed has no account');
  return account;
}

/** The transaction details of the only account, oldest first, in one list with the pending ones. */
export function transactionsOf(bare: BareWorld): { amount: number; isPending: boolean; description: string }[] {
  const found = createRouter(transactionRoutes)('GET', `/Details/TransactionDetails/${onlyAccount(bare).acctId}`);
  if (!('route' in found)) throw new Error('no such route');
  const now = bare.world.now().getTime();
  const day = (ms: number) => `${new Date(ms).toISOString().slice(0, 10)}T00:00:00`;
  const query = new URLSearchParams({
    StartDate: day(now - 350 * 86_400_000),
    EndDate: day(now + 2 * 86_400_000),
    IncludePendings: '1',
  });
  const { TransactionList }: Payload = found.route.answer({
    world: bare.world,
    params: found.params,
    query,
  } as never).body;
  return TransactionList.map((each: Payload) => ({
    amount: each.TransactionAmount,
    isPending: each.IsPending,
    description: each.Description,
  }));
}
