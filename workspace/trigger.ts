import { randomBytes } from 'node:crypto';
import { ApiError } from './api-error.ts';
import { LIMITS } from './limits.ts';

/** Who caused a trigger, and in which modal. */
interface TriggerOrigin {
  user: string;
  /** The modal that the person acted in. Needed by `views.push`. */
  viewId?: string;
}

/** Trigger ids: three seconds, one use. https://docs.slack.dev/surfaces/modals */
export interface Triggers {
  create(origin: TriggerOrigin): string;
  /** Uses the trigger. Throws Slack's error when it is unknown, expired or used. */
  exchange(id: string): TriggerOrigin;
  clear(): void;
}

/** Creates and checks trigger ids on the given clock, in milliseconds. */
export function createTriggers(now: () => number, ageMs = LIMITS.triggerAgeMs.max): Triggers {
  const known = new Map<string, { origin: TriggerOrigin; at: number; used: boolean }>();
  return {
    create(origin) {
      const id = `${Math.floor(now())}.${known.size + 1}.${randomBytes(16).toString('hex')}`;
      known.set(id, { origin, at: now(), used: false });
      return id;
    },
    exchange(id) {
      const trigger = known.get(id);
      if (!trigger) throw new ApiError('invalid_trigger_id');
      if (trigger.used) throw new ApiError('exchanged_trigger_id');
      if (now() - trigger.at > ageMs) throw new ApiError('expired_trigger_id');
      trigger.used = true;
      return trigger.origin;
    },
    clear: () => known.clear(),
  };
}
