import type { Redis } from 'ioredis';
import type { Action } from '../../src/actions/action.ts';
import { createRecentDeclines } from '../../src/alerts/card-history.ts';
import type { ActionContext } from '../../src/app/action-context.ts';
import { composeVerbs } from '../../src/app/compose-verbs.ts';
import { createStores } from '../../src/app/stores.ts';
import type { DelegateAction, PreferenceAction } from '../../src/app-home/verbs.ts';
import type { AskAction } from '../../src/approvals/verbs.ts';
import { createAudit } from '../../src/audit/audit.ts';
import type { AuditRecord } from '../../src/audit/audit-record.ts';
import { parseAssumptions } from '../../src/card-api/assumptions.ts';
import { AccountDetails } from '../../src/card-api/schema-account.ts';
import { applyChanges, readSpendRules } from '../../src/card-api/spend-rules.ts';
import type { CardStatus } from '../../src/core/event.ts';
import { createLock } from '../../src/core/lock.ts';
import { createLog } from '../../src/core/log.ts';
import { createSeals } from '../../src/core/seal.ts';
import type { DigestAction } from '../../src/digests/verbs.ts';
import { toCardFacts } from '../../src/directory/account.ts';
import { type ActionOf, isAsHolder, type Verb, type VerbAction, verbs } from '../../src/dispatch/verbs.ts';
import { type ChangeRequest, durationOf } from '../../src/limits/change-request.ts';
import { createFitsMerchant } from '../../src/limits/merchant-fit.ts';
import { approvalPolicyOf } from '../../src/policy/approval-policy.ts';
import type { Role } from '../../src/policy/decide-action.ts';
import { createHeldUntil } from '../../src/routing/held-until.ts';
import type { Message } from '../../src/slack/message.ts';
import type { WarningsAction } from '../../src/warnings/verbs.ts';
import { toMissedTransaction } from '../../src/webhooks/transaction.ts';
import { card, declined } from '../templates/fixtures.ts';
import { directoryOf } from './directories.ts';
import { withoutLock } from './held.ts';
import { storeSigner } from './store-signer.ts';

export const acctId = card.acctId ?? 0;
export const cardId = card.cardId ?? 0;

/** The policy recorded with every entry. */
export const policyOnRecord = { version: 'pol_1', words: 'approvers (U0OLGA): everything' };

// Shared by the thousands of worlds.
const delegationSeal = createSeals('xoxb-test').delegation;
const log = createLog({ level: 'silent', process: 'test' });

/** The dependencies of the capabilities, each replaceable by a test. */
export interface WorldDeps extends Omit<ActionContext, 'factsOf'> {
  readonly toFacts: typeof toCardFacts;
  /** Whether this is the last attempt of the job. */
  readonly isLastAttempt: boolean;
}

export function contextOf(deps: WorldDeps): ActionContext {
  return { ...deps, factsOf: async (acct, which) => deps.toFacts(acct, await deps.directory.account(acct), which) };
}

const composed = new WeakMap<WorldDeps, ReturnType<typeof composeVerbs>>();

/** The real composition over these dependencies, created once as in a process. */
export function verbsOf(deps: WorldDeps): ReturnType<typeof composeVerbs> {
  const verbs = composed.get(deps) ?? composeVerbs(contextOf(deps));
  composed.set(deps, verbs);
  return verbs;
}

/** Roles from each person's last action. Everyone else is an operator and an approver. All hold some card. */
const knownRoles = new Map<string, readonly Role[]>();

export function performAction(action: VerbAction, deps: WorldDeps): Promise<void> {
  knownRoles.set(action.actor.userId, action.roles);
  return verbsOf(deps).performAction(action, { isLast: deps.isLastAttempt });
}

export function verifyAction(actionId: string, deps: WorldDeps): Promise<number | null> {
  return verbsOf(deps).verifyAction(actionId);
}

