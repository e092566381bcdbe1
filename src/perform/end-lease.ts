import { auditLine } from '../../templates/audit-line.ts';
import { formatCents } from '../alert/money.ts';
import { currentOf } from './change-limit.ts';
import type { PerformDeps } from './deps.ts';

/**
 * A temporary limit has ended: puts back what was there before, if nobody changed it meanwhile.
 *
 * What somebody else set since then is theirs and stays; the audit channel says so. Safe to repeat: a lease that is
 * put back is gone.
 *
 * @throws CardApiError when the job should run again.
 */
export async function endLease(leaseId: string, deps: PerformDeps): Promise<void> {
  const lease = await deps.leases.get(leaseId);
  if (lease === null) return;

  await deps.withLock(`account:${lease.acctId}`, async () => {
    const { period, categoryId, beforeCents, setCents, acctId } = lease;
    const category = categoryId === null ? null : { id: categoryId, name: '' };
    const { rules, raw } = await deps.card.getSpendRules(acctId);
    const current = currentOf(rules, { period, category });
    const isOurs = current === setCents;
    if (isOurs) {
      await deps.card.putSpendRules(
        acctId,
        deps.changeLimit(raw, { period, category: categoryId, limitCents: beforeCents }),
      );
    }
    const at = deps.now().toISOString();
    const card = deps.toFacts(acctId, await deps.directory.account(acctId));
    const sides = {
      before: `${period} limit ${amount(current)}`,
      after: isOurs ? `${period} limit ${amount(beforeCents)}` : null,
    };
    const detail = isOurs
      ? 'The temporary limit has ended.'
      : 'The temporary limit has ended, but somebody changed it meanwhile: it stays as it is now.';
    await deps.audit.append({
      at,
      actionId: lease.id,
      event: 'ended',
      verb: 'limit',
      actor: null,
      roles: [],
      acctId,
      cardId: card.cardId,
      ...sides,
      reason: '',
      channel: null,
      messageTs: null,
      alertId: null,
      detail,
      twoPersonAboveCents: deps.twoPersonAboveCents,
    });
    const did = isOurs ? `put back the ${period} limit of` : `left the ${period} limit of`;
    await deps.postAuditLine(
      `audit-${lease.id}-ended`,
      auditLine({ by: null, did, card, at, ...sides, reason: null, outcome: detail, ref: lease.id.slice(-8) }),
    );
    await deps.leases.close(lease.id);
  });
}

function amount(cents: number | null): string {
  return cents === null ? 'none' : formatCents(cents);
}
