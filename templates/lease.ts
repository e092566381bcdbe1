import type { CardFacts } from '../src/alert/alert.ts';
import { wantedOf } from '../src/alert/rule-change.ts';
import { ruleMove, ruleName, stateWords } from '../src/alert/rule-words.ts';
import { actionId } from '../src/slack/action-id.ts';
import type { Message } from '../src/slack/message.ts';
import { dateAfter, dateToken, mention } from '../src/slack/mrkdwn.ts';
import type { Lease } from '../src/store/leases.ts';
import { capital, cardOfHolder, cardOfHolderRaw } from './card-words.ts';
import { actions, button, context, header, outside, RULES_MAX, section, sentence } from './parts.ts';

const titles: Readonly<Record<Lease['state'], string>> = {
  open: 'Temporary',
  asking: 'Put back?',
  ended: 'Put back',
  left: 'Left as it is',
  refused: 'Could not be put back',
  replaced: 'No longer temporary',
};

/** A temporary change: until when, and how to take it back; afterwards, how it ended. */
export function lease(one: Lease, card: CardFacts): Message {
  const { id, change, before, state, by, openedAt, endsAt } = one;
  const what = outside(ruleMove(change, before), RULES_MAX);
  const isOpen = state === 'open';
  const isOne = change.kind !== 'limits';

  return {
    text: sentence(
      `${titles[state]}: ${outside(ruleName(change), RULES_MAX)} of ${cardOfHolder(card)}. ${ending(one)}`,
    ),
    blocks: [
      header(`${titles[state]}: ${ruleName(change)} of ${cardOfHolderRaw(card)}`),
      section(`*${capital(what)}*`, ending(one)),
      ...(isOpen ? actions(takeBackButton(id, card)) : []),
      ...(state === 'asking'
        ? actions(
            button({
              text: isOne ? `Put back to ${stateWords(change, before)}` : 'Put them back',
              action: actionId.putBack,
              value: id,
              style: 'primary',
              label: `Put back ${ruleName(change)} of ${cardOfHolderRaw(card)}`,
            }),
            button({
              text: isOne ? 'Leave it' : 'Leave them',
              action: actionId.leaveIt,
              value: id,
              label: `Leave ${ruleName(change)} as ${isOne ? 'it is' : 'they are'}`,
            }),
          )
        : []),
      ...context(
        `Asked by ${mention(by.userId)}, ${dateToken(openedAt)}`,
        isOpen || state === 'asking' ? dateAfter('Was to end', endsAt) : null,
      ),
    ],
  };
}

/** *Take back now*: on the lease's own message, on the alert, on the request. */
export function takeBackButton(leaseId: string, card: CardFacts) {
  return button({
    text: 'Take back now',
    action: actionId.revertNow,
    value: leaseId,
    label: `Take back now: ${cardOfHolderRaw(card)}`,
  });
}

/** When it ends, or how it ended. */
export function ending({ state, change, before, endsAt, found, closedAt, closedBy, term }: Lease): string {
  const when = closedAt === null ? '' : ` ${dateToken(closedAt)}`;
  const who = closedBy === null ? 'by itself' : `by ${mention(closedBy)}`;
  const word = (value: Lease['before']): string => outside(stateWords(change, value), RULES_MAX);
  const isOne = change.kind !== 'limits';
  switch (state) {
    case 'open':
      return `Goes back to ${word(before)} ${dateAfter(term.kind === 'purchase' ? 'after this purchase, at the latest' : 'by itself', endsAt)}.`;
    case 'asking':
      return isOne
        ? `Its time is over, but somebody changed it meanwhile: it is ${word(found)} now. Shall it go back to ${word(before)}? Nothing changes until an approver decides.`
        : `The time is over, but somebody changed one of them meanwhile: they are ${word(found)} now. Shall they go back to ${word(before)}? Nothing changes until an approver decides.`;
    case 'ended':
      return `Back at ${word(before)}, put back ${who}${when}.`;
    case 'left':
      return `${isOne ? 'It stays' : 'They stay'} at ${word(found)}, decided ${who}${when}.`;
    case 'refused':
      return `The card service refuses to put ${isOne ? 'it' : 'them'} back to ${word(before)}, so it is still ${word(wantedOf(change))}. Change ${isOne ? 'it' : 'them'} where the card service is administered.`;
    case 'replaced':
      return `A later change took its place${when}: nothing is put back by itself.`;
  }
}

/** To the one who asked for it: it is over. */
export function leaseEnded(one: Lease, card: CardFacts): Message {
  const head = `${capital(outside(ruleName(one.change), RULES_MAX))} of ${cardOfHolder(card)}`;
  return {
    text: sentence(`${head}: ${ending(one)}`),
    blocks: [section(`*${head}*`, ending(one))],
  };
}
