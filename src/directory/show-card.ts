import { cardShow, type ShownDecline, type ShownLimit } from '../../templates/directory/card-show.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { limitPeriods } from '../alerts/alert.ts';
import type { RemainingLimits } from '../card-api/schema-limits.ts';
import type { SpendRules } from '../card-api/spend-rules.ts';
import type { Resolved } from './resolve-card.ts';

const DECLINES_SHOWN = 5;

/** Holder, status, limits and what remains, last declines: for the asker's eyes. */
export async function showCard({ action, acctId, cardId }: Resolved, deps: ActionDeps): Promise<void> {
  const [details, rules, remaining, account] = await Promise.all([
    deps.card.getAccount(acctId),
    orNull(deps.card.getSpendRules(acctId)),
    orNull(deps.card.getRemainingLimits(acctId)),
    deps.directory.account(acctId),
  ]);
  const open = details.cards.filter((card) => card.status !== 'CLOSED');
  const card = details.cards.find((one) => one.cardId === cardId) ?? open.at(-1) ?? details.cards.at(-1);
  const known = deps.toFacts(acctId, account, card === undefined ? {} : { cardId: card.cardId });
  const { rulesetId } = details;
  // As the service says now, not as the directory read it last.
  const ruleset = rulesetId === null ? null : { id: rulesetId, name: null, mayOverrule: true };
  const facts = await deps.nameRuleset({ ...known, ruleset });
  const message = cardShow(
    {
      card: { ...facts, last4: facts.last4 ?? card?.last4 ?? null },
      status: card?.status ?? null,
      balanceCents: details.availableCents,
      limits: limitsOf(rules?.rules ?? null, remaining),
      declines: await declinesOf(acctId, deps),
    },
    { place: 'direct' },
  );
  await deps.answer(action, message);
}

/** Every limit of a card, with what remains of it where that is known. */
export function limitsOf(rules: SpendRules | null, remaining: RemainingLimits | null): ShownLimit[] {
  const overall = limitPeriods.map((period): ShownLimit => {
    const left = remaining?.overall.find((row) => row.period === period);
    const limitCents = rules?.limits[period] ?? left?.limitCents ?? null;
    return { period, category: null, limitCents, remainingCents: left?.remainingCents ?? null };
  });
  const byCategory = (rules?.categories ?? []).flatMap(({ id, name, transactionLimitCents, limits }) => [
    { period: 'transaction' as const, category: name, limitCents: transactionLimitCents, remainingCents: null },
    ...limitPeriods.map((period): ShownLimit => {
      const left = remaining?.categories.find((row) => row.period === period && (row.id === id || row.name === name));
      return { period, category: name, limitCents: limits[period], remainingCents: left?.remainingCents ?? null };
    }),
  ]);
  return [...overall, ...byCategory];
}

/** The last declines of an account's card, newest first. */
export async function declinesOf(
  acctId: number,
  deps: Pick<ActionDeps, 'alerts' | 'history'>,
): Promise<ShownDecline[]> {
  const ids = await deps.history.recentAlerts(acctId, 'declines', DECLINES_SHOWN);
  const stored = await Promise.all(ids.map((id) => deps.alerts.get(id)));
  return stored.flatMap((one) => {
    if (one === null || !('remedy' in one.alert)) return [];
    const { event } = one.alert;
    return [
      {
        occurredAt: event.occurredAt,
        amountCents: event.amountCents,
        merchant: event.merchant.name,
        code: event.decline?.code ?? '',
        message: event.decline?.message ?? '',
      },
    ];
  });
}

/** What could not be read is left out: half a picture is better than none. */
async function orNull<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch {
    return null;
  }
}
