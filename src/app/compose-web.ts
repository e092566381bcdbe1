import { choiceOf } from '../actions/action.ts';
import { createAlerts } from '../alerts/alert-store.ts';
import { createEventLog } from '../alerts/event-log.ts';
import type { HomeTurn } from '../app-home/home-page.ts';
import { createHomeViewers, homeOpened } from '../app-home/viewer-store.ts';
import { createRequests } from '../approvals/request-store.ts';
import type { Log } from '../core/log.ts';
import type { RedisClient } from '../core/redis.ts';
import { createSeals } from '../core/seal.ts';
import { localDate } from '../core/service-time.ts';
import { createSigner } from '../core/sign.ts';
import { groupIn } from '../directory/account.ts';
import { createDirectory } from '../directory/directory.ts';
import type { CardMatch } from '../directory/index-entries.ts';
import { parseCommand, parseTerm } from '../dispatch/command.ts';
import { createPending } from '../dispatch/pending-form-store.ts';
import { type Ask, createGroupOfTarget, type RequestDeps, requestAction } from '../dispatch/request-action.ts';
import { createLinks } from '../holders/link-store.ts';
import type { Intake } from '../intake/intake.ts';
import type { Metrics } from '../ops/metrics.ts';
import { createBatchMessages } from '../outbox/message-store.ts';
import { createTrackedMessages } from '../outbox/tracked-message-store.ts';
import { createDelegations } from '../policy/delegation-store.ts';
import { sectionOf } from '../policy/policy.ts';
import type { PolicySource } from '../policy/policy-source.ts';
import { createCardsFor, createRolesForCard } from '../policy/roles-for-card.ts';
import { createVisibilityOf, visibilityChanged } from '../routing/channel-access.ts';
import { createPostEphemeral, type Respond } from '../slack/answer.ts';
import type { Slack } from '../slack/client.ts';
import type { Message } from '../slack/message.ts';
import { createAuthenticate } from '../webhooks/authenticate.ts';
import { createIgnoredLog } from '../webhooks/ignored-fields.ts';
import { toStoredEvent } from '../webhooks/kind.ts';
import type { receiveWebhook } from '../webhooks/receive-webhook.ts';
import { composeRoles } from './compose-roles.ts';
import type { WebConfig } from './config.ts';
import { secretOf } from './programs.ts';

/** What the web process is built on. */
export interface WebBase {
  readonly config: WebConfig;
  readonly policy: PolicySource;
  readonly redis: RedisClient;
  readonly intake: Intake;
  readonly slack: Slack;
  readonly respond: Respond;
  /** Shows another card program in a person's App Home. Empty: the first one. */
  readonly showProgram: (userId: string, program: string) => Promise<void>;
  readonly metrics: Metrics;
  /** By Redis' clock: which of two people asked first must not depend on a machine's clock. */
  readonly now: () => Date;
  readonly log: Log;
}

/**
 * Slack allows about 20 calls a minute to ask who is in a user group, however many people click. This precision is
 * enough at the click: the worker checks again before it changes anything, and Slack's event about a change ends it
 * early.
 */
const GROUPS_KNOWN_FOR_MS = 10_000;
/** Slack opens a view for three seconds. Mentioning somebody who has left is a smaller fault than showing nothing. */
const WHO_MAY_MS = 500;

/** Receives webhooks. @param missed called when one could not be stored. */
export function composeWebhooks(
  { config, intake, metrics, now, log }: WebBase,
  missed: () => void,
): Parameters<typeof receiveWebhook>[3] {
  const { sign } = createSigner(config.slackBotToken, 'quarantine');
  const onIgnored = createIgnoredLog(log);
  return {
    isAuthentic: createAuthenticate(config.webhookSecrets),
    toEvent: (body, path, { version, receivedAt }) =>
      toStoredEvent(body, path, { zone: config.serviceZone, version, receivedAt, onIgnored }),
    digest: (raw) => sign(raw.toString('latin1')),
    take: intake.take,
    missed,
    measure: (...answered) => metrics.webhookAnswered(config.program, ...answered),
    now,
    log,
  };
}

