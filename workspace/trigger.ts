import { randomBytes } from 'node:crypto';
import { ApiError } from './api-error.ts';
import { LIMITS } from './limits.ts';

/** Who caused a trigger, and in which modal. */
export interface TriggerOrigin {
  user: string;
  /** The modal that was open when the person acted in it; `views.push` needs it. */
  viewId?: string;
}

/** Trigger ids: three seconds, one use. https://docs.slack.dev/surfaces/modals */
export interface Triggers {
  create(origin: TriggerOrigin): string;
  /** Takes the trigger; throws what Slack answers when it is unknown, late or used. */
  exchange(id: string): TriggerOrigin;
  clear(): void;
}

/** A keeper of trigger ids on the given clock, in milliseconds. */
export function createTriggers(now: () => number): Triggers {
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
      if (now() - trigger.at > LIMITS.triggerAgeMs.max) throw new ApiError('expired_trigger_id');
      trigger.used = true;
      return trigger.origin;
    },
    clear: () => known.clear(),
  };
}
