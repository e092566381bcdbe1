import { z } from 'zod';
import { ruleKeys } from '../card-api/rule-change.ts';
import { stateKey } from '../core/keys.ts';
import { createChangingRecordStore, createOpenRecordStore } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import {
  ActionState,
  type AwaitedChange,
  awaitedOf,
  type Expected,
  lateOf,
  mayFollow,
  type RefusedState,
  type ReportedState,
  type SendingState,
} from './action-state.ts';

/** A failed job is kept for 14 days and may be run again on the last day. */
const KEPT_SECONDS = 15 * 24 * 3600;

/** Longer than the job of an action tries. */
const TROUBLE_SECONDS = 3600;

/** Longer than Slack lets an answer be replaced. */
const REPLACED_SECONDS = 3600;

/** How far each action got. */
export type Progress = ReturnType<typeof createProgress>;

const openIn = (state: ActionState): AwaitedChange | null => awaitedOf(state) ?? lateOf(state);

export function createProgress(redis: RedisClient) {
  const store = createOpenRecordStore({
    redis,
    schema: ActionState,
    keyOf: (actionId) => stateKey(`progress:${actionId}`),
    ttlSeconds: KEPT_SECONDS,
    openKey: stateKey('actions-awaited'),
    orderOf(state) {
      const awaited = openIn(state);
      return awaited === null ? null : Date.parse(awaited.sentAt);
    },
  });
  return {
    read: store.get,
    /**
     * Moves to the next state if {@link mayFollow} allows it.
     *
     * @returns the current state. It differs from the given one if another worker got there first.
     */
    write: async (actionId: string, next: ActionState): Promise<ActionState> =>
      (await store.change(actionId, (current) => (mayFollow(current, next) ? next : null))).stands ?? next,
    /**
     * Moves to `sending`, or to its end, if nobody has yet. For writes that must never be sent twice or after being
     * refused or given up, not even by a process that was paused and resumes.
     *
     * @returns null when the caller may continue; otherwise the current state.
     */
    async begin(actionId: string, next: SendingState | RefusedState | ReportedState): Promise<ActionState | null> {
      const isFirst = (current: ActionState | null): boolean => current === null || current.state === 'asked';
      const { stands, isChanged } = await store.change(actionId, (current) => (isFirst(current) ? next : null));
      return isChanged ? null : stands;
    },
    /** True once for each action: its person has not been told yet that it takes longer. */
    async isFirstTrouble(actionId: string): Promise<boolean> {
      return (await redis.set(stateKey(`trouble:${actionId}`), '1', 'EX', TROUBLE_SECONDS, 'NX')) === 'OK';
    },
    /** A button of its private answer was pressed, and what that did is answered in the same place. Idempotent. */
    async answerReplaced(actionId: string): Promise<void> {
      await redis.set(stateKey(`replaced:${actionId}`), '1', 'EX', REPLACED_SECONDS);
    },
    isAnswerReplaced: async (actionId: string): Promise<boolean> =>
      (await redis.exists(stateKey(`replaced:${actionId}`))) === 1,
    /** Changes that wait for verification, or may come late. Polled regularly, so that a lost timer loses no change. */
    awaited: async (): Promise<AwaitedChange[]> =>
      (await store.open()).map(openIn).filter((awaited) => awaited !== null),
  };
}

/** Per status or rule. */
const ASKED_KEPT_MAX = 20;
/** Changes that may turn out not to have been made. The account's lock lets few of them wait at once. */
const MADE_KEPT_MAX = 6;

const AskedChange = z.strictObject({
  id: z.string(),
  verb: z.string(),
  /** UTC ISO 8601. */
  askedAt: z.string(),
  /** Slack user; absent: nobody, the end of a temporary change. */
  by: z.string().optional(),
});
type AskedChange = z.infer<typeof AskedChange>;

/** An action that changes something, or an end. */
interface Asking extends Pick<AskedChange, 'id' | 'verb' | 'askedAt'> {
  readonly actor?: { readonly userId: string };
}

/** Who changed the status and the rules of an account. The keys are `status` and those of {@link ruleKeys}. */
const AccountChanges = z.record(
  z.string(),
  z.strictObject({
    /** The latest changes, oldest first: if the last one was not made after all, the one before it is the last. */
    made: z.array(AskedChange),
    /** The latest requests that are in effect or may be, in the order in which they were performed. */
    asked: z.array(AskedChange),
  }),
);
export type AccountChanges = z.infer<typeof AccountChanges>;
type ChangesOfSubject = AccountChanges[string];
const none: ChangesOfSubject = { made: [], asked: [] };

/** Which changes count when checking whether someone else changed the same thing. @param by Slack user; absent: nobody. */
export type Counts = (verb: string, by?: string) => boolean;

/** Which action last changed a card's status or a rule, and which one was requested last. */
export type LatestChanges = ReturnType<typeof createLatestChanges>;

const timeOf = ({ askedAt }: Pick<AskedChange, 'askedAt'>): number => Date.parse(askedAt);
const subjectsOf = (expected: Expected): readonly string[] =>
  expected.kind === 'status' ? ['status'] : ruleKeys(expected.changes);
const without = (asked: readonly AskedChange[], { id }: Pick<AskedChange, 'id'>): AskedChange[] =>
  asked.filter((one) => one.id !== id);

/** Without the rest of the action. */
const stored = ({ id, verb, askedAt, actor }: Asking): AskedChange => ({ id, verb, askedAt, by: actor?.userId });

/** Adds a request to those of a subject. */
const noted = (others: readonly AskedChange[], asked: Asking): AskedChange[] =>
  [...without(others, asked), stored(asked)].slice(-ASKED_KEPT_MAX);

