import { auditLine } from '../../templates/audit/audit-line.ts';
import { holderWelcome } from '../../templates/holders/link-result.ts';
import type { Action } from '../actions/action.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { recordUnchanged } from '../actions/record-unchanged.ts';
import { auditRecord } from '../actions/report.ts';
import type { Link } from './link-store.ts';

/**
 * Writes a link down: first into the record, then for good; then who is linked now hears of it. Safe to repeat.
 *
 * @returns what the account was linked to before this action.
 */
export async function setLink(
  action: Action,
  cardId: number | null,
  link: Link,
  deps: ActionDeps,
): Promise<Link | null> {
  const { acctId, userId } = link;
  const before = await deps.links.ofAccount(acctId);
  const isOurs = (await deps.progress.read(action.id)) !== null;
  if (before?.userId === userId && !isOurs) {
    await recordUnchanged(action, { acctId, cardId }, deps);
    return before;
  }

  const card = deps.toFacts(acctId, await deps.directory.account(acctId));
  if (!isOurs) {
    const sides = { before: before?.userId ?? null, after: userId, detail: `proved by ${link.provedBy}` };
    await deps.audit.append(auditRecord(action, 'done', { acctId, cardId, ...sides }, deps));
    await deps.progress.write(action.id, { state: 'asked' });
  }
  await deps.links.link(link);
  const line = auditLine({
    by: link.by,
    did: 'linked',
    whom: { userId, to: 'to' },
    card,
    at: link.at,
    before: null,
    after: null,
    reason: null,
    outcome: link.provedBy === 'email' ? 'the e-mail addresses match' : 'confirmed by an approver',
    ref: action.id.slice(-8),
  });
  await deps.postAuditLine(`audit-${action.id}-linked`, line);
  await deps.notifyDirectly(
    userId,
    `linked-${action.id}`,
    holderWelcome({ card, by: link.by === userId ? null : link.by }),
  );
  return before;
}
