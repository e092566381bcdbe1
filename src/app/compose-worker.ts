import { alertsOfKind } from '../alerts/alert-store.ts';
import { createRecentDeclines } from '../alerts/card-history.ts';
import { homeHealthFacts, ownCards, ownRequests, type SealCard, teamFacts } from '../app-home/home-facts.ts';
import { createHome } from '../app-home/render-home.ts';
import { createSendOwnDigests } from '../app-home/send-own-digests.ts';
import { createHomeViewers } from '../app-home/viewer-store.ts';
import { nobody } from '../audit/audit.ts';
import { createSeals } from '../core/seal.ts';
import { readHealth } from '../ops/health.ts';
import * as opsIssue from '../ops/issue.ts';
import type { Throttle } from '../outbox/send-message.ts';
import { createCardsFor } from '../policy/roles-for-card.ts';
import { printQuiet } from '../routing/quiet-hours.ts';
import { holdAllAsQuiet } from '../routing/set-quiet.ts';
import { createWarned } from '../warnings/warned-store.ts';
import { createActionContext } from './action-context.ts';
import { composeCopyHeads } from './compose-audit.ts';
import { composeDelivery } from './compose-delivery.ts';
import { composeDigests, digestOnRecord } from './compose-digests.ts';
import { composeOutbox } from './compose-outbox.ts';
import { composeRecovery } from './compose-recovery.ts';
import { composeVerbs } from './compose-verbs.ts';
import { composeWarnings } from './compose-warnings.ts';
import { createSchedules } from './enqueue.ts';
import { createJobHandlers } from './job-handlers.ts';
import type { JobName } from './jobs.ts';
import { createSweep } from './sweep.ts';
import type { WorkerContext } from './worker-context.ts';

/** The capabilities of the worker: what it does for each job, and besides. */
export function composeWorker(context: WorkerContext, throttle: Throttle) {
  const { queues, config, visibilityOf, log } = context;
  const schedules = createSchedules(queues);
  const digests = composeDigests(context, schedules);
  const outbox = composeOutbox(context, throttle);
  const home = composeHome(context);
  const delivery = composeDelivery(context, digests.countDecline);
  const verbs = composeVerbs(createActionContext(context, digests));
  const recovery = composeRecovery(context);
  const warnings = composeWarnings(context, sealCardFor(context));
  return {
    handlers: createJobHandlers(context, {
      verbs,
      delivery,
      outbox,
      digests,
      home,
      recovery,
      warnings,
      copyHeads: composeCopyHeads(context),
      sendOwnDigests: composeOwnDigests(context),
    }),
    /** Tells whoever waits for a job that this version cannot read. */
    tellUnreadable: async (name: JobName, data: unknown): Promise<void> => {
      if (name === 'perform-action') await verbs.failUnreadable(data);
    },
    homeChanged: home.changed,
    sweep: createSweep({
      ...context,
      hasEdits: outbox.hasEdits,
      keepDigestTimers: digests.keepTimers,
      holdAllAsQuiet: () => holdAllAsQuiet(context),
    }),
    /** Sets the timers of everything that comes again. */
    async setTimers(): Promise<void> {
      await schedules.setIntervals(config.audit.sink === null ? ['copy-audit'] : []);
      await digests.keepDigests();
    },
    /**
     * Tells ops at the start which of the configured channels another company reads. Before each post it is checked
     * again; this is for whoever starts Cardbell, who should not learn it from the first request.
     */
    async checkChannels(): Promise<void> {
      for (const channel of new Set(Object.values(config.channels))) {
        if (channel === null || (await visibilityOf(channel)) !== 'shared') continue;
        log.warn(
          { channel },
          'a configured channel is shared with another company: nothing that names people is posted there',
        );
        await context.notifyOps(opsIssue.channelShared(channel));
      }
    },
  };
}

/** A card as the buttons of App Home carry it. */
function sealCardFor({ config }: WorkerContext): SealCard {
  const { card } = createSeals(config.slackBotToken);
  return ({ acctId, cardId }) => card.seal(`${acctId}:${cardId ?? ''}`);
}

/** App Home: what it shows to whom, and when it is rendered again. */
function composeHome(context: WorkerContext) {
  const { looks, audit, config, redis, queues, memory, quarantined, history, alerts, enqueue, slack, now } = context;
  const health = () =>
    homeHealthFacts(() => readHealth({ redis, queues, countQuarantined: quarantined.count, memory }), {
      queues,
      quarantined,
      refusedFrom: config.redisFullAt,
    });
  const sealCard = sealCardFor(context);
  const recentDeclines = createRecentDeclines(history, alerts);
  const newestDeclines = async (limit: number) =>
    await alertsOfKind('transaction', await history.newestDeclines(limit), alerts);
  const cardsFor = createCardsFor({ rolesOf: context.currentRoles, links: context.links });
  const common = { ...context, cardsFor };
  return createHome({
    ...context,
    viewers: createHomeViewers(redis),
    ownCards: (userId, page) => ownCards(userId, { page, perPage: 5 }, { ...context, recentDeclines, sealCard }),
    preferencesOf: (userId) => preferencesOf(userId, context),
    delegateOf: async (userId) => ({
      current: await context.delegations.of(userId),
      allowed: context.policy.current().ownDelegates.filter((id) => id !== userId),
    }),
    ownRequests: (userId) => ownRequests(userId, common),
    teamFacts: (viewer) => teamFacts(viewer, now(), { ...common, newestDeclines, health, sealCard }),
    async recordOpening({ id, userId, roles }) {
      if (!(await looks.isFirst({ id, verb: 'app-home', userId, acctId: null }))) return;
      const entry = { ...nobody, at: now().toISOString(), actionId: id, event: 'asked', verb: 'app-home' } as const;
      await audit.append({ ...entry, actor: { userId, teamId: '' }, roles });
    },
    publish: slack.publishHome,
    enqueue: {
      renderHome: (userId) => enqueue('render-home', { userId }),
      renderAll: (delayMs) => enqueue('render-homes', {}, { delayMs }),
    },
  });
}

/** Digests of people's own cards. */
function composeOwnDigests(context: WorkerContext): () => Promise<void> {
  const recentDeclines = createRecentDeclines(context.history, context.alerts);
  const sealCard = sealCardFor(context);
  return createSendOwnDigests({
    ...context,
    recentDeclines,
    ownCards: (userId) => ownCards(userId, { page: 1, perPage: 12 }, { ...context, recentDeclines, sealCard }),
    sent: createWarned(context.redis),
    record: (userId, id, detail) => digestOnRecord(context, { id, channel: null, detail: `${detail}, for ${userId}` }),
    zone: context.config.serviceZone,
  });
}

/** What somebody is told in direct messages, and who acts for them by the policy. */
async function preferencesOf(userId: string, { preferences, quietHours, directChannel, policy, now }: WorkerContext) {
  const off = await preferences.switchedOff(userId);
  const hours = await quietHours.get(await directChannel(userId));
  const today = now().toISOString().slice(0, 10);
  const delegates = policy.current().delegations.filter((one) => one.for === userId && one.until >= today);
  const digest = (await preferences.ownDigest(userId))?.often ?? null;
  return { off, digest, quiet: hours === null ? null : printQuiet(hours.window), delegates };
}
