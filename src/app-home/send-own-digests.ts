import { type OwnDecline, ownDigest } from '../../templates/app-home/own-digest.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import { purchaseKey } from '../alerts/aggregation-group-store.ts';
import { DECLINES_MAX } from '../alerts/save-alerts.ts';
import { happenedSince } from '../core/service-time.ts';
import { type DigestPeriod, periodBefore, type Span } from '../digests/schedule-store.ts';
import { coveredSpan, type ShownDeclines } from '../digests/shown-declines.ts';
import { ATTEMPTS_MS, added, noSums, type Sums } from '../digests/tally-store.ts';
import type { RecentDecline, RecentDeclines } from '../directory/show-card.ts';
import type { OwnDigest } from '../holders/preference-store.ts';
import type { OwnCard } from './home-facts.ts';
import type { ListPage } from './home-page.ts';

interface Deps extends Pick<ActionTools, 'zone' | 'now'> {
  /** Sends a direct message, after the person's quiet hours. */
  readonly notifyUnasked: ActionTools['notifyDirectly'];
  readonly preferences: {
    readonly ownDigests: () => Promise<OwnDigest[]>;
    /** How long (ms) the person's quiet hours last from now on; 0: there are none now. */
    readonly quietLeftMs: (userId: string) => Promise<number>;
  };
  /** One page of a person's cards, counted from 1. */
  readonly ownCards: (userId: string, page: number) => Promise<Pick<ListPage<OwnCard>, 'shown' | 'pages'>>;
  readonly recentDeclines: RecentDeclines;
  /** Which digests were sent, and until when they have shown declines. */
  readonly sent: ShownDeclines & {
    readonly has: (id: string) => Promise<boolean>;
    readonly add: (id: string, keptMs: number) => Promise<void>;
  };
  /** Audits that someone gets a digest, before it is sent. Idempotent. */
  readonly record: (userId: string, id: string, what: string) => Promise<void>;
}

/** Nobody reads a digest later than this. */
const TOO_OLD_MS = 12 * 3_600_000;
const MONDAY = 1;

/** The period that a digest of somebody's own cards covers: it is due at 9:00. */
const ownPeriod = (often: OwnDigest['often'], zone: string, now: Date): DigestPeriod =>
  periodBefore({ weekday: often === 'weekly' ? MONDAY : null, isMonthly: false, hour: 9, minute: 0, zone }, now);

/** When digests of own cards were last due (ms), daily ones and on Mondays all of them. */
export const ownDigestsDueMs = (zone: string, now: Date): number => ownPeriod('daily', zone, now).dueMs;

/** A digest that is due, of all cards of a person. */
interface DueDigest extends OwnDigest {
  readonly id: string;
  readonly period: DigestPeriod;
}

/** Sends the due digests of people's own cards. Each is sent once per period, however often this runs. */
export function createSendOwnDigests(deps: Deps): () => Promise<void> {
  const { preferences, sent, notifyUnasked, record, zone, now } = deps;
  return async function sendOwnDigests() {
    for (const chosen of await preferences.ownDigests()) await sendIfDue(chosen);
  };

  async function sendIfDue(chosen: OwnDigest): Promise<void> {
    const { userId, often, since } = chosen;
    const period = ownPeriod(often, zone, now());
    const id = `own-digest-${userId}-${often}-${period.date}`;
    const leftMs = period.dueMs + TOO_OLD_MS - now().getTime();
    const isDue = period.dueMs > Date.parse(since) && leftMs > 0;
    if (!isDue || (await sent.has(id))) return;
    // It shows what is left of the limits, so it waits for quiet hours that end while somebody still reads it.
    const quietMs = await preferences.quietLeftMs(userId);
    if (quietMs === 0 || quietMs >= leftMs) await send({ ...chosen, id, period });
  }

  async function send(digest: DueDigest): Promise<void> {
    const { userId, often, id, period } = digest;
    const cards = await countedCards(digest, deps);
    if (cards.length > 0) {
      const total = cards.flatMap(({ facts: { declines } }) => declines.map(sumsOf)).reduce(added, noSums);
      const isCut = cards.some((card) => card.isCut);
      const facts = cards.map((card) => card.facts);
      const fromMs = Math.min(...cards.map((card) => card.fromMs));
      const from = fromMs === period.fromMs ? null : new Date(fromMs).toISOString();
      // Recorded first: nobody reads a digest that is not on record.
      await record(userId, id, `${often} digest of own cards: ${cards.length}`);
      await notifyUnasked(userId, id, ownDigest({ often, from, total, isCut, cards: facts }));
    }
    for (const { schedule } of cards) await sent.setShown(schedule, period);
    await sent.add(id, 2 * TOO_OLD_MS);
  }
}

