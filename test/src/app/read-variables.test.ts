import { expect, it } from 'vitest';
import { z } from 'zod';
import { orProblems, readVariables, withoutEmpty } from '../../../src/app/read-variables.ts';
import { ConfigError } from '../../../src/core/errors.ts';

const schema = z.object({
  PORT: z.coerce.number({ error: 'expected a port' }).optional(),
  LEVEL: z.enum(['info', 'warn'], { error: 'expected info or warn' }).optional(),
});

it('treats an empty variable as unset and trims values', () => {
  expect(withoutEmpty({ PORT: ' ', LEVEL: ' info ', OTHER: undefined })).toEqual({ LEVEL: 'info' });
});

it('prefers the lower-case proxy variable', () => {
  const proxies = { https_proxy: 'http://lower:1', HTTPS_PROXY: 'http://upper:1' };

  expect(withoutEmpty(proxies)).toMatchObject({ HTTPS_PROXY: 'http://lower:1' });
});

it('reads the variables of the schema and ignores others', () => {
  const problems: string[] = [];

  expect(readVariables(schema, { PORT: '80', LEVEL: 'warn', OTHER: '1' }, problems)).toEqual({
    PORT: 80,
    LEVEL: 'warn',
  });
  expect(problems).toEqual([]);
});

it('adds one line per bad variable, without its value, to the earlier problems', () => {
  const problems = ['TLS: bad'];

  expect(readVariables(schema, { PORT: 'eighty', LEVEL: 'loud' }, problems)).toBeNull();
  expect(problems).toEqual(['TLS: bad', 'PORT: expected a port', 'LEVEL: expected info or warn']);
});

it('adds a reader’s config errors to the other problems, and throws our own errors', () => {
  const problems = ['PORT: bad'];
  const fail = (error: Error) => () => {
    throw error;
  };

  expect(orProblems(fail(new ConfigError(['LEVEL: bad'])), problems)).toBeNull();
  expect(problems).toEqual(['PORT: bad', 'LEVEL: bad']);
  expect(() => orProblems(fail(new TypeError('ours')), problems)).toThrow('ours');
  expect(orProblems(() => 7, problems)).toBe(7);
});
