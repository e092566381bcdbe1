import { randomBytes } from 'node:crypto';
import { LIMITS } from './limits.ts';

/** Target of a response URL: channel, person, and the message it came from. */
export interface ResponseTarget {
  channel: string;
  user: string;
  /** The message that was acted on, or the last one created through this URL. */
  original?: { ts: string; ephemeral: boolean };
  thread_ts?: string;
}

/** Response URLs: five uses within thirty minutes. https://docs.slack.dev/interactivity/handling-user-interaction */
export interface ResponseUrls {
  /** Creates a URL. Returns its path below the server's origin. */
  create(kind: 'commands' | 'actions', target: ResponseTarget): string;
  /** The target, or Slack's code for why there is none. Does not count as a use. */
  find(path: string): ResponseTarget | 'used_url' | 'expired_url' | 'invalid_url';
  /** Counts one use. */
  use(path: string): void;
  clear(): void;
}

/** Starts without URLs. */
export function createResponseUrls(now: () => number): ResponseUrls {
  const known = new Map<string, { target: ResponseTarget; at: number; uses: number }>();
  return {
    create(kind, target) {
      const path = `/${kind}/T0WORKSPACE/${known.size + 1}/${randomBytes(12).toString('hex')}`;
      known.set(path, { target, at: now(), uses: 0 });
      return path;
    },
    find(path) {
      const entry = known.get(path);
      if (!entry) return 'invalid_url';
      if (entry.uses >= LIMITS.responseUrlUses.max) return 'used_url';
      if (now() - entry.at > LIMITS.responseUrlAgeMs.max) return 'expired_url';
      return entry.target;
    },
    use(path) {
      const entry = known.get(path);
      if (entry) entry.uses += 1;
    },
    clear: () => known.clear(),
  };
}
