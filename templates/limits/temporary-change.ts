import { without } from '../../src/card-api/rule.ts';
import type { CardFacts } from '../../src/core/card-facts.ts';
import type { TransactionEvent } from '../../src/core/event.ts';
import { capital } from '../../src/core/first-letter.ts';
import { formatCents } from '../../src/core/money.ts';
import {
  backAlreadyWords,
  backOf,
  insteadWords,
  ruleMoves,
  ruleNames,
  ruleStates,
  stateWords,
  WITH_OTHER,
} from '../../src/limits/rule-words.ts';
import { about, backAlready, isInDoubt, notBackYet, undecided } from '../../src/limits/temporary-change.ts';
import type { TemporaryChange } from '../../src/limits/temporary-change-store.ts';
import { actionId } from '../../src/slack/action-id.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateAfter, mention } from '../../src/slack/mrkdwn.ts';
import {
  actions,
  button,
  context,
  countOf,
  escapeUntrusted,
  headed,
  header,
  RULES_MAX,
  section,
  sentence,
} from '../core/blocks.ts';
import { cardOfHolder, cardOfHolderRaw } from '../core/card-words.ts';
import { goesBack } from '../core/change-words.ts';
import { mayLeaveRuleset } from './ruleset-words.ts';

const titles: Readonly<Record<TemporaryChange['state'], string>> = {
  open: 'Temporary',
  asking: 'Put back?',
  ended: 'Ended',
  kept: 'Left as it is',
  refused: 'Could not be put back',
  superseded: 'Replaced',
};

/**
 * A temporary change: when it ends and how to revert it; afterwards, how it ended.
 *
 * @param atEnd the same with the values that its rules go back to at its end. Taken back now, they go back to those of `one`.
 */
export function temporaryChange(one: TemporaryChange, card: CardFacts, atEnd = one): Message {
  const { id, state, by, openedAt, endsAt } = one;
  const changes = state === 'asking' ? undecided(one) : one.changes;
  const what = escapeUntrusted(ruleMoves(changes), RULES_MAX);
  const isOpen = state === 'open';
  const isSingle = changes.length === 1;
  // The headline has room for the card only if it does not list several rules.
  const rules = isSingle ? ruleNames(changes) : countOf(changes.length, 'limit');

  return {
    text: sentence(
      `${titleOf(state, escapeUntrusted(ruleNames(changes), RULES_MAX))} of ${cardOfHolder(card)}. ${ending(atEnd)}`,
    ),
    blocks: [
      header(`${titleOf(state, rules)} of ${cardOfHolderRaw(card)}`),
      section(`*${capital(what)}*`, ending(atEnd)),
      ...(isOpen ? actions(revertButton(id, card)) : []),
      ...(state === 'asking'
        ? actions(
            button({
              text: isSingle ? `Put back to ${stateWords(changes, 'from')}` : 'Put them back',
              action: actionId.restore,
              value: id,
              style: 'primary',
              label: `Put back ${rules} of ${cardOfHolderRaw(card)}`,
            }),
            button({
              text: isSingle ? 'Leave it' : 'Leave them',
              action: actionId.leaveIt,
              value: id,
              label: `Leave ${rules} as ${isSingle ? 'it is' : 'they are'}`,
            }),
          )
        : []),
      ...context(
        state === 'asking' ? mayLeaveRuleset(card) : null,
        `Asked by ${mention(by.userId)}${dateAfter(',', openedAt)}`,
        state === 'asking' ? dateAfter('Was to end', endsAt) : null,
      ),
    ],
  };
}

/** `Temporary: daily limit`, `Put back? Daily limit` */
function titleOf(state: TemporaryChange['state'], rules: string): string {
  const title = titles[state];
  return title.endsWith('?') ? `${title} ${capital(rules)}` : `${title}: ${rules}`;
}

/** *Take back now*: in the temporary change's own message, on the alert, and on the request. */
export function revertButton(temporaryChangeId: string, card: CardFacts) {
  return button({
    text: 'Take back now',
    action: actionId.revertNow,
    value: temporaryChangeId,
    label: `Take back now: ${cardOfHolderRaw(card)}`,
  });
}

