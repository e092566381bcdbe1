import { alertsOfKind } from '../alerts/alert-store.ts';
import { createCardStates } from '../app-home/card-state-store.ts';
import { ownCards, type TeamDeps, teamFacts } from '../app-home/home-facts.ts';
import { createHome, homeHealthFacts } from '../app-home/render-home.ts';
import { createHomeViewers } from '../app-home/viewer-store.ts';
import { createWaitingFacts } from '../app-home/waiting-facts.ts';
import { nobody } from '../audit/audit-record.ts';
import { firstPermitted } from '../core/first-permitted.ts';
import { createGroupOfFacts } from '../directory/directory.ts';
import { delegateInForce, delegatesOf } from '../policy/policy.ts';
import { createCardsFor } from '../policy/roles-for-card.ts';
import { quietWords } from '../routing/quiet-hours.ts';
import { variableOf } from './programs.ts';
import type { WorkerContext } from './worker-context.ts';

/** App Home, and what it shows to each person. */
export function composeHome(context: WorkerContext) {
  const { looks, audit, config, redis, history, alerts, enqueue, slack, now } = context;
  const tokenVariable = variableOf(config.program, 'CARD_API_TOKEN');
  const health = () => homeHealthFacts({ ...context, refusedFrom: config.redisFullAt, tokenVariable });
  const newestDeclines: TeamDeps['newestDeclines'] = (limit, permitted) =>
    firstPermitted({
      idsOf: history.newestDeclines,
      read: (ids) => alertsOfKind('transaction', ids, alerts),
      permitted,
      limit,
    });
  const cardsFor = createCardsFor({
    rolesOf: context.currentRoles,
    links: context.links,
    groupOf: createGroupOfFacts(context),
  });
  const waiting = createWaitingFacts({ ...context, cardsFor });
  const cardStates = createCardStates(redis, context);
  const home = createHome({
    ...context,
    viewers: createHomeViewers(redis, now),
    facts: {
      ownCards: (userId, { openedMs, ...which }) =>
        ownCards(userId, which, { ...context, stateOf: (acctId) => cardStates.of(acctId, openedMs) }),
      preferencesOf: (userId) => preferencesOf(userId, context),
      async delegateOf(userId) {
        const [policy, named] = [context.policy.current(), await context.delegations.of(userId)];
        return {
          current: named === null ? null : delegateInForce(policy, named, now()),
          allowed: policy.ownDelegates.filter((id) => id !== userId),
        };
      },
      ownRequests: waiting.ownRequests,
      teamFacts: (viewer) => teamFacts(viewer, { ...context, cardsFor, waiting, newestDeclines, health }),
    },
    async recordOpening({ id, userId }) {
      if (!(await looks.isFirst({ id, verb: 'app-home', userId, subject: null }))) return;
      const { roles } = await context.currentRoles(userId);
      const entry = { ...nobody, at: now().toISOString(), actionId: id, event: 'asked', verb: 'app-home' } as const;
      await audit.append({ ...entry, actor: { userId, teamId: '' }, roles });
    },
    page: { isShown: context.isHomeShown, publish: slack.publishHome },
    enqueue: {
      renderHome: (userId) => enqueue('render-home', { userId }),
      renderAll: (delayMs) => enqueue('render-homes', {}, { delayMs }),
    },
  });
  return { ...home, cardChanged: cardStates.forget };
}

/** What someone gets in direct messages, and who acts for them according to the policy. */
async function preferencesOf(userId: string, { preferences, quietHours, directChannel, policy, now }: WorkerContext) {
  const off = await preferences.switchedOff(userId);
  const hours = await quietHours.get(await directChannel(userId));
  const delegates = delegatesOf(policy.current(), userId, now());
  const digest = (await preferences.ownDigest(userId))?.often ?? null;
  return { off, digest, quiet: hours === null ? null : quietWords(hours.window), delegates };
}
