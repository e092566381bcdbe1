import type { AccountChanges } from '../actions/progress-store.ts';
import type { Alert } from '../alerts/alert.ts';
import type { Alerts } from '../alerts/alert-store.ts';
import { kindOf } from '../digests/schedule-store.ts';
import type { RecentRaise } from '../limits/recent-raise-store.ts';
import type { RuleWrite } from '../limits/rule-write.ts';
import type { Subscription } from '../routing/channel-rules-store.ts';
import type { Mute } from '../routing/mute-store.ts';
import type { Stores } from './stores.ts';
import type { Unremembered, Write, WriteRule } from './write-rule.ts';

type Rules = {
  readonly [Name in keyof Stores]: {
    readonly [Method in keyof Stores[Name]]: Stores[Name][Method] extends Write<infer Args, infer Result>
      ? WriteRule<Stores[Name], Args, Result> | Unremembered
      : Unremembered;
  };
};

const all = <const What>(what: What) => {
  return <Name extends string>(...names: Name[]) =>
    Object.fromEntries(names.map((name) => [name, what])) as Record<Name, What>;
};
const reads = all('reads');
const ofJobs = all('jobs');
/** Safe to repeat in any order. */
const each = {};

const muteOf = ({ acctId, kind }: Mute): string => `mute:${acctId}:${kind}`;
const raiseOf = ({ actionId, acctId, rule }: Omit<RecentRaise, 'atMs'>): string =>
  `raise:${actionId}:${acctId}:${rule}`;
type Filter = Pick<Subscription, 'channel' | 'filter'>;
const subscriptionOf = ({ channel, filter }: Filter): string => `subscription:${channel}:${filter}`;
const ofId =
  (kind: string) =>
  ({ id }: { readonly id: string }): string =>
    `${kind}:${id}`;
/** What the first argument names: an account, a channel, a person, a record. */
const of = (kind: string) => {
  return (name: string | number): string => `${kind}:${name}`;
};

const restoring = (alerts: Pick<Alerts, 'restore'>, alert: Alert) =>
  alert.kind === 'card-status' ? () => alerts.restore(alert) : null;

/** A newer change, perhaps by another process, must stay the latest. All of the account is put back. */
const wholeAccount = <Stands>(kind: string) => ({
  subject: of(kind),
  again: (store: { restore(acctId: number, stands: Stands): Promise<void> }, stands: Stands, acctId: number) => () =>
    store.restore(acctId, stands),
});
const ofChanges = all(wholeAccount<AccountChanges>('latest-changes'));
const ofRuleWrites = all(wholeAccount<readonly RuleWrite[]>('rule-writes'));

