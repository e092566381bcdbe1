import type { CardFacts, LimitPeriod } from '../alert/alert.ts';
import { contradiction, raiseCents } from '../alert/limit-change.ts';
import { formatCents } from '../alert/money.ts';
import type { Action, LimitWish } from '../authority/action.ts';
import { formatDuration } from '../authority/duration.ts';
import type { SpendRules } from '../card/spend-rules.ts';
import { CardApiError } from '../errors.ts';
import type { LimitRequest } from '../store/requests.ts';
import { noteOf } from './change-status.ts';
import type { PerformDeps } from './deps.ts';
import { auditRecord, report, type Result } from './report.ts';
import type { Resolved } from './resolve-card.ts';

/** A request that nobody decides ends by itself. Never a yes by silence. */
const REQUEST_MS = 24 * 3_600_000;

/**
 * Changes one limit, once: read, change one field, write everything back.
 *
 * A raise above the amount for two persons becomes a request instead, unless `isApproved`: two approvers said yes.
 * Runs under the account's lock.
 *
 * @throws CardApiError when the job should run again.
 */
export async function changeLimit(
  { action, acctId }: Resolved,
  isApproved: boolean,
  deps: PerformDeps,
): Promise<boolean> {
  const wish = action.limit;
  if (wish === null) throw new Error('a limit action without a limit');
  const journal = await deps.journal.read(action.id);
  if (journal?.state === 'settled') return true;

  const card = deps.toFacts(acctId, await deps.directory.account(acctId));
  const { rules, raw } = await readRules(acctId, deps);
  const current = currentOf(rules, wish);
  const sides = { before: side(wish, current), after: side(wish, wish.limitCents) };
  const finish = (state: Result['state'], rest: Partial<Result> = {}) =>
    report(action, 'limit', { state, card, ...sides, apiWords: null, note: null, ...rest }, deps);

  if (current === wish.limitCents) {
    // After a crash the write may have been ours: then the change is done, not superfluous.
    if (journal?.state === 'sending') await concludeChange(action, wish, acctId, journal.before, finish, deps);
    else await finish('unchanged', { note: `The ${wish.period} limit is ${amountWord(current)} already.` });
    return true;
  }
  const against = contradiction(rules, {
    period: wish.period,
    category: wish.category?.id ?? null,
    limitCents: wish.limitCents,
  });
  if (against !== null) {
    await finish('failed', { note: against });
    return false;
  }
  if (!isApproved && raiseCents(current, wish.limitCents) > deps.twoPersonAboveCents) {
    await askForSecond(action, acctId, card, current, finish, deps);
    return false;
  }

  await deps.audit.append(auditRecord(action, 'sent', { ...card, acctId, ...sides }, deps));
  await deps.journal.write(action.id, {
    state: 'sending',
    before: current === null ? null : String(current),
    after: sides.after,
  });
  try {
    await deps.card.putSpendRules(
      acctId,
      deps.changeLimit(raw, { period: wish.period, category: wish.category?.id ?? null, limitCents: wish.limitCents }),
    );
  } catch (error) {
    if (!(error instanceof CardApiError)) throw error;
    const isThere = error.outcome === 'unknown' ? await isAsWished(acctId, wish, deps) : false;
    if (isThere !== true) {
      if ((error.retryable || isThere === null) && !deps.isLastAttempt) throw error;
      await finish(isThere === null ? 'unknown' : 'failed', { apiWords: error.apiMessage, note: noteOf(error) });
      return false;
    }
  }
  await concludeChange(action, wish, acctId, current === null ? null : String(current), finish, deps);
  return true;
}

async function readRules(acctId: number, deps: PerformDeps) {
  return await deps.card.getSpendRules(acctId);
}

/** The change is made: start its end, if it has one, and tell. */
async function concludeChange(
  action: Action,
  wish: LimitWish,
  acctId: number,
  beforeCents: string | null,
  finish: (state: Result['state'], rest?: Partial<Result>) => Promise<void>,
  deps: PerformDeps,
): Promise<void> {
  const before = beforeCents === null ? null : Number(beforeCents);
  const sides = { before: side(wish, before), after: side(wish, wish.limitCents) };
  if (wish.durationMs === null) return await finish('done', sides);

  const endsAt = new Date(deps.now().getTime() + wish.durationMs);
  await deps.leases.open({
    id: action.id,
    acctId,
    period: wish.period,
    categoryId: wish.category?.id ?? null,
    beforeCents: before,
    setCents: wish.limitCents,
    by: action.actor,
    endsAt: endsAt.toISOString(),
  });
  await deps.scheduleLeaseEnd(action.id, endsAt.getTime());
  const back = before === null ? 'no limit' : formatCents(before);
  await finish('done', { ...sides, note: `Goes back to ${back} by itself in ${formatDuration(wish.durationMs)}.` });
}

/** True when the limit is as wished, false when it is not, null when nobody can say. */
async function isAsWished(acctId: number, wish: LimitWish, deps: PerformDeps): Promise<boolean | null> {
  try {
    return currentOf((await readRules(acctId, deps)).rules, wish) === wish.limitCents;
  } catch (error) {
    if (error instanceof CardApiError) return null;
    throw error;
  }
}

async function askForSecond(
  action: Action,
  acctId: number,
  card: CardFacts,
  fromCents: number | null,
  finish: (state: Result['state'], rest?: Partial<Result>) => Promise<void>,
  deps: PerformDeps,
): Promise<void> {
  const now = deps.now();
  const request: LimitRequest = {
    id: `req_${action.id.slice(4)}`,
    action,
    acctId,
    card,
    fromCents,
    approvals: [{ by: action.actor.userId, at: now.toISOString() }],
    state: 'open',
    decidedBy: null,
    expiresAt: new Date(now.getTime() + REQUEST_MS).toISOString(),
    ref: null,
  };
  // The same action again after a crash finds its request; what others decided meanwhile stays.
  if ((await deps.requests.get(request.id)) === null) await deps.requests.save(request);
  await deps.postRequest(request);
  const above = formatCents(deps.twoPersonAboveCents);
  await finish('waiting', {
    note: `A raise of more than ${above} needs a second approver. I asked in the approvals channel.`,
  });
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

function side(wish: LimitWish, cents: number | null): string {
  const where = wish.category === null ? '' : ` for ${wish.category.name}`;
  return `${wish.period} limit${where} ${amountWord(cents)}`;
}

function amountWord(cents: number | null): string {
  return cents === null ? 'none' : formatCents(cents);
}
