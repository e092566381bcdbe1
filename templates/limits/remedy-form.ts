import type { KnownBlock, ModalView } from '@slack/types';
import type { TransactionAlert } from '../../src/alerts/alert.ts';
import type { FilledForm } from '../../src/alerts/fill-form.ts';
import { type LimitWindow, limitWindows } from '../../src/card-api/rule.ts';
import type { AlsoNeeds } from '../../src/core/also-needs.ts';
import { capital } from '../../src/core/first-letter.ts';
import { joinWithAnd } from '../../src/core/join-with-and.ts';
import { formatCents } from '../../src/core/money.ts';
import {
  alsoNeeds,
  changeIn,
  type LimitRaise,
  lacksNumber,
  limitsToRaise,
  mayNeedMore,
  type Remedy,
} from '../../src/limits/remedy-change.ts';
import { limitName } from '../../src/limits/rule-words.ts';
import { callbackId } from '../../src/slack/action-id.ts';
import { portalMeaning, portalWords, shouldStayBlocked } from '../alerts/decline-words.ts';
import { context, countOf, escapeUntrusted, section } from '../core/blocks.ts';
import { CLOSED, cardOf, cardOfHolder, orderNewCard } from '../core/card-words.ts';
import { input, modal, option } from '../core/form.ts';
import { alsoNeeded } from './also-needed-words.ts';
import { amountInput, amountLabel, amountOf, formInput, openedOnce, reasonInput, termInputs } from './form-inputs.ts';
import { left, limitOfRuleset, nameOf, onTop } from './limit-words.ts';
import { followsRuleset, mayLeaveRuleset } from './ruleset-words.ts';

export interface RemedyForm {
  /** Opaque id that comes back with the submission. */
  readonly privateMetadata: string;
  readonly alert: TransactionAlert;
  /** What would let the purchase pass, if known. */
  readonly remedy: Remedy | null;
  /**
   * `checking`: shows the alert's data while the card is being read. `passes`: nothing stops the purchase any more.
   * `unclear`: nothing tells what stops it. `ruleset`: no rule of the card itself does. `balance`, `status`: no rule does, but
   * the card's balance may, or the card is not active. `closed`: it is closed for good. `unread`: the card service did not
   * answer. `along`: it was submitted, and more limits have to rise than the person entered.
   */
  readonly state: FilledForm['state'] | 'checking' | 'along';
  /** The card service's day, `2026-11-20`. */
  readonly today: string;
  /** The limits with the typed amounts, instead of those of the remedy. */
  readonly typed?: readonly LimitRaise[];
  /** Opened on the warning that a subscription keeps failing. */
  readonly isSubscription?: boolean;
}

interface Words {
  readonly title: string;
  readonly submit: string;
  readonly does: string;
}

/** The form behind *Approve* on a decline: exactly what would let this purchase pass, for how long, and why. */
export function remedyForm(form: RemedyForm): ModalView {
  const { remedy } = form;
  const raised = form.typed ?? limitsToRaise(remedy);
  const words = wordsOf(remedy, raised.length);
  // Neither what it would change nor the numbers of when the alert was sent.
  if (isUseless(form)) return modal({ title: words.title, blocks: about(form, '', []) });
  return modal({
    callback: callbackId.raiseLimit,
    privateMetadata: form.privateMetadata,
    title: words.title,
    submit: words.submit,
    blocks: [
      ...about(form, words.does, raised),
      ...limitInputs(form.state, raised),
      ...(remedy?.kind === 'unblock'
        ? []
        : termInputs(form.today, form.isSubscription === true ? null : { kind: 'purchase' })),
      reasonInput('Reason', 'Goes on record with your name.'),
    ],
  });
}

/** Nothing can be submitted. What no longer stops the purchase cannot be allowed again; a limit may still be raised. */
function isUseless({ remedy, state }: RemedyForm): boolean {
  // If the rest could not be read, the rule itself was.
  const isOver = state === 'passes' || state === 'unclear' || (state === 'unread' && isRule(remedy));
  const isElsewhere = ['balance', 'status', 'closed'].includes(state) || isByRuleset(remedy, state);
  return (
    isElsewhere ||
    shouldStayBlocked({ remedy }) ||
    changeIn(remedy) === null ||
    (isOver && remedy?.kind !== 'raise_limit') ||
    isUnnumbered(remedy, state)
  );
}

/** Only a change of the card's spending ruleset helps. */
function isByRuleset(remedy: Remedy | null, state: RemedyForm['state']): boolean {
  return state === 'ruleset' || limitOfRuleset(remedy) !== null;
}

/** The number is looked up while the form is open. */
function isUnnumbered(remedy: Remedy | null, state: RemedyForm['state']): boolean {
  return state === 'checked' && lacksNumber(remedy);
}

