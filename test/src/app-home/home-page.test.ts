import { expect, it } from 'vitest';
import { listPage, turnOf, turnValue } from '../../../src/app-home/home-page.ts';

it('clamps the page number to the first and last page', () => {
  const all = [1, 2, 3, 4, 5];
  expect(listPage(all, 2, 2)).toEqual({ shown: [3, 4], page: 2, pages: 3, before: 2, total: 5 });
  expect(listPage(all, 9, 2)).toMatchObject({ shown: [5], page: 3 });
  expect(listPage(all, -1, 2)).toMatchObject({ shown: [1, 2], page: 1 });
  expect(listPage([], 3, 2)).toEqual({ shown: [], page: 1, pages: 1, before: 0, total: 0 });
});

it('reads back the value of a button and rejects anything else', () => {
  expect(turnOf(turnValue({ list: 'own-requests', page: 2 }))).toEqual({ list: 'own-requests', page: 2 });
  for (const value of ['', 'mutes', 'mutes:0', 'mutes:x', 'mutes:1e9', 'cats:1']) expect(turnOf(value)).toBeNull();
});
