import type { Person } from '../slack/client.ts';

/** Why somebody cannot be linked to a card, one sentence; null when they can. */
export function whyNoHolder(person: Person | null): string | null {
  if (person === null) return 'Slack does not know this person.';
  if (person.isBot) return 'A bot holds no card.';
  if (person.isDeactivated) return 'This person’s Slack account is deactivated.';
  if (person.isGuest || person.isExternal) return 'Guests and people of other companies cannot be linked to a card.';
  return null;
}
