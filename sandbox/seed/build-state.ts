import type { Assumptions } from '../assumptions.ts';
import { refund, reverse, settle } from '../engine/after-purchase.ts';
import { defaultSpendRules, holderRequest, newAccount, newCard } from '../engine/create-account.ts';
import { purchase } from '../engine/purchase.ts';
import { recordTransfer } from '../engine/transfer.ts';
import { toCents } from '../money.ts';
import type { Account, Address } from '../state/account.ts';
import type { CardRequest, State } from '../state/state.ts';
import { createWorld, takeId, type World } from '../state/world.ts';
import { applySeedRules, type SeedAccount, type SeedData, type SeedPurchase } from './seed-data.ts';

const DAY_MS = 86_400_000;

/**
 * Builds the state of a seed. Only the dates depend on the current day; ids, names and numbers are always the same.
 *
 * Past purchases run through the real engine with the clock set back, so that rows, balances and limits agree.
 */
export function buildState(seed: SeedData, assume: Assumptions, start: Date): State {
  const state: State = {
    business: {
      businessAccountId: 500_100,
      name: seed.business.name,
      status: 'OPEN',
      ledgerCents: toCents(seed.business.balance),
      heldCents: 0,
    },
    groups: seed.groups.map((group) => ({ ...group })),
    rulesets: seed.rulesets.map(({ id, name, rules }) => ({
      id,
      name,
      spendRules: applySeedRules(defaultSpendRules(), rules),
    })),
    accounts: [],
    orders: [],
    purchases: [],
    rows: [],
    transfers: [],
    tokens: [],
    next: {
      account: 610_001,
      card: 82_001,
      order: 55_201,
      network: 2_265_001,
      transaction: 2_465_657_001,
      ruleset: seed.rulesets.length + 1,
      callback: 5865,
    },
    remoteDecision: 'approve',
    virtualErrors: [],
  };
  let clock = start;
  const world = createWorld(state, { assume, timeScale: 1, now: () => clock, emit: () => {}, later: () => {} });

  for (const [index, each] of seed.accounts.entries()) {
    clock = new Date(start.getTime() - (60 + index * 7) * DAY_MS);
    addAccount(world, each, index, start);
  }
  replayHistory(world, seed, start, (at) => {
    clock = at;
  });
  return state;
}

function addAccount(world: World, seed: SeedAccount, index: number, start: Date): void {
  const request = requestOf(seed, index);
  const account = newAccount(world, 0, request);
  account.groupId = seed.group ?? null;
  account.rulesetId = seed.ruleset ?? null;
  account.spendRules = applySeedRules(account.spendRules, seed.rules);
  account.cards.length = 0;
  for (const { status, lastFour, ageDays } of seed.cards) {
    const issuedAt = ageDays === undefined ? world.now() : new Date(start.getTime() - ageDays * DAY_MS);
    const expiresOn = `${issuedAt.getUTCFullYear() + 3}-11-30`;
    const orderId = takeId(world, 'order');
    const at = issuedAt.toISOString();
    const card = newCard(world, orderId, { status, issuedAt: at, expiresOn }, lastFour);
    account.cards.push(card);
    world.state.orders.push({
      orderId,
      isVirtual: account.isVirtual,
      at,
      userName: 'program.admin',
      cards: [{ acctId: account.acctId, cardId: card.cardId, status: 'done', request, errors: [], message: '' }],
    });
  }
  if (seed.cards.every(({ status }) => status === 'CLOSED')) account.status = 'CLOSED';
  world.state.accounts.push(account);
  fundAtStart(world, account, seed);
}

/** The transfer that covers past purchases and leaves the seed's balance. */
function fundAtStart(world: World, account: Account, seed: SeedAccount): void {
  const spent = (seed.history ?? []).reduce(
    (sum, { amount, outcome }) => sum + (outcome === 'settled' || outcome === 'held' ? toCents(amount) : 0),
    0,
  );
  const cents = toCents(seed.balance) + spent;
  if (cents === 0) return;
  account.ledgerCents = cents;
  recordTransfer(world, account.acctId, cents, 'Card funding');
}

function replayHistory(world: World, seed: SeedData, start: Date, setClock: (at: Date) => void): void {
  const steps = world.state.accounts
    .flatMap((account, index) => (seed.accounts[index]?.history ?? []).map((past) => ({ past, account })))
    .sort((a, b) => b.past.daysAgo - a.past.daysAgo);
  for (const [index, { past, account }] of steps.entries()) {
    const at = new Date(start.getTime() - past.daysAgo * DAY_MS - index * 60_000);
    setClock(at);
    replay(world, past, account, () => setClock(new Date(at.getTime() + 30_000)));
  }
}

function replay(world: World, past: SeedPurchase, account: Account, later: () => void): void {
  const { NetworkTransactionId, Approved } = purchase(world, {
    AcctId: account.acctId,
    Amount: past.amount,
    MerchantName: past.merchant,
    MCCCode: past.mcc,
    IsCardPresent: past.online !== true,
    ...(past.country === undefined ? {} : { MerchantCountry: past.country }),
    ...(past.pin === true ? { Pin: 'correct' as const } : {}),
  });
  if (!Approved) throw new Error(`seed: a past purchase at ${past.merchant} was declined`);
  later();
  if (past.outcome === 'reversed') reverse(world, { NetworkTransactionId });
  if (past.outcome === 'refunded' || (past.outcome === 'settled' && past.pin !== true))
    settle(world, { NetworkTransactionId });
  if (past.outcome === 'refunded') refund(world, { NetworkTransactionId });
}

const CITIES = [
  ['Fort Worth', 'TX', '76102'],
  ['Albany', 'NY', '12207'],
  ['Portland', 'OR', '97204'],
  ['Savannah', 'GA', '31401'],
] as const;

function requestOf(seed: SeedAccount, index: number): CardRequest {
  const [FirstName, LastName] = seed.name;
  const [City, State, PostalCode] = CITIES[index % CITIES.length] ?? CITIES[0];
  const address: Address = {
    ContactName: `${FirstName} ${LastName}`,
    AddressLine1: `${100 + index * 3} Maple Street`,
    AddressLine2: '',
    City,
    State,
    PostalCode,
    Country: 'USA',
  };
  return holderRequest({
    FirstName,
    LastName,
    DateOfBirth: `19${70 + (index % 30)}-0${1 + (index % 9)}-15`,
    Phone: `202555${String(100 + index).padStart(4, '0')}`,
    ProfileAddress: address,
    GroupId: seed.group ?? null,
    RulesetId: seed.ruleset ?? null,
    CustomId: seed.customId ?? null,
    VirtualCard: seed.virtual ?? false,
    FundCardAmount: seed.balance,
  });
}
