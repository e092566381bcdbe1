import { expiryWarning } from '../../templates/warnings/warnings.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { AccountDetails } from '../card-api/schema-account.ts';
import { createStillToWarn, type StillToWarnDeps, type WarnBoth } from './warned-store.ts';

const DAY_MS = 24 * 3_600_000;
/** A new card takes time to arrive by mail. */
const WARN_BEFORE_MS = 30 * DAY_MS;

/**
 * Cards in use that expire soon and have no replacement. The date is read each time, and stored only in the text of a
 * warning that waits to be posted.
 */
export function expiringCards({ cards }: Pick<AccountDetails, 'cards'>, now: Date) {
  return cards.flatMap((card) => {
    const { expiresOn, status, cardId } = card;
    if (expiresOn === null || status !== 'ACTIVE') return [];
    const leftMs = Date.parse(expiresOn) + DAY_MS - now.getTime();
    const isReplaced = cards.some((other) => other.cardId > cardId && other.status !== 'CLOSED');
    return leftMs <= 0 || leftMs > WARN_BEFORE_MS || isReplaced ? [] : [{ ...card, expiresOn }];
  });
}

interface Deps extends Pick<ActionTools, 'factsOf' | 'now'> {
  readonly warnBoth: WarnBoth;
  readonly getAccount: (acctId: number) => Promise<Pick<AccountDetails, 'cards'>>;
  /** The channel for status changes. */
  readonly channel: string;
}

const expiryWarningId = (cardId: number): string => `expiry-${cardId}`;

/** Whether the channel or the holder is still to be warned that a card expires. */
export function createIsExpiryWarningDue(deps: StillToWarnDeps & Pick<Deps, 'channel'>) {
  const stillToWarn = createStillToWarn(deps);
  return async function isExpiryWarningDue(acctId: number, cardId: number): Promise<boolean> {
    const reason = { channel: deps.channel, acctId, id: expiryWarningId(cardId) };
    return (await stillToWarn('expiring-cards', reason)).length > 0;
  };
}

/**
 * Notifies the holder and the channel, each once, that a card is about to expire. The card service is asked only if somebody
 * is to be warned now. Idempotent.
 *
 * @returns milliseconds until the next run, or null when done.
 */
export function createWarnOfExpiry(deps: Deps): (acctId: number, cardId: number) => Promise<number | null> {
  const { warnBoth, getAccount, factsOf, channel, now } = deps;
  return async function warnOfExpiry(acctId, cardId) {
    const id = expiryWarningId(cardId);
    return await warnBoth('expiring-cards', { channel, acctId, id, keptMs: 2 * WARN_BEFORE_MS }, async () => {
      const expiring = expiringCards(await getAccount(acctId), now()).find((card) => card.cardId === cardId);
      const card = await factsOf(acctId, { cardId });
      return {
        messageId: id,
        messageFor: ({ audience }) =>
          expiring === undefined ? null : expiryWarning({ card, expiresOn: expiring.expiresOn }, audience),
      };
    });
  };
}