/** Every method of every store. TypeScript requires a rule when one is added. */
export const rules: Rules = {
  outbox: {
    ...reads('channels', 'held', 'look', 'waiting', 'dueAt', 'sentAt', 'pauseLeft'),
    ...ofJobs('holdUntil', 'remove', 'requeue', 'keepUnsent', 'countTry', 'pauseFor'),
    // Jobs that put an entry run again. `lastingOutbox` is for all others.
    put: 'jobs',
    // Keeps others from posting an entry in flight until its sender has reported the outcome.
    claim: {
      ownSubject: of('in-flight'),
      again(outbox, sending, channel, entryIds, slackMs, entries = []) {
        if (sending === null) return null;
        return async () => {
          await Promise.all(entries.map((entry) => outbox.put(channel, entry)));
          await outbox.claim(channel, entryIds, slackMs);
        };
      },
    },
    beginRedirect: each,
    markSent: each,
    markMoved: each,
    takeBack: each,
  },
  trackedMessages: {
    ...reads('references', 'revisions', 'at', 'alertsAt'),
    ...ofJobs('countUpdate', 'add', 'forget'),
    addSeen: each,
  },
  alerts: {
    ...reads('kept', 'get', 'arrivalOf'),
    ...ofJobs('restore', 'setTimeline', 'setProgress'),
    // An activation and the block that follows share the alert of the one delivered first.
    save: { again: (alerts, _result, alert) => restoring(alerts, alert) },
    record: { again: (alerts, _result, alert) => restoring(alerts, alert) },
    setAsked: each,
    setOutcome: { subject: (alertId, id) => `outcome:${alertId}:${id}` },
  },
  // Jobs run again in another order. Without the lost decision, an event would join another message than the one posted.
  aggregationGroups: {
    restoring: 'reads',
    join: { again: (groups, leaderId, ...[channel, event, rule]) => groups.restoring(leaderId, channel, event, rule) },
  },
  cardTesting: {
    restoring: 'reads',
    join: {
      again: (warnings, joined, channel, event) =>
        joined === null ? null : warnings.restoring(joined.warningId, channel, event),
    },
  },
  purchases: {
    ...ofJobs('restore'),
    join: {
      again:
        (purchases, { leaderId }, event) =>
        () =>
          purchases.restore(leaderId, event),
    },
    joinStarted: {
      again: (purchases, joined, event) => joined && (() => purchases.restore(joined.leaderId, event)),
    },
  },
  history: {
    ...reads(
      'statuses',
      'newestDeclines',
      'recentAlerts',
      'alertsBetween',
      'declinesLast',
      'isExpected',
      'confirmedBy',
    ),
    ...ofJobs('expectedAction'),
    // Otherwise an activation that is delivered again first does not find the block it belongs to.
    addStatus: each,
    expectStatus: { subject: (acctId, status, _by, cardId) => `expected:${acctId}:${status}:${cardId ?? ''}` },
    forgetExpected: { subject: (acctId, status, cardId) => `expected:${acctId}:${status}:${cardId ?? ''}` },
  },
  cardOrders: {
    ...reads('ofAccount', 'overdue', 'blockThread'),
    ...ofJobs('awaitActivation', 'forget', 'postpone'),
    // Its threads show news about a card. Without the lost step, later news would start another thread.
    note: each,
    setBlockThread: { subject: of('block-thread') },
  },
  requests: {
    ...reads('get', 'open', 'requestsOf', 'deniedSince', 'approversOf'),
    add: { subject: ofId('request') },
    save: { subject: ofId('request') },
    remind: {
      subject: of('request'),
      again: (requests, reminded) => reminded && (() => requests.save(reminded)),
    },
    addAsker: {
      subject: of('request'),
      again: (requests, asked) => asked && (() => requests.save(asked)),
    },
  },
  temporaryChanges: {
    ...reads('get', 'all'),
    save: { subject: ofId('temporary-change') },
    forget: { subject: of('temporary-change') },
  },
  links: {
    ...reads('ofAccount', 'accountsOf', 'isHeldBy', 'ofUser', 'isHolder', 'wasHolderLately'),
    link: { subject: ({ acctId }) => `link:${acctId}` },
    unlink: { subject: of('link') },
    expectHolder: each,
    expectNoHolder: each,
  },
  claims: { ...reads('get', 'open'), save: { subject: ofId('claim') }, count: each },
  latestChanges: {
    ...reads('isOvertaken', 'changedBy', 'isSuperseded', 'blocksWanted', 'activations'),
    ...ofJobs('restore'),
    ...ofChanges('changed', 'alreadyInEffect', 'forgetBlocks', 'notMade'),
  },
  progress: {
    ...reads('read', 'awaited', 'isAnswerReplaced'),
    ...ofJobs('answerReplaced'),
    isFirstTrouble: each,
    // An attempt that was given up must not replace one that another process has begun since.
    write: { subject: of('progress'), again: (progress, stands, id) => () => progress.write(id, stands) },
    begin: {
      subject: of('progress'),
      again: (progress, stands, id, next) => (stands === null ? () => progress.write(id, next) : null),
    },
  },
  refusalCounts: { ...ofJobs('take', 'forget'), note: each, questions: each },
  looks: { isFirst: each },
  blocks: { ...reads('get'), keep: each },
  recentRaises: {
    ...reads('list'),
    add: { subject: raiseOf },
    cancel: { subject: raiseOf },
    reserveOverride: {
      subject: of('override'),
      again: (raises, isOwn, ...args) => (isOwn ? () => raises.reserveOverride(...args) : null),
    },
    releaseOverride: { subject: of('override') },
  },
  ruleWrites: {
    ...reads('of', 'accounts'),
    ...ofJobs('restore'),
    ...ofRuleWrites('begin', 'keep', 'made', 'notMade', 'seen', 'close'),
  },
  decisions: { ...reads('since'), remember: each },
  awaitedOrders: {
    ...reads('waitingSince', 'unanswered'),
    ...ofJobs('arrived', 'settle'),
    expect: each,
    forget: each,
    answered: each,
  },
  pending: {
    ...reads('get'),
    put: { again: (pending, id, what) => () => pending.put(what, id) },
  },
  eventLog: { ...reads('latest', 'read'), ...ofJobs('note') },
  quarantined: { ...reads('list', 'count', 'get'), ...ofJobs('keep', 'remove') },
  subscriptions: { ...reads('all'), add: { subject: subscriptionOf }, remove: { subject: subscriptionOf } },
  quietHours: {
    ...reads('get', 'all'),
    set: { subject: ({ channel }) => `quiet:${channel}` },
    remove: { subject: of('quiet') },
  },
  longAlerts: { ...reads('has'), set: { subject: of('long-alerts') } },
  preferences: {
    ...reads('isOn', 'switchedOff', 'ownDigest', 'ownDigests'),
    set: { subject: (owner, kind) => `switched-off:${owner}:${kind}` },
    setOwnDigest: { subject: of('own-digest') },
  },
  settingOrder: {
    ...reads('isSetSince'),
    begin: {
      subject: of('set-last'),
      again: (order, hasBegun, ...asked) => (hasBegun ? () => order.begin(...asked) : null),
    },
  },
  delegations: { ...reads('of', 'all'), set: { subject: of('delegation') } },
  fraudCases: {
    ...reads('openOf', 'ofAlert', 'ofReport', 'channels'),
    // Until the case is announced again, its later events would also show in channels without it.
    addChannel: each,
    open: {
      subject: of('fraud-case'),
      // It may have joined the case of another alert.
      again: (cases, open, acctId, reportId, alertId) => async () => {
        for (const by of [open, { caseId: reportId, alertId }]) await cases.open(acctId, by.caseId, by.alertId);
      },
    },
    close: { subject: of('fraud-case') },
  },
  mutes: {
    ...reads('get', 'inForce', 'active', 'ended', 'withheld'),
    ...ofJobs('withhold'),
    put: { subject: muteOf },
    end: { subject: muteOf },
    remove: { subject: muteOf },
  },
  digests: {
    ...reads('get', 'ofChannel', 'all'),
    set: { subject: (digest) => `digest:${digest.channel}:${kindOf(digest)}` },
    remove: { subject: (channel, kind) => `digest:${channel}:${kind}` },
  },
  shownDeclines: { ...reads('lastShown'), ...ofJobs('setShown') },
  // Before the recovery runs again, the webhook may arrive and be reported beside it.
  backfilled: { ...reads('covers'), remember: { subject: of('backfilled') } },
  warned: {
    ...reads('has'),
    ...ofJobs('add'),
    // Jobs run again in another order, and the first would choose another message than the one posted.
    messageOf: {
      again: (warned, kept, id, _own, ttlMs) => () => warned.messageOf(id, kept, ttlMs),
    },
  },
};
