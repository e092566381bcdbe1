import { expect, it } from 'vitest';
import { resendAnswer } from '../../../templates/virtual-cards/order.ts';
import { card } from '../fixtures.ts';
import { shown } from '../shown.ts';

it('the answer to a resend that failed gives the reason in its fallback text, too', () => {
  const note = 'Too many requests: try again in a minute.';
  const { text, blocks } = resendAnswer({ state: 'failed', card, apiWords: null, note, ref: 'abcd' });

  expect(shown(blocks)).toContain(note);
  expect(text).toBe(`Could not ask for the details of Jane Doe · card 1212. ${note} Nothing was sent.`);
});
