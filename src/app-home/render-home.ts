import type { HomeView } from '@slack/types';
import type { DelegateFacts } from '../../templates/app-home/delegate.ts';
import { home } from '../../templates/app-home/home.ts';
import type { HealthFacts } from '../../templates/app-home/home-health.ts';
import { CARDS_SHOWN, type OwnCardFacts } from '../../templates/app-home/home-own-cards.ts';
import type { TeamFacts } from '../../templates/app-home/home-team.ts';
import type { WaitingRequest } from '../../templates/app-home/home-waiting.ts';
import type { PreferenceFacts } from '../../templates/app-home/preferences.ts';
import { SlackError } from '../core/errors.ts';
import { joinCalls } from '../core/join-calls.ts';
import type { Log } from '../core/log.ts';
import { type HealthDeps, readHealth } from '../ops/health.ts';
import { listStuck } from '../ops/stuck.ts';
import type { Outbox } from '../outbox/outbox-store.ts';
import { readOverdue } from '../outbox/overdue.ts';
import { type KnownRoles, mayHaveMoreRoles } from '../policy/roles.ts';
import type { WhichCards } from './home-facts.ts';
import type { ListPage } from './home-page.ts';
import type { HomeOpened, HomeViewers } from './viewer-store.ts';

/** What App Home shows to a person. */
interface Facts {
  /** @param which `openedMs`: what was read of them before is too old. */
  readonly ownCards: (
    userId: string,
    which: WhichCards & { readonly openedMs: number },
  ) => Promise<ListPage<OwnCardFacts>>;
  readonly ownRequests: (userId: string) => Promise<WaitingRequest[]>;
  readonly preferencesOf: (userId: string) => Promise<PreferenceFacts>;
  readonly delegateOf: (userId: string) => Promise<DelegateFacts>;
  readonly teamFacts: (viewer: { readonly userId: string; readonly isApprover: boolean }) => Promise<TeamFacts>;
}

interface Deps {
  readonly viewers: HomeViewers;
  readonly currentRoles: (userId: string) => Promise<KnownRoles>;
  readonly facts: Facts;
  readonly page: {
    /** False while the person looks at another card program. */
    readonly isShown: (userId: string) => Promise<boolean>;
    readonly publish: (userId: string, view: HomeView) => Promise<void>;
  };
  /** Audits that someone opened App Home. Idempotent. */
  readonly recordOpening: (opened: HomeOpened) => Promise<void>;
  readonly enqueue: {
    readonly renderHome: (userId: string) => Promise<void>;
    readonly renderAll: (delayMs: number) => Promise<void>;
  };
  readonly now: () => Date;
  readonly log: Log;
}

/** Changes come in bursts. One rendering shows them all. */
const COLLECT_MS = 2000;
/** Slack accepts about a hundred views per minute from the app. App Home may use half of that. */
const RENDER_EVERY_MS = 1200;

/** App Home: who has it open, what each person sees, and when it is rendered again. */
export function createHome(deps: Deps) {
  const { viewers, facts, enqueue, log } = deps;

  return {
    async open(opened: HomeOpened): Promise<void> {
      if (opened.isOpening) {
        await deps.recordOpening(opened);
        await viewers.see(opened);
      }
      await enqueue.renderHome(opened.userId);
    },

    /** @throws SlackError when a retry can help. */
    async render(userId: string): Promise<void> {
      const viewer = await viewers.viewer(userId);
      if (viewer === null || !(await deps.page.isShown(userId))) return;
      const { pages, openedMs } = viewer;
      const known = await deps.currentRoles(userId);
      const { roles } = known;
      const isUnsure = mayHaveMoreRoles(known);
      const isApprover = roles.includes('approver');
      const isTeam = isApprover || roles.includes('operator');
      const [own, ownRequests, preferences, delegate, team] = await Promise.all([
        facts.ownCards(userId, { page: pages.cards ?? 1, perPage: CARDS_SHOWN[isTeam ? 'ofTeam' : 'own'], openedMs }),
        facts.ownRequests(userId),
        facts.preferencesOf(userId),
        facts.delegateOf(userId),
        isTeam ? facts.teamFacts({ userId, isApprover }) : null,
      ]);
      try {
        await deps.page.publish(
          userId,
          home({ at: deps.now().toISOString(), own, ownRequests, preferences, team, delegate, pages, isUnsure }),
        );
      } catch (error) {
        if (!(error instanceof SlackError) || error.retryable || error.code === 'app_refused') throw error;
        log.warn({ userId, slackError: error.slackError }, 'could not publish App Home');
      }
    },

    async renderAll(): Promise<void> {
      for (const userId of await viewers.all()) await enqueue.renderHome(userId);
    },

    /** Something that App Home shows may have changed. Costs one read of Redis when nobody has it open. */
    changed: joinCalls<void>(async () => {
      const { length } = await viewers.all();
      if (length > 0) await enqueue.renderAll(Math.max(COLLECT_MS, length * RENDER_EVERY_MS));
    }),
  };
}

/** Per kind and queue. The page shows the newest overall. */
const STUCK_MAX = 6;

/** Cardbell's own health, as App Home shows it. */
export async function homeHealthFacts(
  deps: HealthDeps &
    Parameters<typeof listStuck>[0] & {
      /** The share of Redis memory at which webhooks are refused. */
      readonly refusedFrom: number;
      /** The variable with the card service's token. */
      readonly tokenVariable: string;
      readonly outbox: Pick<Outbox, 'channels' | 'waiting' | 'dueAt'>;
      readonly now: () => Date;
    },
): Promise<HealthFacts> {
  const [health, stuck, overdue] = await Promise.all([
    readHealth(deps),
    listStuck(deps, STUCK_MAX),
    readOverdue(deps.outbox, deps.now),
  ]);
  const { alerts, bursts, actions } = health.queues;
  const { lagMs, failed, quarantined, isCardApiAway, isOpsUnreachable, isCardTokenDead, memoryShare } = health;
  return {
    // What people ask for is never scheduled for later: if delayed, it waits for its turn or for another attempt.
    waiting: health.inbox.entries + alerts.waiting + bursts.waiting + actions.waiting + actions.delayed,
    lagMs,
    failed,
    quarantined,
    stuck: stuck.toSorted((a, b) => b.at.localeCompare(a.at)),
    overdue,
    isOpsUnreachable,
    isCardApiAway,
    refusedToken: isCardTokenDead ? deps.tokenVariable : null,
    memory: { share: memoryShare, refusedFrom: deps.refusedFrom },
  };
}
