import { parseAssumptions } from '../../../src/card-api/assumptions.ts';
import { type Rule, ruleKey } from '../../../src/card-api/rule.ts';
import { ruleValue } from '../../../src/card-api/rule-change.ts';
import { AccountDetails } from '../../../src/card-api/schema-account.ts';
import { limitFields, readSpendRules, type SpendRules } from '../../../src/card-api/spend-rules.ts';
import type { CardStatus } from '../../../src/core/event.ts';
import { DirectoryAccount } from '../../../src/directory/account.ts';
import type { Directory } from '../../../src/directory/directory.ts';
import { createLinks } from '../../../src/holders/link-store.ts';
import type { ApprovalPolicy } from '../../../src/policy/approval-policy.ts';
import type { Role } from '../../../src/policy/decide-action.ts';
import { memoryRedis } from '../memory-redis.ts';
import { acctId, createActionWorld, type PerformWorld, type WorldDeps } from '../perform-world.ts';
import type { Account, Facts } from './model.ts';
import { type Card, cards, everybody, type Name } from './steps.ts';

/** The alert is about Hugo’s card. */
export const accountOf: Readonly<Record<Card, number>> = { hugo: acctId, ana: acctId + 1, bob: acctId + 2 };
export const cardIdOf = (acct: number): number => acct * 10;
export const userOf = (name: Name): string => `U0${name.toUpperCase()}`;
export const category = { id: 5411, name: 'Groceries' };
export const rules: readonly Rule[] = [
  ...(['daily', 'weekly', 'monthly', 'yearly', 'lifetime'] as const).map(
    (period): Rule => ({ kind: 'limit', period, category: null }),
  ),
  { kind: 'international' },
  { kind: 'card_not_present' },
  { kind: 'category', category },
];

const noCap = { dayCents: null, monthCents: null };
const upTo = (...bands: [number | null, number][]) =>
  bands.map(([dollars, approvals]) => ({ upToCents: dollars === null ? null : dollars * 100, approvals }));
const anyTime = { longestMs: null, mayStay: true };

/** The default from the variables, one with caps and a third approver, and one without permanent changes. */
export const policies: readonly ApprovalPolicy[] = [
  {
    bands: upTo([1000, 1], [null, 2]),
    orderBands: upTo([1000, 1], [null, 2]),
    caps: { person: noCap, card: noCap, program: noCap },
    durations: anyTime,
  },
  {
    bands: upTo([500, 1], [2000, 2], [null, 3]),
    orderBands: upTo([500, 1], [null, 2]),
    caps: {
      person: { dayCents: 80_000, monthCents: 150_000 },
      card: { dayCents: 120_000, monthCents: 400_000 },
      program: { dayCents: 150_000, monthCents: 600_000 },
    },
    durations: anyTime,
  },
  {
    bands: upTo([1000, 1], [null, 2]),
    orderBands: upTo([1000, 1], [null, 2]),
    caps: { person: noCap, card: noCap, program: noCap },
    durations: { longestMs: 7 * 24 * 3_600_000, mayStay: false },
  },
];

interface Service {
  status: CardStatus;
  /** Replaced, never mutated. */
  raw: Record<string, unknown>;
}

/** Cardbell’s capabilities with a card service of three cards, in one process with its own clock. */
export interface SequenceWorld {
  readonly deps: WorldDeps;
  readonly service: ReadonlyMap<number, Service>;
  readonly roles: ReadonlyMap<string, Set<Role>>;
  policy: number;
  advance: PerformWorld['advance'];
  /** The externally observable facts. */
  facts(): Promise<Facts>;
}

const START = Date.parse('2026-11-20T15:00:00.000Z');

export async function createSequenceWorld(policy: number): Promise<SequenceWorld> {
  let base: PerformWorld | null = null;
  const now = (): Date => base?.deps.now() ?? new Date(START);
  const redis = memoryRedis(now);
  const links = createLinks(redis, () => now().getTime());
  const service = new Map(Object.values(accountOf).map((acct) => [acct, newCard()]));
  const roles = new Map<string, Set<Role>>(everybody.map((name) => [userOf(name), new Set()]));
  for (const name of ['ana', 'bob', 'cem'] as const)
    for (const role of ['approver', 'operator'] as const) roles.get(userOf(name))?.add(role);
  roles.get(userOf('olga'))?.add('operator');
  const orders = { cents: 0 };
  const world: Pick<SequenceWorld, 'policy'> = { policy };
  base = await createActionWorld(redis, {
    card: cardService(service, orders),
    links,
    directory: directoryOf(),
    person: async (userId) => ({
      email: emailOf(userId),
      name: null,
      isBot: false,
      isGuest: false,
      isExternal: false,
      isDeactivated: false,
    }),
    rolesOf: async (userId) => ({
      roles: [...(roles.get(userId) ?? []), ...((await links.isHolder(userId)) ? (['holder'] as const) : [])],
      isComplete: true,
    }),
    policyFor: () => policies[world.policy] ?? policies[0]!,
    // Other tests cover the record, which would take most of the time.
    audit: { append: async () => {}, async *read() {}, head: async () => ({ count: 0, hash: '' }) },
  });
  for (const name of ['ana', 'hugo'] as const) {
    const at = now().toISOString();
    await links.link({ acctId: accountOf[name], userId: userOf(name), provedBy: 'approver', by: userOf('cem'), at });
  }
  const { deps, advance } = base;
  return Object.assign(world, { deps, service, roles, advance, facts: () => factsOf(deps, service, orders.cents) });
}

