import { z } from 'zod';
import { CARRIED_OUT_WITHIN_MS } from '../actions/send-change.ts';
import type { SpendRules } from '../card-api/spend-rules.ts';
import { stateKey } from '../core/keys.ts';
import { createOpenRecordStore } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import { mayComeLater, RuleWrite } from './rule-write.ts';

const KEPT_SECONDS = 3600;

/** The latest writes to an account, oldest first. */
const AccountWrites = z.strictObject({ acctId: z.int(), writes: z.array(RuleWrite) });

/** The writes of rules that a late one may overwrite. */
export type RuleWrites = ReturnType<typeof createRuleWrites>;

const mayOverwrite = ({ isPending }: RuleWrite, index: number, writes: readonly RuleWrite[]): boolean =>
  isPending && index < writes.length - 1;

export function createRuleWrites(redis: RedisClient) {
  const store = createOpenRecordStore({
    redis,
    schema: AccountWrites,
    keyOf: (acctId) => stateKey(`rule-writes:${acctId}`),
    ttlSeconds: KEPT_SECONDS,
    openKey: stateKey('rule-writes-pending'),
    /** Open while a write may overwrite a later one. */
    orderOf({ writes }) {
      const first = writes.find(mayOverwrite);
      return first === undefined ? null : Date.parse(first.sentAt);
    },
  });
  async function change(acctId: number, next: (writes: readonly RuleWrite[]) => RuleWrite[]): Promise<RuleWrite[]> {
    const { stands } = await store.change(String(acctId), (now) => ({ acctId, writes: next(now?.writes ?? []) }));
    return stands?.writes ?? [];
  }
  return {
    /**
     * A write is about to be sent. An earlier one that the card shows by then cannot overwrite it.
     *
     * @param rules the card's, as they were read for it.
     */
    begin: (acctId: number, rules: SpendRules, write: Omit<RuleWrite, 'isPending'>): Promise<RuleWrite[]> =>
      change(acctId, (writes) => [
        ...writes
          .filter(({ sentAt }) => Date.parse(write.sentAt) - Date.parse(sentAt) < 2 * CARRIED_OUT_WITHIN_MS)
          .map((one, _index, kept) => ({ ...one, isPending: mayComeLater(one, kept, rules) })),
        { ...write, isPending: true },
      ]),
    /** The card service has answered the latest write of this id. One that was not made leaves nothing. */
    answered: (acctId: number, id: string, wasMade: boolean): Promise<RuleWrite[]> =>
      change(acctId, (writes) => {
        const last = writes.findLastIndex((one) => one.id === id);
        return writes.flatMap((one, index) => (index !== last ? [one] : wasMade ? [{ ...one, isPending: false }] : []));
      }),
    /** It was made, or can no longer be made. */
    closed: (acctId: number, { id, sentAt }: Pick<RuleWrite, 'id' | 'sentAt'>): Promise<RuleWrite[]> =>
      change(acctId, (writes) =>
        writes.map((one) => (one.id === id && one.sentAt === sentAt ? { ...one, isPending: false } : one)),
      ),
    /** Puts back all of an account after Redis has lost it. */
    restore: async (acctId: number, writes: readonly RuleWrite[]): Promise<void> =>
      void (await change(acctId, () => [...writes])),
    of: async (acctId: number): Promise<RuleWrite[]> => (await store.get(String(acctId)))?.writes ?? [],
    /** Accounts where a write may still overwrite a later one. */
    accounts: async (): Promise<number[]> => (await store.open()).map(({ acctId }) => acctId),
  };
}
