import { describe, expect, it } from 'vitest';
import type { Directory } from '../../../src/directory/directory.ts';
import { createIsOwnCard } from '../../../src/holders/link-store.ts';
import type { Person } from '../../../src/slack/client.ts';

const whoever: Person = {
  name: null,
  email: null,
  isBot: false,
  isDeactivated: false,
  isGuest: false,
  isExternal: false,
};

function ownCardOf(known: { wasHolder?: boolean; cardEmail?: string | null; slackEmail?: string | null }) {
  return createIsOwnCard({
    links: { wasHolderLately: async () => known.wasHolder ?? false },
    directory: {
      account: async () => ({ email: known.cardEmail ?? null }) as Awaited<ReturnType<Directory['account']>>,
    },
    person: async () => ({ ...whoever, email: known.slackEmail ?? null }),
  })('U0OLGA', 7378);
}

describe('a card counts as someone’s own', () => {
  it('while they are linked to it, and for a day after', async () => {
    expect(await ownCardOf({ wasHolder: true })).toBe(true);
  });

  it('if the card program has their email, even without a link', async () => {
    expect(await ownCardOf({ cardEmail: 'Olga@Example.com ', slackEmail: 'olga@example.com' })).toBe(true);
  });

  it.each([
    { cardEmail: 'jane@example.com', slackEmail: 'olga@example.com' },
    { cardEmail: null, slackEmail: null },
    { cardEmail: '', slackEmail: '' },
    { cardEmail: 'jane@example.com', slackEmail: null },
  ])('but not with %o', async (known) => {
    expect(await ownCardOf(known)).toBe(false);
  });
});
