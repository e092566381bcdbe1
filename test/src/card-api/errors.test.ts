import { expect, it } from 'vitest';
import { silenceOf } from '../../../src/card-api/errors.ts';

const failed = (code: string): Error => new TypeError('fetch failed', { cause: Object.assign(new Error(), { code }) });

it.each([
  ['ECONNREFUSED', 'not_sent'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'not_sent'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'not_sent'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'not_sent'],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'not_sent'],
  // An order that was sent must not be sent again.
  ['ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', 'lost'],
  ['ERR_SSL_SSLV3_ALERT_BAD_RECORD_MAC', 'lost'],
  ['ERR_SSL_NO_RENEGOTIATION', 'lost'],
  ['EPROTO', 'lost'],
  ['ECONNRESET', 'lost'],
])('a request is certainly not sent only if its connection was never there: %s means %s', (code, silence) => {
  expect(silenceOf(failed(code), false)).toBe(silence);
});

it('a request that timed out may have arrived', () => {
  expect(silenceOf(failed('ECONNREFUSED'), true)).toBe('timeout');
});
