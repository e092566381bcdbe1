import type { Blocks } from '../actions/block-store.ts';
import type { LatestChanges, Progress } from '../actions/progress-store.ts';
import type { Alerts } from '../alerts/alert-store.ts';
import type { Requests } from '../approvals/request-store.ts';
import type { Redo } from '../core/redo.ts';
import type { WriteOrder } from '../core/write-order.ts';
import { type Digests, kindOf } from '../digests/schedule-store.ts';
import type { Claims } from '../holders/claim-store.ts';
import type { Links } from '../holders/link-store.ts';
import type { Preferences } from '../holders/preference-store.ts';
import type { RecentRaises } from '../limits/recent-raise-store.ts';
import type { TemporaryChanges } from '../limits/temporary-change-store.ts';
import type { Outbox } from '../outbox/outbox-store.ts';
import type { Delegations } from '../policy/delegation-store.ts';
import type { LongAlerts, QuietHoursStore, Subscription, Subscriptions } from '../routing/channel-rules-store.ts';
import type { Mute, Mutes } from '../routing/mute-store.ts';
import type { Enqueue } from './enqueue.ts';
import { type JobData, type JobName, jobs } from './jobs.ts';

type Remember = Pick<Redo, 'remember'>;
type Write<Args extends readonly unknown[], Result> = (...args: Args) => Promise<Result>;

/** The same write, which is repeated when Redis has lost it. It must be safe to repeat, whatever was written since. */
export function remembered<Args extends readonly unknown[], Result>(
  redo: Remember,
  write: Write<Args, Result>,
): Write<Args, Result> {
  return async (...args) => {
    const result = await write(...args);
    redo.remember(() => write(...args));
    return result;
  };
}

/** What one process alone may have done: to be repeated in any order. */
interface Deeds {
  readonly outbox: Outbox;
  readonly progress: Progress;
  readonly latestChanges: LatestChanges;
  readonly blocks: Blocks;
}

/** What people have decided about cards: of several who decided about the same, the last one counts. */
interface OfCards {
  readonly temporaryChanges: TemporaryChanges;
  readonly requests: Requests;
  readonly claims: Claims;
  readonly links: Links;
  readonly recentRaises: RecentRaises;
  readonly mutes: Mutes;
  readonly alerts: Alerts;
}

/** What they have set for channels and for themselves: the same. */
interface OfChannels {
  readonly subscriptions: Subscriptions;
  readonly quietHours: QuietHoursStore;
  readonly longAlerts: LongAlerts;
  readonly digests: Digests;
  readonly preferences: Preferences;
  readonly delegations: Delegations;
}

type Stores = Deeds & OfCards & OfChannels;

/**
 * Stores whose latest writes survive a Redis that comes back older: what was done must not be done again, what was posted
 * not be posted again, what was opened for a time must end, and what people have set or taken away stays so.
 */
export function rememberWrites<Given extends Stores>(redo: Remember, order: WriteOrder, stores: Given): Given {
  const newest = createNewest(redo, order);
  return {
    ...stores,
    ...rememberDeeds(redo, stores),
    ...rememberOfCards(newest, stores),
    ...rememberOfChannels(newest, stores),
  };
}

function rememberDeeds(redo: Remember, stores: Deeds): Deeds {
  const { outbox, progress, latestChanges, blocks } = stores;
  return {
    outbox: {
      ...outbox,
      // Nobody else posts what is on its way, until its sender has said what became of it.
      async claim(...args) {
        const sending = await outbox.claim(...args);
        if (sending !== null) redo.remember(() => outbox.claim(...args));
        return sending;
      },
      markSent: remembered(redo, outbox.markSent),
    },
    progress: {
      ...progress,
      write: remembered(redo, progress.write),
      async begin(actionId, next) {
        const stands = await progress.begin(actionId, next);
        if (stands === null) redo.remember(() => progress.write(actionId, next));
        return stands;
      },
    },
    latestChanges: {
      ...latestChanges,
      changed: remembered(redo, latestChanges.changed),
      foundSo: remembered(redo, latestChanges.foundSo),
      notMade: remembered(redo, latestChanges.notMade),
    },
    blocks: {
      ...blocks,
      keep: remembered(redo, blocks.keep),
      want: remembered(redo, blocks.want),
      async wantAnew(acctId, userId) {
        await blocks.wantAnew(acctId, userId);
        redo.remember(() => blocks.want(acctId, userId));
      },
    },
  };
}

type Newest = ReturnType<typeof createNewest>;

/** Repeats a write where nobody has written the same subject since. */
function createNewest(redo: Remember, order: WriteOrder) {
  async function keep(subject: string, again: () => Promise<unknown>): Promise<void> {
    const number = await order.note(subject);
    redo.remember(() => order.ifNewest(subject, number, again), subject);
  }
  return {
    keep,
    newest<Args extends readonly unknown[], Result>(
      subjectOf: (...args: Args) => string,
      write: Write<Args, Result>,
    ): Write<Args, Result> {
      return async (...args) => {
        const result = await write(...args);
        await keep(subjectOf(...args), () => write(...args));
        return result;
      };
    },
  };
}

