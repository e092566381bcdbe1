import type { CardFacts } from '../src/alert/alert.ts';
import { ruleName, ruleState, valueWord, wantedOf } from '../src/alert/rule-change.ts';
import { actionId } from '../src/slack/action-id.ts';
import type { Message } from '../src/slack/message.ts';
import { dateAfter, dateToken, mention } from '../src/slack/mrkdwn.ts';
import type { Lease } from '../src/store/leases.ts';
import { capital, cardOfHolder, cardOfHolderRaw } from './card-words.ts';
import { actions, button, context, header, outside, section, sentence } from './parts.ts';

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
  const what = `${outside(ruleState(change, before), 100)} → ${outside(valueWord(wantedOf(change)), 40)}`;
  const isOpen = state === 'open';

  return {
    text: sentence(`${titles[state]}: ${outside(ruleName(change), 80)} of ${cardOfHolder(card)}. ${ending(one)}`),
    blocks: [
      header(`${titles[state]}: ${ruleName(change)} of ${cardOfHolderRaw(card)}`),
      section(`*${capital(what)}*`, ending(one)),
      ...(isOpen ? actions(takeBackButton(id, card)) : []),
      ...(state === 'asking'
        ? actions(
            button({
              text: `Put back to ${valueWord(before)}`,
              action: actionId.putBack,
              value: id,
              style: 'primary',
              label: `Put back ${ruleName(change)} of ${cardOfHolderRaw(card)}`,
            }),
            button({
              text: 'Leave it',
              action: actionId.leaveIt,
              value: id,
              label: `Leave ${ruleName(change)} as it is`,
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
  switch (state) {
    case 'open':
      return `Goes back to ${word(before)} ${dateAfter(term.kind === 'purchase' ? 'after this purchase, at the latest' : 'by itself', endsAt)}.`;
    case 'asking':
      return `Its time is over, but somebody changed it meanwhile: it is ${outside(valueWord(found), 40)} now. Shall it go back to ${word(before)}? Nothing changes until an approver decides.`;
    case 'ended':
      return `Back at ${word(before)}, put back ${who}${when}.`;
    case 'left':
      return `It stays at ${outside(valueWord(found), 40)}, decided ${who}${when}.`;
    case 'refused':
      return `The card service refuses to put it back to ${word(before)}, so it is still ${outside(valueWord(wantedOf(change)), 40)}. Change it where the card service is administered.`;
    case 'replaced':
      return `A later change took its place${when}: nothing is put back by itself.`;
  }
}

function word(value: Lease['before']): string {
  return value === null ? 'no limit' : outside(valueWord(value), 40);
}

/** To the one who asked for it: it is over. */
export function leaseEnded(one: Lease, card: CardFacts): Message {
  const head = `${capital(outside(ruleName(one.change), 80))} of ${cardOfHolder(card)}`;
  return {
    text: sentence(`${head}: ${ending(one)}`),
    blocks: [section(`*${head}*`, ending(one))],
  };
}
