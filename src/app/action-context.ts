import { withAnchor } from '../../templates/audit/audit-line.ts';
import { remedyForm } from '../../templates/limits/remedy-form.ts';
import type { Action } from '../actions/action.ts';
import type { Alert } from '../alerts/alert.ts';
import type { FilledForm } from '../alerts/fill-form.ts';
import type { CardClient } from '../card-api/client.ts';
import type { RuleGoal } from '../card-api/rule-change.ts';
import { applyChanges } from '../card-api/spend-rules.ts';
import type { CardFacts } from '../core/card-facts.ts';
import { SlackError } from '../core/errors.ts';
import type { WebhookKind } from '../core/event.ts';
import type { Gap } from '../core/gap.ts';
import { localDate, toInstant } from '../core/service-time.ts';
import { shardOf } from '../core/shards.ts';
import { momentOf, type Since } from '../core/since.ts';
import { createGroupOfCard } from '../directory/directory.ts';
import type { Claim } from '../holders/claim-store.ts';
import { seenKey } from '../intake/intake.ts';
import { durationOf } from '../limits/change-request.ts';
import { createTimeLeft } from '../limits/end-temporary-change.ts';
import { createFitsMerchant } from '../limits/merchant-fit.ts';
import type { RemedyAction } from '../limits/verbs.ts';
import type { Subject } from '../outbox/tracked-message-store.ts';
import { delegatesOf, sectionOf } from '../policy/policy.ts';
import { holdAsQuiet } from '../routing/held-until.ts';
import { defaultChannel } from '../routing/route.ts';
import { createAnswer, createRespond } from '../slack/answer.ts';
import type { Message } from '../slack/message.ts';
import { respondOf } from '../slack/several-programs.ts';
import { toMissedTransaction } from '../webhooks/transaction.ts';
import type { composeDigests } from './compose-digests.ts';
import { createIsCounted } from './is-counted.ts';
import type { Stores } from './stores.ts';
import type { WorkerContext } from './worker-context.ts';

type Shared = Stores &
  Pick<
    WorkerContext,
    | 'hasCardGroups'
    | 'withLock'
    | 'directory'
    | 'factsOf'
    | 'nameRuleset'
    | 'recentDeclines'
    | 'person'
    | 'rolesOf'
    | 'whoMay'
    | 'notifyOps'
    | 'postNotice'
    | 'heldUntil'
    | 'notifyDirectly'
    | 'updateAlert'
    | 'cardChanged'
    | 'permalink'
    | 'visibilityOf'
    | 'audit'
    | 'now'
    | 'log'
  > & { readonly card: ActionCard };

type ActionCard = Pick<
  CardClient,
  | 'getAccount'
  | 'setCardStatus'
  | 'activateCard'
  | 'getSpendRules'
  | 'putSpendRules'
  | 'getRemainingLimits'
  | 'listAccountNetworkTransactions'
  | 'getCardOrder'
  | 'orderVirtualCards'
  | 'requestVirtualCardData'
>;

/** Everything that the verbs are composed over. Only the composition sees all of it. */
export type ActionContext = Shared &
  ReturnType<typeof people> &
  ReturnType<typeof messages> &
  ReturnType<typeof notices> &
  ReturnType<typeof timers> &
  ReturnType<typeof settings> & { readonly announce: (alert: Alert) => Promise<void> };

type Digests = Pick<ReturnType<typeof composeDigests>, 'sendDigest'>;

export function createActionContext(worker: WorkerContext, digests: Digests): ActionContext {
  const context = { ...worker, outbox: worker.lastingOutbox };
  return {
    ...context,
    // A job of its own: if Redis loses the writes of this job, the job runs again. An action does not.
    announce: (alert) => worker.enqueue('announce-alert', alert),
    ...people(context),
    ...messages(context),
    ...notices(context, digests),
    ...timers(context),
    ...settings(context),
  };
}

/** Who people are, and what only one person sees. */
function people(context: WorkerContext) {
  const { config, slack, notifyDirectly, seals, now, log } = context;
  return {
    answer: createAnswer({
      slack,
      notifyDirectly,
      respond: respondOf(config.program, createRespond()),
      seal: seals.reply,
      now,
      log,
    }),
    openDirect: slack.openDirect,
    channelInfo: slack.channelInfo,
    /** Opens data that the web process sealed. Null when it cannot be opened. */
    unseal: seals.order.open,
    async updateForm(form: RemedyAction['form'], { pendingId, ...shown }: FilledForm) {
      const today = localDate(now(), config.serviceZone);
      try {
        await slack.updateView(form, remedyForm({ privateMetadata: pendingId, today, ...shown }));
      } catch (error) {
        // Closed, submitted or changed in the meantime: there is no form left to fill.
        if (!(error instanceof SlackError)) throw error;
        log.info({ slackError: error.slackError }, 'could not fill a form');
      }
    },
  };
}

function approvalsChannel({ config, policy }: WorkerContext, group: string | null): string {
  return sectionOf(policy.current(), group).approvalsChannel ?? config.channels.approvals;
}

