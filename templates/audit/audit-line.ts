import type { CardFacts } from '../../src/core/card-facts.ts';
import { BETWEEN_RULES } from '../../src/limits/rule-words.ts';
import type { CountedRaise } from '../../src/policy/approval-policy.ts';
import type { Message } from '../../src/slack/message.ts';
import { channelMention, dateToken, mention } from '../../src/slack/mrkdwn.ts';
import { context, escapeUntrusted, sentence } from '../core/blocks.ts';
import { cardOfHolder } from '../core/card-words.ts';
import { moved, ruleByRule } from '../core/change-words.ts';
import { countedWords } from '../limits/counted-words.ts';

export interface AuditEntry {
  /** Slack user id; null when Cardbell did it by itself, such as ending a temporary limit. */
  readonly by: string | null;
  /** What was done, past tense, in words: `blocked`, `raised the daily limit`, `was not allowed to unblock`. */
  readonly did: string;
  /** Slack user whom it concerns besides: `linked @sam to Sam Rivera’s card`. `to` is the word between. */
  readonly whom?: { readonly userId: string; readonly to: string };
  /** Of the channel that it is about. */
  readonly channel?: string;
  readonly card: CardFacts | null;
  readonly at: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly reason: string | null;
  /** In words: `done`, `failed: …`, `refused`. */
  readonly outcome: string;
  /** Slack user who stands in front of the outcome: `@hugo asked for …; changed to …`. */
  readonly outcomeOf?: string;
  /** Why it takes a second approver, where it is because of how much it is. */
  readonly counted?: CountedRaise | null | undefined;
  readonly ref: string | null;
}

/** Who did what to which card, in one line. */
export function auditLine({
  by,
  did,
  whom,
  channel,
  card,
  at,
  before,
  after,
  reason,
  outcome,
  outcomeOf,
  counted,
  ref,
}: AuditEntry): Message {
  const who = by === null ? 'Cardbell' : mention(by);
  const person = whom === undefined ? '' : ` ${mention(whom.userId)} ${whom.to}`;
  const what = `${escapeUntrusted(did, 300)}${person}${channel === undefined ? '' : ` ${channelMention(channel)}`}${card === null ? '' : ` ${cardOfHolder(card)}`}`;
  const sides = before === null || after === null ? [[before ?? after ?? '']] : ruleByRule(before, after);
  const details = [
    sides.map(ruleWords).join(BETWEEN_RULES),
    reason === null || reason.trim() === '' ? '' : `“${escapeUntrusted(reason, 200)}”`,
    [outcomeOf === undefined ? '' : mention(outcomeOf), escapeUntrusted(outcome, 300).replace(/\.$/, '')]
      .filter(Boolean)
      .join(' '),
    counted == null ? '' : countedWords(counted).replace(/\.$/, ''),
  ].filter(Boolean);

  return {
    text: sentence(`${[`${who} ${what}`, details.join(', ')].filter(Boolean).join(': ')}.`),
    blocks: [
      ...context(
        [`${who} ${what}`, ...details, dateToken(at), ref === null ? '' : escapeUntrusted(ref, 60)]
          .filter(Boolean)
          .join(' · '),
      ),
    ],
  };
}

/** What a rule was and is; `daily limit` is named once. */
function ruleWords(rule: readonly string[]): string {
  const [before = '', after = ''] = rule;
  const isPlain = rule.length === 2 && !instant.test(before) && !instant.test(after);
  return isPlain && before !== '' && after !== ''
    ? escapeUntrusted(moved(before, after), 160)
    : rule.filter(Boolean).map(readable).join(' → ');
}

const instant = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/;

/** A value as the record has it; an instant in it is told in the reader's zone. */
function readable(side: string): string {
  const found = instant.exec(side);
  if (found === null || Number.isNaN(Date.parse(found[0]))) return escapeUntrusted(side, 80);
  const around = [side.slice(0, found.index), side.slice(found.index + found[0].length)];
  const [behind = '', ahead = ''] = around.map((part) => escapeUntrusted(part.trim(), 80));
  const said = [behind, dateToken(found[0])].filter(Boolean).join(' ');
  return ahead === '' || /^[,.;:]/.test(ahead) ? `${said}${ahead}` : `${said} ${ahead}`;
}

/** Of a hash, enough to tell it from every other. */
const ANCHOR_DIGITS = 16;

/**
 * The same line with the end of the record as it stands now. Whoever cuts records off later would have to change this
 * message as well: `npm run audit -- verify --anchor 1234:ab12…` compares the two.
 */
export function withAnchor({ text, blocks }: Message, { count, hash }: { count: number; hash: string }): Message {
  const anchor = `record ${count}:${hash.slice(0, ANCHOR_DIGITS)}`;
  return { text, blocks: [...blocks, ...context(anchor)] };
}
