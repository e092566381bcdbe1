import { expect, it } from 'vitest';
import { contentId } from '../../../src/core/content-id.ts';

it('gives equal ids for equal parts and different ids for different parts', () => {
  expect(contentId('evt_', ['decline', 7, null])).toBe(contentId('evt_', ['decline', 7, null]));
  expect(contentId('evt_', ['decline', 7, null])).not.toBe(contentId('evt_', ['decline', '7', null]));
  expect(contentId('evt_', ['a', 'b'])).not.toBe(contentId('evt_', ['b', 'a']));
  expect(contentId('evt_', ['ab'])).not.toBe(contentId('evt_', ['a', 'b']));
});

it('writes 80 bits in sixteen unambiguous characters', () => {
  const ids = Array.from({ length: 500 }, (_, index) => contentId('evt_', [index]));

  for (const id of ids) expect(id).toMatch(/^evt_[0-9a-hjkmnp-tv-z]{16}$/);
  expect(new Set(ids).size, 'different ids').toBe(500);
});

it('does not change between versions, because events would be reported twice after an upgrade', () => {
  expect(contentId('evt_', ['decline', 90_000_001])).toMatchInlineSnapshot(`"evt_zhgamndkt5ywvnwj"`);
});
