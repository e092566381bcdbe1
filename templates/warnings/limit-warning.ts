import type { CardFacts } from '../../src/core/card-facts.ts';
import { formatCents } from '../../src/core/money.ts';
import { limitName } from '../../src/limits/rule-words.ts';
import { actionId } from '../../src/slack/action-id.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateAfter } from '../../src/slack/mrkdwn.ts';
import type { UsedLimit } from '../../src/warnings/warn-of-limits.ts';
import { actions, button, context, escapeUntrusted, section, sentence } from '../core/blocks.ts';
import { cardName, cardRaw } from '../core/card-words.ts';

const SHOWN_MAX = 6;

/** To the holder, before a purchase is declined: most of a limit is used. */
export function limitWarning(warning: {
  readonly card: CardFacts;
  readonly limits: readonly UsedLimit[];
  /** Of a button that means this card. */
  readonly value: string;
}): Message {
  const { card, limits, value } = warning;
  const [first] = limits;
  const name = first === undefined ? 'limits' : nameOf(first);
  const title = `${percentOf(limits)}% of your ${name} is used · ${cardName(card)}`;
  const lines = limits.slice(0, SHOWN_MAX).map((limit) => lineOf(limit, limits.length > 1));
  const more = limits.length > SHOWN_MAX ? ` And ${limits.length - SHOWN_MAX} more.` : '';
  return {
    text: sentence(`${title}. ${lines.join(' ')}${more}`),
    blocks: [
      section(`*${title}*`, `${lines.join('\n')}${more}`),
      ...actions(
        button({
          text: 'Ask for more…',
          action: actionId.homeAsk,
          value,
          label: `Ask for a higher limit for your ${cardRaw(card)}`,
        }),
      ),
      ...context('You get this once per limit and period. To turn it off, open the Home tab.'),
    ],
  };
}

function nameOf({ period, category }: UsedLimit): string {
  return limitName(period, category === null ? null : escapeUntrusted(category, 60));
}

/** Rounded down, so that a limit is said to be used up only when it is. */
function percentOf([limit]: readonly UsedLimit[]): number {
  return limit === undefined ? 0 : Math.floor((limit.usedCents * 100) / limit.limitCents);
}

/** `$310.00 of $400.00, $90.00 left. Resets tomorrow at 12:00 AM.` */
function lineOf(limit: UsedLimit, isOneOfMany: boolean): string {
  const { usedCents, limitCents, resetsAt } = limit;
  const leftCents = Math.max(0, limitCents - usedCents);
  const what = isOneOfMany ? `${nameOf(limit).charAt(0).toUpperCase()}${nameOf(limit).slice(1)}: ` : '';
  const left = leftCents === 0 ? 'nothing left' : `${formatCents(leftCents)} left`;
  const resets = resetsAt === null ? 'It never resets.' : `${dateAfter('Resets', resetsAt)}.`;
  return `${what}${formatCents(usedCents)} of ${formatCents(limitCents)} used, ${left}. ${resets}`;
}
