import type { OwnCardFacts } from '../../templates/app-home/home-own-cards.ts';
import { type OwnDecline, ownDigest } from '../../templates/app-home/own-digest.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { TransactionEvent } from '../core/event.ts';
import { placeKey } from '../core/merchant-category.ts';
import { merchantName } from '../core/merchant-name.ts';
import { periodBefore } from '../digests/schedule-store.ts';
import type { RecentDeclines } from '../directory/show-card.ts';
import type { OwnDigest } from '../holders/preference-store.ts';
import type { ListPage } from './home-page.ts';

interface Deps extends Pick<ActionTools, 'notifyDirectly' | 'zone' | 'now'> {
  readonly preferences: { readonly ownDigests: () => Promise<OwnDigest[]> };
  readonly ownCards: (userId: string) => Promise<Pick<ListPage<OwnCardFacts>, 'shown'>>;
  readonly recentDeclines: RecentDeclines;
  /** Which digests were sent. */
  readonly sent: {
    readonly has: (id: string) => Promise<boolean>;
    readonly add: (id: string, keptMs: number) => Promise<void>;
  };
  /** Audits that someone got a digest. Idempotent. */
  readonly record: (userId: string, id: string, what: string) => Promise<void>;
}

/** Nobody reads a digest later than this. */
const TOO_OLD_MS = 12 * 3_600_000;
const MONDAY = 1;
/** More declines than anyone has in a week. */
const DECLINES_MAX = 200;

/** Sends the due digests of people's own cards. Each is sent once per period, however often this runs. */
export function createSendOwnDigests(deps: Deps): () => Promise<void> {
  const { preferences, ownCards, recentDeclines, sent, notifyDirectly, record, zone, now } = deps;
  return async function sendOwnDigests() {
    for (const { userId, often, since } of await preferences.ownDigests()) {
      const weekday = often === 'weekly' ? MONDAY : null;
      const period = periodBefore({ weekday, isMonthly: false, hour: 9, minute: 0, zone }, now());
      const isDue = period.dueMs > Date.parse(since) && now().getTime() - period.dueMs < TOO_OLD_MS;
      const id = `own-digest-${userId}-${often}-${period.date}`;
      if (!isDue || (await sent.has(id))) continue;
      const cards = await Promise.all(
        (await ownCards(userId)).shown.map(async (facts) => {
          const all = await recentDeclines(facts.card.acctId ?? 0, DECLINES_MAX);
          return { ...facts, declines: purchasesOf(all.filter(isWithin(period))) };
        }),
      );
      if (cards.length > 0) {
        await notifyDirectly(userId, id, ownDigest({ often, cards }));
        await record(userId, id, `${often} digest of own cards: ${cards.length}`);
      }
      await sent.add(id, 2 * TOO_OLD_MS);
    }
  };
}

function isWithin({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }) {
  return ({ occurredAt }: TransactionEvent): boolean => {
    const at = Date.parse(occurredAt);
    return at >= fromMs && at < toMs;
  };
}

/** Counts retries of a purchase as one decline. */
function purchasesOf(declines: readonly TransactionEvent[]): OwnDecline[] {
  const purchases = new Map<string, OwnDecline>();
  for (const event of declines) {
    const { amountCents, merchant, decline } = event;
    const key = JSON.stringify([merchantName(merchant.name).key, placeKey(merchant), decline?.code ?? '', amountCents]);
    const { attempts, ...first } = purchases.get(key) ?? { ...event, attempts: 0 };
    purchases.set(key, { ...first, attempts: attempts + 1 });
  }
  return [...purchases.values()];
}
