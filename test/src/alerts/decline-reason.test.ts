import { describe, expect, it } from 'vitest';
import { type DeclineReason, declineCodes, declineReason } from '../../../src/alerts/decline-reason.ts';
import type { DeclinedCard } from '../../../src/core/card-facts.ts';
import type { CardStatus } from '../../../src/core/event.ts';
import type { Remedy } from '../../../src/limits/remedy-change.ts';
import { limitRaise, remedyOf } from '../../support/limit-goals.ts';

const everyStatus = 'New Card Pending Activation, Card Status Inactive or Card Status Closed';

const codes = {
  'decline.rule.location': ['International transactions not allowed', 'allow_international'],
  'decline.rule.cardnotpresent': ['Card not present', 'allow_card_not_present'],
  'decline.rule.velocity': ['Transaction exceeded daily spend limit', 'raise_limit'],
  'decline.rule.velocity.mcc': ['Transaction exceeded merchant category limit', 'raise_limit'],
  'decline.rule.mcc': ['Unauthorized merchant category: Hardware Stores', 'allow_category'],
  'decline.balance.business': ['Insufficient balance in service account', 'none'],
  'decline.remote': ['Remote service decline', 'none'],
  'decline.mcc': ['Transaction type not allowed', 'none'],
  'decline.balance.card': ['Transaction exceeded current card balance', 'none'],
  'decline.card.status': ['New Card Pending Activation', 'activate'],
  'decline.card.pin': ['PIN Verification Check', 'none'],
  decline: ['Do not honor', 'none'],
} as const;

it('covers exactly the codes that the service documents', () => {
  expect([...declineCodes].sort()).toEqual(Object.keys(codes).sort());
});

describe.each(Object.entries(codes))('%s', (code, [message, remedy]) => {
  const reason = declineReason({ code, message });

  it('has a meaning and says who can do what', () => {
    expect(reason).toMatchObject({ code, remedy, isKnown: true, isSensitive: code === 'decline.card.pin' });
    expect(reason.title).toMatch(/^[A-Z]/);
    expect(reason.title).not.toMatch(/decline\./);
    expect(reason.title.length).toBeLessThan(46);
    for (const words of [reason.meaning, reason.holderFix, reason.adminFix]) expect(words).toMatch(/^[A-Z].*\.$/);
  });

  it('is found regardless of case and surrounding spaces', () => {
    expect(declineReason({ code: ` ${code.toUpperCase()}\n`, message })).toEqual(reason);
  });
});

it('names a blocked card and the first limit that stopped the purchase, whatever the service says', () => {
  const status = { code: 'decline.card.status', message: 'Card Status Inactive' };
  const velocity = { code: 'decline.rule.velocity', message: 'Transaction exceeded daily spend limit' };
  const ofCategory = { code: 'decline.rule.velocity.mcc', message: 'Transaction exceeded merchant category limit' };
  const category = { id: 5814, name: 'Restaurants' };
  const over = (...limits: Parameters<typeof remedyOf>) => declineReason(velocity, remedyOf(...limits));

  expect(declineReason(status, { kind: 'unblock' })).toMatchObject({ title: 'Card is blocked', remedy: 'unblock' });
  expect(over(limitRaise('weekly', 400, 500), limitRaise('daily', 400, 500))).toMatchObject({
    title: 'Over the weekly limit',
    meaning: 'The purchase is more than what is left of the card’s weekly limit.',
    holderFix: 'Ask for a higher limit, pay a smaller amount, or wait until Sunday.',
    period: 'weekly',
    saysMore: false,
  });
  expect(declineReason(ofCategory, remedyOf(limitRaise('transaction', 400, 500, { category })))).toMatchObject({
    title: 'Over the limit for a single purchase at Restaurants',
    meaning: 'The purchase is more than the limit for a single purchase at Restaurants allows.',
    holderFix: 'Ask for a higher limit, or pay a smaller amount.',
    period: null,
  });
});

