import { expect, it } from 'vitest';
import { fraudCaseClosed, fraudNotice } from '../../../templates/holders/fraud-notice.ts';
import { card, transactionAlert } from '../fixtures.ts';

it('tells the holder in two lines what happens next, and that others order the new card', () => {
  const { text, blocks } = fraudNotice({ card, operators: ['U2'], added: null });

  expect(JSON.stringify(blocks).match(/\\n/g)).toHaveLength(1);
  expect(text).toBe(
    'Fraud case opened · your card 1212. I’ve asked the card service to block the card, and notified <@U2>. What happens next: they check your latest purchases, may ask you about them, and order your new card. You don’t have to do anything, unless I tell you that the card could not be blocked.',
  );
});

it('tells the holder that a further purchase was added to the open case', () => {
  const { event } = transactionAlert();

  expect(fraudNotice({ card, operators: ['U2'], added: event }).text).toBe(
    'Added to your open fraud case: $84.10 at Blue Bottle Coffee · your card 1212. I’ve notified <@U2>. You don’t have to do anything, unless I tell you that the card could not be blocked.',
  );
});

it('tells the holder who closed the case, and whether the card stays blocked', () => {
  const closed = (status: 'ACTIVE' | 'BLOCKED') => fraudCaseClosed({ card: { ...card, status }, by: 'U2' }).text;

  expect(closed('BLOCKED')).toBe('<@U2> closed the fraud case of your card 1212. The card stays blocked.');
  expect(closed('ACTIVE')).toBe('<@U2> closed the fraud case of your card 1212. The card stays as it is.');
});
