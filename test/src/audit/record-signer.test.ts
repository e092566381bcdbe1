import { expect, it } from 'vitest';
import { createRecordSigner } from '../../../src/audit/audit.ts';

const hash = 'ab'.repeat(32);

it('signs with the first secret, and verifies signatures of earlier secrets', () => {
  const before = createRecordSigner(['former-secret-0123456']);
  const now = createRecordSigner(['current-secret-012345', 'former-secret-0123456']);

  expect(now.verify(hash, before.sign(hash))).toBe(true);
  expect(now.verify(hash, now.sign(hash))).toBe(true);
  expect(before.verify(hash, now.sign(hash)), 'an unknown secret').toBe(false);
});

it.each([undefined, '', 'x', 7, null])('rejects %j as a signature', (none) => {
  expect(createRecordSigner(['current-secret-012345']).verify(hash, none)).toBe(false);
});
