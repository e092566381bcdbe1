import type { Log } from '../core/log.ts';
import type { RedisClient } from '../core/redis.ts';
import type { Links } from '../holders/link-store.ts';
import type { Delegations } from '../policy/delegation-store.ts';
import { createPermissions, createRolesVersion, forDisplay } from '../policy/permissions.ts';
import type { PolicySource } from '../policy/policy-source.ts';
import { createSlackAnswers, PERSON_KNOWN_FOR_MS } from '../policy/slack-answers.ts';
import type { Slack } from '../slack/client.ts';

interface Deps {
  readonly policy: PolicySource;
  readonly slack: Slack;
  readonly links: Links;
  readonly delegations: Delegations;
  readonly log: Log;
  readonly redis: RedisClient;
}

/** Who may do what by now. */
export function composeRoles({ policy, slack, links, delegations, log, redis }: Deps) {
  const { read: rolesVersion } = createRolesVersion(redis);
  const { rolesOf } = createPermissions({
    policy: policy.current,
    namedDelegates: delegations.all,
    groupMembers: slack.groupMembers,
    rolesVersion,
    isHolder: links.isHolder,
    log,
  });
  /** For what is shown and to whom, never to permit anything. A role that is not certain is left out. */
  const currentRoles: typeof rolesOf = (userId, options) => rolesOf(userId, { ...forDisplay, ...options });
  const people = createSlackAnswers({ what: 'person', ask: slack.person, version: rolesVersion, log });
  return {
    rolesOf,
    currentRoles,
    /** What Slack knows of somebody, seconds old at most; null: nothing. */
    person: (userId: string) => people.of(userId, { knownForMs: PERSON_KNOWN_FOR_MS }),
  };
}
