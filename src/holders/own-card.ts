import type { Directory } from '../directory/directory.ts';
import type { Person } from '../slack/client.ts';
import type { Links } from './link-store.ts';

/** Whether a card account is this person's own: nobody decides about their own card. */
export type IsOwnCard = (userId: string, acctId: number) => Promise<boolean>;

interface Deps {
  readonly links: Pick<Links, 'wasHolderLately'>;
  readonly directory: Pick<Directory, 'account'>;
  /** What Slack knows of somebody; null: nothing. */
  readonly person: (userId: string) => Promise<Person | null>;
}

/**
 * A card is somebody's own if they are linked to it, were linked within the last 24 hours, or have the e-mail address that
 * the card program has for it. So nobody evades the rule by not linking their card.
 *
 * @throws SlackError when Slack could not be asked who this is, and asking again can help.
 */
export function createIsOwnCard({ links, directory, person }: Deps): IsOwnCard {
  return async function isOwnCard(userId, acctId) {
    if (await links.wasHolderLately(userId, acctId)) return true;
    const email = (await directory.account(acctId))?.email ?? null;
    return email !== null && isSameEmail(email, (await person(userId))?.email ?? null);
  };
}

/** Compares addresses as mail programs do in practice: case and Unicode form do not matter. */
export function isSameEmail(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && fold(one) !== '' && fold(one) === fold(other);
}

function fold(email: string): string {
  return email.normalize('NFC').trim().toLowerCase();
}