function newCard(): Service {
  return {
    status: 'ACTIVE',
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
  };
}

const assumptions = parseAssumptions();
const known = new WeakMap<Service['raw'], SpendRules>();

function rulesOf({ raw }: Service): SpendRules {
  const found = known.get(raw) ?? readSpendRules(raw, assumptions);
  if (found === null) throw new Error('no rules');
  known.set(raw, found);
  return found;
}

function cardService(service: ReadonlyMap<number, Service>, orders: { cents: number }): WorldDeps['card'] {
  const of = (acct: number): Service => {
    const found = service.get(acct);
    if (found === undefined) throw new Error('no such account');
    return found;
  };
  return {
    getAccount: async (acct) =>
      AccountDetails.parse({
        AccountId: acct,
        AccountStatus: 'OPEN',
        CardList: [{ CardId: cardIdOf(acct), Last4CardNumber: '1212', CardStatus: of(acct).status }],
      }),
    setCardStatus: async (acct, status) => {
      of(acct).status = status;
    },
    activateCard: async (acct) => {
      of(acct).status = 'ACTIVE';
    },
    getSpendRules: async (acct) => ({ rules: rulesOf(of(acct)), raw: { ...of(acct).raw } }),
    putSpendRules: async (acct, raw) => {
      of(acct).raw = raw;
    },
    orderVirtualCards: async ({ VirtualCards }) => {
      const ordered = VirtualCards as readonly { readonly FundCardAmount: number }[];
      for (const { FundCardAmount } of ordered) orders.cents += Math.round(FundCardAmount * 100);
      return { virtualCardOrderId: 77, cards: 1 };
    },
    requestVirtualCardData: async () => {},
    getRemainingLimits: async (acct) => {
      const { limits } = rulesOf(of(acct));
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

export function emailOf(userId: string): string {
  return `${userId.slice(2).toLowerCase()}@example.com`;
}

/** Only Bob’s account has an email address. */
function directoryOf(): Directory {
  const accounts = cards.map((card) =>
    DirectoryAccount.parse({
      acctId: accountOf[card],
      firstName: card,
      lastName: 'Doe',
      namesAt: null,
      customId: null,
      isVirtual: false,
      group: null,
      accountStatus: 'OPEN',
      availableCents: null,
      email: card === 'bob' ? emailOf(userOf('bob')) : null,
      cards: [{ cardId: cardIdOf(accountOf[card]), last4: '1212', status: null, seenAt: '2026-11-20T15:00:00.000Z' }],
      detailsAt: '2026-11-20T15:00:00.000Z',
    }),
  );
  const account = async (acct: number) => accounts.find((one) => one.acctId === acct) ?? null;
  const findByEmail = async (email: string) => accounts.filter((one) => one.email === email);
  return { account, reload: account, findByEmail, status: async () => null } as unknown as Directory;
}

async function factsOf(deps: WorldDeps, service: ReadonlyMap<number, Service>, orderedCents: number): Promise<Facts> {
  const temporary = (await deps.temporaryChanges.all()).filter(({ state }) => state === 'open');
  const accounts: Record<number, Account> = {};
  for (const [acct, card] of service) {
    const read = rulesOf(card);
    const values: Account['rules'] = {};
    for (const rule of rules) {
      const set = temporary.flatMap((change) =>
        change.acctId === acct
          ? change.changes.flatMap(({ rule: one, from, to }) => (ruleKey(one) === ruleKey(rule) ? [{ from, to }] : []))
          : [],
      );
      const now = ruleValue(read, rule);
      values[ruleKey(rule)] = { now: asNumber(now), lasting: asNumber(backFrom(now, set)) };
    }
    accounts[acct] = { status: card.status, rules: values, holder: (await deps.links.ofAccount(acct))?.userId ?? null };
  }
  const mutes = (await deps.mutes.active()).map(({ id, acctId: of, kind, endsAt }) => ({
    id,
    acctId: of,
    kind,
    endsAt: Date.parse(endsAt),
  }));
  return {
    accounts,
    temporary: temporary.map(({ acctId: of, changes, endsAt }) => ({
      acctId: of,
      sets: Object.fromEntries(changes.map(({ rule, to }) => [ruleKey(rule), asNumber(to)])),
      endsAt: Date.parse(endsAt),
    })),
    mutes,
    orderedCents,
  };
}

type Value = number | boolean | null;

/** The value of a rule after all its temporary changes have ended. */
function backFrom(value: Value, set: readonly { readonly from: Value; readonly to: Value }[]): Value {
  const last = set.findLast(({ to }) => to === value);
  return last === undefined
    ? value
    : backFrom(
        last.from,
        set.filter((one) => one !== last),
      );
}

/** Orders rule values: no limit and an allowed rule are above any amount. */
export function asNumber(value: Value): number {
  if (typeof value === 'number') return value;
  return value === false ? 0 : Number.POSITIVE_INFINITY;
}
