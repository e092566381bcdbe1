import type { Statement } from '../../../src/audit/audit-record.ts';
import { type Rule, ruleKey } from '../../../src/card-api/rule.ts';
import { ruleValue } from '../../../src/card-api/rule-change.ts';
import type { WithLock } from '../../../src/core/lock.ts';
import { createLog } from '../../../src/core/log.ts';
import type { DirectoryAccount } from '../../../src/directory/account.ts';
import type { Directory } from '../../../src/directory/directory.ts';
import { createLinks } from '../../../src/holders/link-store.ts';
import type { ApprovalPolicy } from '../../../src/policy/approval-policy.ts';
import { type Delegation, type Policy, sectionOf } from '../../../src/policy/policy.ts';
import { createRoles } from '../../../src/policy/roles.ts';
import { directoryOf, accountOf as readAccount } from '../directories.ts';
import { held } from '../held.ts';
import { memoryRedis } from '../memory-redis.ts';
import { acctId, createActionWorld, type PerformWorld, type WorldDeps } from '../perform-world.ts';
import { type CardService, createCardService } from './card-service.ts';
import type { Account, Facts } from './model.ts';
import type { ModelRole, Standing } from './people.ts';
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
    orderBands: upTo([500, 1], [1500, 2], [null, 3]),
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

/** Cards of this group have their own people and amounts while the policy has a section for it. */
const BOARD = 'Board';

/** Cardbell’s capabilities with a card service of three cards, in one process with its own clock. */
export interface SequenceWorld {
  readonly deps: WorldDeps;
  readonly service: CardService;
  readonly roles: ReadonlyMap<string, Set<ModelRole>>;
  /** What is on record, in order. */
  readonly audit: readonly Statement[];
  /** Actions whose change is not verified yet. */
  readonly unverified: Set<string>;
  /** Ids of the messages to people and to the approvals channel. */
  readonly told: ReadonlySet<string>;
  policy: number;
  /** Bob’s card is in a group with its own section of the policy. */
  hasBoard: boolean;
  /** Set in the policy. */
  delegations: readonly Delegation[];
  advance: PerformWorld['advance'];
  /** The externally observable facts. */
  facts(): Promise<Facts>;
  standing(): Promise<Standing>;
}

const START = Date.parse('2026-11-20T15:00:00.000Z');
const ZONE = 'America/New_York';

const dayFormat = new Intl.DateTimeFormat('sv-SE', { timeZone: ZONE });

/** The day at the card service. */
export const dayOf = (ms: number): string => dayFormat.format(ms);

export async function createSequenceWorld(policy: number): Promise<SequenceWorld> {
  let base: PerformWorld | null = null;
  const now = (): Date => base?.deps.now() ?? new Date(START);
  const redis = memoryRedis(now);
  const links = createLinks(redis, now);
  const service = createCardService(Object.values(accountOf), cardIdOf, now);
  const roles = new Map<string, Set<ModelRole>>(everybody.map((name) => [userOf(name), new Set()]));
  for (const name of ['ana', 'bob', 'cem'] as const)
    for (const role of ['approver', 'operator'] as const) roles.get(userOf(name))?.add(role);
  roles.get(userOf('olga'))?.add('operator');
  const audit: Statement[] = [];
  const unverified = new Set<string>();
  const told = new Set<string>();
  const world: Settings = { policy, hasBoard: false, delegations: [] };
  const { rolesOf } = createRoles({
    policy: () => policyOf(world, roles),
    namedDelegates: async () => (await base?.deps.delegations.all()) ?? [],
    slack: { groupMembers: async () => [], people: { of: async () => null } },
    rolesVersion: async () => null,
    isHolder: links.isHolder,
    log: createLog({ level: 'silent', process: 'test' }),
    now,
  });
  base = await createActionWorld(redis, {
    card: service.client,
    links,
    directory: directoryAt(service),
    person: async (userId) => ({
      email: emailOf(userId),
      name: null,
      isBot: false,
      isGuest: false,
      isExternal: false,
      isDeactivated: false,
    }),
    rolesOf,
    withLock: inTurn(),
    policyFor: (group) => sectionOf(policyOf(world, roles), group).approval,
    hasCardGroups: () => world.hasBoard,
    ownDelegates: () => everybody.map(userOf),
    policyDelegates: () => [],
    // Other tests cover the chain, which would take most of the time.
    audit: { append: appendTo(audit), async *read() {}, head: async () => ({ count: 0, hash: '' }) },
    notifyDirectly: async (_userId, id) => void told.add(id),
    postToApprovals: async (id) => void told.add(id),
    scheduleConfirm: async (actionId) => void unverified.add(actionId),
  });
  for (const name of ['ana', 'hugo'] as const) {
    const at = now().toISOString();
    await links.link({ acctId: accountOf[name], userId: userOf(name), provedBy: 'approver', by: userOf('cem'), at });
  }
  const { deps, advance } = base;
  return Object.assign(world, {
    deps,
    service,
    roles,
    audit,
    unverified,
    told,
    advance,
    facts: () => factsOf(deps, service),
    standing: async () => standingOf(world, roles, now().getTime(), await deps.delegations.all()),
  });
}

