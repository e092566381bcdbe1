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
