import { createDirectChannel } from '../holders/notify-holder.ts';
import type { Throttle } from '../outbox/send-message.ts';
import { createCurrentRoles } from '../policy/current-roles.ts';
import { createPermissions } from '../policy/permissions.ts';
import { createHeldUntil } from '../routing/held-until.ts';
import { holdAllAsQuiet } from '../routing/set-quiet.ts';
import { checkChannels } from './check-channels.ts';
import { composeActionBase, composeUpdateForm } from './compose-actions.ts';
import { type CardParts, composeCards } from './compose-cards.ts';
import { composeDelivery } from './compose-delivery.ts';
import { composeDigests } from './compose-digests.ts';
import { composeHome } from './compose-home.ts';
import { composeOps, type OpsParts } from './compose-ops.ts';
import { composeOutbox } from './compose-outbox.ts';
import { composeRecovery } from './compose-recovery.ts';
import { composeRouting } from './compose-routing.ts';
import { composeVerbs } from './compose-verbs.ts';
import { createSchedules } from './enqueue.ts';
import { createJobHandlers } from './job-handlers.ts';
import type { JobName } from './jobs.ts';
import { createSweep } from './sweep.ts';
import type { WorkerBase } from './worker-base.ts';

/** What talks to Slack, to ops and to the card API: every capability is composed over it. */
export function composeServices(base: WorkerBase): { readonly ops: OpsParts; readonly cards: CardParts } {
  const ops = composeOps({ ...base, ...base.stores, ...base.send });
  return { ops, cards: composeCards({ ...base, ...ops }) };
}

/** The capabilities of the worker, put together over one Redis. */
export function composeWorker(base: WorkerBase, throttle: Throttle) {
  const { stores, send, enqueue, now } = base;
  const { ops, cards } = composeServices(base);
  const schedules = createSchedules(base.queues);
  const common = { ...base, ...stores, ...send, ...ops, ...cards };
  const { slack, notifyOps } = ops;
  const currentRoles = createCurrentRoles({
    policy: base.policy.current,
    groupMembers: slack.groupMembers,
    isHolder: stores.links.isHolder,
    log: base.log,
  });
  const permissions = createPermissions({
    policy: base.policy.current,
    groupMembers: slack.groupMembers,
    isHolder: stores.links.isHolder,
    log: base.log,
  });
  const { route, visibilityOf, routing } = composeRouting({
    ...common,
    currentRoles,
    scheduleMuteEnd: (muteId, atMs) => enqueue('end-mute', { muteId }, { atMs }),
  });
  const digests = composeDigests({ base, notifyOps, directory: cards.directory, schedules, visibilityOf });
  const outbox = composeOutbox({
    ...common,
    visibilityOf,
    channels: base.config.channels,
    heldUntil: createHeldUntil({ ...stores, quietHours: routing.quietHours, now }),
    throttle,
  });
  const delivery = composeDelivery({ ...common, route, countDecline: digests.countDecline });
  const verbs = composeVerbs({
    base: composeActionBase({
      base,
      ...ops,
      cards,
      postTracked: outbox.postTracked,
      rolesOf: permissions.rolesOf,
    }),
    routing,
    digest: digests.digest,
    recovery: { recoverGap: (gap) => enqueue('recover-gap', gap), opsChannel: base.config.channels.ops },
    updateForm: composeUpdateForm(slack, base),
  });
  const home = composeHome({ base, slack, cards, mutes: routing.mutes, currentRoles });
  const recovery = composeRecovery({ base, slack, cards, visibilityOf });
  const handlers = createJobHandlers({
    base,
    verbs,
    alerts: { ...delivery, directChannel: createDirectChannel(base.redis, slack.openDirect), notifyOps },
    outbox,
    digests,
    home,
    recovery,
  });
  const { mutes, quietHours } = routing;
  return {
    handlers,
    /** Tells whoever waits for a job that this version cannot read. */
    tellUnreadable: async (name: JobName, data: unknown): Promise<void> => {
      if (name === 'perform-action') await verbs.failUnreadable(data);
    },
    home,
    ops,
    cards,
    checkChannels: () => checkChannels(base, notifyOps, visibilityOf),
    sweep: createSweep({
      ...stores,
      enqueue,
      now,
      hasEdits: outbox.hasEdits,
      mutes,
      holdAllAsQuiet: () => holdAllAsQuiet({ ...stores, quietHours, now }),
    }),
    /** Sets the timers of everything that comes again. */
    async setTimers(): Promise<void> {
      await schedules.setIntervals();
      await digests.keepDigests();
    },
  };
}