export function endTemporaryChange(temporaryChangeId: string, deps: WorldDeps): Promise<number | null> {
  return verbsOf(deps).endTemporaryChange(temporaryChangeId);
}

/** The card service and Slack as seen by one action, recording every effect. All stores are on a Redis. */
export interface PerformWorld {
  readonly deps: WorldDeps;
  /** The card at the card service. */
  readonly service: { status: CardStatus; rules: Record<string, unknown> };
  /** Writes that reached the service in order, including those that changed nothing. */
  readonly writes: string[];
  readonly answers: Message[];
  /** Direct messages to people, once for each id. */
  readonly direct: Message[];
  readonly auditLines: string[];
  readonly opsIssues: string[];
  /** Ids of alerts announced by an action. */
  readonly announced: string[];
  /** Advances the clock. */
  advance(ms: number): void;
  /** Each shown state of the alert, with its latest outcome. */
  readonly shown: { state: string; confirmation: string | undefined }[];
  /** The audit entries in order. */
  records(): Promise<AuditRecord[]>;
  /** The events of the audit entries in order. */
  stations(): Promise<AuditRecord['event'][]>;
}

export async function createActionWorld(redis: Redis, over: Partial<WorldDeps> = {}): Promise<PerformWorld> {
  // Roles from the previous test, because test files share a process.
  knownRoles.clear();
  const service = {
    status: 'ACTIVE' as CardStatus,
    rules: { IsActive: true, DailySpendLimit: 400, WeeklySpendLimit: null, MonthlySpendLimit: 2000 } as Record<
      string,
      unknown
    >,
  };
  const writes: string[] = [];
  const answers: Message[] = [];
  const direct: Message[] = [];
  const directIds = new Set<string>();
  const auditLines = new Set<string>();
  const opsIssues = new Set<string>();
  const announced = new Set<string>();
  const shown: PerformWorld['shown'] = [];
  let nowMs = Date.parse('2026-11-20T15:00:00.000Z');
  const now = (): Date => new Date(nowMs);
  const stores = createStores(redis, {
    stored: () => storeSigner,
    control: storeSigner,
    delegation: delegationSeal,
    withLock: createLock(redis),
    now,
  });
  const { alerts, trackedMessages } = stores;
  const audit = createAudit({
    redis,
    sign: () => '',
    inForce: () => ({ twoPersonAboveCents: 100_000, policy: policyOnRecord }),
  });
  const assumptions = parseAssumptions();
  await alerts.save(declined('decline.rule.velocity', 'Transaction exceeded daily spend limit'));
  const subject = { kind: 'alert', id: 'evt_0123456789abcdef' } as const;
  await trackedMessages.add({ channel: 'C1', ts: '1.1' }, [{ subject, audience: 'team', threadId: null }]);

  const deps: WorldDeps = {
    ...stores,
    recentDeclines: createRecentDeclines(stores.history, alerts),
    heldUntil: createHeldUntil({ ...stores, now }),
    durationOf,
    card: {
      getAccount: async () =>
        AccountDetails.parse({
          AccountId: acctId,
          AccountStatus: 'OPEN',
          CardList: [{ CardId: cardId, Last4CardNumber: '1212', CardStatus: service.status }],
        }),
      setCardStatus: async (_acctId, status) => {
        writes.push(`status ${status}`);
        service.status = status;
      },
      activateCard: async () => {
        writes.push('activate');
        service.status = 'ACTIVE';
      },
      getSpendRules: async () => {
        const rules = readSpendRules(service.rules, assumptions);
        if (rules === null) throw new Error('no rules');
        return { rules, raw: { ...service.rules } };
      },
      putSpendRules: async (_acctId, raw) => {
        writes.push(`limit ${String(raw['DailySpendLimit'])}`);
        service.rules = raw;
      },
      orderVirtualCards: async () => {
        writes.push('order');
        return { virtualCardOrderId: 77, cards: 1 };
      },
      requestVirtualCardData: async () => void writes.push('resend'),
      getRemainingLimits: async () => ({ overall: [], categories: [] }),
      listAccountNetworkTransactions: async () => [],
      getCardOrder: async (cardOrderId) => ({ cardOrderId, orderedAt: null, cards: [] }),
    },
    directory: directoryOf(),
    toFacts: (id, account, which) => ({ ...toCardFacts(id, account, which), holder: 'Jane Doe' }),
    activationRefusedHours: assumptions.activationRefusedHours,
    statusRefusedTexts: assumptions.statusRefusedTexts,
    virtualCardWithinMs: assumptions.virtualCardWithinMinutes * 60_000,
    isDelivered: async () => true,
    applyChanges: (raw, goals) => applyChanges(raw, goals, assumptions),
    checkPurchase: async () => ({ state: 'unknown' }),
    rolesOf: async (userId) => {
      const roles = knownRoles.get(userId) ?? bothRoles;
      return { roles: roles.length === 0 ? [] : [...new Set<Role>([...roles, 'holder'])], isComplete: true };
    },
    whoMay: async () => [],
    nameRuleset: async (known) => known,
    scheduleRefusals: async () => {},
    unseal: (sealed) => sealed,
    person: async () => null,
    ownDelegates: () => [],
    policyDelegates: () => [],
    announce: async (alert) => {
      await alerts.save(alert);
      announced.add(alert.event.id);
    },
    holdAsQuiet: async () => 0,
    defaultChannel: () => null,
    zone: 'America/New_York',
    channelInfo: async () => ({
      name: 'cards',
      isArchived: false,
      isPrivate: false,
      isExtShared: false,
      isMember: true,
    }),
    openDirect: async (userId) => `D${userId.slice(1)}`,
    timesDelivered: async () => 1,
    permalink: async () => null,
    visibilityOf: async () => 'private',
    toMissed: (row) => toMissedTransaction(row, { zone: 'America/New_York', receivedAt: now().toISOString() }),
    scheduleMuteEnd: async () => {},
    postNotice: async () => {},
    postDigest: async (_channel, _id, _asked, recorded) => await recorded('daily digest of 0 declines'),
    opsChannel: 'C0OPS',
    warningChannels: { 'expiring-cards': 'C0STATUS', 'failing-subscriptions': 'C1', 'low-balance': 'C1' },
    isBalanceWatched: true,
    toInstant: () => null,
    audit,
    momentOf: () => null,
    enqueueRecovery: async () => {},
    withLock: withoutLock,
    async answer({ id, origin }, message) {
      if (origin.isDirect !== true || !directIds.has(id)) answers.push(message);
      if (origin.isDirect === true) directIds.add(id);
    },
    alertLink: async () => null,
    requestLink: async () => null,
    updateAlert: async (alertId) => {
      const last = (await alerts.get(alertId))?.outcomes.at(-1);
      shown.push({ state: last?.state ?? '', confirmation: last?.confirmation });
    },
    postRequest: async () => {},
    updateRequest: async () => {},
    cardChanged: async () => {},
    endTemporaryChangeNow: async () => {},
    fitsMerchant: createFitsMerchant({}),
    postClaim: async () => {},
    updateClaim: async () => {},
    scheduleClaimEnd: async () => {},
    async notifyDirectly(_userId, id, message) {
      if (!directIds.has(id)) direct.push(message);
      directIds.add(id);
    },
    postAuditLine: async (id) => void auditLines.add(id),
    scheduleTemporaryChangeEnd: async () => {},
    postTemporaryChange: async () => {},
    updateTemporaryChange: async () => {},
    postToApprovals: async () => {},
    postToOps: async () => {},
    updateForm: async () => {},
    scheduleAgeRequest: async () => {},
    scheduleUndoEnd: async () => {},
    scheduleConfirm: async () => {},
    notifyOps: async ({ cause }) => void opsIssues.add(cause),
    policyFor: () => approvalPolicyOf({ twoPersonAboveCents: 100_000 }),
    hasCardGroups: () => false,
    now,
    // Temporary changes end when a test says so.
    timeLeft: async () => 0,
    log,
    isLastAttempt: false,
    ...over,
  };
  return {
    deps,
    service,
    writes,
    answers,
    direct,
    get auditLines() {
      return [...auditLines];
    },
    get announced() {
      return [...announced];
    },
    get opsIssues() {
      return [...opsIssues];
    },
    shown,
    advance(ms) {
      nowMs += ms;
    },
    records,
    stations: async () => (await records()).map(({ event }) => event),
  };

  async function records(): Promise<AuditRecord[]> {
    const found: AuditRecord[] = [];
    for await (const { record } of audit.read()) if (record !== null) found.push(record);
    return found;
  }
}

