import type { FraudCaseAlert } from '../../src/alerts/alert.ts';
import { capital } from '../../src/core/first-letter.ts';
import { formatCents } from '../../src/core/money.ts';
import { actionId } from '../../src/slack/action-id.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateAfter, dateToken, mention, mentions } from '../../src/slack/mrkdwn.ts';
import { currentState, outcomeLines, outcomeSentence } from '../actions/outcomes.ts';
import {
  actions,
  button,
  context,
  countOf,
  escapeUntrusted,
  formatCount,
  header,
  section,
  sentence,
} from '../core/blocks.ts';
import { cardOf, cardOfHolder, cardOfHolderRaw, shortCard } from '../core/card-words.ts';
import { amountAt } from '../core/purchase-words.ts';
import type { ShortLines } from './short-alert.ts';

const SHOWN_MAX = 3;

/** A purchase that the cardholder did not make: the latest purchases, and what operators should do now. */
export function fraudCase(alert: FraudCaseAlert): Message {
  const { event, purchases, reported, outcomes } = alert;
  const card = cardOf(alert);
  return {
    text: sentence(
      `${escapeUntrusted(titleOf(alert), 150)} · ${cardOfHolder(card)}. ${[`The cardholder ${notMade(alert)}`, latest(alert), todo(alert)].filter(Boolean).join(' ')}${outcomeSentence(outcomes)}`,
    ),
    blocks: [
      header(titleOf(alert)),
      section(`*${cardOfHolder(card)}* · ${dateToken(reported.at)}`, `The cardholder ${notMade(alert)}`),
      section(
        ...(purchases === null || purchases.length === 0
          ? [latest(alert)]
          : [
              '*Latest purchases*',
              ...purchases.map((one) => `• ${purchase(one)}`),
              alert.morePurchases > 0 ? `… ${andMore(alert.morePurchases, alert)}.` : null,
              notRead(alert),
            ]),
        todo(alert),
      ),
      ...outcomeLines(outcomes),
      ...actions(...controls(alert)),
      ...context(`${escapeUntrusted(alert.alertId, 60)} · ${threadWords(alert)}`, event.id),
    ],
  };
}

export function fraudCaseLines(alert: FraudCaseAlert): ShortLines {
  const { reported } = alert;
  return {
    title: titleOf(alert),
    who: shortCard(cardOf(alert)),
    at: reported.at,
    cause: [notMade(alert), latest(alert), todo(alert)],
    small: [threadWords(alert)],
  };
}

function threadWords({ joins, outcomes }: FraudCaseAlert): string {
  if (isClosed({ outcomes })) return 'Nothing more about this card follows in this thread';
  return joins === null
    ? 'Everything else about this card follows in this thread, until 30 days after the last report'
    : 'Belongs to the fraud case in this thread';
}

/** Raw. */
function titleOf({ event, joins }: FraudCaseAlert): string {
  const merchant = event.merchant.name.trim();
  return `${joins === null ? 'Fraud reported' : 'Another purchase reported as fraud'}: ${formatCents(event.amountCents)}${merchant && ` at ${merchant}`}`;
}

function notMade({ reported }: FraudCaseAlert): string {
  return `${mention(reported.by)} says they did not make it.`;
}

function latest(alert: FraudCaseAlert): string {
  const { purchases, morePurchases } = alert;
  if (purchases === null) return 'The latest purchases could not be read.';
  if (purchases.length === 0) return 'No other purchases within 7 days.';
  const shown = purchases.slice(0, SHOWN_MAX).map(purchase);
  const more = purchases.length - shown.length + morePurchases;
  const all = `Latest purchases: ${shown.join('; ')}${more > 0 ? ` ${andMore(more, alert)}` : ''}.`;
  return [all, notRead(alert)].filter(Boolean).join(' ');
}

/** *Details* lists only some of many. */
function andMore(more: number, { morePurchases }: FraudCaseAlert): string {
  return `and ${formatCount(more)} more${morePurchases > 0 ? ', in the card program’s portal' : ''}`;
}

/** Empty when every transaction could be read. Only the message that asks to check the latest purchases asks to look them up. */
function notRead({ unreadable, morePurchases, joins, outcomes }: FraudCaseAlert): string {
  if (unreadable === 0) return '';
  const what = `${countOf(unreadable, 'transaction')} could not be read`;
  if (joins !== null || isClosed({ outcomes }) || currentState(outcomes).isRecognized) return `${what}.`;
  const where = morePurchases > 0 ? 'there, too' : 'in the card program’s portal';
  return `${what}: look ${unreadable === 1 ? 'it' : 'them'} up ${where}.`;
}

type Purchase = NonNullable<FraudCaseAlert['purchases']>[number];

function purchase({ at, amountCents, merchant }: Purchase): string {
  return `${amountAt(amountCents, merchant)}${dateAfter(',', at)}`;
}

function todo(alert: FraudCaseAlert): string {
  const { operators, outcomes, reported, joins } = alert;
  if (isClosed({ outcomes })) return '';
  const whom = mentions(operators);
  const close = joins === null ? ' If nothing else was reported, close the case.' : '';
  const what = currentState(outcomes).isRecognized
    ? `${mention(reported.by)} has confirmed it since.${close}`
    : toCheck(alert);
  return whom === '' ? capital(what) : `${whom}: ${what}`;
}

function toCheck({ joins, purchases, outcomes }: FraudCaseAlert): string {
  const { isBlocked, isUnblocked } = currentState(outcomes);
  // Without any outcome, the block of the report is still on its way.
  const isNotBlocked = outcomes.some(({ verb }) => verb === 'block') && !isBlocked && !isUnblocked;
  const check =
    purchases === null
      ? 'look up the latest purchases in the card program’s portal and check them with the cardholder'
      : purchases.length > 0
        ? 'check these purchases with the cardholder'
        : '';
  const before = [isNotBlocked ? 'block the card now' : '', joins === null ? check : ''].filter(Boolean).join(', ');
  const last =
    joins === null
      ? 'order a replacement card in the card program’s portal.'
      : 'check this purchase with the cardholder, too.';
  return `${before}${before && ', then '}${last}`;
}

function isClosed({ outcomes }: Pick<FraudCaseAlert, 'outcomes'>): boolean {
  return outcomes.some(({ verb, state }) => verb === 'close-case' && state === 'done');
}

function controls(alert: FraudCaseAlert) {
  if (isClosed(alert)) return [];
  const { id } = alert.event;
  const name = cardOfHolderRaw(cardOf(alert));
  const { isBlocked } = currentState(alert.outcomes);
  const block = button({
    text: 'Block card',
    action: actionId.blockCard,
    value: id,
    style: 'danger',
    label: `Block ${name}`,
  });
  const close = button({
    text: 'Close the case',
    action: actionId.closeFraudCase,
    value: id,
    label: `Close the fraud case of ${name}`,
    confirm: {
      title: 'Close this fraud case?',
      text: 'The card stays as it is, and approvers may unblock it. Later declines and changes of the card are no longer posted in this thread.',
    },
  });
  return [isBlocked ? null : block, alert.joins === null ? close : null];
}