type CountDeps = Pick<Deps, 'ownCards' | 'recentDeclines' | 'sent'>;

async function countedCards(digest: DueDigest, deps: CountDeps) {
  const { shown, pages } = await deps.ownCards(digest.userId, 1);
  const cards = [...shown];
  for (let page = 2; page <= pages; page += 1) cards.push(...(await deps.ownCards(digest.userId, page)).shown);
  // If a card was taken away meanwhile, the last page may repeat an earlier one.
  const each = new Map(cards.map((card) => [card.card.acctId, card]));
  return await Promise.all([...each.values()].map((card) => countedCard(card, digest, deps)));
}

/** Each card is counted for itself: what it had before its holder got it was never theirs. */
async function countedCard({ linkedAt, ...facts }: OwnCard, digest: DueDigest, { recentDeclines, sent }: CountDeps) {
  const { userId, since, startedAt } = digest;
  const acctId = facts.card.acctId ?? 0;
  const declines = await recentDeclines(acctId, DECLINES_MAX);
  const purchases = purchasesOf(declines.filter(happenedSince(Date.parse(linkedAt))));
  const schedule = `own:${userId}:${acctId}`;
  const last = await sent.lastShown(schedule);
  const sinceMs = Math.max(Date.parse(startedAt ?? since), Date.parse(linkedAt));
  const period = coveredSpan({ ...digest, last, sinceMs });
  const oldest = declines.length < DECLINES_MAX ? undefined : declines.at(-1);
  return {
    schedule,
    fromMs: period.fromMs,
    /** Earlier declines of the period are not kept. */
    isCut: oldest !== undefined && atOf(oldest) >= Math.max(period.fromMs, Date.parse(linkedAt)),
    facts: { ...facts, declines: purchases.flatMap((tried) => declineIn(tried, period)) },
  };
}

/** The attempts at one purchase within a day of the first, oldest first. Never empty. */
type Attempts = readonly [RecentDecline, ...RecentDecline[]];

const atOf = ({ occurredAt }: RecentDecline): number => Date.parse(occurredAt);

/** Newest first, like the declines. */
function purchasesOf(declines: readonly RecentDecline[]): Attempts[] {
  const purchases = new Map<string, Attempts>();
  const complete: Attempts[] = [];
  for (const event of declines.toReversed()) {
    const key = purchaseKey(event);
    const before = purchases.get(key);
    const isRetry = before !== undefined && atOf(event) - atOf(before[0]) < ATTEMPTS_MS;
    if (before !== undefined && !isRetry) complete.push(before);
    purchases.set(key, isRetry ? [...before, event] : [event]);
  }
  return [...complete, ...purchases.values()].toSorted(([one], [other]) => atOf(other) - atOf(one));
}

const isIn = (at: number, { fromMs, toMs }: Span): boolean => at >= fromMs && at < toMs;

/** A purchase as a period's digest lists it; nothing if it was not tried then. */
function declineIn(tried: Attempts, period: Span): OwnDecline[] {
  const within = tried.filter((event) => isIn(atOf(event), period));
  const latest = within.at(-1);
  return latest === undefined ? [] : [{ ...latest, attempts: within.length, isNew: within[0] === tried[0] }];
}

/** Counted as in the digest of a channel: a purchase is one decline, when it was first tried. */
function sumsOf({ attempts, isNew, amountCents }: OwnDecline): Sums {
  return { attempts, count: isNew ? 1 : 0, cents: isNew ? amountCents : 0 };
}