/** A virtual card from its order form. Nothing is sealed in this world. */
export const virtualOrder = {
  kind: 'order',
  sealed: JSON.stringify({
    firstName: 'Vera',
    lastName: 'Nova',
    dateOfBirth: '1991-04-30',
    phone: '512-555-0142',
    email: 'holder@example.com',
    address: { line1: '1 Main Street', line2: '', city: 'Austin', state: 'TX', postalCode: '78701' },
    fundCents: 2500,
    groupId: null,
    rulesetId: null,
  }),
} as const;

/** An action as described by a test. Fields that its verb does not accept are dropped. */
export interface Over extends Partial<Action> {
  readonly changeRequest?: ChangeRequest | null;
  readonly approve?: boolean;
  readonly restore?: boolean;
  readonly isFraud?: true | undefined;
  readonly kinds?: WarningsAction['kinds'];
  readonly isOn?: boolean;
  readonly isLong?: boolean;
  readonly asked?: string;
  readonly acctIds?: readonly number[];
  readonly names?: readonly string[];
  readonly last4s?: readonly (string | null)[] | undefined;
  readonly subject?: string;
  readonly ask?: AskAction['ask'];
  readonly confirmed?: boolean;
  readonly closes?: readonly number[] | undefined;
  readonly closesActive?: readonly number[] | undefined;
  readonly details?: string;
  readonly wanted?: DigestAction['wanted'];
  readonly preference?: PreferenceAction['preference'];
  readonly delegate?: DelegateAction['delegate'] | null;
}

