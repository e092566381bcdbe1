import { z } from 'zod';
import { CARRIED_OUT_WITHIN_MS } from '../actions/send-change.ts';
import type { SpendRules } from '../card-api/spend-rules.ts';
import { stateKey } from '../core/keys.ts';
import { createOpenRecordStore } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import { isShownAlone, RuleWrite } from './rule-write.ts';

/** Long enough to find what a call has overwritten, also one that was carried out at the last moment. */
export const WATCHED_MS = 2 * CARRIED_OUT_WITHIN_MS;

/** No worker may run for a while. */
const KEPT_SECONDS = 24 * 3600;

/** The latest writes to an account, oldest first. */
const AccountWrites = z.strictObject({ acctId: z.int(), writes: z.array(RuleWrite) });

/** The writes of rules that a late one may overwrite. */
export type RuleWrites = ReturnType<typeof createRuleWrites>;
type NewWrite = Omit<RuleWrite, 'isMade' | 'isPending'>;

export function createRuleWrites(redis: RedisClient) {
  const store = createOpenRecordStore({
    redis,
    schema: AccountWrites,
    keyOf: (acctId) => stateKey(`rule-writes:${acctId}`),
    ttlSeconds: KEPT_SECONDS,
    openKey: stateKey('rule-writes-pending'),
    /** Open while a write may overwrite a later one. */
    orderOf({ writes }) {
      const first = writes.slice(0, -1).find(({ isPending }) => isPending);
      return first === undefined ? null : Date.parse(first.sentAt);
    },
  });
  async function change(acctId: number, next: (writes: readonly RuleWrite[]) => RuleWrite[]): Promise<RuleWrite[]> {
    const { stands } = await store.change(String(acctId), (now) => ({ acctId, writes: next(now?.writes ?? []) }));
    return stands?.writes ?? [];
  }
  const added = (writes: readonly RuleWrite[], write: RuleWrite): RuleWrite[] => [
    ...writes.filter((one) => one.isPending || Date.parse(write.sentAt) - Date.parse(one.sentAt) < WATCHED_MS),
    write,
  ];
  return {
    /** A write is about to be sent. */
    begin: (acctId: number, write: NewWrite): Promise<RuleWrite[]> =>
      change(acctId, (writes) => added(writes, { ...write, isMade: false, isPending: true })),
    /** What somebody asked for is so already, and is to stay. */
    keep: (acctId: number, write: NewWrite): Promise<RuleWrite[]> =>
      change(acctId, (writes) => added(writes, { ...write, isMade: true, isPending: false })),
    /** The latest write of this id was made. If others have followed it, it may have overwritten them. */
    made: (acctId: number, id: string): Promise<RuleWrite[]> =>
      change(acctId, (writes) => {
        const own = writes.findLastIndex((one) => one.id === id);
        const isLast = own === writes.length - 1;
        return writes.map((one, index) =>
          index === own ? { ...one, isMade: true, isPending: one.isPending && !isLast } : one,
        );
      }),
    /** The latest write of this id was certainly not made. */
    notMade: (acctId: number, id: string): Promise<RuleWrite[]> =>
      change(acctId, (writes) => {
        const own = writes.findLastIndex((one) => one.id === id);
        return writes.filter((_one, index) => index !== own);
      }),
    /**
     * @param rules the card's, as they are now. They show which writes were made. What one has overwritten has to be set again
     * first, so it is not known to have been made before.
     */
    seen: (acctId: number, rules: SpendRules): Promise<RuleWrite[]> =>
      change(acctId, (writes) =>
        writes.map((one) => ({ ...one, isMade: one.isMade || isShownAlone(one, writes, rules) })),
      ),
    /** It was made, or can no longer be made. */
    close: (acctId: number, { id, sentAt }: Pick<RuleWrite, 'id' | 'sentAt'>): Promise<RuleWrite[]> =>
      change(acctId, (writes) =>
        writes.map((one) => (one.id === id && one.sentAt === sentAt ? { ...one, isPending: false } : one)),
      ),
    /** Puts back all of an account after Redis has lost it. */
    restore: async (acctId: number, writes: readonly RuleWrite[]): Promise<void> =>
      void (await change(acctId, () => [...writes])),
    of: async (acctId: number): Promise<RuleWrite[]> => (await store.get(String(acctId)))?.writes ?? [],
    /** Accounts where a write may overwrite a later one. */
    accounts: async (): Promise<number[]> => (await store.open()).map(({ acctId }) => acctId),
  };
}
