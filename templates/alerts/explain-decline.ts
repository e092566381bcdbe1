import type { KnownBlock, ModalView } from '@slack/types';
import type { TransactionAlert } from '../../src/alerts/alert.ts';
import type { EventLogStep } from '../../src/alerts/event-log.ts';
import { formatCents } from '../../src/core/money.ts';
import type { RemedyChange } from '../../src/limits/remedy-change.ts';
import { dateAfter, mentions } from '../../src/slack/mrkdwn.ts';
import { outcomeLines } from '../actions/outcomes.ts';
import { context, countOf, escapeUntrusted, header, section } from '../core/blocks.ts';
import { cardOf, cardOfHolder } from '../core/card-words.ts';
import { modal } from '../core/form.ts';
import type { View } from '../core/view.ts';
import { alsoNeededOn, isInSlack, stillNeeded } from '../limits/also-needed-words.ts';
import { limitOfRuleset } from '../limits/limit-words.ts';
import { stepLine } from '../routing/why.ts';
import { whyDeclined } from './decline.ts';
import {
  blockOf,
  fixes,
  isClosed,
  isLeftToPortal,
  isOver,
  neededFor,
  reasonOf,
  type ShownReason,
  serviceWords,
  shouldStayBlocked,
} from './decline-words.ts';

interface Explained {
  readonly alert: TransactionAlert;
  /** How it was routed; null when this person may not see that. */
  readonly eventLog: readonly EventLogStep[] | null;
  /** Who may act on this card: user ids and user group ids. */
  readonly whoMay: { readonly approver: readonly string[]; readonly operator: readonly string[] };
}

interface Around extends View {
  /** Number of declines of the same message that are not shown. */
  readonly more: number;
}

const STEPS_MAX = 15;

/** *Explain this decline*: what happened, why, what fixes it, and who can do that. */
export function explainDecline(explained: readonly Explained[], around: Around): ModalView {
  const { more } = around;
  return explanation([
    ...explained.flatMap((one, index) => [
      ...(index === 0 ? [] : [{ type: 'divider' } as const]),
      ...about(one, around),
    ]),
    ...(more > 0 ? context(`This message shows ${countOf(more, 'more decline')}.`) : []),
  ]);
}

/** The message is not ours, shows no decline, or is too old. */
export function nothingToExplain(): ModalView {
  return explanation([
    section(
      '*There is no decline to explain here.*',
      'Use this on a Cardbell message about a declined purchase, or in its thread, within 30 days.',
    ),
  ]);
}

function explanation(blocks: KnownBlock[]): ModalView {
  return modal({ title: 'Explain this decline', blocks });
}

function about({ alert, eventLog, whoMay }: Explained, view: View): KnownBlock[] {
  const { event, outcomes } = alert;
  const reason = reasonOf(alert, view.place);
  const [holder, admin] = fixes(alert, reason, view);
  const merchant = event.merchant.name.trim();
  return [
    header(`Declined: ${formatCents(event.amountCents)}${merchant && ` at ${merchant}`}`),
    section(`${cardOfHolder(cardOf(alert))}${dateAfter(',', event.occurredAt)}`),
    section(
      `*Why:* ${escapeUntrusted(reason.title, 100)}`,
      whyDeclined(alert, reason, view),
      serviceWords(reason),
      alsoNeededOn(alert, view.place),
    ),
    ...(`${holder}${admin}` === ''
      ? []
      : [
          section('*What would fix it*', holder && `Cardholder: ${holder}`, admin && `Admin: ${admin}`),
          section('*Who can*', whoCan(alert, reason, whoMay, view)),
        ]),
    ...outcomeLines(outcomes),
    ...(eventLog === null || eventLog.length === 0 ? [] : [section('*How it got here*', ...steps(eventLog))]),
    ...context([event.id, reason.isWithheld ? '' : escapeUntrusted(reason.code, 80)].filter(Boolean).join(' · ')),
  ];
}

function whoCan(alert: TransactionAlert, reason: ShownReason, whoMay: Explained['whoMay'], view: View): string {
  const nobody = 'Nobody can change this in Slack. Ask whoever administers the card program.';
  const isDone = isOver(alert, reason, view);
  const { remedy } = alert;
  const isElsewhere = shouldStayBlocked(alert) || limitOfRuleset(remedy) !== null || remedy?.kind === 'portal';
  if (isClosed(alert) || (isElsewhere && !isDone)) return nobody;
  const still = isDone ? stillNeeded(alert).find(isInSlack) : undefined;
  const known = still ?? (isDone || remedy?.kind === 'retry' ? 'retry' : neededFor(alert, reason));
  const wanted = (known === 'none' || known === 'retry') && blockOf(alert) !== null ? 'unblock' : known;
  if (reason.mayBeBlocked === true && !isDone && wanted !== 'retry' && blockOf(alert) === null)
    return byPeople('Operators can check the card', whoMay.operator);
  if (wanted === 'none') {
    return reason.isSensitive
      ? 'The cardholder can try again. Operators can block the card if it was somebody else.'
      : nobody;
  }
  if (wanted === 'retry') return isLeftToPortal(alert, reason, view) ? nobody : 'The cardholder can try again.';
  return byPeople(can[wanted], wanted === 'activate' ? whoMay.operator : whoMay.approver);
}

function byPeople(what: string, ids: readonly string[]): string {
  const people = mentions(ids);
  return people === '' ? `${what}. Nobody has that role yet: ask whoever runs Cardbell.` : `${what}: ${people}.`;
}

const can: Readonly<Record<RemedyChange['kind'], string>> = {
  activate: 'Operators can activate the card',
  unblock: 'Approvers can unblock the card',
  raise_limit: 'Approvers can change the limit',
  allow_category: 'Approvers can allow this merchant category',
  allow_international: 'Approvers can allow purchases abroad',
  allow_card_not_present: 'Approvers can allow online purchases',
};

function steps(eventLog: readonly EventLogStep[]): string[] {
  const shown = eventLog.slice(-STEPS_MAX).map((step) => `• ${stepLine(step, 100)}`);
  const earlier = eventLog.length - shown.length;
  return earlier > 0 ? [`… ${earlier} earlier`, ...shown] : shown;
}
