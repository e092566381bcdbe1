import type { KnownBlock } from '@slack/types';
import type { Alert } from '../../src/alerts/alert.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateAfter, dateToken } from '../../src/slack/mrkdwn.ts';
import { actions, button, context, escapeUntrusted, section } from '../core/blocks.ts';
import { cardOf, named } from '../core/card-words.ts';
import { needsDay, type View } from '../core/view.ts';

/** The three lines of an alert, mrkdwn: what happened; why, and what fixes it; the small print. */
export interface ShortLines {
  /** `Declined: $84.10 at Corner Diner`. Raw. */
  readonly title: string;
  /** `Sam Rivera · card 1234`; empty when the cause names the cards. */
  readonly who: string;
  /** UTC ISO 8601; empty: no time of its own. */
  readonly at: string;
  /** Sentences of the second line. */
  readonly cause: readonly (string | null)[];
  readonly small: readonly (string | null)[];
}

interface Shown {
  readonly view: View;
  readonly details: string;
  readonly outcomes: readonly KnownBlock[];
}

/**
 * An alert in three lines with its buttons. The rest is behind *Details* and in the thread.
 *
 * @param long the long alert: its sentence and its buttons are reused.
 * @param outcomes what people did about it, as one block.
 */
export function shortMessage(
  alert: Alert,
  long: Message,
  { title, who, at, cause, small }: ShortLines,
  { view, details, outcomes }: Shown,
): Message {
  const { event, late } = alert;
  const isOneTime = alert.kind === 'transaction' && Object.values(alert.repeats).every(({ count }) => count === 1);
  const isSeen = event.kind === 'card-status' && event.isSeen === true;
  const happened = isOneTime && !needsDay(at, alert, view) ? dateToken(at, '{time}') : dateToken(at);
  const when = isSeen ? dateAfter('seen', at) : at === '' ? '' : happened;
  const label = who === '' ? `Details: ${title}` : `Details of the alert about ${named(cardOf(alert), 60)}`;
  const controls = long.blocks.flatMap((block) => (block.type === 'actions' ? block.elements : []));
  return {
    text: long.text,
    blocks: [
      section(
        [`*${escapeUntrusted(title, 150)}*`, who, when].filter(Boolean).join(' · '),
        cause.filter(Boolean).join(' '),
      ),
      ...outcomes,
      ...actions(...controls, button({ text: 'Details', action: details, value: event.id, label })),
      ...context([late ? 'Arrived late' : '', ...small, event.id].filter(Boolean).join(' · ')),
    ],
  };
}
