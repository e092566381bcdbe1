import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { stateKey } from '../core/keys.ts';
import { createRecordHash } from '../core/record-store.ts';
import { routingChanged } from './routing-version.ts';

/** Hours of each day, on the wall clock of a zone. */
export const QuietWindow = z.strictObject({
  /** `22:00`. */
  from: z.string(),
  /** `07:00`; not later than `from`: of the next day. `24:00` is the end of the day. */
  to: z.string(),
  /** IANA name. */
  zone: z.string(),
  /** Weekdays on which it begins, 0 is Sunday. */
  days: z.array(z.int().min(0).max(6)).min(1),
});
export type QuietWindow = z.infer<typeof QuietWindow>;

/** A channel's quiet hours: what comes then is held, and posted when they end. */
export const QuietHours = z.strictObject({
  channel: z.string(),
  window: QuietWindow,
  /** Normal form of the filter that passes all the same; null: everything is held. */
  except: z.string().nullable(),
  /** Slack user id. */
  by: z.string(),
  /** UTC ISO 8601. */
  at: z.string(),
});
export type QuietHours = z.infer<typeof QuietHours>;

export interface QuietHoursStore {
  /** Replaces what the channel had. */
  set(quiet: QuietHours): Promise<void>;
  remove(channel: string): Promise<void>;
  all(): Promise<QuietHours[]>;
}

export function createQuietHours(redis: Redis | Cluster): QuietHoursStore {
  const store = createRecordHash({ redis, schema: QuietHours, key: stateKey('quiet-hours') });
  return {
    set: (quiet) => store.put(quiet.channel, quiet, routingChanged),
    remove: (channel) => store.delete(channel, routingChanged),
    all: store.all,
  };
}
