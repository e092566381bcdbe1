import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLog, type Log } from '../../../src/core/log.ts';
import { hideSecrets } from '../../../src/core/redact-text.ts';
import { version } from '../../../src/core/version.ts';
import { cardNumber } from '../../support/card-number-arbitrary.ts';

const pan = '4111111111111111';

function logged(write: (log: Log) => void, level = 'info'): string {
  let text = '';
  const destination = {
    write(line: string) {
      text += line;
    },
  };
  write(createLog({ level, process: 'test', destination }));
  return text;
}

const fieldsOf = (line: string): Record<string, unknown> => JSON.parse(line) as Record<string, unknown>;

describe('a log line', () => {
  it('is one JSON object with level, process, time and a static message', () => {
    const line = logged((log) => log.info({ kind: 'decline' }, 'webhook taken'));

    expect(line.endsWith('}\n')).toBe(true);
    expect(fieldsOf(line)).toEqual({
      level: 'info',
      process: 'test',
      version,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      kind: 'decline',
      msg: 'webhook taken',
    });
  });

  it('is not written below its level', () => {
    expect(logged((log) => log.debug({}, 'quiet'))).toBe('');
    expect(logged((log) => log.fatal({}, 'quiet'), 'silent')).toBe('');
  });

  it.each([
    ['a message', (log: Log) => log.info({}, `card ${pan}`)],
    ['a field', (log: Log) => log.info({ note: pan }, 'x')],
    ['a number', (log: Log) => log.info({ note: 4111111111111111 }, 'x')],
    ['a key', (log: Log) => log.info({ [pan]: 1 }, 'x')],
    ['a list', (log: Log) => log.info({ notes: [{ a: pan }] }, 'x')],
    ['groups', (log: Log) => log.info({ note: '4111 1111-1111 1111' }, 'x')],
    ["an error's message", (log: Log) => log.error({ err: new Error(`no card ${pan}`) }, 'x')],
    ['a child logger', (log: Log) => log.child({ note: pan }).info({}, 'x')],
  ])('holds no card number from %s and stays JSON', (_where, write) => {
    const line = logged(write);

    expect(line).not.toContain(pan);
    expect(line).not.toContain('4111 1111');
    expect(fieldsOf(line).process).toBe('test');
  });

  it.each([
    '４１１１１１１１１１１１１１１１',
    '4111/1111/1111/1111',
    '4111|1111|1111|1111',
    '4111*1111*1111*1111',
    '4\u200B111111111111111',
    '4111    1111    1111    1111',
    '4111 · 1111 · 1111 · 1111',
    '4111%201111%201111%201111',
  ])('holds no card number written as %s', (written) => {
    const line = logged((log) => log.error({ err: new Error(`refused ${written}`), note: { of: [written] } }, 'x'));

    expect(line).not.toContain(written);
    expect(fieldsOf(line).process).toBe('test');
  });

  it('stays JSON and holds no card number, whatever surrounds it', () => {
    fc.assert(
      fc.property(fc.string(), cardNumber, fc.string(), fc.double(), (before, digits, after, number) => {
        const line = logged((log) => log.info({ note: `${before} ${digits} ${after}`, number }, `${before}x${digits}`));

        expect(line).not.toContain(digits);
        expect(fieldsOf(line)).toMatchObject({ level: 'info' });
      }),
    );
  });

  it.each(['xoxb-123-abc', 'xoxp-1-2-3', 'xoxe.xoxp-1-Mi0y', 'xapp-1-A0-1-f00'])('holds no Slack token %s', (token) => {
    const line = logged((log) => log.info({ note: `with ${token}` }, `and ${token}`));

    expect(line).not.toMatch(/xox[a-z]-\d|xapp-1/);
    expect(fieldsOf(line).note).toContain('[removed]');
  });

  it.each(['quoted "and" slashed', 'back\\slash\\es', 'with\ttab and more'])('holds no own secret %j', (secret) => {
    hideSecrets([secret]);

    const line = logged((log) => log.info({ note: secret, answer: JSON.stringify({ of: secret }) }, `x ${secret}`));

    expect(fieldsOf(line)).toMatchObject({ note: '[removed]', answer: '{"of":"[removed]"}', msg: 'x [removed]' });
  });

  it('stays JSON and keeps its numbers if an own secret looks like one', () => {
    hideSecrets(['202611302026', '-20261130.2026', '2.0261130202e+30']);
    const numbers = { acctId: 202611302026, balance: -20261130.2026, note: 2.0261130202e30 };

    expect(fieldsOf(logged((log) => log.info(numbers, 'x')))).toMatchObject(numbers);
  });

  it.each(['authorization', 'token', 'headers', 'body'])('holds no field called %s', (name) => {
    const line = logged((log) => log.info({ [name]: 's3cret', request: { [name]: 's3cret' } }, 'x'));

    expect(line).not.toContain('s3cret');
  });

  it('of an error holds its type, message, code and stack, and no other properties', () => {
    const error = Object.assign(new TypeError('it broke'), { code: 'E1', config: { auth: 's3cret' }, data: 's3cret' });

    const line = logged((log) => log.error({ err: error }, 'x'));

    expect(fieldsOf(line).err).toEqual({
      type: 'TypeError',
      message: 'it broke',
      code: 'E1',
      stack: expect.stringContaining('it broke'),
    });
    expect(line).not.toContain('s3cret');
  });

  it.each([
    ['a text', 's3cret'],
    ['an object', { token: 's3cret' }],
    ['nothing', undefined],
  ])('of a thrown value that is %s holds no content', (_what, thrown) => {
    expect(logged((log) => log.error({ err: thrown }, 'x'))).not.toContain('s3cret');
  });

  it('leaves ids, amounts, times and tracking numbers unchanged', () => {
    const fields = { eventId: 'evt_0123456789abcdef', cents: 215_40, ms: 12.5, tracking: '9400111899000000055211' };

    expect(fieldsOf(logged((log) => log.info(fields, 'x')))).toMatchObject(fields);
  });
});
