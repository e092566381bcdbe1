import { describe, expect, it } from 'vitest';
import { RolesUnreadError } from '../../../src/core/errors.ts';
import type { DirectoryAccount } from '../../../src/directory/account.ts';
import type { Directory } from '../../../src/directory/directory.ts';
import type { OpenClaim } from '../../../src/holders/claim-store.ts';
import { createIsOwnCard } from '../../../src/holders/link-store.ts';
import type { Person } from '../../../src/slack/client.ts';
import { accountOf, directoryOf } from '../../support/directories.ts';
import { ask } from '../../support/perform-world.ts';

const whoever: Person = {
  name: null,
  email: null,
  isBot: false,
  isDeactivated: false,
  isGuest: false,
  isExternal: false,
};

interface Known {
  readonly wasHolder?: boolean;
  readonly claims?: readonly OpenClaim[];
  readonly cardEmail?: string | null;
  readonly slackEmail?: string | null;
  readonly directory?: Pick<Directory, 'account' | 'current'>;
  readonly isLooser?: boolean;
}

function ownCardOf({
  wasHolder = false,
  claims = [],
  cardEmail = null,
  slackEmail = null,
  directory,
  isLooser,
}: Known) {
  return createIsOwnCard({
    links: { wasHolderLately: async () => wasHolder },
    claims: { open: async () => [...claims] },
    directory: directory ?? directoryOf({ account: async () => accountOf({ email: cardEmail }) }),
    person: async () => ({ ...whoever, email: slackEmail }),
  })('U0OLGA', 7378, isLooser);
}

describe('a card counts as someone’s own', () => {
  it('while they are linked to it, and for a day after', async () => {
    expect(await ownCardOf({ wasHolder: true })).toBe(true);
  });

  it('while they claim to hold it, until somebody has decided that', async () => {
    const claimBy = (userId: string, acctId: number, verb: 'claim' | 'unlink' = 'claim'): OpenClaim => ({
      id: 'clm_1',
      action: ask(verb, { actor: { userId, teamId: 'T1' } }),
      card: { acctId, isSameName: null, isSameEmail: null },
      expiresAt: '2026-11-21T15:00:00.000Z',
      state: 'open',
    });

    expect(await ownCardOf({ claims: [claimBy('U0OLGA', 7378)] })).toBe(true);
    const others = [claimBy('U0HUGO', 7378), claimBy('U0OLGA', 7379), claimBy('U0OLGA', 7378, 'unlink')];
    expect(await ownCardOf({ claims: others })).toBe(false);
  });

  it('also if their claim is confirmed while that is read', async () => {
    let isConfirmed = false;
    const isOwnCard = createIsOwnCard({
      links: { wasHolderLately: async () => isConfirmed },
      claims: {
        open: async () => {
          isConfirmed = true;
          return [];
        },
      },
      directory: directoryOf({ account: async () => accountOf() }),
      person: async () => whoever,
    });

    expect(await isOwnCard('U0OLGA', 7378)).toBe(true);
  });

  it('if the card program has their email, even without a link', async () => {
    expect(await ownCardOf({ cardEmail: 'Olga@Example.com ', slackEmail: 'olga@example.com' })).toBe(true);
    expect(await ownCardOf({ cardEmail: 'olga+ads@example.com', slackEmail: 'olga@example.com' })).toBe(true);
    expect(await ownCardOf({ cardEmail: 'olga@example.com', slackEmail: 'olga+slack@example.com' })).toBe(true);
  });

  it.each([
    { cardEmail: 'jane@example.com', slackEmail: 'olga@example.com' },
    { cardEmail: null, slackEmail: null },
    { cardEmail: '', slackEmail: '' },
    { cardEmail: 'jane@example.com', slackEmail: null },
    { cardEmail: 'jane+olga@example.com', slackEmail: 'olga+jane@example.com' },
    { cardEmail: 'olga@example.com+x', slackEmail: 'olga@example.com' },
  ])('but not with %o', async (known) => {
    expect(await ownCardOf(known)).toBe(false);
  });

  it('by the email that the card program has now, if the card is loosened', async () => {
    const directory = directoryOf({
      account: async () => accountOf({ email: 'jane@example.com' }),
      current: async () => accountOf({ email: 'olga@example.com' }),
    });
    const olga = { slackEmail: 'olga@example.com', directory };

    expect(await ownCardOf({ ...olga, isLooser: true })).toBe(true);
    expect(await ownCardOf(olga)).toBe(false);
    const away = { ...olga, directory: directoryOf({ current: async () => null }), isLooser: true };
    await expect(ownCardOf(away)).rejects.toThrow(RolesUnreadError);
  });

  // A webhook that arrives before the account was read creates it without the email address.
  describe.each([
    ['a webhook has created its account', accountOf({ firstName: 'Olga', detailsAt: null })],
    ['nothing is known of its account', null],
  ])('is read now while %s', (_what, stored) => {
    const olga = { slackEmail: 'olga@example.com' };
    const reading = (read: DirectoryAccount | null) =>
      directoryOf({ account: async () => stored, current: async () => read });

    it('and is not theirs only if it has another email or none', async () => {
      const ownIf = (email: string | null) => ownCardOf({ ...olga, directory: reading(accountOf({ email })) });
      expect([await ownIf('olga@example.com'), await ownIf('jane@example.com'), await ownIf(null)]).toEqual([
        true,
        false,
        false,
      ]);
    });

    it('and nobody decides while the card service does not return it', async () => {
      await expect(ownCardOf({ ...olga, directory: reading(null) })).rejects.toThrow(RolesUnreadError);
      expect(await ownCardOf({ wasHolder: true, directory: reading(null) })).toBe(true);
    });
  });
});