/** A rule that allows or forbids. */
function isRule(remedy: Remedy | null): boolean {
  return remedy?.kind.startsWith('allow_') === true;
}

function wordsOf(remedy: Remedy | null, count: number): Words {
  switch (remedy?.kind) {
    case 'allow_category':
      return {
        title: 'Allow a category',
        submit: 'Allow',
        does: `Allows purchases at *${escapeUntrusted(remedy.category.name, 80)}*.`,
      };
    case 'allow_international':
      return { title: 'Allow purchases abroad', submit: 'Allow', does: 'Allows purchases outside the United States.' };
    case 'allow_card_not_present':
      return {
        title: 'Allow online purchases',
        submit: 'Allow',
        does: 'Allows purchases without the card: online or keyed in.',
      };
    case 'unblock':
      return {
        title: 'Unblock the card',
        submit: 'Unblock card',
        does: 'The card will work again.',
      };
    default:
      return count > 1
        ? { title: `Raise ${countOf(count, 'limit')}`, submit: 'Raise limits', does: '' }
        : { title: 'Raise a limit', submit: 'Raise limit', does: '' };
  }
}

const hint = 'The whole limit, not the difference. Examples: 450, $1,250.50';

function limitInputs(state: RemedyForm['state'], raised: readonly LimitRaise[]): KnownBlock[] {
  const [raise, ...others] = raised;
  if (raise === undefined) return [];
  if (others.length > 0) return raised.map((limit) => severalInput(limit, state));
  const { rule, to } = raise;
  const { period, category } = rule;
  // Fresh numbers replace the suggestion. If they are the same, the typed text stays.
  const amount = amountInput({ label: 'New limit in dollars', hint }, to, {
    block: `${formInput.amount}-${to ?? state}`,
  });
  // If the limit that stops the purchase is known, raising another one would not help.
  if (to !== null) return [amount];
  const windows = limitWindows.filter((one) => category !== null || one !== 'transaction');
  return [
    input(
      formInput.period,
      'Which limit',
      {
        type: 'static_select',
        options: windows.map((one) => option(windowWord(one), one)),
        initial_option: option(windowWord(period), period),
      },
      { block: `${formInput.period}-${period}` },
    ),
    amount,
  ];
}

/** One of several limits that are raised together. Each may be left unchanged. */
function severalInput({ rule, to }: LimitRaise, state: RemedyForm['state']): KnownBlock {
  const action = amountOf(rule);
  return amountInput(
    { label: amountLabel(rule), hint: 'The whole limit, not the difference. Empty: it stays as it is.' },
    to,
    { action, block: `${action}-${to ?? state}`, isOptional: true },
  );
}

function windowWord(window: LimitWindow): string {
  return window === 'transaction' ? 'Single purchase' : capital(window);
}

const unnumbered =
  'I don’t know the number that the card service gives this category. Allow it in the card program’s portal.';

const unclear = 'I cannot tell what stops this purchase now.';
const inPortal = 'Check the card’s limits and rules in the card program’s portal.';
const unread = 'The card’s current limits could not be read.';
const again = 'Close this form, and open it again in a moment.';
const earlier = 'These numbers are from when the alert was sent.';

function about(form: RemedyForm, does: string, raised: readonly LimitRaise[]): KnownBlock[] {
  const { alert, state } = form;
  const { event } = alert;
  const merchant = event.merchant.name.trim();
  const at = merchant === '' ? '' : ` at ${escapeUntrusted(merchant, 80)}`;
  return [
    section(
      `*${cardOfHolder(cardOf(alert))}*`,
      `Declined: ${formatCents(event.amountCents)}${at}${onTop(event)}`,
      ...(raised.length > 1 ? stoppedBy(raised, state) : [does, ...raised.flatMap((raise) => currentOf(raise, state))]),
    ),
    ...context(...(state === 'closed' ? [`*${CLOSED}*`] : notes(form, raised))),
  ];
}

