import type { Button } from '@slack/types';
import type { TransactionAlert } from '../../src/alerts/alert.ts';
import type { CardFacts } from '../../src/core/card-facts.ts';
import { capital } from '../../src/core/first-letter.ts';
import { commandCode } from '../../src/core/installation.ts';
import { joinWithAnd } from '../../src/core/join-with-and.ts';
import { formatCents } from '../../src/core/money.ts';
import type { ChannelKind } from '../../src/holders/preference-store.ts';
import { limitName } from '../../src/limits/rule-words.ts';
import { dayWords } from '../../src/limits/term.ts';
import { actionId } from '../../src/slack/action-id.ts';
import type { Message } from '../../src/slack/message.ts';
import { channelMention, dateAfter } from '../../src/slack/mrkdwn.ts';
import type { UsedLimit } from '../../src/warnings/warn-of-limits.ts';
import { remedyButton } from '../alerts/decline.ts';
import { fixes, isClosed, neededFor, portalWords, reasonOf, type ShownReason } from '../alerts/decline-words.ts';
import { actions, button, context, countOf, escapeUntrusted, headed, section, sentence } from '../core/blocks.ts';
import { cardName, cardOf, cardRaw, shortCard } from '../core/card-words.ts';
import { amountAt } from '../core/purchase-words.ts';
import { moreButton } from '../holders/holder-decline.ts';

const SHOWN_MAX = 6;

/** For the holder, before a purchase is declined: most of a limit is used. */
export function limitWarning(warning: {
  readonly card: CardFacts;
  readonly limits: readonly UsedLimit[];
  /** Value of a button for this card. */
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
      ...context('You get this at 75% and at 90% of a limit, once per period. To turn it off, open the Home tab.'),
    ],
  };
}

function nameOf({ period, category }: UsedLimit): string {
  return limitName(period, category === null ? null : escapeUntrusted(category, 60));
}

/** Rounded down, so that only a limit that is completely used shows 100 percent. */
function percentOf([limit]: readonly UsedLimit[]): number {
  return limit === undefined ? 0 : Math.floor((limit.usedCents * 100) / limit.limitCents);
}

/** `$310.00 of $400.00, $90.00 left. Resets tomorrow at 12:00 AM.` */
function lineOf(limit: UsedLimit, isOneOfMany: boolean): string {
  const { usedCents, limitCents, resetsAt } = limit;
  const leftCents = Math.max(0, limitCents - usedCents);
  const what = isOneOfMany ? `${capital(nameOf(limit))}: ` : '';
  const left = leftCents === 0 ? 'nothing left' : `${formatCents(leftCents)} left`;
  const resets = resetsAt === null ? 'It never resets.' : `${dateAfter('Resets', resetsAt)}.`;
  return `${what}${formatCents(usedCents)} of ${formatCents(limitCents)} used, ${left}. ${resets}`;
}

/** A card in use expires soon, and the account has no newer one. An order whose card does not exist yet is not known. */
export function expiryWarning(
  { card, expiresOn }: { readonly card: CardFacts /** `2026-11-30` */; readonly expiresOn: string },
  audience: 'team' | 'holder',
): Message {
  const isHolders = audience === 'holder';
  const date = Number.isNaN(Date.parse(expiresOn)) ? 'soon' : dayWords(expiresOn);
  const who = isHolders ? `your ${cardName(card)}` : shortCard(card);
  const title = `Card expires ${date} · ${who}`;
  const isVirtual = card.isVirtual === true;
  const order = isVirtual
    ? `Order one: ${commandCode('virtual order')}.`
    : 'Order one now in the card program’s portal, so that it arrives in time.';
  const ask = `Ask an ${isVirtual ? 'approver' : 'operator'} for one, and update the subscriptions that charge this card.`;
  const todo = `I know of no newer card on this account. ${isHolders ? ask : order}`;
  return { text: sentence(`${title}. ${todo}`), blocks: [section(`*${title}*`, todo)] };
}

