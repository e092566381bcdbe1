import type { RuleChange } from '../../src/card-api/rule-change.ts';
import type { CardFacts } from '../../src/core/card-facts.ts';
import { joinWithAnd } from '../../src/core/join-with-and.ts';
import { ruleStates } from '../../src/limits/rule-words.ts';
import type { Message } from '../../src/slack/message.ts';
import { mention } from '../../src/slack/mrkdwn.ts';
import { escapeUntrusted, headed, RULES_MAX } from '../core/blocks.ts';
import { cardOfHolder } from '../core/card-words.ts';

/**
 * Rules are back at earlier values, and Cardbell has not set them again.
 *
 * @param changes from the values that were set to those of now.
 * @param by Slack users who set them. Empty: Cardbell did, at the end of a temporary change.
 */
export function overwritten(changes: readonly RuleChange[], card: CardFacts, by: readonly string[]): Message {
  const [set, now] = (['from', 'to'] as const).map((side) => escapeUntrusted(ruleStates(changes, side), RULES_MAX));
  const who = by.length === 0 ? 'Cardbell' : joinWithAnd(by.map(mention));
  return headed(
    `A change of ${cardOfHolder(card)} was overwritten: now ${now}.`,
    `${who} had set: ${set}. Then the card service carried out an earlier change late, and that one set all limits.`,
    'Set it again if it should stay.',
  );
}
