import { commandCode } from '../../src/core/installation.ts';
import type { Role } from '../../src/policy/decide-action.ts';
import type { Message } from '../../src/slack/message.ts';
import { mentions } from '../../src/slack/mrkdwn.ts';
import { actions, section, sentence } from '../core/blocks.ts';
import { askThemButton, type Refusal, refusal } from './refusal.ts';

/** `Only … may unblock cards.` */
export const whoWords: Readonly<Record<Role, string>> = {
  approver: 'approvers',
  operator: 'operators and approvers',
  holder: 'the person who holds the card',
};

interface NotPermitted {
  /** What they may not do: `unblock cards`. */
  readonly doing: string;
  /** Null: everyone in the company. */
  readonly role: Role | null;
  readonly isExternal: boolean;
  /** They have the role, but only for the cards of some groups, and this is not limited to them. */
  readonly isForSomeCards: boolean;
  /** User ids and user group ids. */
  readonly whoMay: readonly string[];
  /** What they may type instead, or first, for their own card: a sentence. Null: nothing. */
  readonly instead: string | null;
  /** Value of the button that asks them; null: nobody can be asked. */
  readonly askValue: string | null;
}

const forSomeCards = 'You are one for some groups of cards only, and this is not about those cards alone.';

/** You may not, and who may. */
export function notPermitted(refused: NotPermitted): Message {
  const { doing, role, isExternal, isForSomeCards, whoMay, instead, askValue } = refused;
  const who = mentions(whoMay, 'or');
  const people =
    role === 'holder' || role === null
      ? ''
      : who === ''
        ? 'Nobody is configured for that yet: ask whoever runs Cardbell.'
        : `Ask ${who}.`;
  const why = isExternal
    ? `People of other companies cannot ${doing}.`
    : `Only ${whoWords[role ?? 'operator']} may ${doing}.${isForSomeCards ? ` ${forSomeCards}` : ''}`;

  return {
    text: sentence('Not done:', why, instead, people, 'Nothing changed.'),
    blocks: [
      section(`*Not done.* ${why}`, instead, people, 'Nothing changed.'),
      ...actions(askValue === null || people === '' || who === '' ? null : askThemButton(askValue, doing)),
    ],
  };
}

/** The queue, or Slack's list of user groups, is unreachable. */
export function unavailable({ isBlock = false } = {}): Message {
  const why = 'Cardbell can’t take this right now: part of it is unreachable.';
  const urgent = isBlock ? ' If it is urgent, have the card blocked in the card program’s portal.' : '';
  // A store that did not answer in time may have stored it anyway.
  const whoCan = `As far as I know, nothing changed. Check again in a minute before you retry.${urgent}`;
  return refusal({ why, whoCan, changed: '' });
}

/** A form was submitted again, perhaps with other values. */
export function submittedTwice(): Message {
  const why = 'I got this form before: what it said first counts.';
  const whoCan = 'If you have changed it since, look at the card and ask again.';
  return refusal({ title: 'Submitted twice', why, whoCan, changed: '' });
}

/** Above what is shown by role, while Slack does not list a user group. */
export const unsureOfRoles =
  'Slack does not say just now which roles you have, so something may be missing here. Look again later.';

/** For people who ask for what only a card's holder may see or do. */
export function notLinked(): Pick<Refusal, 'why' | 'whoCan'> {
  const whoCan = `If it should be yours, say so with ${commandCode('link')} and the last four digits.`;
  return { why: 'This card is not linked to you.', whoCan };
}
