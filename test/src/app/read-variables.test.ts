import { expect, it } from 'vitest';
import { z } from 'zod';
import { orProblems, readVariables, withoutEmpty } from '../../../src/app/read-variables.ts';
import { ConfigError } from '../../../src/core/errors.ts';

const schema = z.object({
  PORT: z.coerce.number({ error: 'expected a port' }).optional(),
  LEVEL: z.enum(['info', 'warn'], { error: 'expected info or warn' }).optional(),
});

it('an empty variable counts as not set, and space around a value as not typed', () => {
  expect(withoutEmpty({ PORT: ' ', LEVEL: ' info ', OTHER: undefined })).toEqual({ LEVEL: 'info' });
});

it('a proxy counts in lower case first', () => {
  const proxies = { https_proxy: 'http://lower:1', HTTPS_PROXY: 'http://upper:1' };

  expect(withoutEmpty(proxies)).toMatchObject({ HTTPS_PROXY: 'http://lower:1' });
});

it('variables are read, and those of others left out', () => {
  const problems: string[] = [];

  expect(readVariables(schema, { PORT: '80', LEVEL: 'warn', OTHER: '1' }, problems)).toEqual({
    PORT: 80,
    LEVEL: 'warn',
  });
  expect(problems).toEqual([]);
});

it('each bad variable is one line, without its value, beside what was wrong before', () => {
  const problems = ['TLS: bad'];

  expect(readVariables(schema, { PORT: 'eighty', LEVEL: 'loud' }, problems)).toBeNull();
  expect(problems).toEqual(['TLS: bad', 'PORT: expected a port', 'LEVEL: expected info or warn']);
});

it('what a reader finds wrong joins the other problems; a fault of ours is thrown', () => {
  const problems = ['PORT: bad'];
  const fail = (error: Error) => () => {
    throw error;
  };

  expect(orProblems(fail(new ConfigError(['LEVEL: bad'])), problems)).toBeNull();
  expect(problems).toEqual(['PORT: bad', 'LEVEL: bad']);
  expect(() => orProblems(fail(new TypeError('ours')), problems)).toThrow('ours');
  expect(orProblems(() => 7, problems)).toBe(7);
});
