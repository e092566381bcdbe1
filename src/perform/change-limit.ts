import type { LimitPeriod } from '../alert/alert.ts';
import { bindingLimit } from '../alert/binding-limit.ts';
import { contradiction, raiseCents } from '../alert/limit-change.ts';
import { merchantCategory } from '../alert/merchant-category.ts';
import { formatCents } from '../alert/money.ts';
import type { Action, LimitWish } from '../authority/action.ts';
import type { Expected, Result } from '../authority/result.ts';
import type { SpendRules } from '../card/spend-rules.ts';
import { CardApiError } from '../errors.ts';
import { askForSecond } from './ask-for-second.ts';
import { noteOf } from './change-status.ts';
import type { PerformDeps } from './deps.ts';
import { openLease, settleLeases } from './open-lease.ts';
import { auditRecord, report } from './report.ts';
import type { Resolved } from './resolve-card.ts';

/** Two approvers said yes; the outcome belongs to the action that asked. */
export interface Approval {
  readonly outcomeOf: string;
}

/**
 * Changes one limit, once: read, change one field, write everything back.
 *
 * A raise above the amount for two persons becomes a request instead, unless two approvers said yes. Runs under the
 * account's lock.
 *
 * @throws CardApiError when the job should run again.
 */
export async function changeLimit(
  { action, acctId }: Resolved,
  approval: Approval | null,
  deps: PerformDeps,
): Promise<Result> {
  const { card: api, journal } = deps;
  if (action.limit === null) throw new Error('a limit action without a limit');
  const written = await journal.read(action.id);
  const card = deps.toFacts(acctId, await deps.directory.account(acctId));
  const { rules, raw } = await api.getSpendRules(acctId);
  const wish = await withCategory(action, action.limit, acctId, rules, deps);
  const current = wish === null ? null : currentOf(rules, wish);
  const finish = async (state: Result['state'], rest: Partial<Result> = {}): Promise<Result> => {
    const sides = wish === null ? { before: null, after: null } : sidesOf(wish, current);
    const result = { state, card, ...sides, apiWords: null, note: null, ...rest };
    await report(action, 'limit', result, deps, approval ?? {});
    return result;
  };
  if (wish === null) return await finish('failed', { note: unclearCategory });

  if (current === wish.limitCents) {
    // After a crash the write may have been ours: then the change is done, not superfluous.
    if (written?.state === 'sending')
      return await conclude(action, wish, acctId, toCents(written.before), finish, deps, 'confirmed');
    const ending = await settleLeases(action, wish, acctId, deps);
    if (ending !== '') return await finish('done', { note: ending });
    return await finish('unchanged', { note: `The ${wish.period} limit is ${amountWord(current)} already.` });
  }
  const against = contradiction(rules, { ...wish, category: wish.category?.id ?? null });
  if (against !== null) return await finish('failed', { note: against });
  if (approval === null && raiseCents(current, wish.limitCents) > deps.twoPersonAboveCents) {
    await askForSecond({ ...action, limit: wish }, acctId, card, current, deps);
    const above = formatCents(deps.twoPersonAboveCents);
    const note = `A raise of more than ${above} needs a second approver. I asked in the approvals channel.`;
    return await finish('waiting', { note });
  }

  const sides = sidesOf(wish, current);
  await deps.audit.append(auditRecord(action, 'sent', { ...card, acctId, ...sides }, deps));
  const before = current === null ? null : String(current);
  await journal.write(action.id, { state: 'sending', before, after: sides.after });
  await deps.confirmations.changed(acctId, expectedOf(wish), action.id);
  if (wish.durationMs !== null) await openLease(action, wish, acctId, current, deps, false);
  try {
    const change = { period: wish.period, category: wish.category?.id ?? null, limitCents: wish.limitCents };
    await api.putSpendRules(acctId, deps.changeLimit(raw, change));
  } catch (error) {
    if (!(error instanceof CardApiError)) throw error;
    const isThere = error.outcome === 'unknown' ? await isAsWished(acctId, wish, deps) : false;
    if (isThere === true) return await conclude(action, wish, acctId, current, finish, deps, 'confirmed');
    if ((error.retryable || isThere === null) && !deps.isLastAttempt) throw error;
    const state = isThere === null ? 'unknown' : 'failed';
    if (state === 'failed') await deps.leases.close(action.id);
    const expects = isThere === null ? { expects: expectedOf(wish) } : {};
    return await finish(state, { apiWords: error.apiMessage, note: noteOf(error), ...expects });
  }
  return await conclude(action, wish, acctId, current, finish, deps, 'sent');
}