it('does not name a limit that would stop the purchase next, but did not', () => {
  const overall = limitRaise('monthly', 400, 500, { remainingCents: 100 });
  const ofCategory = limitRaise('daily', 400, 500, { category: { id: 5814, name: 'Restaurants' } });
  const titleOf = (code: string, ...limits: Parameters<typeof remedyOf>) =>
    declineReason({ code, message: '' }, remedyOf(...limits)).title;

  expect(titleOf('decline.rule.velocity.mcc', ofCategory, overall)).toBe('Over the daily limit for Restaurants');
  expect(titleOf('decline.rule.velocity.mcc', overall)).toBe('Over the limit for this merchant category');
  expect(titleOf('decline.rule.velocity', overall, ofCategory)).toBe('Over the monthly limit');
  expect(titleOf('decline.rule.velocity', ofCategory)).toBe('Over the daily limit');
});

it.each([
  ...['daily', 'weekly', 'monthly', 'yearly', 'lifetime'].map((period) => [
    'decline.rule.velocity',
    `Transaction exceeded ${period} spend limit`,
  ]),
  ...['New Card Pending Activation', 'Inactive', 'Closed', 'Blocked', 'something else'].map((status) => [
    'decline.card.status',
    `Card Status ${status}`,
  ]),
  ['decline.rule.mcc', 'Unauthorized merchant'],
  ['decline.of.tomorrow', 'Something new'],
])('%s with "%s" explains its meaning and what holder and admin can do', (code, message) => {
  const { title, meaning, holderFix, adminFix } = declineReason({ code, message });

  expect(title).toMatch(/^[A-Z]/);
  for (const words of [meaning, holderFix, adminFix]) expect(words).toMatch(/^[A-Z].*\w.*\.$/);
  expect(`${holderFix} ${adminFix}`, 'no sentence has an empty placeholder').not.toMatch(/[ ,] ?[.,]/);
});

it.each([
  ['daily', 'wait until midnight Eastern time'],
  ['weekly', 'wait until Sunday'],
  ['monthly', 'wait until the first of the month'],
  ['yearly', 'wait until January 1'],
  ['lifetime', 'pay another way'],
])('advises the holder with a %s limit to ask for a higher one or %s', (period, otherwise) => {
  const { holderFix } = declineReason({ code: 'decline.rule.velocity', message: `exceeded ${period} limit` });

  expect(holderFix).toContain('Ask for a higher limit');
  expect(holderFix).toContain(otherwise);
});

it('gives no two codes the same title', () => {
  const titles = Object.entries(codes).map(([code, [message]]) => declineReason({ code, message }).title);

  expect(new Set(titles).size).toBe(titles.length);
});

it.each([
  ['decline.rule', 'x'],
  ['decline.rule.velocity.mcc.more', 'x'],
  ['toString', 'x'],
  ['__proto__', 'x'],
  ['', 'x'],
])('treats the code %j as unknown and offers no remedy', (code, message) => {
  expect(declineReason({ code, message })).toMatchObject({ code, isKnown: false, remedy: 'none', isSensitive: false });
});

it.each([
  ['Transaction exceeded daily spend limit', 'daily'],
  ['Transaction exceeded weekly spend limit', 'weekly'],
  ['Transaction exceeded MONTHLY spend limit', 'monthly'],
  ['Transaction exceeded yearly spend limit', 'yearly'],
  ['Transaction exceeded annual spend limit', 'yearly'],
  ['Transaction exceeded lifetime spend limit', 'lifetime'],
  ['Transaction exceeded spend limit', 'daily'],
  ['', 'daily'],
])('reads %j as a %s limit', (message, period) => {
  const reason = declineReason({ code: 'decline.rule.velocity', message });

  expect(reason.period).toBe(period);
  expect(reason.title).toBe(`Over the ${period} limit`);
});

it('names no period for a category limit if the service names none', () => {
  const code = 'decline.rule.velocity.mcc';

  expect(declineReason({ code, message: 'Transaction exceeded merchant category limit' }).period).toBeNull();
  expect(declineReason({ code, message: 'Transaction exceeded weekly merchant category limit' }).period).toBe('weekly');
});

