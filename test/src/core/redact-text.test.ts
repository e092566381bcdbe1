import { describe, expect, it } from 'vitest';
import { hideSecrets, redactOwnId, redactText } from '../../../src/core/redact-text.ts';

describe('a secret in free text', () => {
  const encoded = Buffer.from('pan=4111111111111111').toString('base64');

  it.each([
    ['CVV code: 123', 'CVV code: [removed]'],
    ['cvv: １２３', 'cvv: [removed]'],
    ['C\u200BVV2: 12\u200B3', 'CVV2: [removed]'],
    ['{"cvv2":"123"}', '{"cvv2":"[removed]"}'],
    ['{\\"CardPin\\":\\"1234\\"}', '{\\"CardPin\\":\\"[removed]\\"}'],
    ['EncryptedPin: A1B2C3D4', 'EncryptedPin: [removed]'],
    ['expiry: Dec 2027', 'expiry: [removed]'],
    ['ExpDate=12/27', 'ExpDate=[removed]'],
    ['AcctNumber 123456789', 'AcctNumber [removed]'],
    ['secret: hunter', 'secret: [removed]'],
    ['{"clientSecret":"hunter"}', '{"clientSecret":"[removed]"}'],
    ['IBAN DE89 3704 0044 0532 0130 00', 'IBAN [removed]'],
    ['Authorization: Basic dXNlcjpwYXNz', 'Authorization: Basic [removed]'],
    ['key xoxb-123456789012-abcdefghij', 'key [removed]'],
    ['xapp-one-two', '[removed]'],
    ['token abcdef12345', 'token [removed]'],
    ['the token is abcdef12345', 'the token is [removed]'],
    ['Basic dXNlcjpwYXNz', 'Basic [removed]'],
    ['basic  dXNlcjpwYXNzd29yZA==', 'basic  [removed]'],
    [`see ${encoded} here`, 'see [removed] here'],
    ['the caller has my pin, my pin’s 1234', 'the caller has my pin, my pin’s [removed]'],
    ["her PIN's: 1 2 3 4", "her PIN's: [removed]"],
    ['PIN of the card is 1234', 'PIN of the card is [removed]'],
    ['pin for card 4242 was 123456', 'pin for card 4242 was [removed]'],
    ['PIN of the card is: 1234', 'PIN of the card is: [removed]'],
    ['the pin to my card: 1234', 'the pin to my card: [removed]'],
    ['my pin is still: 1234', 'my pin is still: [removed]'],
    ['security code on the back: 123', 'security code on the back: [removed]'],
    ['security code on the back of the card is 1234', 'security code on the back of the card is [removed]'],
    ['cvv on back 123', 'cvv on back [removed]'],
    ['it expires in 12/27', 'it expires in [removed]'],
    ['exp in 1/2027', 'exp in [removed]'],
    ['pw: hunter', 'pw: [removed]'],
    ['my pw is hunter22', 'my pw is [removed]'],
    ['pw is #Hunter22', 'pw is #[removed]'],
    ['pw was $ecret99', 'pw was $[removed]'],
    ['pw is: hunter22', 'pw is: [removed]'],
    ['password is #Hunter22', 'password is #[removed]'],
    ['password is: "hunter"', 'password is: "[removed]"'],
    ['PIN for card 4242: 1234', 'PIN for card 4242: [removed]'],
    ['PIN for card is 1234', 'PIN for card is [removed]'],
    ['PIN for card: 123456', 'PIN for card: [removed]'],
    ['CVV on card: 123', 'CVV on card: [removed]'],
    ['security code of card: 123', 'security code of card: [removed]'],
    ['④①①① ①①①① ①①①① ①①①①', '[card ••1111]'],
    ['paid with ④①①①①①①①①①①①①①①①…', 'paid with [card ••1111]...'],
    ['ｃｖｖ： １２３', 'cvv: [removed]'],
    ['cvv…………123 and ④①①①①①①①①①①①①①①①', 'cvv............[removed] and [card ••1111]'],
    ['HTTPS://A.EXAMPLE/P/NDAxMjg4ODg4ODg4MTg4MQ', 'HTTPS://A.[removed]'],
    ...['', 'a', 'ab', 'abc'].map((before): [string, string] => [`see ${before}/${encoded}`, 'see [removed]']),
  ])('is removed from %j, which becomes %j', (text, redacted) => {
    expect(redactText(text)).toBe(redacted);
  });

  it.each([
    "VICTORIA'S SECRET STORE 0412",
    'Secret Corner',
    'Opinion: 12 people',
    'spin 360',
    'paid on 2026-03-02 12:31:07',
    'order NDExMTExMTEx',
    'https://pay.example.com/abcdefghijklmnopqrstuvwxyz/ABCDEFGH',
    'ruling 12',
    'token 2 of 3',
    'Basic subscription',
    'Basic T-Shirt 12',
    'a Basic membership2026',
    'the PIN of card 4242 was entered wrong',
    'wrong PIN on card 4242: 3 attempts, then $100 lost',
    'the PIN of card 4242 was changed on 2026-11-20',
    'the PIN of the card was 3 times wrong',
    'PIN’s wrong 3 times, since 12:30',
    'the pin of my card 4242 is unknown',
    'pin the 1234 flyers to the board',
    'the security code on the back of card 4242 is worn off',
    'they read the cvv on the back, card 4242',
    'they read the cvv on the back, then spent $400',
    'the trial expires in 12 days',
    'the quote expires in 10-14 days',
    'it expires in 2 of 12/27 cases',
    'PW 12 building',
    'the pw is closed',
    'PW is 2nd floor',
    'Lunch with PW: Q3 review',
    'they forgot what the password is',
    'the password was leaked',
    'Wrong PIN on card: 4242',
    'Forgot PIN on card: 4242, unblock',
    'Floor ½, 450¹ m², № 12…',
  ])('is not found in %j', (text) => {
    expect(redactText(text)).toBe(text);
  });
});

it('one of this process itself is removed from every text, whatever it looks like', () => {
  const text = 'they wrote Summer.(Rain), sunshine-yell and sunshine-yellow, or 202611302027';
  expect(redactText(text)).toBe(text);

  hideSecrets(['Summer.(Rain)', 'sunshine-yell', 'sunshine-yellow', '202611302027']);

  expect(redactText(text)).toBe('they wrote [removed], [removed] and [removed], or [removed]');
});

it('one of this process itself is removed also from JSON', () => {
  hideSecrets(['quoted "and" \\slashed']);

  expect(redactText('{"of":"quoted \\"and\\" \\\\slashed"}')).toBe('{"of":"[removed]"}');
});

it.each(['cardbell', '2026-11-30', 'authorization', 'Authorization'])(
  'one of this process that could be a word of any text is left: %s',
  (word) => {
    hideSecrets([word]);

    expect(redactText(`see ${word} there`)).toBe(`see ${word} there`);
  },
);

describe('an id that a company chose itself', () => {
  it.each(['CID-1001', 'CID 1001', 'EXP-2024', 'PIN-0042', 'ACCT-10004567', '100-20-3000', 'Security Code 1'])(
    'is kept, although it looks like a secret: %s',
    (id) => {
      expect(redactOwnId(id)).toBe(id);
    },
  );

  it.each([
    ['EMP 4111 1111 1111 1111', 'EMP [card ••1111]'],
    ['CVV2: 123', 'CVV2: [removed]'],
    ['token=hunter2', 'token=[removed]'],
  ])('has no card number and no named secret: %s becomes %s', (id, redacted) => {
    expect(redactOwnId(id)).toBe(redacted);
  });
});
