import type { Button } from '@slack/types';
import type { Repeats, TransactionAlert } from '../../src/alerts/alert.ts';
import type { AlsoNeeds } from '../../src/core/also-needs.ts';
import { isByRule } from '../../src/core/event.ts';
import { capital, lowerFirst } from '../../src/core/first-letter.ts';
import { locationLine, merchantCategory } from '../../src/core/merchant-category.ts';
import { formatCents } from '../../src/core/money.ts';
import { limitsToRaise } from '../../src/limits/remedy-change.ts';
import { actionId } from '../../src/slack/action-id.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateAfter, dateToken } from '../../src/slack/mrkdwn.ts';
import { acknowledgeButton, activateButton, blockButton, controlButtons, controlsOf } from '../actions/card-buttons.ts';
import { currentState, outcomeLines, outcomeSentence } from '../actions/outcomes.ts';
import {
  actions,
  button,
  context,
  countOf,
  escapeUntrusted,
  type Field,
  fields,
  header,
  section,
  sentence,
  withFullStop,
} from '../core/blocks.ts';
import { cardName, cardOf, cardOfHolder, holderName, named, shortCard } from '../core/card-words.ts';
import type { View } from '../core/view.ts';
import { alsoNeededOn } from '../limits/also-needed-words.ts';
import { limitLine, limitOfRuleset } from '../limits/limit-words.ts';
import { followsRuleset, rulesetOf } from '../limits/ruleset-words.ts';
import { declineOfBlocked } from './decline-blocked.ts';
import {
  blockOf,
  fixes,
  isClosed,
  isLeftToPortal,
  isOrWasBlocked,
  isTooLow,
  neededFor,
  neededNone,
  nextNeeded,
  reasonOf,
  type ShownReason,
  serviceWords,
  shortfall,
  shouldStayBlocked,
} from './decline-words.ts';
import { lastTry, triedWords } from './repeats.ts';
import type { ShortLines } from './short-alert.ts';

/** A declined purchase: why, what it means, what fixes it, and the buttons that suit the code. */
export function decline(alert: TransactionAlert, view: View): Message {
  const { place } = view;
  const { event, outcomes } = alert;
  const card = cardOf(alert);
  const reason = reasonOf(alert, place);
  if (alert.remedy?.kind === 'unblock') return declineOfBlocked(alert, view, controls({ ...alert, card }, reason));
  const { repeats, times, amount, at, atRaw, place: city, shop } = triedWords(alert, view);
  const [holderFix, adminFix] = fixes(alert, reason, view);
  const late = alert.late ? 'Late notice: ' : '';
  const cause = withFullStop(lowerFirst(declineCause(alert, view).filter(Boolean).join(' ').replace('*', '')));

  return {
    text: sentence(
      `${late}Declined${times}: ${amount}${at}${city && `, ${city}`} · ${cardOfHolder(card)}: ${cause}${lastTry(repeats)}${outcomeSentence(outcomes)}`,
    ),
    blocks: [
      header(`${alert.late ? 'Declined earlier' : 'Declined'}${times}: ${amount}${atRaw}`),
      section(
        `*${escapeUntrusted(reason.title, 100)}*`,
        whyDeclined(alert, reason, view),
        serviceWords(reason),
        alsoNeededOn(alert, place),
        rulesetLine(alert, reason),
      ),
      ...fields([
        ['Cardholder', holderName(card)],
        ['Card', capital(cardName(card)) + (card.isVirtual === true ? ' (virtual)' : '')],
        ['Merchant', shop],
        ['Category', escapeUntrusted(merchantCategory(event.mcc) ?? reason.category ?? '', 100)],
        ['Requested by the merchant', requestedAmount(event)],
        ['How', howPaid(event)],
        ...whenTried(alert, repeats),
      ]),
      ...(`${holderFix}${adminFix}` === ''
        ? []
        : [section(holderFix && `*Cardholder:* ${holderFix}`, adminFix && `*Admin:* ${adminFix}`)]),
      ...outcomeLines(outcomes),
      ...actions(...controls({ ...alert, card }, reason)),
      ...context(
        alert.late ? 'Arrived late' : null,
        [event.id, reason.isWithheld ? '' : escapeUntrusted(reason.code, 80)].filter(Boolean).join(' · '),
      ),
    ],
  };
}

