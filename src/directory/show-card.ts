import { cardShow, type ShownDecline, type ShownLimit } from '../../templates/directory/card-show.ts';
import type { Resolved } from '../actions/action.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { CardClient } from '../card-api/client.ts';
import { orNull } from '../card-api/errors.ts';
import { limitPeriods } from '../card-api/rule.ts';
import type { RemainingLimits } from '../card-api/schema.ts';
import type { SpendRules } from '../card-api/spend-rules.ts';
import type { CardFacts } from '../core/card-facts.ts';
import type { TransactionEvent } from '../core/event.ts';

const DECLINES_SHOWN = 5;

/** Declines of an account's card that came as webhooks, newest first. */
export type RecentDeclines = (acctId: number, countMax: number) => Promise<readonly TransactionEvent[]>;

interface Deps {
  readonly card: Pick<CardClient, 'getAccount' | 'getSpendRules' | 'getRemainingLimits'>;
  readonly factsOf: (acctId: number, cardId: number | null) => Promise<CardFacts>;
  /** The same facts, with the name of the spending ruleset that the card follows. */
  readonly nameRuleset: (card: CardFacts) => Promise<CardFacts>;
  readonly recentDeclines: RecentDeclines;
  readonly reply: Pick<ActionTools, 'answer'>;
}

/** `/card show CARD`: holder, status, limits and what remains, last declines; only the person who asked sees it. */
export function createShowCard({ card: client, factsOf, nameRuleset, recentDeclines, reply }: Deps) {
  return async function showCard({ action, acctId, cardId }: Resolved): Promise<void> {
    const [details, rules, remaining, declines] = await Promise.all([
      client.getAccount(acctId),
      orNull(client.getSpendRules(acctId)),
      orNull(client.getRemainingLimits(acctId)),
      lastDeclines(acctId, recentDeclines),
    ]);
    const open = details.cards.filter((card) => card.status !== 'CLOSED');
    const card = details.cards.find((each) => each.cardId === cardId) ?? open.at(-1) ?? details.cards.at(-1);
    const { rulesetId } = details;
    // As the service says now, not as the directory read it last.
    const ruleset = rulesetId === null ? null : { id: rulesetId, name: null, mayOverrule: true };
    const facts = await nameRuleset({ ...(await factsOf(acctId, card?.cardId ?? null)), ruleset });
    const message = cardShow(
      {
        card: { ...facts, last4: facts.last4 ?? card?.last4 ?? null },
        status: card?.status ?? null,
        balanceCents: details.availableCents,
        limits: limitsOf(rules?.rules ?? null, remaining),
        declines,
      },
      { place: 'direct' },
    );
    await reply.answer(action, message);
  };
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

/** The last declines of an account's card, newest first, as they are shown. */
export async function lastDeclines(acctId: number, recentDeclines: RecentDeclines): Promise<ShownDecline[]> {
  return (await recentDeclines(acctId, DECLINES_SHOWN)).map(shownDecline);
}

export function shownDecline({ occurredAt, amountCents, merchant, decline }: TransactionEvent): ShownDecline {
  const { code, message } = decline ?? { code: '', message: '' };
  return { occurredAt, amountCents, merchant: merchant.name, code, message };
}
