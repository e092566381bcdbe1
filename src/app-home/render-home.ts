import type { HomeView } from '@slack/types';
import { home } from '../../templates/app-home/home.ts';
import type { OwnCardFacts } from '../../templates/app-home/home-own-cards.ts';
import type { TeamFacts } from '../../templates/app-home/home-team.ts';
import { SlackError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { KnownRoles } from '../policy/permissions.ts';
import type { HomeOpened } from './opened.ts';
import type { HomeViewers } from './viewer-store.ts';

interface Deps {
  readonly viewers: HomeViewers;
  /** What somebody may do by now. */
  readonly currentRoles: (userId: string) => Promise<KnownRoles>;
  readonly ownCards: (userId: string) => Promise<OwnCardFacts[]>;
  readonly teamFacts: (userId: string, isApprover: boolean) => Promise<TeamFacts>;
  readonly publish: (userId: string, view: HomeView) => Promise<void>;
  readonly renderHome: (userId: string) => Promise<void>;
  readonly renderHomes: (ms: number) => Promise<void>;
  readonly now: () => Date;
  readonly log: Log;
}

/** Changes come in swarms: one drawing shows them all. */
const GATHER_MS = 2000;
/** Slack takes about a hundred drawings a minute from the whole app; half of them may be these. */
const PACE_MS = 1200;

/** App Home: who looks at it, what it shows to whom, and when it is drawn anew. */
export function createHome(deps: Deps) {
  const { viewers, log } = deps;

  return {
    async open({ userId, roles, isOpening }: HomeOpened): Promise<void> {
      await viewers.see(userId, roles, isOpening);
      await deps.renderHome(userId);
    },

    /** @throws SlackError when trying again later can help. */
    async render(userId: string): Promise<void> {
      const seenWith = await viewers.rolesOf(userId);
      if (seenWith === null) return;
      // Slack does not always tell who left a group: what somebody could do when they looked proves nothing today.
      const { roles: now } = await deps.currentRoles(userId);
      const roles = seenWith.filter((role) => now.includes(role));
      const isApprover = roles.includes('approver');
      const isTeam = isApprover || roles.includes('operator');
      const [own, team] = await Promise.all([
        deps.ownCards(userId),
        isTeam ? deps.teamFacts(userId, isApprover) : null,
      ]);
      try {
        await deps.publish(userId, home({ at: deps.now().toISOString(), own, team }));
      } catch (error) {
        if (!(error instanceof SlackError) || error.retryable || error.code === 'token_dead') throw error;
        log.warn({ userId, slackError: error.slackError }, 'App Home could not be drawn');
      }
    },

    async renderAll(): Promise<void> {
      for (const userId of await viewers.all()) await deps.renderHome(userId);
    },

    /** Something that App Home shows may be different now. Costs one look where nobody has it open. */
    async changed(): Promise<void> {
      const { length } = await viewers.all();
      if (length > 0) await deps.renderHomes(Math.max(GATHER_MS, length * PACE_MS));
    },
  };
}
