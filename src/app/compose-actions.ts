import { withAnchor } from '../../templates/audit/audit-line.ts';
import { remedyForm } from '../../templates/limits/remedy-form.ts';
import { type AuditDeps, createAudit } from '../audit/audit.ts';
import { applyChanges } from '../card-api/apply-changes.ts';
import { SlackError } from '../core/errors.ts';
import { createSeals } from '../core/seal.ts';
import { serviceDays, toInstant } from '../core/service-time.ts';
import { verbs } from '../dispatch/verbs.ts';
import { createTimeLeft } from '../limits/time-left.ts';
import type { NotifyOps } from '../ops/notify-ops.ts';
import type { PostTracked } from '../outbox/tracked-message.ts';
import { alertMessages } from '../outbox/tracked-message-store.ts';
import { aloneCents } from '../policy/approval-policy.ts';
import { type Permissions, policyOnRecord } from '../policy/permissions.ts';
import { mentionedAs, sectionOf } from '../policy/policy.ts';
import { createAnswer, createRespond } from '../slack/answer.ts';
import type { Slack } from '../slack/client.ts';
import type { SlackClock } from '../slack/clock.ts';
import { createPermalink } from '../slack/message.ts';
import { momentOf } from '../webhooks/moment.ts';
import type { ActionBase, ActionStores, Messages, Notices, People, Timers } from './action-base.ts';
import type { CardParts } from './compose-cards.ts';
import type { VerbsDeps } from './compose-verbs.ts';
import type { Enqueue } from './enqueue.ts';
import { remembered } from './remember-writes.ts';
import type { WorkerBase } from './worker-base.ts';

interface Deps {
  readonly base: WorkerBase;
  readonly slack: Slack;
  readonly slackClock: Pick<SlackClock, 'now'>;
  readonly notifyOps: NotifyOps;
  readonly cards: CardParts;
  readonly postTracked: PostTracked;
  readonly rolesOf: Permissions['rolesOf'];
}

/** What everything that people ask for is composed over, from what the whole worker stands on. */
export function composeActionBase({ base, cards, postTracked, rolesOf, ...ops }: Deps): ActionBase {
  const { slack, slackClock, notifyOps } = ops;
  const { config, stores, enqueue, now, log } = base;
  const { policy } = base;
  const chain = createAudit({
    redis: base.redis,
    inForce: inForce(base),
    permalink: createPermalink(slack.authTest),
    log,
  });
  const audit = { ...chain, append: remembered(base.redo, chain.append) };
  return {
    stores: { ...stores, audit },
    cards: {
      ...cards,
      checkPurchase: cards.remedies.checkPurchase,
      applyChanges: (raw, goals) => applyChanges(raw, goals, cards.assumptions),
    },
    people: people(base, slack, rolesOf),
    messages: messages(base, postTracked, cards.factsOf),
    notices: notices(base, audit, notifyOps),
    timers: timers(enqueue),
    settings: {
      now,
      timeLeft: createTimeLeft({
        sharedNow: base.clock.measure,
        secondNow: () => slackClock.now() ?? Date.now(),
        notifyOps,
      }),
      log,
      policyFor: (group) => sectionOf(policy.current(), group).approval,
      hasCardGroups: () => policy.current().groups.length > 0,
      serviceDays: serviceDays(config.serviceZone),
      toInstant: (text) => toInstant(text, config.serviceZone),
      momentOf: (since, askedAt) => momentOf(since, askedAt, config.serviceZone),
    },
  };
}

/** What goes on record with every entry. */
function inForce({ policy }: WorkerBase): NonNullable<AuditDeps['inForce']> {
  return () => {
    const current = policy.current();
    const twoPersonAboveCents = aloneCents(current.standard.approval);
    return { twoPersonAboveCents, policy: policyOnRecord(verbs, current) };
  };
}

function people({ config, policy, send, log }: WorkerBase, slack: Slack, rolesOf: People['rolesOf']): People {
  const seals = createSeals(config.slackBotToken);
  return {
    answer: createAnswer({ slack, respond: createRespond(), seal: seals.reply, log }),
    notifyDirectly: (userId, id, { text, blocks }) =>
      send.notifyPerson(userId, {
        kind: 'notice',
        id,
        audience: 'holder',
        message: { text, blocks },
        priority: 'request',
      }),
    rolesOf,
    whoMay: async (role, group) => mentionedAs(policy.current(), role, group),
    person: slack.person,
    unseal: seals.order.open,
  };
}

/** Where requests about the cards of a group are posted. */
function approvalsChannel({ config, policy }: WorkerBase, group: string | null): string {
  return sectionOf(policy.current(), group).approvalsChannel ?? config.channels.approvals;
}

function messages(base: WorkerBase, postTracked: PostTracked, factsOf: CardParts['factsOf']): Messages {
  const { enqueue } = base;
  const approvalsOf = (group: string | null): string => approvalsChannel(base, group);
  return {
    alertMessages: alertMessages(base.stores.trackedMessages),
    updateMessages: (id) => enqueue('update-messages', { kind: 'alert', id }),
    postRequest: ({ id, card }) => postTracked(approvalsOf(card.group), { kind: 'request', id }),
    updateRequest: (id) => enqueue('update-messages', { kind: 'request', id }),
    postClaim: ({ id }) => postTracked(approvalsOf(null), { kind: 'claim', id }),
    updateClaim: (id) => enqueue('update-messages', { kind: 'claim', id }),
    postTemporaryChange: async ({ id, acctId }) =>
      postTracked(approvalsOf((await factsOf(acctId)).group), { kind: 'temporary-change', id }),
    updateTemporaryChange: (id) => enqueue('update-messages', { kind: 'temporary-change', id }),
  };
}

function notices(base: WorkerBase, audit: ActionStores['audit'], notifyOps: NotifyOps): Notices {
  const { config, send } = base;
  const { channels } = config;
  return {
    postAuditLine: async (id, message) => send.postNotice(channels.audit, id, withAnchor(message, await audit.head())),
    postToApprovals: (id, message, group) => send.postNotice(approvalsChannel(base, group), id, message, 'request'),
    postToOps: (id, message) => send.postNotice(channels.ops, id, message, 'request'),
    notifyOps,
  };
}

function timers(enqueue: Enqueue): Timers {
  return {
    scheduleRefusals: (action, first, delayMs) => enqueue('record-refusals', { action, first }, { delayMs }),
    scheduleConfirm: (actionId, atMs) => enqueue('verify-action', { actionId }, { atMs }),
    scheduleUndoEnd: (actionId, atMs) => enqueue('end-undo', { actionId }, { atMs }),
    scheduleRequest: (requestId) => enqueue('expire-request', { requestId }),
    scheduleClaimEnd: (claimId, atMs) => enqueue('end-claim', { claimId }, { atMs }),
    scheduleTemporaryChangeEnd: (temporaryChangeId, atMs) =>
      enqueue('end-temporary-change', { temporaryChangeId }, { atMs }),
  };
}

/** Shows in an open form what is known by now. */
export function composeUpdateForm(slack: Pick<Slack, 'updateView'>, { log }: WorkerBase): VerbsDeps['updateForm'] {
  return async function updateForm(form, { alert, pendingId, remedy, state }) {
    try {
      await slack.updateView(form, remedyForm({ privateMetadata: pendingId, alert, remedy, state }));
    } catch (error) {
      // Closed, submitted, or changed meanwhile: the form is not there to be filled any more.
      if (!(error instanceof SlackError)) throw error;
      log.info({ slackError: error.slackError }, 'a form could not be filled');
    }
  };
}
