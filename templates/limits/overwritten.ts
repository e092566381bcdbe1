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
 * @param by Slack users who set them; null: Cardbell did, at the end of a temporary change.
 */
export function overwritten(changes: readonly RuleChange[], card: CardFacts, by: readonly (string | null)[]): Message {
  const [set, now] = (['from', 'to'] as const).map((side) => escapeUntrusted(ruleStates(changes, side), RULES_MAX));
  const who = joinWithAnd(by.map((userId) => (userId === null ? 'Cardbell' : mention(userId))));
  return headed(
    `A change of ${cardOfHolder(card)} was overwritten: now ${now}.`,
    `${who} had set: ${set}.`,
    'The card service has carried out an earlier change late, or somebody has changed the card outside Cardbell.',
    'Set it again if it should stay.',
  );
}