it.each([
  ['Unauthorized merchant category: Hardware Stores', 'Hardware Stores'],
  ['Unauthorized merchant category: (Hardware Stores)', 'Hardware Stores'],
  ['Unauthorized merchant category: Clubs (Sports), Country Clubs', 'Clubs (Sports), Country Clubs'],
  ['Unauthorized merchant category: Athletic Fields (Commercial)', 'Athletic Fields (Commercial)'],
  ['Unauthorized merchant category: (Clubs (Sports))', 'Clubs (Sports)'],
  ['Unauthorized merchant category: (Clubs) and (Bars)', '(Clubs) and (Bars)'],
  ['Unauthorized merchant category: ()', null],
  ['Unauthorized merchant category: (merchant-category)', null],
  ['Unauthorized merchant category:', null],
  ['Unauthorized merchant category', null],
  ['', null],
])('reads the category from %j', (message, category) => {
  expect(declineReason({ code: 'decline.rule.mcc', message }).category).toBe(category);
});

it.each([
  ['New Card Pending Activation', 'activate', /not activated yet/],
  ['Card Status New Card Pending Activation', 'activate', /not activated yet/],
  ['Card Status Inactive', 'activate', /not active/],
  ['Card Status Closed', 'none', /closed/],
  ['CARD STATUS CLOSED', 'none', /closed/],
  ['Card Status Blocked', 'unblock', /blocked/],
  ['', 'activate', /not active/],
])('refines the card status with %j', (message, remedy, title) => {
  const reason = declineReason({ code: 'decline.card.status', message });

  expect(reason.remedy).toBe(remedy);
  expect(reason.title).toMatch(title);
});

it.each<[string, CardStatus, DeclineReason['remedy'], string]>([
  ['', 'CLOSED', 'none', 'Card is closed'],
  ['Card Status Inactive', 'CLOSED', 'none', 'Card is closed'],
  ['Card Status Closed', 'ACTIVE', 'none', 'Card is closed'],
  ['Card Status Inactive', 'ACTIVE', 'retry', 'Card was not active'],
  ['New Card Pending Activation', 'ACTIVE', 'retry', 'Card was not active'],
  ['Card Status Inactive', 'INACTIVE', 'activate', 'Card is not active'],
  [everyStatus, 'INACTIVE', 'activate', 'New card, not activated yet'],
  [everyStatus, 'CLOSED', 'none', 'Card is closed'],
])('says of a decline with %j of a card that is %s: %s', (message, status, remedy, title) => {
  const reason = declineReason({ code: 'decline.card.status', message }, null, { status });

  expect(reason).toMatchObject({ remedy, title, saysMore: false });
});

it('does not say that a card was never activated if it may be blocked', () => {
  const of = (message: string, ...statuses: CardStatus[]) =>
    declineReason({ code: 'decline.card.status', message }, null, { status: statuses[0] });

  for (const message of ['Card Status Inactive', everyStatus, ''])
    expect(of(message)).toMatchObject({
      title: 'Card is not active',
      meaning: 'It may be blocked or not activated yet.',
      mayBeBlocked: true,
    });
  expect(of('Card Status Inactive', 'INACTIVE').meaning).toBe('It cannot be used until somebody activates it.');
  expect(of('New Card Pending Activation')).not.toHaveProperty('mayBeBlocked');
});

it('says of a card that is known as blocked that it is, unless it was blocked later or the service calls it new', () => {
  const of = (message: string, isStatusLater?: true) =>
    declineReason({ code: 'decline.card.status', message }, null, { status: 'BLOCKED', isStatusLater });

  for (const message of ['Card Status Inactive', everyStatus, ''])
    expect(of(message)).toMatchObject({ title: 'Card is blocked', remedy: 'unblock' });
  expect(of('Card Status Inactive', true).meaning).toBe('It may be blocked or not activated yet.');
  expect(of('New Card Pending Activation').title).toBe('New card, not activated yet');
});

it.each(['decline', 'decline.of.tomorrow'])('%s says no reason, so the status of the card is one', (code) => {
  const of = (...facts: [remedy: Remedy | null, status: CardStatus]) =>
    declineReason({ code, message: 'Do not honor' }, facts[0], { status: facts[1] });

  expect(of(null, 'CLOSED')).toMatchObject({ code, title: 'Card is closed', remedy: 'none' });
  expect(of({ kind: 'unblock' }, 'BLOCKED')).toMatchObject({ code, title: 'Card is blocked', remedy: 'unblock' });
  expect(of(null, 'ACTIVE').title).not.toContain('Card is');
  expect(declineReason({ code: 'decline.balance.card', message: '' }, null, { status: 'CLOSED' }).title).toBe(
    'Card balance too low',
  );
});

