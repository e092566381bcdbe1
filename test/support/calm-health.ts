import type { TeamFacts } from '../../templates/app-home/home-team.ts';

/** Nothing waits, and nothing has failed. */
export const calmHealth: TeamFacts['health'] = {
  waiting: 0,
  lagMs: 0,
  overdue: { messages: 0, ms: 0 },
  failed: 0,
  quarantined: 0,
  stuck: [],
  isCardApiAway: false,
  isOpsUnreachable: false,
  refusedToken: null,
  memory: { share: null, refusedFrom: 0.85 },
};
