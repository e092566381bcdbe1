import { requestSent } from '../../templates/holders/holder-request.ts';
import { alertIdOf } from '../actions/action.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { refuse } from '../actions/record-refusal.ts';
import { auditRecord } from '../actions/report.ts';
import type { Remedy } from '../alerts/alert.ts';
import { changesFrom, isAboutLimits } from '../card-api/rule-change.ts';
import { formatCents } from '../core/money.ts';
import type { Resolved } from '../directory/resolve-card.ts';
import { bindingLimit } from '../limits/binding-limit.ts';
import { isHolder, purchaseOf, raisedCents } from '../limits/raise-amount.ts';
import { goalsOfRemedy } from '../limits/remedy-change.ts';
import { stateWords } from '../limits/rule-words.ts';
import { judge } from '../policy/decide.ts';
import { openRequest } from './open-request.ts';

/**
 * A holder asks for more: finds the smallest change that would let the amount pass, and asks the approvers for it.
 *
 * Runs under the account's lock.
 *
 * @throws CardApiError when the job should run again.
 */
export async function askForRaise({ action, acctId }: Resolved, deps: ActionDeps): Promise<void> {
  const no = (why: string, whoCan: string) => refuse(action, { what: 'Your request', why, whoCan }, deps, { acctId });
  const { ask } = action;
  if (ask === null) throw new Error('asked for more without an amount');
  const isOwnCard = await isHolder(action.actor.userId, acctId, deps);
  const held = judge({ verb: 'ask', roles: action.roles, isOwnCard }, deps);
  if (held.kind === 'refused') return await no(held.why, 'Ask its holder, or an approver.');
  const { rules } = await deps.card.getSpendRules(acctId);
  const purchase = await purchaseOf(action, deps);
  const paddingCents = purchase?.decline == null ? 0 : purchase.paddingCents;
  const remedy = await remedyOf({ action, acctId, cardId: null }, ask.amountCents, deps);
  if (remedy === 'passes') {
    return await no(`Nothing stops a purchase of ${formatCents(ask.amountCents)} by now.`, 'Try it again.');
  }
  const goals = remedy === null ? null : goalsOfRemedy(remedy, rules, ask.amountCents + paddingCents);
  if (goals === null) return await no('No limit or rule that I can change stops this purchase.', 'Ask an approver.');

  const { term } = ask;
  const changes = changesFrom(rules, goals);
  const amountCents = await raisedCents(action, acctId, { changes, fromBase: changes, term }, deps);
  const verdict = judge({ verb: 'ask', roles: action.roles, isOwnCard, amountCents }, deps);
  if (verdict.kind !== 'request') return;
  const card = deps.toFacts(acctId, await deps.directory.account(acctId));
  const facts = { acctId, cardId: card.cardId, before: stateWords(changes, 'from'), detail: 'asked by the holder' };
  if ((await deps.progress.read(action.id)) === null) {
    await deps.audit.append(auditRecord(action, 'waiting', facts, deps));
    await deps.progress.write(action.id, { state: 'asked' });
  }
  const note = await openRequest({ action, changes, term, acctId, card, others: verdict.others }, deps);
  const alertId = alertIdOf(action);
  if (alertId !== null) {
    const verb = isAboutLimits(changes) ? 'limit' : 'allow';
    const at = deps.now().toISOString();
    const outcome = { verb, by: action.actor.userId, at, state: 'waiting', text: '', asHolder: true } as const;
    await deps.alerts.setOutcome(alertId, action.id, outcome);
    await deps.updateMessages(alertId);
  }
  await deps.answer(action, requestSent({ card, payCents: ask.amountCents, changes, term, note }));
}

/** What stands in the way: of the declined purchase that it is about, else of any purchase of that amount. */
async function remedyOf(
  { action, acctId }: Resolved,
  amountCents: number,
  deps: ActionDeps,
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