/** Work under one name, one after another. */
function inTurn(): WithLock {
  const last = new Map<string, Promise<unknown>>();
  return async (name, work) => {
    const before = last.get(name) ?? Promise.resolve();
    const own = before.then(() => work(held));
    const settled = own.catch(() => {});
    last.set(name, settled);
    return await own;
  };
}

/** Like the chain: the same statement about the same action is added only once. */
function appendTo(audit: Statement[]): (statement: Statement) => Promise<void> {
  const known = new Set<string>();
  return async (statement) => {
    const { at: _at, ...rest } = statement;
    const text = JSON.stringify(rest);
    if (known.has(text)) return;
    known.add(text);
    audit.push(statement);
  };
}

type Settings = Pick<SequenceWorld, 'policy' | 'hasBoard' | 'delegations'>;

/** On the board’s cards Olga approves and Bob has no say. */
function namedIn(roles: SequenceWorld['roles'], role: ModelRole, isBoard: boolean): string[] {
  if (!isBoard) return [...roles].flatMap(([userId, has]) => (has.has(role) ? [userId] : []));
  const board = role === 'approver' ? (['ana', 'olga'] as const) : (['cem'] as const);
  return board.map(userOf).filter((userId) => roles.get(userId)?.has('operator') === true);
}

/** The board’s amounts are those of another policy. */
const rulesIn = ({ policy }: Pick<Settings, 'policy'>, isBoard: boolean): ApprovalPolicy =>
  policies[(policy + Number(isBoard)) % policies.length]!;

function policyOf(world: Settings, roles: SequenceWorld['roles']): Policy {
  const section = (isBoard: boolean) => ({
    cardGroups: isBoard ? [BOARD] : [],
    approvers: { permitted: namedIn(roles, 'approver', isBoard), mentioned: [] },
    operators: { permitted: namedIn(roles, 'operator', isBoard), mentioned: [] },
    approval: rulesIn(world, isBoard),
    approvalsChannel: null,
  });
  return {
    hash: '',
    source: '',
    standard: section(false),
    groups: world.hasBoard ? [section(true)] : [],
    delegations: world.delegations,
    ownDelegates: everybody.map(userOf),
    zone: ZONE,
  };
}

/** The same for the model. */
function standingOf(
  world: Settings,
  roles: SequenceWorld['roles'],
  now: number,
  named: readonly Delegation[],
): Standing {
  const isBoard = (acctId: number | null): boolean => world.hasBoard && acctId === accountOf.bob;
  const day = dayOf(now);
  return {
    now,
    rulesOf: (acctId) => rulesIn(world, isBoard(acctId)),
    isNamed: (role, userId, acctId) => namedIn(roles, role, isBoard(acctId)).includes(userId),
    delegations: [...world.delegations, ...named].filter(({ from, until }) => from <= day && day <= until),
    hasAddressOf: (userId, acctId) => acctId === accountOf.bob && emailOf(userId) === 'bob@example.com',
  };
}

