import { serviceTime } from '../core/installation.ts';
import type { OpsIssue } from './notify-ops.ts';

/** What can go wrong with Redis and the data in it, described like the issues in `issue.ts`. */

export const redisFilling: OpsIssue = {
  cause: 'redis-filling',
  title: 'Redis is filling up',
  what: 'Redis is close to its memory limit, counting the room that waiting alerts will need.',
  means:
    'In a burst, some webhooks are refused for a moment, and the card service sends them again for about an hour. If Redis keeps filling up, all are refused.',
  todo: 'Give Redis more memory (maxmemory). See “When Redis is full” in docs/operations.md.',
  resolved: {
    what: 'Redis has room again.',
    means: 'Webhooks are accepted as usual.',
  },
};

export const redisFull: OpsIssue = {
  cause: 'redis-full',
  title: 'Redis is full: webhooks are refused',
  what: 'Redis uses as much of its memory as new webhooks may fill (REDIS_FULL_PERCENT).',
  means:
    'Webhooks get status 503, and the card service sends them again for about an hour. Alerts that were accepted are still posted, and buttons and commands work.',
  todo: 'Give Redis more memory (maxmemory) within the hour.',
  resolved: {
    what: 'Redis has room again, and webhooks are accepted.',
    means: 'What was missed in the meantime is fetched from the card service and posted as late.',
  },
};

export const dataGone: OpsIssue = {
  cause: 'data-gone',
  title: 'Redis has lost all data of Cardbell',
  what: 'Redis was emptied, or replaced by an empty one.',
  means:
    'Temporary changes no longer end by themselves. Links, subscriptions, mutes, open requests, delegates and the audit record are gone.',
  todo: 'Stop web and worker now, empty Redis and restore the latest backup (docs/backup.md). If the data is in another Redis, correct REDIS_URL. Without a backup, check the limits of the cards.',
};

/** @param takenAt when the restored backup was taken. */
export function backupRestored(takenAt: string): OpsIssue {
  return {
    cause: `restored:${takenAt}`,
    title: 'A backup was restored',
    what: `Cardbell’s data is that of ${serviceTime(takenAt)}. Missed events are fetched and posted as late.`,
    means:
      'Open requests, claims, unfinished actions and delegates that approvers named are left out: people must ask again. Temporary changes made since then no longer end by themselves.',
    todo: 'Set the limits again that no longer end: “What no longer ends by itself” in docs/backup.md says how to find them.',
  };
}

export function redisSettings(problems: readonly { what: string; todo: string }[]): OpsIssue {
  return {
    cause: `redis-settings:${problems.map(({ what }) => what).join('|')}`,
    title: 'Redis may lose data that it acknowledged',
    what: `${problems.map(({ what }) => what).join('; ')}.`,
    means: 'If Redis restarts or runs out of memory, alerts and requests may be lost.',
    todo: `On the Redis server: ${problems.map(({ todo }) => todo).join('; ')}.`,
  };
}
