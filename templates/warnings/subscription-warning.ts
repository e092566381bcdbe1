import type { TransactionAlert } from '../../src/alerts/alert.ts';
import { declineCode } from '../../src/core/event.ts';
import { limitsOf } from '../../src/limits/remedy-change.ts';
import { actionId } from '../../src/slack/action-id.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateAfter } from '../../src/slack/mrkdwn.ts';
import { shownReason } from '../alerts/decline-words.ts';
import { actions, button, context, escapeUntrusted, section, sentence } from '../core/blocks.ts';
import { cardName, cardOf, cardOfHolderRaw, shortCard } from '../core/card-words.ts';
import { amountAt } from '../core/purchase-words.ts';
import { askButton } from '../holders/holder-buttons.ts';

/** A subscription that keeps failing: raise the limit, or cancel it? */
export function subscriptionWarning(
  { alert, days, since }: { readonly alert: TransactionAlert; readonly days: number; readonly since: string },
  audience: 'team' | 'holder',
): Message {
  const { event } = alert;
  const card = cardOf(alert);
  const title = `Subscription keeps failing: ${amountAt(event.amountCents, event.merchant.name)}`;
  const who = audience === 'holder' ? `your ${cardName(card)}` : shortCard(card);
  const decline = event.decline ?? { code: '', message: '' };
  const isLimit = declineCode(decline).startsWith('decline.rule.velocity');
  const period = limitsOf(alert.remedy)[0]?.rule.period;
  const limit = period === undefined || period === 'transaction' ? 'limit' : `${period} limit`;
  const reason = shownReason(decline, audience === 'holder' ? 'direct' : 'private').title;
  const why = `Declined on ${days} days ${dateAfter('since', since)}. Last reason: ${escapeUntrusted(reason, 100)}.`;
  const question = isLimit ? `Raise the ${limit}, or cancel it?` : 'Fix the cause, or cancel it?';
  const raise =
    audience === 'holder'
      ? askButton(event.id, card)
      : button({
          text: 'Raise limit…',
          action: actionId.approveRemedy,
          value: event.id,
          label: `Raise the limit of ${cardOfHolderRaw(card)}`,
        });
  return {
    text: sentence(`${title}, ${who}. ${why} ${question}`),
    blocks: [
      section(`*${title}* · ${who}`, `${why} ${question}`),
      ...actions(isLimit ? raise : null),
      ...context(event.id),
    ],
  };
}