it('does not explain a purchase by a card that was closed later, unless the service says that it could not be used', () => {
  const closedLater = { status: 'CLOSED', isStatusLater: true } as const;
  const titleOf = (code: string, message: string) => declineReason({ code, message }, null, closedLater).title;

  expect(titleOf('decline', 'Do not honor')).toBe('Declined without a reason');
  expect(titleOf('decline.of.tomorrow', 'Something new')).toBe('Declined by the card service');
  expect(titleOf('decline.card.status', 'Card Status Inactive')).toBe('Card is closed');
  expect(titleOf('decline.card.status', 'New Card Pending Activation')).toBe('New card, not activated yet');
});

it.each([
  ['decline.rule.cardnotpresent', 'Card not present'],
  ['decline.card.status', 'New Card Pending Activation'],
])('%s asks for nothing that only a plastic card can do if the card is virtual', (code, message) => {
  const of = (isVirtual: boolean | null) => {
    const { title, meaning, holderFix, adminFix } = declineReason({ code, message }, null, { isVirtual });
    return [title, meaning, holderFix, adminFix].join(' ');
  };
  const impossible = /in person|arrives|has it/;

  expect(of(true)).not.toMatch(impossible);
  expect(of(true)).toMatch(/Online purchases not allowed .*Ask for online|Ask an operator to activate/);
  for (const isVirtual of [false, null]) expect(of(isVirtual)).toMatch(impossible);
});

it.each(['Card Status New Card Pending Activation', 'New Card Pending Activation'])(
  'does not quote the usual words for a new card: %s',
  (message) => {
    expect(declineReason({ code: 'decline.card.status', message })).toMatchObject({
      title: 'New card, not activated yet',
      saysMore: false,
    });
  },
);

it('tells the holder of a new card what to do with it at hand, and what if it was taken from the mail', () => {
  const of = (card: DeclinedCard) =>
    declineReason({ code: 'decline.card.status', message: 'New Card Pending Activation' }, null, card).holderFix;

  expect(of({})).toBe(
    'If you have the card, ask an operator to activate it. If it hasn’t arrived, tell an operator: somebody else may have it.',
  );
  expect(of({ isVirtual: true })).toBe('Ask an operator to activate the card.');
});

it('does not offer to activate a closed card', () => {
  const { meaning, adminFix } = declineReason({ code: 'decline.card.status', message: 'Card Status Closed' });

  expect(meaning).toContain('never be used again');
  expect(adminFix).toContain('cannot be activated');
});

describe('a decline for any other reason', () => {
  it.each([
    ['decline', 'Do not honor', 'Declined without a reason', 'The issuer gave no reason (“Do not honor”).'],
    ['decline', '', 'Declined without a reason', 'The issuer gave no reason.'],
    ['decline', 'Suspected fraud', 'Declined by the issuer', 'The card service says: “Suspected fraud”.'],
    ['', '', 'Declined without a reason', 'The issuer gave no reason.'],
    ['', 'A new reason', 'Declined by the issuer', 'The card service says: “A new reason”.'],
  ])('%j with %j says what the service says, and nothing else', (code, message, title, meaning) => {
    expect(declineReason({ code, message })).toMatchObject({ title, meaning, saysMore: false });
  });
});

it.each([
  ['', 'PIN Verification Check', true],
  ['decline', 'pin tries exceeded', true],
  ['decline.card.pin.locked', '', true],
  ['decline.card.pin_locked', '', true],
  ['decline.card.status', 'Personal Identification Number blocked', true],
  ['decline.rule.mcc', 'Unauthorized merchant category: Shipping', false],
  ['decline.spinning', 'Opinion', false],
])('%j with %j tells of a PIN: %s', (code, message, isSensitive) => {
  expect(declineReason({ code, message }).isSensitive).toBe(isSensitive);
});
