import { createRoles, createRolesVersion, forDisplay } from '../policy/roles.ts';
import { createSlackAnswers, type HowOld, PERSON_KNOWN_FOR_MS } from '../policy/slack-answers.ts';
import { createWhoMay } from '../policy/who-may.ts';
import type { WebBase } from './compose-web.ts';
import type { Stores } from './stores.ts';

interface Deps extends Pick<WebBase, 'policy' | 'redis' | 'slack' | 'now' | 'log'> {
  readonly links: Pick<Stores['links'], 'isHolder'>;
  readonly delegations: Pick<Stores['delegations'], 'all'>;
}

/** How old a role may be, unless its reader says otherwise, and how long a mention may wait. */
type Limits = Pick<Parameters<typeof createRoles>[0], 'knownForMs'> &
  Pick<Parameters<typeof createWhoMay>[0], 'withinMs'>;

/** Who has which role and who people are, from the policy and from Slack. */
export function composeRoles({ policy, redis, slack, links, delegations, now, log }: Deps, limits: Limits = {}) {
  const { read: rolesVersion, changed: rolesChanged } = createRolesVersion(redis);
  const people = createSlackAnswers({ what: 'person', ask: slack.person, version: rolesVersion, log });
  const common = { ...limits, policy: policy.current, namedDelegates: delegations.all, now };
  const { rolesOf } = createRoles({
    ...common,
    slack: { groupMembers: slack.groupMembers, people },
    rolesVersion,
    isHolder: links.isHolder,
    log,
  });
  /** For display and routing, never to permit anything. Omits uncertain roles. */
  const currentRoles: typeof rolesOf = (userId, options) => rolesOf(userId, { ...forDisplay, ...options });
  /** The same for what Slack knows about a person. */
  const currentPerson = (userId: string) => people.of(userId, forDisplay);
  return {
    rolesOf,
    currentRoles,
    /** What Slack knows about a person, by default at most seconds old. Null: nothing. */
    person: (userId: string, howOld: HowOld = { knownForMs: PERSON_KNOWN_FOR_MS }) => people.of(userId, howOld),
    currentPerson,
    whoMay: createWhoMay({ ...common, rolesOf: currentRoles, person: currentPerson }),
    rolesChanged,
  };
}