/** A subscription that keeps failing: make the change that its decline offers, or cancel the subscription? */
export function subscriptionWarning(
  { alert, days, since }: { readonly alert: TransactionAlert; readonly days: number; readonly since: string },
  audience: 'team' | 'holder',
): Message {
  const { event } = alert;
  const card = cardOf(alert);
  const isHolders = audience === 'holder';
  const title = `Subscription keeps failing: ${amountAt(event.amountCents, event.merchant.name)}`;
  const who = isHolders ? `your ${cardName(card)}` : shortCard(card);
  const reason = reasonOf(alert, isHolders ? 'direct' : 'private');
  const why = `Declined on ${countOf(days, 'day')} ${dateAfter('since', since)}. Last reason: ${escapeUntrusted(reason.title, 100)}.`;
  const shown = { ...alert, card };
  const change = isHolders
    ? moreButton(shown, reason, actionId.askForSubscription)
    : remedyButton(shown, reason, actionId.fixSubscription);
  const todo =
    change === null
      ? withoutChange(alert, reason, isHolders)
      : `${fixOf(change, neededFor(alert, reason), isHolders)}, or cancel the subscription?`;
  return {
    text: sentence(`${title}, ${who}. ${why} ${todo}`),
    blocks: [section(`*${title}* · ${who}`, `${why} ${todo}`), ...actions(change), ...context(event.id)],
  };
}

/** What helps if the cause is elsewhere. */
function withoutChange(alert: TransactionAlert, reason: ShownReason, isHolders: boolean): string {
  if (isClosed(alert)) return 'Give the merchant another card, or cancel the subscription?';
  // A subscription has no smaller amount to pay.
  const ways = reason.code === 'decline.balance.card' ? portalWords.balance.holderFix : undefined;
  const [holder, admin] = fixes(alert, reason, { place: isHolders ? 'direct' : 'public' }, ways);
  const fix = isHolders ? holder : admin;
  return fix === '' ? 'Cancel the subscription if it is no longer needed.' : `${fix} Or cancel the subscription.`;
}

/** What the button asks for. */
function fixOf(change: Button, needed: ShownReason['remedy'], isHolders: boolean): string {
  if (!isHolders) return change.text.text.replace('…', '').replace(/^(Raise|Unblock) /, '$1 the ');
  return needed === 'raise_limit' ? 'Ask for a higher limit' : 'Ask for it to be allowed';
}

const names: Readonly<Record<ChannelKind, string>> = {
  'expiring-cards': 'cards that are about to expire',
  'failing-subscriptions': 'subscriptions that keep failing',
  'low-balance': 'a low business balance',
};

/** The channel that gets each kind of warning. */
export type WarningChannels = Readonly<Record<ChannelKind, string>>;

export const LOW_BALANCE_OFF = `Warnings about ${names['low-balance']} are turned off: LOW_BALANCE_BELOW is 0.`;

/** Where warnings go that do not come to this channel. Empty: all come here. */
export function warningsElsewhere(kinds: readonly ChannelKind[], channels: WarningChannels): string {
  return kinds.map((kind) => `Warnings about ${names[kind]} go to ${channelMention(channels[kind])}.`).join(' ');
}

interface WarningsSet {
  readonly kinds: readonly ChannelKind[];
  readonly isOn: boolean;
  /** From {@link warningsElsewhere}. */
  readonly elsewhere: string;
}

/** The channel's new warning settings. */
export function warningsSet({ kinds, isOn, elsewhere }: WarningsSet): Message {
  const what = joinWithAnd(kinds.map((kind) => names[kind]));
  const said = isOn
    ? `This channel gets warnings about ${what}.`
    : `This channel no longer gets warnings about ${what}.`;
  const isOfHolders = kinds.some((kind) => kind !== 'low-balance');
  const holders = isOn || !isOfHolders ? '' : 'Cardholders decide for themselves, in the Home tab.';
  return headed(said, holders, elsewhere);
}