function rememberOfCards({ newest, keep }: Newest, stores: OfCards): OfCards {
  const { temporaryChanges, requests, claims, links, recentRaises, mutes, alerts } = stores;
  const temporaryChangeOf = (id: string): string => `temporary-change:${id}`;
  const linkOf = (acctId: number): string => `link:${acctId}`;
  const overrideOf = (acctId: number): string => `override:${acctId}`;
  const raiseOf = ({ actionId, acctId, rule }: Parameters<RecentRaises['cancel']>[0]) =>
    `raise:${actionId}:${acctId}:${rule}`;
  const muteOf = ({ acctId, kind }: Mute): string => `mute:${acctId}:${kind}`;
  return {
    temporaryChanges: {
      ...temporaryChanges,
      save: newest(({ id }) => temporaryChangeOf(id), temporaryChanges.save),
      forget: newest(temporaryChangeOf, temporaryChanges.forget),
    },
    requests: {
      ...requests,
      save: newest(({ id }) => `request:${id}`, requests.save),
      async remind(id, at) {
        const isNoted = await requests.remind(id, at);
        const stands = isNoted ? await requests.get(id) : null;
        if (stands !== null) await keep(`request:${id}`, () => requests.save(stands));
        return isNoted;
      },
    },
    claims: { ...claims, save: newest(({ id }) => `claim:${id}`, claims.save) },
    links: {
      ...links,
      link: newest(({ acctId }) => linkOf(acctId), links.link),
      unlink: newest(linkOf, links.unlink),
    },
    recentRaises: {
      ...recentRaises,
      add: newest(raiseOf, recentRaises.add),
      cancel: newest(raiseOf, recentRaises.cancel),
      reserveOverride: newest((acctId) => overrideOf(acctId), recentRaises.reserveOverride),
      releaseOverride: newest((acctId) => overrideOf(acctId), recentRaises.releaseOverride),
    },
    mutes: {
      ...mutes,
      put: newest(muteOf, mutes.put),
      end: newest(muteOf, mutes.end),
      remove: newest(muteOf, mutes.remove),
    },
    alerts: { ...alerts, setOutcome: newest((alertId, id) => `outcome:${alertId}:${id}`, alerts.setOutcome) },
  };
}

function rememberOfChannels({ newest }: Newest, stores: OfChannels): OfChannels {
  const { subscriptions, quietHours, longAlerts, digests, preferences, delegations } = stores;
  const subscriptionOf = ({ channel, filter }: Pick<Subscription, 'channel' | 'filter'>): string =>
    `subscription:${channel}:${filter}`;
  return {
    subscriptions: {
      ...subscriptions,
      add: newest(subscriptionOf, subscriptions.add),
      remove: newest(subscriptionOf, subscriptions.remove),
    },
    quietHours: {
      ...quietHours,
      set: newest(({ channel }) => `quiet:${channel}`, quietHours.set),
      remove: newest((channel) => `quiet:${channel}`, quietHours.remove),
    },
    longAlerts: { ...longAlerts, set: newest((channel) => `long-alerts:${channel}`, longAlerts.set) },
    digests: {
      ...digests,
      set: newest((digest) => `digest:${digest.channel}:${kindOf(digest)}`, digests.set),
      remove: newest((channel, kind) => `digest:${channel}:${kind}`, digests.remove),
    },
    preferences: {
      ...preferences,
      set: newest((owner, kind) => `switched-off:${owner}:${kind}`, preferences.set),
      setOwnDigest: newest((userId) => `own-digest:${userId}`, preferences.setOwnDigest),
    },
    delegations: { ...delegations, set: newest((userId) => `delegation:${userId}`, delegations.set) },
  };
}

/**
 * Jobs that were added, or done, shortly before Redis came back older are added again: what a job wrote may be lost, and what
 * it was made from may be gone.
 */
export function rememberJobs(redo: Pick<Redo, 'remember'>, add: Enqueue) {
  const keep: Keep = (name, data, when) => {
    const { id, mergeBy } = jobs[name];
    const own = when?.id ?? id?.(data) ?? mergeBy?.(data);
    redo.remember(() => add(name, data, when), own === undefined ? Symbol(name) : `${name} ${own}`);
  };
  const enqueue: Enqueue = async (name, data, when) => {
    await add(name, data, when);
    keep(name, data, when);
  };
  return { enqueue, jobDone: keep };
}

type Keep = <Name extends JobName>(name: Name, data: JobData<Name>, when?: Parameters<Enqueue>[2]) => void;