const unclearCategory =
  'I cannot tell which merchant category stopped this purchase, so I changed nothing. Change it where the card service is administered.';

/**
 * A purchase declined by a category's limit: then that limit is meant, also where the alert could not name it.
 *
 * @returns null when it cannot be told which category.
 */
async function withCategory(
  action: Action,
  wish: LimitWish,
  acctId: number,
  rules: SpendRules,
  deps: PerformDeps,
): Promise<LimitWish | null> {
  if (wish.category !== null || action.target.kind !== 'alert') return wish;
  const alert = (await deps.alerts.get(action.target.alertId))?.alert;
  const code = alert !== undefined && 'remedy' in alert ? alert.event.decline?.code.trim().toLowerCase() : undefined;
  if (alert === undefined || !('remedy' in alert) || code !== 'decline.rule.velocity.mcc') return wish;
  const { amountCents, mcc } = alert.event;
  const remaining = await deps.card.getRemainingLimits(acctId);
  const found = bindingLimit({ code, amountCents, merchantKind: merchantCategory(mcc) }, remaining, rules);
  const category = found?.remedy.category ?? null;
  return category === null ? null : { ...wish, category };
}

/** The change is made: start its end, if it has one, and tell. */
async function conclude(
  action: Action,
  wish: LimitWish,
  acctId: number,
  beforeCents: number | null,
  finish: (state: Result['state'], rest?: Partial<Result>) => Promise<Result>,
  deps: PerformDeps,
  confirmation: 'sent' | 'confirmed',
): Promise<Result> {
  const note =
    wish.durationMs === null
      ? await settleLeases(action, wish, acctId, deps)
      : await openLease(action, wish, acctId, beforeCents, deps);
  const sure = confirmation === 'sent' ? { confirmation, expects: expectedOf(wish) } : { confirmation };
  return await finish('done', { ...sidesOf(wish, beforeCents), note: note === '' ? null : note, ...sure });
}

function expectedOf({ period, category, limitCents }: LimitWish): Expected {
  return { kind: 'limit', period, categoryId: category?.id ?? null, limitCents };
}

/** Whether the limit is now what was wanted; null when it cannot be read. */
async function isAsWished(acctId: number, wish: LimitWish, deps: PerformDeps): Promise<boolean | null> {
  try {
    return currentOf((await deps.card.getSpendRules(acctId)).rules, wish) === wish.limitCents;
  } catch (error) {
    if (error instanceof CardApiError) return null;
    throw error;
  }
}

/** The limit that a wish is about, as the rules have it now. */
export function currentOf(
  rules: SpendRules,
  wish: { period: LimitPeriod; category: LimitWish['category'] },
): number | null {
  const limits =
    wish.category === null ? rules.limits : rules.categories.find(({ id }) => id === wish.category?.id)?.limits;
  return limits?.[wish.period] ?? null;
}

function sidesOf(wish: LimitWish, beforeCents: number | null): { before: string; after: string } {
  const where = wish.category === null ? '' : ` for ${wish.category.name}`;
  const side = (cents: number | null): string => `${wish.period} limit${where} ${amountWord(cents)}`;
  return { before: side(beforeCents), after: side(wish.limitCents) };
}

function toCents(written: string | null): number | null {
  return written === null ? null : Number(written);
}

/** `$400.00`, or `none` where there is no limit. */
export function amountWord(cents: number | null): string {
  return cents === null ? 'none' : formatCents(cents);
}
