import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { Action } from '../actions/action.ts';
import { stateKey } from '../core/keys.ts';
import { recordFormat } from '../core/record-store.ts';

const line = (most: number) => z.string().min(1).max(most);

/** An order of one virtual card. Never stored unencrypted: it holds a date of birth and an address. */
export const VirtualOrder = z.strictObject({
  firstName: line(23),
  lastName: line(23),
  /** `YYYY-MM-DD`. */
  dateOfBirth: z.string(),
  phone: line(20),
  email: line(254),
  address: z.strictObject({
    line1: line(26),
    line2: z.string().max(26),
    city: line(25),
    state: z.string(),
    postalCode: z.string(),
  }),
  /** Whole cents; 0: not funded. */
  fundCents: z.int().nonnegative(),
  groupId: z.int().positive().nullable(),
  rulesetId: z.int().positive().nullable(),
});
export type VirtualOrder = z.infer<typeof VirtualOrder>;

/**
 * Reads `04/30/1991` (month first) or `1991-04-30`.
 *
 * @returns `YYYY-MM-DD`; null for what is no day of the last 120 years.
 */
export function readBirthDate(text: string, now: Date): string | null {
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text);
  const american = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})$/.exec(text);
  const [year, month, day] = iso?.slice(1) ?? (american === null ? [] : [american[3], american[1], american[2]]);
  if (year === undefined || month === undefined || day === undefined) return null;
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const at = new Date(`${date}T00:00:00.000Z`);
  // February 30 is read as a day of March.
  if (Number.isNaN(at.getTime()) || !at.toISOString().startsWith(date)) return null;
  const years = now.getUTCFullYear() - Number(year);
  return at < now && years <= 120 ? date : null;
}

/** An order takes minutes, but retries and outages of the service can delay its webhook. */
const KEPT_SECONDS = 8 * 24 * 3600;

/** What somebody waits for: the service announces it with a webhook. */
export type Awaited =
  | { readonly kind: 'order'; readonly orderId: number }
  /** An order whose answer, and so its number, was lost: it can only be recognized by the holder's name. */
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'resend'; readonly acctId: number };

const Asked = z.strictObject({ action: Action, at: z.string() });
export type Asked = z.infer<typeof Asked>;
const format = recordFormat(Asked);

export type VirtualOrders = ReturnType<typeof createVirtualOrders>;

/** Who asked for a virtual card. Both sides write before they read, so whichever comes second finds the first. */
export function createVirtualOrders(redis: Redis | Cluster) {
  const keyOf = (awaited: Awaited): string => {
    if (awaited.kind === 'order') return stateKey(`virtual-order:${awaited.orderId}`);
    if (awaited.kind === 'resend') return stateKey(`virtual-resend:${awaited.acctId}`);
    return stateKey(`virtual-name:${fold(awaited.name)}`);
  };
  const write = async (key: string, field: string, value: string): Promise<Record<string, string>> => {
    await redis.multi().hset(key, field, value).expire(key, KEPT_SECONDS).exec();
    return await redis.hgetall(key);
  };
  return {
    /**
     * `action` waits for it.
     *
     * @returns the event that came before, if one did: of a name it may be the answer to an older order. Null for a
     * resend, which is awaited before it is asked for.
     */
    async expect(awaited: Awaited, asked: Asked): Promise<string | null> {
      const { eventId } = await write(keyOf(awaited), 'asked', format.write(asked));
      return awaited.kind === 'resend' ? null : (eventId ?? null);
    },
    /** It came. @returns who waits for it; null when nobody does, yet. */
    async arrived(awaited: Awaited, eventId: string): Promise<Asked | null> {
      const { asked } = await write(keyOf(awaited), 'eventId', eventId);
      return format.readOrNull(asked);
    },
  };
}

function fold(name: string): string {
  return name.normalize('NFKC').replaceAll(/\s+/g, ' ').trim().toLowerCase();
}
