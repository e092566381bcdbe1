import { expect, it } from 'vitest';
import { sinkFault } from '../../../bin/audit/sink-fault.ts';

const withCode = (message: string, code: string, more: ErrorOptions = {}): Error =>
  Object.assign(new Error(message, more), { code });

it('names the cause of a failed request, which its message does not', () => {
  const refused = new TypeError('fetch failed', { cause: withCode('connect', 'ECONNREFUSED') });

  expect(sinkFault(refused)).toBe('fetch failed: ECONNREFUSED');
});

it('says nothing twice', () => {
  expect(sinkFault(withCode('ENOENT: no such file', 'ENOENT'))).toBe('ENOENT: no such file');
  expect(sinkFault(new Error('the sink answered 403'))).toBe('the sink answered 403');
  expect(sinkFault('gone')).toBe('no answer');
});
