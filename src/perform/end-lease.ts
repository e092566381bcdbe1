import { auditLine } from '../../templates/audit-line.ts';
import { CardApiError } from '../errors.ts';
import type { Lease } from '../store/leases.ts';
import { amountWord, currentOf } from './change-limit.ts';
import type { PerformDeps } from './deps.ts';

/** While the card API is away, or does not take our token, the end of a temporary limit waits for it. */
const COME_BACK_MS = 60_000;

/**
 * A temporary limit has ended: puts back what was there before, if nobody changed it meanwhile.
 *
 * What somebody else set since then is theirs and stays; the audit channel says so. Safe to repeat: a lease that has
 * ended is gone.
 *
 * @returns milliseconds after which to try again, or null when it is over.
 */
export async function endLease(leaseId: string, deps: PerformDeps): Promise<number | null> {
  const found = await deps.leases.get(leaseId);
  if (found === null) return null;
  return await deps.withLock(`account:${found.acctId}`, async () => {
    const lease = await deps.leases.get(leaseId);
    if (lease === null) return null;
    try {
      await tellEnd(lease, await putBack(lease, deps), deps);
    } catch (error) {
      if (!(error instanceof CardApiError)) throw error;
      if (error.retryable || error.code === 'token_dead') return COME_BACK_MS;
      await tellEnd(lease, { current: lease.setCents, isBack: false, refused: error.apiMessage ?? error.code }, deps);
    }
    await deps.leases.close(lease.id);
    return null;
  });
}

interface End {
  /** What the limit was when we looked. */
  readonly current: number | null;
  readonly isBack: boolean;
  /** The card API's words, when it did not let us. */
  readonly refused?: string;
}

async function putBack(lease: Lease, deps: PerformDeps): Promise<End> {
  const { id, period, categoryId, beforeCents, setCents, acctId } = lease;
  const category = categoryId === null ? null : { id: categoryId, name: '' };
  const journal = await deps.journal.read(`end-${id}`);
  const { rules, raw } = await deps.card.getSpendRules(acctId);
  const current = currentOf(rules, { period, category });
  // Written by us before a crash, not by somebody else.
  if (journal?.state === 'sending' && current === beforeCents) return { current: setCents, isBack: true };
  if (current !== setCents) return { current, isBack: false };

  await deps.journal.write(`end-${id}`, {
    state: 'sending',
    before: amountWord(setCents),
    after: amountWord(beforeCents),
  });
  await deps.confirmations.changed(acctId, { kind: 'limit', period, categoryId, limitCents: beforeCents }, `end-${id}`);
  await deps.card.putSpendRules(
    acctId,
    deps.changeLimit(raw, { period, category: categoryId, limitCents: beforeCents }),
  );
  return { current, isBack: true };
}

async function tellEnd(lease: Lease, { current, isBack, refused }: End, deps: PerformDeps): Promise<void> {
  const { id, period, acctId, beforeCents } = lease;
  const at = deps.now().toISOString();
  const card = deps.toFacts(acctId, await deps.directory.account(acctId));
  const before = `${period} limit ${amountWord(current)}`;
  const after = isBack ? `${period} limit ${amountWord(beforeCents)}` : null;
  const detail =
    refused !== undefined
      ? `The temporary limit has ended, but the card service refuses to put it back: “${refused}”.`
      : isBack
        ? 'The temporary limit has ended.'
        : 'The temporary limit has ended, but somebody changed it meanwhile: it stays as it is now.';
  await deps.audit.append({
    at,
    actionId: id,
    event: 'ended',
    verb: 'limit',
    actor: null,
    roles: [],
    acctId,
    cardId: card.cardId,
    before,
    after,
    reason: '',
    channel: null,
    messageTs: null,
    alertId: null,
    detail,
    twoPersonAboveCents: deps.twoPersonAboveCents,
  });
  const did = isBack ? `put back the ${period} limit of` : `left the ${period} limit of`;
  const line = auditLine({ by: null, did, card, at, before, after, reason: null, outcome: detail, ref: id.slice(-8) });
  await deps.postAuditLine(`audit-${id}-ended`, line);
}
