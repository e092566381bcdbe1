import { limitWarning } from '../../templates/warnings/warnings.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { RemainingLimits } from '../card-api/schema.ts';
import { contentId } from '../core/content-id.ts';
import { groupBy } from '../core/group-by.ts';
import type { CardSeal } from '../core/seal.ts';
import type { Links } from '../holders/link-store.ts';
import type { Preferences } from '../holders/preference-store.ts';
import { windowEnd } from '../limits/limit-window.ts';
import type { TemporaryChanges } from '../limits/temporary-change-store.ts';
import type { Warned } from './warned-store.ts';

/** Percentages of a limit at which its holder is warned, highest first. */
const THRESHOLDS = [90, 75] as const;

const DAY_MS = 24 * 3_600_000;
/** A lifetime limit never resets. */
const LIFETIME_MS = 400 * DAY_MS;

export type UsedLimit = ReturnType<typeof usedLimits>[number];

/**
 * Limits that are at least three quarters used in their current window, as the remaining amounts show. Skips limits for which
 * the card service omits the limit or the remaining amount.
 *
 * @returns `category` is null for the card's own limit. `resetsAt`: when the complete limit is available again; null: never.
 */
export function usedLimits({ overall, categories }: RemainingLimits, at: string) {
  const all = [...overall.map((limit) => ({ ...limit, name: null })), ...categories];
  return all.flatMap(({ period, limitCents, remainingCents, name: category }) => {
    if (limitCents === null || limitCents <= 0 || remainingCents === null) return [];
    const usedCents = limitCents - remainingCents;
    // Someone let more through than the limit, and the holder knows.
    if (usedCents > limitCents) return [];
    const threshold = THRESHOLDS.find((percent) => usedCents * 100 >= limitCents * percent);
    const resetsAt = windowEnd(period, at);
    return threshold === undefined ? [] : [{ period, category, limitCents, usedCents, threshold, resetsAt }];
  });
}

interface ReadDeps {
  readonly temporaryChanges: Pick<TemporaryChanges, 'all'>;
  /** The remaining amounts of a card's limits; null when too many are being requested right now. */
  readonly remaining: (acctId: number) => Promise<RemainingLimits | null>;
}

/**
 * The used limits of a card; null when too many are being requested right now. Skips limits that are raised for one
 * purchase: they will be lowered automatically, so their usage means nothing. A limit counts as any other while a person has
 * to decide whether it is lowered, or while neither the card nor these amounts show the raise.
 */
export function createReadUsedLimits({ temporaryChanges, remaining }: ReadDeps) {
  return async function readUsedLimits(acctId: number, at: string): Promise<UsedLimit[] | null> {
    const amounts = await remaining(acctId);
    if (amounts === null) return null;
    const raised = (await temporaryChanges.all())
      .filter(({ purchase, state }) => purchase !== null && state === 'open')
      .filter((change) => change.acctId === acctId)
      .flatMap(({ changes, certainty }) => changes.map((change) => ({ ...change, certainty })));
    const isRaised = ({ period, category, limitCents }: UsedLimit): boolean =>
      raised.some(
        ({ rule, to, certainty }) =>
          rule.kind === 'limit' &&
          rule.period === period &&
          (rule.category?.name ?? null) === category &&
          (certainty !== 'unconfirmed' || to === limitCents),
      );
    return usedLimits(amounts, at).filter((used) => !isRaised(used));
  };
}

interface Deps extends Pick<ActionTools, 'factsOf' | 'now'> {
  readonly notifyUnasked: ActionTools['notifyDirectly'];
  readonly links: Pick<Links, 'ofAccount'>;
  readonly preferences: Pick<Preferences, 'isOn'> & {
    /** How long (ms) to wait before asking again, because of the person's quiet hours; 0: not at all. */
    readonly quietLeftMs: (userId: string) => Promise<number>;
  };
  readonly warned: Warned;
  readonly readUsedLimits: ReturnType<typeof createReadUsedLimits>;
  /** The value of a button for this card. */
  readonly sealCard: CardSeal['seal'];
}

const AGAIN_MS = 30_000;

/**
 * Notifies the holder after a purchase that most of a limit is used: at 75 and at 90 percent, once per limit and window,
 * outside their quiet hours. A changed limit counts as a new limit. Idempotent.
 *
 * @returns milliseconds until the next run, or null when done.
 */
export function createWarnOfLimits(deps: Deps): (acctId: number) => Promise<number | null> {
  const { links, preferences, warned } = deps;
  return async function warnOfLimits(acctId) {
    const userId = (await links.ofAccount(acctId))?.userId;
    if (userId === undefined || !(await preferences.isOn(userId, 'limit-warnings'))) return null;
    const quietMs = await preferences.quietLeftMs(userId);
    if (quietMs > 0) return quietMs;
    // Before they are read: amounts of a window that ends meanwhile are not taken for those of the next one.
    const now = deps.now();
    const limits = await deps.readUsedLimits(acctId, now.toISOString());
    if (limits === null) return AGAIN_MS;
    const fresh: { readonly used: UsedLimit; readonly ids: readonly string[] }[] = [];
    for (const used of limits) {
      const ids = THRESHOLDS.filter((percent) => percent <= used.threshold).map((percent) =>
        idOf([userId, acctId], used, percent),
      );
      if (ids[0] !== undefined && !(await warned.has(ids[0]))) fresh.push({ used, ids });
    }
    if (fresh.length === 0) return null;
    const card = await deps.factsOf(acctId);
    const together = contentId(
      'warning_',
      fresh.map(({ ids }) => ids[0] ?? ''),
    );
    const chosen = await Promise.all(
      fresh.map(async ({ used, ids: [id = ''] }) => ({
        used,
        messageId: await warned.messageOf(id, together, lastsMs(used, now)),
      })),
    );
    for (const [id, group] of groupBy(chosen, ({ messageId }) => messageId)) {
      const message = limitWarning({ card, limits: group.map(({ used }) => used), value: deps.sealCard(card) });
      await deps.notifyUnasked(userId, id, message);
    }
    // After the warning at 90 percent, the one at 75 is not needed.
    for (const { used, ids } of fresh) for (const one of ids) await warned.add(one, lastsMs(used, now));
    return null;
  };
}

/** Each holder of the card is warned. */
function idOf(
  holder: readonly [userId: string, acctId: number],
  { period, category, limitCents, resetsAt }: UsedLimit,
  percent: number,
): string {
  return contentId('limit_', [...holder, period, category ?? '', limitCents, resetsAt ?? '', percent]);
}

function lastsMs({ resetsAt }: UsedLimit, now: Date): number {
  return resetsAt === null ? LIFETIME_MS : Date.parse(resetsAt) - now.getTime() + DAY_MS;
}
