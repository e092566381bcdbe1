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
    ['with extra spaces', `  ${basic(secret).replace(' ', '   ')}  `],
    ['without padding', basic(secret).replace(/=+$/, '')],
  ])('is accepted %s', (_how, header) => {
    expect(isAuthentic(header)).toBe(true);
  });

  it.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['the scheme alone', 'Basic'],
    ['an empty credential', 'Basic '],
    ['another scheme', `Bearer ${Buffer.from(secret).toString('base64')}`],
    ['the secret without base64', `Basic ${secret.slice(0, 31)}!`],
    ['base64 of something else', `Basic ${secret}`],
    ['another secret of the same length', basic(secret.replace('0', '1'))],
    ['a prefix of the secret', basic(secret.slice(0, -1))],
    ['the secret with a suffix', basic(`${secret}0`)],
    ['the secret in lower case', basic(secret.toLowerCase())],
    ['the secret as the password of a user', basic(`user:${secret}`)],
    ['the secret as a user without password', basic(`${secret}:`)],
    ['the secret as a password without a user', basic(`:${secret}`)],
    ['the secret with a line break', basic(`${secret}\n`)],
    ['two credentials', `${basic(secret)}, ${basic(secret)}`],
    ['bytes that are not text', `Basic ${Buffer.from([0xff, 0xfe, 0x00]).toString('base64')}`],
    ['a very long credential', basic('A'.repeat(100_000))],
  ])('is not accepted as %s', (_what, header) => {
    expect(isAuthentic(header)).toBe(false);
  });

  it('is either of two during rotation, but not both joined', () => {
    const isEither = createAuthenticate(['OLD-SECRET', 'NEW-SECRET']);

    expect(isEither(basic('OLD-SECRET'))).toBe(true);
    expect(isEither(basic('NEW-SECRET'))).toBe(true);
    expect(isEither(basic('OLD-SECRET,NEW-SECRET'))).toBe(false);
  });

  it('may contain non-ASCII letters', () => {
    expect(createAuthenticate(['schlüssel'])(basic('schlüssel'))).toBe(true);
  });

  it('may be a single character', () => {
    expect(createAuthenticate(['S'])(basic('S'))).toBe(true);
    expect(createAuthenticate(['S'])(basic('T'))).toBe(false);
  });

  it('admits nobody if it is empty', () => {
    expect(createAuthenticate([''])(undefined)).toBe(false);
    expect(createAuthenticate([''])('Basic ')).toBe(false);
    expect(createAuthenticate([])(basic(''))).toBe(false);
  });

  it('may contain a colon if it was issued that way', () => {
    expect(createAuthenticate(['user:secret'])(basic('user:secret'))).toBe(true);
    expect(createAuthenticate(['secret'])(basic('user:secret'))).toBe(false);
  });
});