function notes(form: RemedyForm, raised: readonly LimitRaise[]): (string | null)[] {
  const { alert, remedy, state } = form;
  const { event } = alert;
  // When it is unclear what stops the purchase, a limit without a suggestion was read just now.
  const isOld = raised.some(({ from, to }) => to !== null || (state === 'unread' && from !== null));
  const old = isOld ? ` ${earlier}` : '';
  const isLowestKnown = !['passes', 'unclear', 'along'].includes(state) && raised.every(({ to }) => to !== null);
  return [
    remedy?.kind === 'unblock' || isUseless(form) ? null : mayLeaveRuleset(cardOf(alert)),
    isRule(remedy) && !isUseless(form) ? openedOnce : null,
    isByRuleset(remedy, state) ? followsRuleset(cardOf(alert)) : null,
    state === 'ruleset' ? null : limitOfRuleset(remedy),
    state === 'checking' ? 'Checking what the card allows right now…' : null,
    state === 'unclear' ? `${unclear}${isUseless(form) ? ` ${inPortal}` : old}` : null,
    isUnnumbered(remedy, state) ? unnumbered : null,
    shouldStayBlocked({ remedy }) && state !== 'passes' ? orderNewCard : null,
    state === 'passes' ? '*No limit or rule stops this purchase any more. Have it tried again.*' : null,
    state === 'ruleset' || state === 'balance'
      ? `*${portalMeaning(state, event, { isNow: true })}* ${portalWords[state].adminFix}`
      : null,
    state === 'status'
      ? '*No limit or rule stops this purchase any more, but the card is not active.* If it is closed, use another card. If it is new, activate it.'
      : null,
    alsoNeeded(othersIn(form), event, { isNow: state === 'checked' || state === 'along' }),
    state === 'unread' && remedy?.kind !== 'unblock' ? `${unread}${isUseless(form) ? ` ${again}` : old}` : null,
    isLowestKnown ? lowestWords(raised) : null,
  ];
}

/** Once the card's own rules let the purchase pass, its balance may still be too low. */
function othersIn(form: RemedyForm): AlsoNeeds {
  const { remedy, state } = form;
  if (state === 'passes' || state === 'balance') return [];
  const needs = alsoNeeds(remedy);
  return isUseless(form) && state !== 'checked' ? needs.filter((kind) => kind === 'balance') : needs;
}

function lowestWords(raised: readonly LimitRaise[]): string | null {
  const [first, ...others] = raised;
  if (first === undefined) return null;
  const amount = others.length === 0 ? formatCents(first.to ?? 0) : null;
  if (raised.some(mayNeedMore))
    return `Nothing is left${amount === null ? ' of a limit' : ''}, and the card may have spent more than its limit, so ${amount ?? 'these amounts'} may not be enough.`;
  return amount === null
    ? 'These are the lowest limits that let this purchase through. All change at once.'
    : `${amount} is the lowest limit that lets this purchase through.`;
}

function currentOf({ rule, from, remainingCents }: LimitRaise, state: RemedyForm['state']): (string | null)[] {
  const { period, category } = rule;
  const rest = remainingCents === null || period === 'transaction' ? '' : `, ${left(remainingCents)} left`;
  return [
    category === null ? null : `Limit for merchant category: *${escapeUntrusted(category.name, 80)}*`,
    from === null
      ? state === 'passes'
        ? `By now the ${category === null ? 'card' : 'category'} has no ${limitName(period, null)}.`
        : 'The current limit is not known.'
      : `Current ${limitName(period, null)}: ${formatCents(from)}${rest}`,
  ];
}

/** Each limit that stops the purchase, and each limit that must rise with them. */
function stoppedBy(raised: readonly LimitRaise[], state: RemedyForm['state']): string[] {
  const words = state === 'passes' ? withNow : withNumbers;
  const stopping = raised.filter(({ isAdjustedToo }) => !isAdjustedToo).map(words);
  const along = raised.filter(({ isAdjustedToo }) => isAdjustedToo).map(withNumbers);
  const also = `Raised too, because ${stopping.length === 1 ? 'that limit' : 'one of them'} would exceed it: ${joinWithAnd(along)}.`;
  const count = stopping.length === 1 ? '' : `${countWords[stopping.length] ?? stopping.length} limits: `;
  return [
    state === 'along'
      ? `You raise ${joinWithAnd(stopping)}. Check all amounts, then submit again.`
      : `${state === 'passes' ? 'When it was declined, it was' : 'This purchase is'} stopped by ${count}${joinWithAnd(stopping)}.`,
    ...(along.length === 0 ? [] : [also]),
  ];
}

/** `the weekly limit (now $900.00)`. */
function withNow({ rule, from }: LimitRaise): string {
  return `the ${nameOf(rule)}${from === null ? '' : ` (now ${formatCents(from)})`}`;
}

/** `the weekly limit of $600.00, $10.00 left`. */
function withNumbers({ rule, from, remainingCents }: LimitRaise): string {
  const of = from === null ? '' : ` of ${formatCents(from)}`;
  const rest = remainingCents === null || rule.period === 'transaction' ? '' : ` (${left(remainingCents)} left)`;
  return `the ${nameOf(rule)}${of}${rest}`;
}

const countWords: Readonly<Record<number, string>> = { 2: 'two', 3: 'three', 4: 'four', 5: 'five' };