/** The three lines of a declined purchase. */
export function declineLines(alert: TransactionAlert, view: View): ShortLines {
  const { event } = alert;
  const card = cardOf(alert);
  const { repeats, isOfSeveral, times, amount, atRaw } = triedWords(alert, view);
  const reason = reasonOf(alert, view.place);
  return {
    title: `Declined${times}: ${amount}${atRaw}`,
    who: shortCard(card),
    at: repeats?.lastAt ?? event.occurredAt,
    cause: declineCause(alert, view),
    small: [
      isOfSeveral ? '' : escapeUntrusted(merchantCategory(event.mcc) ?? reason.category ?? '', 100),
      ...(isOfSeveral ? [] : howAndWhere(event)),
      card.isVirtual === true ? 'virtual card' : '',
      repeats === null ? '' : dateAfter('first try', repeats.firstAt),
      reason.isWithheld ? '' : escapeUntrusted(reason.code, 80),
    ],
  };
}

/** The second line of an alert: why, with the numbers, and what fixes it if no button can. */
function declineCause(alert: TransactionAlert, view: View): (string | null)[] {
  const reason = reasonOf(alert, view.place);
  const isBlocked = alert.remedy?.kind === 'unblock';
  const isElsewhere = limitOfRuleset(alert.remedy) !== null || neededNone(alert) || reason.remedy === 'retry';
  const isUnusable = isClosed(alert) || (alert.card.status === 'BLOCKED' && blockOf(alert) !== null);
  const isLeftToFix = reason.remedy === 'none' || isLeftToPortal(alert, reason, view);
  const [, fix] = fixes(alert, reason, view);
  return [
    isBlocked
      ? `*Card ${isOrWasBlocked(alert)}.*`
      : (reason.remedy === 'raise_limit' && limitLine(alert, view)) ||
        `*${escapeUntrusted(reason.title, 100)}.* ${whyDeclined(alert, reason, view)}`,
    reason.isKnown ? null : serviceWords(reason),
    alsoNeededOn(alert, view.place),
    // When no button can fix it, what else does.
    isBlocked || isUnusable || isElsewhere || isLeftToFix ? fix : null,
    rulesetLine(alert, reason),
  ];
}

/** The ruleset excludes the merchant category, and the meaning names it. */
function isRulesets({ card, remedy }: TransactionAlert, reason: ShownReason): boolean {
  const cause = remedy?.kind === 'portal' ? remedy.why : remedy?.kind;
  const mayForbid = cause === undefined || cause === 'ruleset' || cause === 'allow_category';
  return reason.code === 'decline.rule.mcc' && mayForbid && card.ruleset != null;
}

/** Which ruleset the card follows, when a rule declined the purchase and the meaning does not name it already. */
function rulesetLine(alert: TransactionAlert, reason: ShownReason): string | null {
  const { card } = alert;
  if (!isByRule(reason)) return null;
  if (!isRulesets(alert, reason)) return followsRuleset(card);
  return card.ruleset?.mayOverrule === true ? 'It may overrule the card’s own rules.' : null;
}

/** The numbers, which say the same as the code's meaning and add the amount; else the meaning, in one sentence. */
export function whyDeclined(alert: TransactionAlert, reason: ShownReason, view: View): string {
  const meaning = isRulesets(alert, reason)
    ? `${capital(rulesetOf(alert.card))} does not allow this merchant category.`
    : escapeUntrusted(reason.meaning, 300);
  return shortfall(alert, reason, view) || meaning;
}

function whenTried({ event }: TransactionAlert, repeats: Repeats | null): Field[] {
  if (repeats === null) return [['When', dateToken(event.occurredAt)]];
  return [
    ['First try', dateToken(repeats.firstAt)],
    ['Last try', dateToken(repeats.lastAt)],
  ];
}

/** `In person`, or how else. Empty when the service does not say, or when the card was used at another time. */
export function howPaid({ kind, isCardPresent }: Pick<TransactionAlert['event'], 'kind' | 'isCardPresent'>): string {
  if (isCardPresent === null || kind === 'settlement' || kind === 'reversal') return '';
  return isCardPresent ? 'In person' : 'Online or keyed in';
}

