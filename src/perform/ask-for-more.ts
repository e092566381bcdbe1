import { requestSent } from '../../templates/holder-request.ts';
import type { Remedy } from '../alert/alert.ts';
import { bindingLimit } from '../alert/binding-limit.ts';
import { formatCents } from '../alert/money.ts';
import { changeOf } from '../alert/remedy-change.ts';
import { currentOf, isOfLimits } from '../alert/rule-change.ts';
import { stateWords } from '../alert/rule-words.ts';
import { alertIdOf } from '../authority/action.ts';
import { judge } from '../authority/policy.ts';
import type { Wish } from '../authority/wish.ts';
import type { PerformDeps } from './deps.ts';
import { isHolder, purchaseOf, raisedCents } from './exposure.ts';
import { openRequest } from './open-request.ts';
import { refuse } from './record-refusal.ts';
import { auditRecord } from './report.ts';
import type { Resolved } from './resolve-card.ts';

/**
 * A holder asks for more: finds the smallest change that would let the amount pass, and asks the approvers for it.
 *
 * Runs under the account's lock.
 *
 * @throws CardApiError when the job should run again.
 */
export async function askForMore({ action, acctId }: Resolved, deps: PerformDeps): Promise<void> {
  const no = (why: string, whoCan: string) => refuse(action, { what: 'Your request', why, whoCan }, deps, { acctId });
  const { ask } = action;
  if (ask === null) throw new Error('asked for more without an amount');
  const isOwnCard = await isHolder(action.actor.userId, acctId, deps);
  const held = judge({ deed: 'ask', roles: action.roles, isOwnCard }, deps);
  if (held.kind === 'refused') return await no(held.why, 'Ask its holder, or an approver.');
  const { rules } = await deps.card.getSpendRules(acctId);
  const purchase = await purchaseOf(action, deps);
  const paddingCents = purchase?.decline == null ? 0 : purchase.paddingCents;
  const remedy = await remedyOf({ action, acctId, cardId: null }, ask.amountCents, deps);
  if (remedy === 'passes') {
    return await no(`Nothing stops a purchase of ${formatCents(ask.amountCents)} by now.`, 'Try it again.');
  }
  const change = remedy === null ? null : changeOf(remedy, rules, ask.amountCents + paddingCents);
  if (change === null) return await no('No limit or rule that I can change stops this purchase.', 'Ask an approver.');

  const wish: Wish = { change, term: ask.term };
  const before = currentOf(rules, change);
  const amountCents = await raisedCents(action, wish, acctId, { current: before, base: before }, deps);
  const verdict = judge({ deed: 'ask', roles: action.roles, isOwnCard, amountCents }, deps);
  if (verdict.kind !== 'request') return;
  const card = deps.toFacts(acctId, await deps.directory.account(acctId));
  const facts = { acctId, cardId: card.cardId, before: stateWords(change, before), detail: 'asked by the holder' };
  if ((await deps.journal.read(action.id)) === null) {
    await deps.audit.append(auditRecord(action, 'waiting', facts, deps));
    await deps.journal.write(action.id, { state: 'asked' });
  }
  const note = await openRequest({ action, wish, acctId, card, before, others: verdict.others }, deps);
  const alertId = alertIdOf(action);
  if (alertId !== null) {
    const verb = isOfLimits(change) ? 'limit' : 'allow';
    const at = deps.now().toISOString();
    const outcome = { verb, by: action.actor.userId, at, state: 'waiting', text: '', asHolder: true } as const;
    await deps.alerts.setOutcome(alertId, action.id, outcome);
    await deps.updateMessages(alertId);
  }
  await deps.answer(action, requestSent({ card, payCents: ask.amountCents, change, before, term: wish.term, note }));
}

/** What stands in the way: of the declined purchase that it is about, else of any purchase of that amount. */
async function remedyOf(
  { action, acctId }: Resolved,
  amountCents: number,
  deps: PerformDeps,
): Promise<Remedy | 'passes' | null> {
  const purchase = await purchaseOf(action, deps);
  if (purchase?.decline != null) {
    const check = await deps.checkPurchase({ ...purchase, amountCents });
    if (check.state === 'passes') return 'passes';
    return check.state === 'stopped' ? check.remedy : null;
  }
  const remaining = await deps.card.getRemainingLimits(acctId);
  const { rules } = await deps.card.getSpendRules(acctId);
  return bindingLimit({ code: 'decline.rule.velocity', amountCents }, remaining, rules)?.remedy ?? 'passes';
}