export function emailOf(userId: string): string {
  return `${userId.slice(2).toLowerCase()}@example.com`;
}

/** Only Bob’s account has an email address and a group. */
function directoryAt(service: CardService): Directory {
  const account = async (acct: number): Promise<DirectoryAccount | null> => {
    const card = cards.find((one) => accountOf[one] === acct);
    if (card === undefined) return null;
    return readAccount({
      acctId: acct,
      firstName: card,
      lastName: 'Doe',
      isVirtual: false,
      group: card === 'bob' ? BOARD : null,
      accountStatus: 'OPEN',
      email: card === 'bob' ? emailOf(userOf('bob')) : null,
      cards: [...(service.accounts.get(acct)?.cards.keys() ?? [])].map((cardId) => ({
        cardId,
        last4: '1212',
        status: null,
        seenAt: '2026-11-20T15:00:00.000Z',
      })),
    });
  };
  const findByEmail = async (email: string): Promise<DirectoryAccount[]> => {
    const all = await Promise.all(cards.map((card) => account(accountOf[card])));
    return all.filter((one) => one?.email === email).filter((one) => one !== null);
  };
  return directoryOf({ account, findByEmail });
}

async function factsOf(deps: WorldDeps, service: CardService): Promise<Facts> {
  const temporary = (await deps.temporaryChanges.all()).filter(({ state }) => state === 'open');
  const accounts: Record<number, Account> = {};
  for (const [acct, { cards: held }] of service.accounts) {
    const read = service.rulesOf(acct);
    const values: Account['rules'] = {};
    for (const rule of rules) {
      const set = temporary.flatMap((change) =>
        change.acctId === acct
          ? change.changes.flatMap(({ rule: one, from, to }) =>
              ruleKey(one) === ruleKey(rule)
                ? [{ from, to, openedAt: change.openedAt, endsMs: Date.parse(change.endsAt) }]
                : [],
            )
          : [],
      );
      const now = ruleValue(read, rule);
      const below = setBelow(now, set);
      const lasting = below.at(-1)?.from ?? (below.length > 0 ? null : now);
      values[ruleKey(rule)] = { now: asNumber(now), lasting: asNumber(lasting), ahead: aheadOf(below) };
    }
    const holder = (await deps.links.ofAccount(acct))?.userId ?? null;
    const hasFraudCase = (await deps.fraudCases.openOf(acct)) !== null;
    const status = service.statusOf(acct);
    accounts[acct] = { cards: Object.fromEntries(held), status, rules: values, holder, hasFraudCase };
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
    orderedCents: service.orderedCents(),
  };
}

type Value = number | boolean | null;

interface SetValue {
  readonly from: Value;
  readonly to: Value;
  readonly openedAt: string;
  readonly endsMs: number;
}

/** The temporary changes that a value rests on, the uppermost first. None rests on a later one. */
function setBelow(value: Value, set: readonly SetValue[]): SetValue[] {
  const last = set.findLast(({ to }) => to === value);
  if (last === undefined) return [];
  return [
    last,
    ...setBelow(
      last.from,
      set.filter((one) => one !== last && one.openedAt <= last.openedAt),
    ),
  ];
}

/** The values of a rule while its temporary changes end one after another. */
function aheadOf(below: readonly SetValue[]): Account['rules'][string]['ahead'] {
  const last = below.at(-1);
  if (last === undefined) return [];
  return below
    .toSorted((a, b) => a.endsMs - b.endsMs)
    .map(({ endsMs }) => {
      const running = below.find((one) => one.endsMs > endsMs);
      return { fromMs: endsMs, value: asNumber(running === undefined ? last.from : running.to) };
    });
}

/** Orders rule values: no limit and an allowed rule are above any amount. */
export function asNumber(value: Value): number {
  if (typeof value === 'number') return value;
  return value === false ? 0 : Number.POSITIVE_INFINITY;
}