/**
 * The amount that the merchant requested, if it got a different one (a partial authorization); empty when it is the same.
 */
export function requestedAmount(event: TransactionAlert['event']): string {
  const cents = otherRequestedCents(event);
  return cents === null ? '' : formatCents(cents);
}

/** The same in whole cents; null when it is the same or unknown. */
export function otherRequestedCents({ requestedCents, amountCents }: TransactionAlert['event']): number | null {
  return requestedCents === amountCents ? null : requestedCents;
}

/** How a purchase was made, what was requested for it, and where it was, for the small print. */
export function howAndWhere(event: TransactionAlert['event']): string[] {
  const requested = requestedAmount(event);
  const where = escapeUntrusted(locationLine(event.merchant), 80);
  return [howPaid(event), requested && `merchant asked for ${requested}`, where];
}

/** Remedy, block, acknowledge: each only while it can still do something. */
function controls(alert: TransactionAlert, reason: ShownReason): (Button | null)[] {
  const { event, card, remedy, outcomes } = alert;
  const { isBlocked, isActivated, isSeen } = currentState(outcomes);
  const wanted = remedy?.kind ?? reason.remedy;
  const wasBlocked = wanted === 'unblock' || blockOf(alert) !== null;
  const isNew = reason.remedy === 'activate' && wanted === 'activate' && !isActivated && !wasBlocked;
  const about = { value: event.id, card };

  return [
    remedyButton(alert, reason),
    isNew && mayHelp(alert) ? activateButton(about) : null,
    wasBlocked || isBlocked || isClosed(alert) ? null : blockButton(about),
    ...controlsOf(outcomes).flatMap((control) => controlButtons(control, card)),
    isSeen ? null : acknowledgeButton(about),
  ];
}

/** Nothing helps a purchase that the holder did not make. */
function mayHelp(alert: TransactionAlert): boolean {
  const { isBlocked, isFraud } = currentState(alert.outcomes);
  return !isBlocked && !isFraud && !isClosed(alert);
}

/**
 * Opens the form for a change that would let the purchase pass. Null once that is done, or if the card API cannot make the
 * change.
 */
export function remedyButton(
  alert: TransactionAlert,
  reason: ShownReason,
  action: string = actionId.approveRemedy,
): Button | null {
  const { event, remedy, card, outcomes } = alert;
  const { isUnblocked, isRaised, isPaid } = currentState(outcomes);
  const isUnblock = (remedy?.kind ?? reason.remedy) === 'unblock';
  const isLow = isTooLow(remedy, outcomes);
  const still = isUnblock ? undefined : nextNeeded(alert);
  const isDone = isUnblock ? isUnblocked : isRaised && !isLow && still === undefined;
  const isOver = isDone || isPaid || !mayHelp(alert);
  const text = isOver || limitOfRuleset(remedy) !== null ? '' : remedyWords(remedy, reason, still);
  return text === ''
    ? null
    : button({
        text,
        action,
        value: event.id,
        style: 'primary',
        label: `${text.replace('…', '')} for ${named(card, 50)}`,
      });
}

/** @param still what the purchase needs besides what was done. */
function remedyWords(remedy: TransactionAlert['remedy'], reason: ShownReason, still?: AlsoNeeds[number]): string {
  switch (still ?? neededFor({ remedy }, reason)) {
    case 'raise_limit': {
      if (still !== undefined) return 'Raise a limit…';
      const limits = limitsToRaise(remedy);
      if (limits.length > 1) return `Raise ${countOf(limits.length, 'limit')}…`;
      // The limit that stops it now may differ from the one that stopped it then.
      const rule = limits[0]?.rule ?? null;
      const isOfCategory = rule === null ? reason.code === 'decline.rule.velocity.mcc' : rule.category !== null;
      return isOfCategory ? 'Raise category limit…' : `Raise ${rule?.period ?? reason.period ?? ''} limit…`;
    }
    case 'allow_category':
      return `Allow ${reason.category ?? 'this category'}…`;
    case 'allow_international':
      return 'Allow purchases abroad…';
    case 'allow_card_not_present':
      return 'Allow online purchases…';
    case 'unblock':
      return shouldStayBlocked({ remedy }) ? '' : 'Unblock card…';
    default:
      return '';
  }
}
