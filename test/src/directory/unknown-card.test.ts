import { expect, it } from 'vitest';
import { notReadYet } from '../../../src/directory/unknown-card.ts';

const statusOf = (accounts: number, lackingDetails: number) => ({
  accounts,
  lackingDetails,
  listedAt: '2026-11-20T15:00:00.000Z',
});

it.each(['4242', '••0042', '7378'])('says of %s how many accounts have not been read', (query) => {
  expect(notReadYet(query, statusOf(5000, 3120))).toEqual({
    why: `I don’t know yet which card “${query}” is: the cards of 3,120 accounts have not been read from the card service.`,
    whoCan: 'Use the holder’s name or the account id, or try again later.',
  });
});

it('is sure once all cards have been read', () => {
  expect(notReadYet('4242', statusOf(5000, 0))).toBeNull();
});

it('is sure of a name or CustomId, which the list contains', () => {
  expect(notReadYet('Jane Doe', statusOf(5000, 3120))).toBeNull();
  expect(notReadYet('EMP-7', statusOf(5000, 3120))).toBeNull();
});

it('knows nothing before the first list', () => {
  expect(notReadYet('Jane Doe', statusOf(0, 0))?.why).toContain('could not read the list of cards');
  expect(notReadYet('Jane Doe', { ...statusOf(3, 0), listedAt: null })?.why).toContain('could not read the list');
});