/** Nobody crowds out the requests of others by repeating their own. */
const withoutRepeated = (others: readonly AskedChange[], { verb, askedAt, actor }: Asking): AskedChange[] =>
  others.filter((one) => one.by !== actor?.userId || one.verb !== verb || timeOf(one) > timeOf({ askedAt }));

const withRequest = (changes: ChangesOfSubject, asked: Asking): ChangesOfSubject => ({
  ...changes,
  asked: noted(withoutRepeated(changes.asked, asked), asked),
});

const withChange = ({ made, asked: others }: ChangesOfSubject, asked: Asking): ChangesOfSubject => ({
  made: [...without(made, asked), stored(asked)].slice(-MADE_KEPT_MAX),
  asked: noted(others, asked),
});

const withoutChange = (
  { made, asked: others }: ChangesOfSubject,
  asked: Pick<AskedChange, 'id'>,
): ChangesOfSubject => ({
  made: without(made, asked),
  asked: without(others, asked),
});

const activates = (verb: string): boolean => verb === 'unblock' || verb === 'undo-block' || verb === 'activate';
const ofStatus = { kind: 'status', status: 'BLOCKED', cardId: null } as const;

const activationsIn = ({ asked }: ChangesOfSubject): AskedChange[] => asked.filter(({ verb }) => activates(verb));

const blocksIn = ({ asked }: ChangesOfSubject): AskedChange[] =>
  asked.slice(asked.findLastIndex(({ verb }) => activates(verb)) + 1);

const withoutBlocks = (changes: ChangesOfSubject): ChangesOfSubject => ({ ...changes, asked: activationsIn(changes) });

export function createLatestChanges(redis: RedisClient) {
  const store = createChangingRecordStore({
    redis,
    schema: AccountChanges,
    keyOf: (acctId: number) => stateKey(`changed:${acctId}`),
    ttlSeconds: KEPT_SECONDS,
  });
  const ofSubjects = async (acctId: number, expected: Expected): Promise<ChangesOfSubject[]> => {
    const changes = (await store.get(acctId)) ?? {};
    return subjectsOf(expected).flatMap((subject) => changes[subject] ?? []);
  };
  async function change(
    acctId: number,
    expected: Expected,
    next: (changes: ChangesOfSubject) => ChangesOfSubject,
  ): Promise<AccountChanges> {
    const { stands } = await store.change(acctId, (current) => {
      const changed = subjectsOf(expected).map((subject) => [subject, next(current?.[subject] ?? none)]);
      return { ...current, ...Object.fromEntries(changed) };
    });
    return stands ?? {};
  }
  async function changedBy(acctId: number, expected: Expected, counts: Counts = () => true): Promise<string[]> {
    const latest = (await ofSubjects(acctId, expected)).flatMap(({ made }) => made.at(-1) ?? []);
    return latest.filter(({ verb, by }) => counts(verb, by)).map(({ id }) => id);
  }
  return {
    /** Records that `id` changed it last. Earlier changes can no longer be observed. @returns all of the account. */
    changed: (acctId: number, expected: Expected, asked: Asking): Promise<AccountChanges> =>
      change(acctId, expected, (changes) => withChange(changes, asked)),
    /** It was already in effect when someone asked for it. Earlier requests must not change it any more. */
    alreadyInEffect: (acctId: number, expected: Expected, asked: Asking): Promise<AccountChanges> =>
      change(acctId, expected, (changes) => withRequest(changes, asked)),
    /** The change was certainly not made, so it must not block others, and the one before it is the last again. */
    notMade: (acctId: number, expected: Expected, asked: Pick<AskedChange, 'id'>): Promise<AccountChanges> =>
      change(acctId, expected, (changes) => withoutChange(changes, asked)),
    /** The card is active, so earlier blocks are not in effect. */
    forgetBlocks: (acctId: number): Promise<AccountChanges> => change(acctId, ofStatus, withoutBlocks),
    /** The requests for the block that is in effect, also if it was in effect by then, or may be. */
    blocksWanted: async (acctId: number) => (await ofSubjects(acctId, ofStatus)).flatMap(blocksIn),
    /** The latest requests that made the card active or may have. */
    activations: async (acctId: number) => (await ofSubjects(acctId, ofStatus)).flatMap(activationsIn),
    /** Puts back all of an account after Redis has lost it. */
    restore: async (acctId: number, changes: AccountChanges): Promise<void> =>
      void (await store.change(acctId, () => changes)),
    /** True when someone asked for a change of the same thing later and it was done first. */
    async isOvertaken(
      acctId: number,
      expected: Expected,
      { id, askedAt }: Omit<AskedChange, 'verb'>,
      counts: Counts = () => true,
    ): Promise<boolean> {
      const asked = (await ofSubjects(acctId, expected)).flatMap((changes) => changes.asked);
      return asked.some((one) => timeOf(one) > timeOf({ askedAt }) && one.id !== id && counts(one.verb, one.by));
    },
    /** The actions that last changed it or parts of it; empty: none recently. */
    changedBy,
    /**
     * True when another action has changed the same thing since.
     *
     * @param followed the actions that changed it before. `id` may have crashed before it recorded its own change.
     */
    async isSuperseded(
      acctId: number,
      expected: Expected,
      id: string,
      followed: readonly string[] = [],
      counts?: Counts,
    ): Promise<boolean> {
      const latest = await changedBy(acctId, expected, counts);
      return latest.some((changer) => changer !== id && !followed.includes(changer));
    },
  };
}
