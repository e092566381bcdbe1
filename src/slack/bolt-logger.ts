import bolt, { type Logger } from '@slack/bolt';
import type { Log } from '../core/log.ts';

/** Bolt's log lines as ours. What Bolt says at its debug level may hold request bodies, so that level stays shut. */
export function toBoltLogger(log: Log): Logger {
  const text = (parts: unknown[]): string =>
    parts.map((part) => (part instanceof Error ? part.message : String(part))).join(' ');
  return {
    debug: () => {},
    info: (...parts) => log.debug({ bolt: text(parts) }, 'bolt'),
    warn: (...parts) => log.warn({ bolt: text(parts) }, 'bolt'),
    error: (...parts) => log.error({ bolt: text(parts) }, 'bolt'),
    setLevel: () => {},
    getLevel: () => bolt.LogLevel.INFO,
    setName: () => {},
  };
}
