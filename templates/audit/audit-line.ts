import type { CardFacts } from '../../src/core/card-facts.ts';
import { lowerFirst } from '../../src/core/first-letter.ts';
import { BETWEEN_RULES } from '../../src/limits/rule-words.ts';
import type { CountedRaise } from '../../src/policy/approval-policy.ts';
import type { Message } from '../../src/slack/message.ts';
import { channelMention, dateToken, mention } from '../../src/slack/mrkdwn.ts';
import { context, escapeUntrusted, hasTime, sentence, withTimes } from '../core/blocks.ts';
import { cardOfHolder } from '../core/card-words.ts';
import { moved, ruleByRule } from '../core/change-words.ts';
import { countedWords } from '../limits/counted-words.ts';

export interface AuditLine {
  /** Slack user id; null when Cardbell acted automatically, for example ended a temporary limit. */
  readonly by: string | null;
  /** What was done, past tense: `blocked`, `raised the daily limit`, `was not allowed to unblock`. */
  readonly did: string;
  /** Another Slack user concerned: `linked @sam to Sam Rivera’s card`. `to` is the word in between. */
  readonly whom?: { readonly userId: string; readonly to: string };
  /** The channel that it is about. */
  readonly channel?: string;
  readonly card: CardFacts | null;
  readonly at: string;
  readonly before: string | null;
  readonly after: string | null;
  /** How long the change lasts. May contain a time as recorded. */
  readonly lasts?: string | null;
  readonly reason: string | null;
  /** In words: `done`, `failed: …`, `refused`. */
  readonly outcome: string;
  /** Slack user to name before the outcome: `@hugo asked for …; changed to …`. */
  readonly outcomeOf?: string;
  /** The counted raise, if its size is why a second approver is needed. */
  readonly counted?: CountedRaise | null | undefined;
  readonly ref: string | null;
}

/** Who did what to which card, in one line. */
export function auditLine(line: AuditLine): Message {
  const { by, did, whom, channel, card, at, before, after, lasts, reason, outcome, outcomeOf, counted, ref } = line;
  const who = by === null ? 'Cardbell' : mention(by);
  const person = whom === undefined ? '' : ` ${mention(whom.userId)} ${whom.to}`;
  const what = `${escapeUntrusted(did, 300)}${person}${channel === undefined ? '' : ` ${channelMention(channel)}`}${card === null ? '' : ` ${cardOfHolder(card)}`}`;
  const sides = before === null || after === null ? [[before ?? after ?? '']] : ruleByRule(before, after);
  const details = [
    [sides.map(ruleWords).join(BETWEEN_RULES), withTimes(lasts ?? '')].filter(Boolean).join(', '),
    reason === null || reason.trim() === '' ? '' : `“${escapeUntrusted(reason, 200)}”`,
    [outcomeOf === undefined ? '' : mention(outcomeOf), withTimes(outcome, 300).replace(/\.$/, '')]
      .filter(Boolean)
      .join(' '),
    counted == null ? '' : countedWords(counted).replace(/\.$/, ''),
  ].filter(Boolean);

  return {
    text: sentence(
      `${[`${who} ${what}`, details.map((detail, index) => (index === 0 ? detail : lowerFirst(detail))).join(', ')].filter(Boolean).join(': ')}.`,
    ),
    blocks: [
      ...context(
        [`${who} ${what}`, ...details, dateToken(at), ref === null ? '' : escapeUntrusted(ref, 60)]
          .filter(Boolean)
          .join(' · '),
      ),
    ],
  };
}

/** A rule before and after; `daily limit` is named only once. */
function ruleWords(rule: readonly string[]): string {
  const [before = '', after = ''] = rule;
  const isPlain = rule.length === 2 && !hasTime(before) && !hasTime(after);
  return isPlain && before !== '' && after !== ''
    ? escapeUntrusted(moved(before, after), 160)
    : rule
        .filter(Boolean)
        .map((side) => withTimes(side))
        .join(' → ');
}

/** The digits of a hash that are enough to identify it. */
const ANCHOR_DIGITS = 16;

/**
 * The same line with the current end of the record. To remove records later, someone would have to change this message
 * too: `npm run audit -- verify --anchor 1234:ab12…` compares the two.
 */
export function withAnchor({ text, blocks }: Message, { count, hash }: { count: number; hash: string }): Message {
  const anchor = `record ${count}:${hash.slice(0, ANCHOR_DIGITS)}`;
  return { text, blocks: [...blocks, ...context(anchor)] };
}