const toFourFifty: ChangeRequest = {
  goals: [{ rule: { kind: 'limit', period: 'daily', category: null }, to: 45_000 }],
  term: { kind: 'permanent' },
};

const bothRoles: Role[] = ['operator', 'approver'];

/** An action of a person with permission: a button on the alert, or without `alertId` a command. */
export function ask<V extends Verb>(verb: V, over: Over = {}): ActionOf<V> {
  const { action: schema } = verbs[verb];
  const roles = over.roles ?? bothRoles;
  const given = {
    id: `act_${verb.replaceAll(/[^a-z]/g, '')}1`,
    verb,
    target: { kind: 'alert', alertId: 'evt_0123456789abcdef' },
    changeRequest: verb === 'decide' ? null : toFourFifty,
    reason: '',
    confirmed: false,
    approve: false,
    restore: false,
    details: '',
    ask: { amountCents: 50_000, term: { kind: 'permanent' } },
    subject: 'U0HUGO',
    wanted: { kind: 'off' },
    actor: { userId: 'U0OLGA', teamId: 'T1' },
    roles,
    asHolder: isAsHolder(verb, roles),
    origin: { kind: 'button', channel: 'C1', messageTs: '1.1', reply: null, replace: false },
    askedAt: '2026-11-20T15:00:00.000Z',
    ...over,
  };
  const taken = Object.entries(given).filter(([name]) => Object.hasOwn(schema.shape, name));
  return schema.parse(Object.fromEntries(taken)) as ActionOf<V>;
}

export const byCommand = {
  target: { kind: 'card', acctId, cardId, alertId: null },
  origin: { kind: 'command', channel: 'C1', messageTs: null, reply: null, replace: false },
} as const;
