import type { Log } from '../core/log.ts';
import type { WebhookContext } from './payload.ts';

/** Logs what is ignored in webhooks, each cause once per process: every webhook may have it. */
export function createIgnoredLog(log: Log): NonNullable<WebhookContext['onIgnored']> {
  const logged = new Set<string>();

  return (issues) => {
    for (const what of issues) {
      if (logged.has(what)) continue;
      logged.add(what);
      log.warn({ what }, 'a field of a webhook cannot be read and counts as not given');
    }
  };
}
