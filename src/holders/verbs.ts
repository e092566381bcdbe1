import { z } from 'zod';
import { actionOf, target } from '../actions/action.ts';
import { aboutCard, type ReadCommand, type UnclearCommand, type VerbEntry } from '../actions/verb.ts';
import { withCardAsSaid } from '../directory/card-phrases.ts';
import { mentioned } from '../slack/mrkdwn.ts';

/** Another person is the holder of a card. */
export const LinkAction = actionOf('link', target.card, {
  /** The Slack user who holds the card. */
  subject: z.string(),
});
export type LinkAction = z.infer<typeof LinkAction>;

/** "I hold this card": proved by a matching email address, or decided by an approver. */
export const ClaimAction = actionOf('claim', target.card, {
  /** The person has pressed the button for this particular card. */
  confirmed: z.boolean(),
});
export type ClaimAction = z.infer<typeof ClaimAction>;

export const UnlinkAction = actionOf('unlink', target.card, {});
export type UnlinkAction = z.infer<typeof UnlinkAction>;

export const DecideClaimAction = actionOf('decide-claim', target.claim, {});
export type DecideClaimAction = z.infer<typeof DecideClaimAction>;

export const holderVerbs = {
  claim: {
    action: ClaimAction,
    permission: { role: null, doing: 'claim a card' },
    refusedTo: 'claim',
    alsoCalled: ['claim', 'mine'],
    command: {
      usage: 'link CARD',
      example: 'link 4242',
      effect: 'links your own card to you: you get messages about it, and can always block it',
    },
  },
  link: {
    action: LinkAction,
    permission: {
      role: 'approver',
      doing: 'link cards to people',
      notOwnCard: { why: 'You can’t link your own card to somebody else.' },
    },
    refusedTo: 'link',
    alsoCalled: ['assign'],
    isOfCard: true,
    command: {
      usage: 'link CARD @user',
      example: 'link 4242 @jane',
      effect: 'links a card to the person who holds it',
      read: readLink,
    },
  },
  unlink: {
    action: UnlinkAction,
    permission: { role: 'approver', doing: 'unlink cards', holderMay: true },
    refusedTo: 'unlink',
    alsoCalled: ['unassign'],
    isOfCard: true,
    command: {
      usage: 'unlink CARD',
      example: 'unlink 4242',
      effect: 'ends such a link; for your own card, an approver has to confirm',
      read: readUnlink,
    },
  },
  'decide-claim': {
    action: DecideClaimAction,
    permission: {
      role: 'approver',
      doing: 'confirm who holds a card',
      notOwnCard: { why: 'It is your own card.' },
    },
    refusedTo: 'decide a claim of',
  },
} as const satisfies Record<string, VerbEntry>;

/** A person, also one that Slack did not recognize. */
function isPerson(word = ''): boolean {
  return word.startsWith('@') || mentioned(word) !== null;
}

/** The words for the card: neither people nor what joins them to it, as in `4242 to @jane`. `Minh To` is a name. */
function cardIn(words: readonly string[]): readonly string[] {
  return words.filter((word, at) => {
    const joins = /^(?:to|for|from|with)$/.test(word) && (isPerson(words[at - 1]) || isPerson(words[at + 1]));
    return !joins && !isPerson(word);
  });
}

/** Around the card that is claimed. `Jane Me` is a name. */
const fillers = /^(?:(?:to )?me,? |[Pp]lease,? )+|,?(?: (?:(?:[Tt]o |[Ff]or )?me|[Pp]lease)[.,!]*)+$/g;

/** The card as people say it of their own: `my card 4242`, `4242 to me please`. */
function claimOf(words: readonly string[]): ReadCommand {
  return withOwnDigits(aboutCard('claim', withoutFillers(words), { confirmed: false }));
}

function withoutFillers(words: readonly string[]): string[] {
  return words.join(' ').replaceAll(fillers, '').split(' ');
}

/** Nobody's only card is known before one is linked to them. */
function withOwnDigits(asked: ReadCommand): ReadCommand {
  const said = withCardAsSaid(asked);
  return said.target.kind === 'own' ? asked : said;
}

/** With a person, an approver links the card. Without, the person typing claims to hold it. */
function readLink(words: readonly string[]): ReadCommand | UnclearCommand {
  const unclear = (why: string): UnclearCommand => ({ kind: 'unclear', why, usage: 'link CARD [@user]' });
  const card = cardIn(words);
  const people = words.filter(isPerson);
  if (card.length === 0) return unclear('Which card should I link?');
  if (people.length === 0) return claimOf(card);
  const subject = words.map(mentioned).find((id) => id !== null);
  if (subject == null) return unclear('I don’t know this person. Pick the name from the list that Slack shows.');
  if (people.length > 1) return unclear('Name one card and one person.');
  return withOwnDigits(aboutCard('link', withoutFillers(card), { subject }));
}

/** By the card, or by the person who holds it. With both, the card may be linked to somebody else. */
function readUnlink(words: readonly string[]): ReadCommand | UnclearCommand {
  const unclear = (why: string): UnclearCommand => ({ kind: 'unclear', why, usage: 'unlink CARD | unlink @user' });
  if (words.length === 0) return unclear('Which card should I unlink?');
  const isBoth = words.some(isPerson) && cardIn(words).length > 0;
  return isBoth ? unclear('Name the card or the person, not both.') : aboutCard('unlink', words);
}
