import { auditLine } from '../../templates/audit/audit-line.ts';
import { linkEnded, linkResult } from '../../templates/holders/link-result.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { refuse } from '../actions/record-refusal.ts';
import { auditRecord } from '../actions/report.ts';
import type { Resolved } from '../directory/resolve-card.ts';
import { whyNoHolder } from './holder-check.ts';
import { setLink } from './set-link.ts';

/** An approver says who holds a card. */
export async function linkCard({ action, acctId, cardId }: Resolved, deps: ActionDeps): Promise<void> {
  const { subject, actor } = action;
  if (subject === null) throw new Error('a link without a person');
  const why = whyNoHolder(await deps.person(subject));
  if (why !== null) {
    const no = { what: 'Your link', why, whoCan: 'Name a member of this workspace.' };
    return await refuse(action, no, deps, { acctId, cardId });
  }
  const link = {
    acctId,
    userId: subject,
    provedBy: 'approver',
    by: actor.userId,
    at: deps.now().toISOString(),
  } as const;
  await deps.withLock(`account:${acctId}`, async () => {
    const before = await setLink(action, cardId, link, deps);
    const card = deps.toFacts(acctId, await deps.directory.account(acctId));
    const isSame = before?.userId === subject;
    await deps.answer(
      action,
      linkResult({ card, userId: subject, before: isSame ? null : (before?.userId ?? null), isSame }),
    );
  });
}

/** Nobody is linked to the card any more: an approver says so, or the holder. */
export async function unlinkCard({ action, acctId, cardId }: Resolved, deps: ActionDeps): Promise<void> {
  await deps.withLock(`account:${acctId}`, async () => {
    const before = await deps.links.ofAccount(acctId);
    const card = deps.toFacts(acctId, await deps.directory.account(acctId));
    const isOurs = (await deps.progress.read(action.id)) !== null;
    if (before === null && !isOurs) {
      const whoCan = 'Link it with `/card link`, if it should be.';
      const no = { what: 'Your unlink', why: 'Nobody is linked to this card.', whoCan };
      return await refuse(action, no, deps, { acctId, cardId });
    }
    if (before !== null) {
      const sides = { before: before.userId, after: null };
      await deps.audit.append(auditRecord(action, 'done', { acctId, cardId, ...sides }, deps));
      await deps.progress.write(action.id, { state: 'asked' });
      const line = auditLine({
        by: action.actor.userId,
        did: 'unlinked',
        whom: { userId: before.userId, to: 'from' },
        card,
        at: deps.now().toISOString(),
        before: null,
        after: null,
        reason: null,
        outcome: '',
        ref: action.id.slice(-8),
      });
      await deps.postAuditLine(`audit-${action.id}-unlinked`, line);
      await deps.links.unlink(acctId);
    }
    await deps.answer(action, linkEnded(card));
  });
}
