import { createCardTesting } from '../alerts/card-testing-store.ts';
import { isPermitted } from '../dispatch/verbs.ts';
import * as opsIssue from '../ops/issue.ts';
import { createWhyMutePasses } from '../routing/mute-exceptions.ts';
import { createRoute, createRoutingRules } from '../routing/route.ts';
import type { WorkerContext } from './worker-context.ts';

/** Decides where events go. */
export function composeRouting(context: WorkerContext) {
  const { config, redis, notifyOps, currentRoles, links } = context;
  return createRoute({
    ...context,
    channels: config.channels,
    rules: createRoutingRules(redis, context),
    whyMutePasses: createWhyMutePasses({
      async mayBeNotified(userId) {
        const { roles, isComplete } = await currentRoles(userId);
        if (isPermitted('travel', roles)) return 'yes';
        return isComplete ? 'no' : 'unknown';
      },
      isHolder: links.wasHolderLately,
      cardTesting: createCardTesting(redis),
    }),
    notifySharedChannel: (channel) => notifyOps(opsIssue.channelShared(channel)),
  });
}
