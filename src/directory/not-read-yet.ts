import { countOf } from '../../templates/core/blocks.ts';
import type { Refusal } from '../../templates/policy/refusal.ts';
import { interpret } from './card-query.ts';
import type { Directory } from './directory.ts';

/** Why Cardbell cannot know yet that no card matches what someone typed, and what helps. Null when it knows. */
export function notReadYet(
  query: string,
  { accounts, lackingDetails }: Awaited<ReturnType<Directory['status']>>,
): Pick<Refusal, 'why' | 'whoCan'> | null {
  if (accounts === 0)
    return {
      why: 'I could not read the list of cards from the card service yet.',
      whoCan: 'Try again in a minute.',
    };
  const { last4, id } = interpret(query);
  // The list contains all names and CustomIds. Digits and card ids may come only with the details.
  if (lackingDetails === 0 || (last4 === null && id === null)) return null;
  return {
    why: `I have not found “${query}” yet: the cards of ${countOf(lackingDetails, 'account')} have not been read from the card service.`,
    whoCan: 'Use the holder’s name or the account id, or try again later.',
  };
}
