import type { Assumptions } from '../assumptions.ts';
import { toDollars } from '../money.ts';
import type { WebhookKind } from '../webhook/kind.ts';
import { type Account, type Card, currentCard } from './account.ts';
import type { SpendRules } from './spend-rules.ts';
import type { State } from './state.ts';
import type { Purchase } from './transaction.ts';

/** Work that the service does on its own later. */
export interface LaterWork {
  readonly 'process-order': { orderId: number };
  readonly 'activate-card': { acctId: number };
}

/** What the engine works on: the state, the clock, and two ways to the outside. */
export interface World {
  readonly state: State;
  readonly assume: Assumptions;
  readonly timeScale: number;
  readonly now: () => Date;
  /** Sends a webhook. Webhooks with the same order key are sent one after another. */
  readonly emit: (kind: WebhookKind, data: object, orderKey: string, url?: string) => void;
  readonly later: <K extends keyof LaterWork>(name: K, data: LaterWork[K], seconds: number) => void;
  /** Purchases of each account, oldest first. */
  readonly purchasesOf: Map<number, Purchase[]>;
  /** Purchases whose hold is open, by network transaction id. */
  readonly openHolds: Map<number, Purchase>;
  readonly purchaseById: Map<number, Purchase>;
}

/** Builds the indexes for a state that was seeded or read from a file. */
export function createWorld(
  state: State,
  outside: Pick<World, 'assume' | 'timeScale' | 'now' | 'emit' | 'later'>,
): World {
  const world: World = { state, ...outside, purchasesOf: new Map(), openHolds: new Map(), purchaseById: new Map() };
  for (const purchase of state.purchases) indexPurchase(world, purchase);
  return world;
}

/** Adds a purchase to the indexes. */
export function indexPurchase(world: World, purchase: Purchase): void {
  const own = world.purchasesOf.get(purchase.acctId);
  if (own === undefined) world.purchasesOf.set(purchase.acctId, [purchase]);
  else own.push(purchase);
  world.purchaseById.set(purchase.networkTransactionId, purchase);
  if (purchase.state === 'held') world.openHolds.set(purchase.networkTransactionId, purchase);
}

export function findAccount(world: World, acctId: number): Account | undefined {
  return world.state.accounts.find((account) => account.acctId === acctId);
}

/** The card a purchase uses: the named one, else the account's current one. */
export function cardOf(account: Account, cardId?: number): Card | undefined {
  return cardId === undefined ? currentCard(account) : account.cards.find((card) => card.cardId === cardId);
}

/** The rules in force: the ruleset's if the card has one, else its own. */
export function rulesOf(world: World, account: Account): SpendRules {
  const ruleset = world.state.rulesets.find(({ id }) => id === account.rulesetId);
  return ruleset?.spendRules ?? account.spendRules;
}

/** Takes the next number for a kind of id. */
export function takeId(world: Pick<World, 'state'>, kind: keyof State['next']): number {
  const id = world.state.next[kind];
  world.state.next[kind] += 1;
  return id;
}

/** Money of a card or of the business, in cents. */
type Money = Pick<Account, 'ledgerCents' | 'heldCents'>;

/** What can be spent now, in cents. */
export function availableCents({ ledgerCents, heldCents }: Money): number {
  return ledgerCents - heldCents;
}

/** The balances as answers and webhooks show them, in dollars. */
export function balancesOf(money: Money) {
  return { AvailableBalance: toDollars(availableCents(money)), LedgerBalance: toDollars(money.ledgerCents) };
}
