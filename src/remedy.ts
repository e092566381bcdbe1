import type { Remedy } from './alert/alert.ts';
import { bindingLimit } from './alert/binding-limit.ts';
import type { CardStatus, TransactionEvent } from './alert/event.ts';
import { merchantCategory } from './alert/merchant-category.ts';
import type { CardClient } from './card/client.ts';
import type { Log } from './log.ts';

/** An alert that names the limit is better than one that does not; one that comes late is worse. */
const PATIENCE_MS = 600;

/**
 * What would have let a declined purchase pass, read from the card's limits as they are now.
 *
 * @param statusesOf statuses of an account's cards, as the directory knows them.
 * @returns null when no limit was the reason, or the card API did not say in time.
 */
export function createRemedyFor(
  card: Pick<CardClient, 'getRemainingLimits' | 'getSpendRules'>,
  statusesOf: (acctId: number) => Promise<readonly (CardStatus | null)[]>,
  log: Log,
): (event: TransactionEvent) => Promise<Remedy | null> {
  return async function remedyFor(event) {
    const code = event.decline?.code.trim().toLowerCase() ?? '';
    if (code === 'decline.card.status') return await unblockWhereBlocked(event);
    if (!code.startsWith('decline.rule.velocity')) return null;

    const quickly = { deadlineMs: PATIENCE_MS };
    const [remaining, rules] = await Promise.all([
      orNull(card.getRemainingLimits(event.acctId, quickly), log),
      orNull(card.getSpendRules(event.acctId, quickly), log),
    ]);
    if (remaining === null && rules === null) return null;
    const purchase = { code, amountCents: event.amountCents, merchantKind: merchantCategory(event.mcc) };
    return bindingLimit(purchase, remaining, rules?.rules ?? null)?.remedy ?? null;
  };

  /** The service has no words of its own for a blocked card: it calls it inactive. What is known of the card decides. */
  async function unblockWhereBlocked(event: TransactionEvent): Promise<Remedy | null> {
    if (/pending activation|closed/i.test(event.decline?.message ?? '')) return null;
    const open = (await statusesOf(event.acctId)).filter((status) => status !== 'CLOSED');
    return open.length > 0 && open.every((status) => status === 'BLOCKED') ? { kind: 'unblock' } : null;
  }
}

async function orNull<T>(reading: Promise<T>, log: Log): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    log.warn({ err: error }, 'limits could not be read for an alert');
    return null;
  }
}
