import { describe, expect, it } from 'vitest';
import { createAuthenticate } from '../../../src/webhooks/authenticate.ts';

const secret = '0F1E2D3C4B5A69788796A5B4C3D2E1F0';
const basic = (credential: string): string => `Basic ${Buffer.from(credential).toString('base64')}`;

describe('the shared secret', () => {
  const isAuthentic = createAuthenticate([secret]);

  it.each([
    ['as sent', basic(secret)],
    ['with the scheme in lower case', basic(secret).replace('Basic', 'basic')],
    ['with the scheme in upper case', basic(secret).replace('Basic', 'BASIC')],
    ['with more spaces', `  ${basic(secret).replace(' ', '   ')}  `],
    ['without padding', basic(secret).replace(/=+$/, '')],
  ])('is known %s', (_how, header) => {
    expect(isAuthentic(header)).toBe(true);
  });

  it.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['the scheme alone', 'Basic'],
    ['an empty credential', 'Basic '],
    ['another scheme', `Bearer ${Buffer.from(secret).toString('base64')}`],
    ['the secret without base64', `Basic ${secret.slice(0, 31)}!`],
    ['the plain secret as base64 of something else', `Basic ${secret}`],
    ['another secret of the same length', basic(secret.replace('0', '1'))],
    ['a prefix of the secret', basic(secret.slice(0, -1))],
    ['the secret and more', basic(`${secret}0`)],
    ['the secret in lower case', basic(secret.toLowerCase())],
    ['the secret as password of a user', basic(`user:${secret}`)],
    ['the secret as user without password', basic(`${secret}:`)],
    ['the secret as password of nobody', basic(`:${secret}`)],
    ['the secret with a line break', basic(`${secret}\n`)],
    ['two credentials', `${basic(secret)}, ${basic(secret)}`],
    ['bytes that are no text', `Basic ${Buffer.from([0xff, 0xfe, 0x00]).toString('base64')}`],
    ['a very long credential', basic('A'.repeat(100_000))],
  ])('is not %s', (_what, header) => {
    expect(isAuthentic(header)).toBe(false);
  });

  it('is either of two while it is rotated, and neither joined with the other', () => {
    const isEither = createAuthenticate(['OLD-SECRET', 'NEW-SECRET']);

    expect(isEither(basic('OLD-SECRET'))).toBe(true);
    expect(isEither(basic('NEW-SECRET'))).toBe(true);
    expect(isEither(basic('OLD-SECRET,NEW-SECRET'))).toBe(false);
  });

  it('may hold letters beyond ASCII', () => {
    expect(createAuthenticate(['schlüssel'])(basic('schlüssel'))).toBe(true);
  });

  it('of a single character is one', () => {
    expect(createAuthenticate(['S'])(basic('S'))).toBe(true);
    expect(createAuthenticate(['S'])(basic('T'))).toBe(false);
  });

  it('that is empty lets nobody in', () => {
    expect(createAuthenticate([''])(undefined)).toBe(false);
    expect(createAuthenticate([''])('Basic ')).toBe(false);
    expect(createAuthenticate([])(basic(''))).toBe(false);
  });

  it('may hold a colon, when it was issued so', () => {
    expect(createAuthenticate(['user:secret'])(basic('user:secret'))).toBe(true);
    expect(createAuthenticate(['secret'])(basic('user:secret'))).toBe(false);
  });
});
