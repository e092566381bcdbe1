import { expect, it } from 'vitest';
import { askAgain, stillTrying } from '../../../templates/actions/ask-again.ts';

const asked = 'block Sam Rivera · card 1234';
const trying = { asked, isRateLimited: false, unread: null, isBlock: true, isHolder: false, isOnAlert: false };

it('asks about a late action with its card and amounts, also in the label of its button', () => {
  const raise = 'change a limit of Sam Rivera · card 1234: daily limit $450.00, for 4 hours';
  const { text, blocks } = askAgain({ value: 'p_1', asked: raise, waitedMs: 660_000 });

  expect(text).toBe(
    `You asked 11 minutes ago to ${raise}. It could not be done until now. Nothing changed. Do you still want it?`,
  );
  expect(JSON.stringify(blocks)).toContain('"accessibility_label":"Do it now: change a limit of Sam Rivera');
});

it('sends a holder whose block takes long to an operator, because holders have no portal', () => {
  expect(stillTrying({ ...trying, isHolder: true }).text).toMatch(
    /If it is urgent, ask an operator to block the card in the card program’s portal\.$/,
  );
  expect(stillTrying(trying).text).toMatch(/If it is urgent, block the card in the card program’s portal\.$/);
});

it('says who gave no answer', () => {
  expect(stillTrying(trying).text).toContain('The card service gives no clear answer. I’ll keep trying');
  expect(stillTrying({ ...trying, unread: 'Slack does not say who has which role' }).text).toContain(
    'Slack does not say who has which role. I’ll keep trying',
  );
});

it('promises an answer only where one follows: an alert shows itself how its button ended', () => {
  expect(stillTrying(trying).text).toContain('I’ll keep trying for a few minutes and tell you how it ends.');
  const onAlert = stillTrying({ ...trying, isOnAlert: true }).text;
  expect(onAlert).toContain('I’ll keep trying for a few minutes; the message with the button shows how it ends.');
});