/** When it ends, or how it ended. */
export function ending(one: TemporaryChange): string {
  const { state, changes, endsAt, meanwhile, closedAt, closedBy } = one;
  const when = closedAt === null ? '' : dateAfter(',', closedAt);
  const by = closedBy === null ? '' : ` by ${mention(closedBy)}`;
  if (state === 'open') {
    return goesBack({ back: backOf(one), until: endsAt });
  }
  if (state === 'superseded') return `Replaced by a later change${by}${when}. ${ITS_END}`;
  if (state === 'asking' && backAlready(one).length > 0)
    return `${escapeUntrusted(backAlreadyWords(one), RULES_MAX)} ${ending(about(one, undecided(one)))}`;
  // Nobody decided that.
  if (state === 'kept' && closedBy === null) return `No longer applies to this card, so nothing was put back${when}.`;
  const planned = one.laterAt === undefined ? '' : dateAfter(', planned for', one.laterAt);
  const goals = escapeUntrusted(ruleStates(one.later ?? [], 'to'), RULES_MAX);
  const later = one.later === undefined ? '' : ` ${capital(goals)} ${WITH_OTHER}${planned}.`;
  const instead =
    one.instead === undefined ? '' : ` ${escapeUntrusted(insteadWords(one.instead).join(' '), RULES_MAX)}`;
  const who = by.trim() || 'automatically';
  const went = without(changes, notBackYet(one));
  if (went.length === 0) return `Ended ${who}${when}.${later}`;
  const isPart = went.length < changes.length;
  const was = escapeUntrusted(isPart ? ruleStates(went, 'from') : stateWords(went, 'from'), RULES_MAX);
  const set = escapeUntrusted(stateWords(changes, 'to'), RULES_MAX);
  const is = escapeUntrusted(stateWords(meanwhile ?? changes, 'to'), RULES_MAX);
  if (state === 'asking' && isInDoubt(one)) return doubtful(changes.length, is, was);
  return (changes.length > 1 ? ofSeveral : ofSingle)[state]({ was, is, set, who, when }) + instead + later;
}

/** True whether the later change is permanent or goes back itself. */
export const ITS_END = 'Its own end no longer applies.';

/** The previous, current and temporary values; who ended it, and when. */
type Words = Readonly<Record<'was' | 'is' | 'set' | 'who' | 'when', string>>;
type Ended = Readonly<Record<Exclude<TemporaryChange['state'], 'open' | 'superseded'>, (words: Words) => string>>;

const ofSingle: Ended = {
  asking: ({ was, is }) =>
    `Its time is over, but somebody changed it or the card’s ruleset in the meantime, or the card service stored another value: it is ${is} now. Should it go back to ${was}? Nothing changes until an approver decides.`,
  ended: ({ was, who, when }) => `Back to ${was} ${who}${when}.`,
  kept: ({ is, who, when }) => `It stays at ${is}, decided ${who}${when}.`,
  refused: ({ was, set }) =>
    `It could not be put back to ${was}, so it is still ${set}. Change it in the card program’s portal.`,
};

const ofSeveral: Ended = {
  asking: ({ was, is }) =>
    `Its time is over, but somebody changed one of them or the card’s ruleset in the meantime, or the card service stored other values. Now: ${is}. Should they go back to ${was}? Nothing changes until an approver decides.`,
  ended: ({ was, who, when }) => `Put back ${who}${when}: ${was}.`,
  kept: ({ is, who, when }) => `They stay as they are, decided ${who}${when}: ${is}.`,
  refused: ({ was, set }) =>
    `They could not be put back to ${was}, so they stay: ${set}. Change them in the card program’s portal.`,
};

/** As they are asked if somebody has changed them. */
function doubtful(count: number, is: string, was: string): string {
  const question =
    count > 1
      ? `them permanent. Now: ${is}. Should they go back to ${was}?`
      : `it permanent: it is ${is} now. Should it go back to ${was}?`;
  return `Its time is over, but a backup was restored in the meantime, so somebody may have made ${question} Nothing changes until an approver decides.`;
}

/** For the person who asked for it: it is over. */
export function temporaryChangeEnded(one: TemporaryChange, card: CardFacts): Message {
  const head = `${capital(escapeUntrusted(ruleNames(one.changes), RULES_MAX))} of ${cardOfHolder(card)}`;
  return {
    text: sentence(`${head}: ${ending(one)}`),
    blocks: [section(`*${head}*`, ending(one))],
  };
}

/** For approvers: another purchase than the one that a rule was opened for has used it. */
export function purchaseElsewhere(
  { changes, purchase, by }: Pick<TemporaryChange, 'changes' | 'purchase' | 'by'>,
  { amountCents, merchant, occurredAt }: Pick<TransactionEvent, 'amountCents' | 'merchant' | 'occurredAt'>,
  card: CardFacts,
): Message {
  const at = (name: string): string => (name.trim() === '' ? '' : ` at ${escapeUntrusted(name.trim(), 80)}`);
  const { maxCents = 0, merchant: place = '' } = purchase ?? {};
  const meant = maxCents < Number.MAX_SAFE_INTEGER ? formatCents(maxCents) : 'a purchase';
  const what = escapeUntrusted(ruleNames(changes), RULES_MAX);
  return headed(
    `${cardOfHolder(card)} paid ${formatCents(amountCents)}${at(merchant.name)}${dateAfter(',', occurredAt)}.`,
    `${capital(what)} had been allowed for ${meant}${at(place)} only, asked by ${mention(by.userId)}. That ends now.`,
    'If nobody expected this purchase, block the card.',
  );
}
