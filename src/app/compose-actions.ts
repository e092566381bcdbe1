import { withAnchor } from '../../templates/audit/audit-line.ts';
import { remedyForm } from '../../templates/limits/remedy-form.ts';
import { createBlocks } from '../actions/block-store.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { createProgress } from '../actions/progress-store.ts';
import { createAudit } from '../audit/audit.ts';
import { applyChanges } from '../card-api/apply-changes.ts';
import { SlackError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { RedisClient } from '../core/redis.ts';
import { createSeal } from '../core/seal.ts';
import { serviceDays, toInstant } from '../core/service-time.ts';
import { toCardFacts } from '../directory/account.ts';
import type { RoutingParts } from '../dispatch/compose-channels.ts';
import { createPending } from '../dispatch/pending-form-store.ts';
import { refusedTo } from '../dispatch/verbs.ts';
import type { NotifyPersonLater } from '../holders/notify-holder.ts';
import { createRecentRaises } from '../limits/recent-raise-store.ts';
import type { PostNotice } from '../outbox/post-notice.ts';
import type { PostTracked } from '../outbox/tracked-message.ts';
import { alertMessages, type TrackedMessages } from '../outbox/tracked-message-store.ts';
import type { ConfiguredRoles } from '../policy/current-roles.ts';
import { createAnswer, createRespond } from '../slack/answer.ts';
import type { Slack } from '../slack/client.ts';
import { createPermalink } from '../slack/message.ts';
import { createVirtualOrders } from '../virtual-cards/order.ts';
import { momentOf } from '../webhooks/moment.ts';
import type { CardParts } from './compose-cards.ts';
import type { composeDigests } from './compose-digests.ts';
import type { WorkerConfig } from './config.ts';
import type { Enqueue } from './enqueue.ts';

/** Stores that the rest of the worker uses as well. */
type Shared = Pick<
  ActionDeps,
  | 'alerts'
  | 'history'
  | 'requests'
  | 'temporaryChanges'
  | 'links'
  | 'claims'
  | 'confirmations'
  | 'withLock'
  | 'notifyOps'
  | 'now'
>;

interface Deps extends Shared, CardParts {
  readonly config: WorkerConfig;
  readonly redis: RedisClient;
  readonly enqueue: Enqueue;
  readonly slack: Slack;
  readonly routing: RoutingParts;
  readonly digest: ReturnType<typeof composeDigests>['digest'];
  readonly configuredRoles: ConfiguredRoles;
  readonly postNotice: PostNotice;
  readonly notifyPerson: NotifyPersonLater;
  readonly postTracked: PostTracked;
  readonly trackedMessages: TrackedMessages;
  readonly log: Log;
}

/** What performing an action needs, joined over one Redis. */
export function composeActions(deps: Deps): Omit<ActionDeps, 'isLastAttempt'> {
  const { config, redis, enqueue, slack, card, directory, assumptions, remedies, postNotice } = deps;
  const { postTracked } = deps;
  const { alerts, history, requests, temporaryChanges, links, claims, confirmations, withLock, notifyOps, now, log } =
    deps;
  const audit = createAudit({ redis, permalink: createPermalink(slack.authTest), log });
  const seal = createSeal(config.slackBotToken);
  return {
    card,
    directory,
    alerts,
    history,
    requests,
    temporaryChanges,
    routing: deps.routing,
    digest: deps.digest,
    toInstant: (text) => toInstant(text, config.serviceZone),
    confirmations,
    virtualOrders: createVirtualOrders(redis),
    unseal: seal.open,
    links,
    claims,
    person: slack.person,
    withLock,
    now,
    log,
    applyChanges: (raw, goals) => applyChanges(raw, goals, assumptions),
    checkPurchase: (event) => remedies.checkPurchase(event),
    serviceDays: serviceDays(config.serviceZone),
    recentRaises: createRecentRaises(redis),
    blocks: createBlocks(redis),
    refusedTo,
    whoMay: deps.configuredRoles.whoMay,
    toFacts: toCardFacts,
    nameRuleset: deps.nameRuleset,
    progress: createProgress(redis),
    pending: createPending(redis),
    audit,
    answer: createAnswer({ slack, respond: createRespond(), seal, log }),
    updateMessages: (id) => enqueue('update-messages', { kind: 'alert', id }),
    alertMessages: alertMessages(deps.trackedMessages),
    postRequest: ({ id }) => postTracked(config.channels.approvals, { kind: 'request', id }),
    updateRequest: (id) => enqueue('update-messages', { kind: 'request', id }),
    postClaim: ({ id }) => postTracked(config.channels.approvals, { kind: 'claim', id }),
    updateClaim: (id) => enqueue('update-messages', { kind: 'claim', id }),
    scheduleClaimEnd: (claimId, atMs) => enqueue('end-claim', { claimId }, { atMs }),
    notifyDirectly: (userId, noticeId, { text, blocks }) =>
      deps.notifyPerson(userId, {
        kind: 'notice',
        id: noticeId,
        audience: 'holder',
        message: { text, blocks },
        priority: 'request',
      }),
    postAuditLine: async (noticeId, message) =>
      postNotice(config.channels.audit, noticeId, withAnchor(message, await audit.head())),
    scheduleTemporaryChangeEnd: (temporaryChangeId, atMs) =>
      enqueue('end-temporary-change', { temporaryChangeId }, { atMs }),
    scheduleConfirm: (actionId, atMs) => enqueue('verify-action', { actionId }, { atMs }),
    notifyOps,
    momentOf: (since, askedAt) => momentOf(since, askedAt, config.serviceZone),
    recoverGap: (gap) => enqueue('recover-gap', gap),
    opsChannel: config.channels.ops,
    postTemporaryChange: ({ id }) => postTracked(config.channels.approvals, { kind: 'temporary-change', id }),
    updateTemporaryChange: (id) => enqueue('update-messages', { kind: 'temporary-change', id }),
    postToApprovals: (id, message) => postNotice(config.channels.approvals, id, message, 'request'),
    postToOps: (id, message) => postNotice(config.channels.ops, id, message, 'request'),
    updateForm: async (form, { alert, pendingId, remedy, state }) => {
      try {
        await slack.updateView(form, remedyForm({ privateMetadata: pendingId, alert, remedy, state }));
      } catch (error) {
        // Closed, submitted, or changed meanwhile: the form is not there to be filled any more.
        if (!(error instanceof SlackError)) throw error;
        log.info({ slackError: error.slackError }, 'a form could not be filled');
      }
    },
    scheduleRequest: (requestId) => enqueue('expire-request', { requestId }),
    scheduleUndoEnd: (actionId, atMs) => enqueue('end-undo', { actionId }, { atMs }),
    twoPersonAboveCents: config.twoPersonAboveCents,
  };
}
