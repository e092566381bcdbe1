import { expect, it } from 'vitest';
import { settingSetSince } from '../../../templates/actions/setting-words.ts';

it('says that the newer setting stays', () => {
  expect(settingSetSince().text).toBe('This has been changed again since you asked. The newer setting stays.');
});