/** The group of a card that was found. An unknown one does not matter while the policy has no card groups. */
const groupFound = (policy: PolicySource) => async (match: Pick<CardMatch, 'group'>) =>
  policy.current().groups.length > 0 ? match.group : null;

/** What the listeners of `handlers/` need to answer people. */
export type ListenerDeps = ReturnType<typeof composeListeners>;
export function composeListeners(base: WebBase) {
  const { config, policy, redis, intake, slack, respond, showProgram, now, log } = base;
  const links = createLinks(redis, now);
  const directory = createDirectory({ redis, loader: null, now });
  const seals = createSeals(secretOf(config));
  const { rolesOf, whoMay, rolesChanged } = composeRoles(
    { ...base, links, delegations: createDelegations(redis, seals.delegation) },
    { knownForMs: GROUPS_KNOWN_FOR_MS, withinMs: WHO_MAY_MS },
  );
  const rights = { rolesOf, whoMay };
  const alerts = createAlerts(redis, now);
  const groupOfCard = async (acctId: number) => groupIn(await directory.account(acctId));
  const pending = createPending(redis, createSigner(secretOf(config), 'control'));
  return {
    /** Reads the text after `/card`. Times are relative to the card service's current time. */
    readCommand: (text: string) => parseCommand(text, { now: now(), zone: config.serviceZone }),
    readTerm: (text: string) => parseTerm(text, { now: now(), zone: config.serviceZone }),
    /** The card service's day, `2026-11-20`. */
    today: () => localDate(now(), config.serviceZone),
    /** Permits and stores; `notify` reaches the person who asked. */
    requestAction: composeRequestAction(base, {
      rights,
      offer: (action) => pending.put({ kind: 'choice', choice: choiceOf(action), questionId: null }),
      groupOfTarget: createGroupOfTarget({ alerts, groupOfCard }),
    }),
    rights,
    rolesForCard: createRolesForCard({
      rolesOf,
      groupOfCard,
      links: { isHeldBy: async (userId, acctId) => (await links.accountsOf(userId)).includes(acctId) },
    }),
    cardsFor: createCardsFor({ rolesOf, links, groupOf: groupFound(policy) }),
    accountsOf: links.accountsOf,
    requests: createRequests(redis, null),
    /** The people whom an approver may name as a delegate. */
    ownDelegates: () => policy.current().ownDelegates,
    policyFor: (group: string | null) => sectionOf(policy.current(), group).approval,
    alerts,
    trackedMessages: createTrackedMessages(redis, now),
    eventLog: createEventLog(redis, now),
    batchMessages: createBatchMessages(redis),
    visibilityOf: createVisibilityOf({ channelInfo: slack.channelInfo, redis }),
    pending,
    now,
    directory,
    /** To be called when Slack reports that the readers of a channel changed, with the channel if it is shared by now. */
    visibilityChanged: (shared: string | null) => visibilityChanged(redis, shared),
    /** To be called when Slack reports that a user group or an account changed. */
    rolesChanged,
    openView: slack.openView,
    pushView: slack.pushView,
    updateView: slack.updateView,
    postEphemeral: createPostEphemeral(slack),
    showProgram,
    homeViewers: createHomeViewers(redis, now),
    /** Requests a fresh App Home for a person. `isOpening`: they are looking at it. */
    async renderHome(userId: string, isOpening: boolean, turn: HomeTurn | null = null): Promise<void> {
      await intake.take({ type: 'home', opened: homeOpened({ userId, isOpening, turn }, now().getTime()) });
    },
    respond,
    seals,
    log,
  };
}

function composeRequestAction(
  { config, intake, metrics, now, log }: WebBase,
  given: Pick<RequestDeps, 'rights' | 'offer' | 'groupOfTarget'>,
): (ask: Ask & { readonly notify: (message: Message) => Promise<void> }) => Promise<void> {
  const signer = createSigner(secretOf(config), 'action');
  return (ask) =>
    requestAction(ask, ask.notify, {
      ...given,
      take: (entry) =>
        intake.take(
          entry.type === 'action'
            ? { ...entry, signature: signer.sign(entry.action) }
            : { ...entry, signature: signer.sign({ action: entry.action, why: entry.why }) },
        ),
      count: metrics.actionAsked,
      now,
      log,
    });
}