/** Messages that are kept up to date. Posts go to the approvals channel; updates follow soon. */
function messages(context: WorkerContext) {
  const { enqueue, postTracked } = context;
  const linkTo = (kind: Subject['kind']) => async (id: string) => {
    const references = await context.trackedMessages.references({ kind, id });
    const ofTeam = references.filter(({ audience }) => audience === 'team');
    const places = await Promise.all(ofTeam.map(({ channel }) => context.visibilityOf(channel)));
    const posted = ofTeam[places.findIndex((place) => place !== 'shared')];
    // Of an alert, another company reads that there is one. Of anything else, the message there shows nothing.
    const shown = posted ?? (kind === 'alert' ? ofTeam[0] : undefined);
    return shown === undefined ? null : await context.permalink(shown.channel, shown.ts);
  };
  const groupOfCard = createGroupOfCard(context);
  const approvalsChannelOf = async (acctId: number) => approvalsChannel(context, (await groupOfCard(acctId)) ?? null);
  const update = (kind: Subject['kind']) => (id: string) => enqueue('update-messages', { kind, id });
  return {
    /** Link to a message in a channel. Null: it has none. */
    alertLink: linkTo('alert'),
    requestLink: linkTo('request'),
    postRequest: ({ id, card }: { readonly id: string; readonly card: CardFacts }) =>
      postTracked(approvalsChannel(context, card.group), { kind: 'request', id }),
    updateRequest: update('request'),
    postClaim: async ({ id, card }: Claim) => postTracked(await approvalsChannelOf(card.acctId), { kind: 'claim', id }),
    updateClaim: update('claim'),
    postTemporaryChange: async ({ id, acctId }: { readonly id: string; readonly acctId: number }) =>
      postTracked(await approvalsChannelOf(acctId), { kind: 'temporary-change', id }),
    updateTemporaryChange: update('temporary-change'),
  };
}

/** Messages that are posted once. The id makes repeats harmless. */
function notices(context: WorkerContext, { sendDigest }: Digests) {
  const { config, audit, postNotice } = context;
  const { channels } = config;
  return {
    postAuditLine: async (id: string, message: Message) =>
      postNotice(channels.audit, id, withAnchor(message, await audit.head())),
    /** @param group the group of the card that the message is about. */
    postToApprovals: (id: string, message: Message, group: string | null) =>
      postNotice(approvalsChannel(context, group), id, message, 'request'),
    postToOps: (id: string, message: Message) => postNotice(channels.ops, id, message, 'request'),
    postDigest: sendDigest.now,
    /** Applies a channel's quiet hours to what it holds. */
    async holdAsQuiet(channel: string): Promise<number> {
      const released = await holdAsQuiet(channel, context);
      await context.wakeOutbox(channel);
      return released;
    },
  };
}

function timers({ enqueue }: WorkerContext) {
  return {
    /** Records everything that one person was refused within a minute in one entry. */
    scheduleRefusals: (action: Action, first: string, delayMs: number) =>
      enqueue('record-refusals', { action, first }, { delayMs }),
    scheduleConfirm: (actionId: string, atMs: number) => enqueue('verify-action', { actionId }, { atMs }),
    scheduleUndoEnd: (actionId: string, atMs: number) => enqueue('end-undo', { actionId }, { atMs }),
    /** Watches a request from now on, in case nobody answers it. */
    scheduleAgeRequest: (requestId: string) => enqueue('age-request', { requestId }),
    /** Ends a claim that nobody decided. */
    scheduleClaimEnd: (claimId: string, atMs: number) => enqueue('end-claim', { claimId }, { atMs }),
    scheduleMuteEnd: (muteId: string, atMs: number) => enqueue('end-mute', { muteId }, { atMs }),
    scheduleTemporaryChangeEnd: (temporaryChangeId: string, atMs: number) =>
      enqueue('end-temporary-change', { temporaryChangeId }, { atMs }),
    endTemporaryChangeNow: (temporaryChangeId: string) =>
      enqueue('end-temporary-change', { temporaryChangeId, isEarly: true }),
    enqueueRecovery: (gap: Gap) => enqueue('recover-gap', gap),
  };
}

function settings(context: WorkerContext) {
  const { config, policy, clock, slackClock, assumptions, remedies, redis, now } = context;
  const zone = config.serviceZone;
  return {
    zone,
    opsChannel: config.channels.ops,
    warningChannels: {
      'expiring-cards': config.channels.status,
      'failing-subscriptions': config.channels.decline,
      'low-balance': config.channels.ops,
    },
    isBalanceWatched: config.lowBalanceCents !== null,
    durationOf,
    timeLeft: createTimeLeft({
      sharedNow: clock.measure,
      slackNow: slackClock.now,
      machineNow: Date.now,
    }),
    /** How many must approve which amount. Null: the card is in no group, or its group is unknown. */
    policyFor: (group: string | null) => sectionOf(policy.current(), group).approval,
    /** Whom approvers may name as their delegate. */
    ownDelegates: () => policy.current().ownDelegates,
    /** A person's delegates by the policy itself, today or later. */
    policyDelegates: (userId: string) => delegatesOf(policy.current(), userId, now()),
    /** What would let a declined purchase pass now. */
    checkPurchase: remedies.checkPurchase,
    fitsMerchant: createFitsMerchant(assumptions.categoryCodes),
    activationRefusedHours: assumptions.activationRefusedHours,
    statusRefusedTexts: assumptions.statusRefusedTexts,
    virtualCardWithinMs: assumptions.virtualCardWithinMinutes * 60_000,
    /** Like a digest, it does not wait for longer than a while. */
    isDelivered: createIsCounted(context),
    applyChanges: (raw: Record<string, unknown>, goals: readonly RuleGoal[]) => applyChanges(raw, goals, assumptions),
    toInstant: (text: string) => toInstant(text, zone),
    momentOf: (since: Since, askedAt: string) => momentOf(since, askedAt, zone),
    toMissed: (row: Record<string, unknown>) => toMissedTransaction(row, { zone, receivedAt: now().toISOString() }),
    defaultChannel: (kind: WebhookKind) => defaultChannel(kind, config.channels),
    timesDelivered: async (eventId: string) =>
      Number((await redis.get(seenKey(eventId, shardOf(eventId, config.redisShards)))) ?? 0),
  };
}
