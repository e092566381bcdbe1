import { hash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConfigError } from '../../../src/core/errors.ts';
import { createLog } from '../../../src/core/log.ts';
import { openPolicy, readPolicy, watchPolicy } from '../../../src/policy/policy-source.ts';

const log = createLog({ level: 'silent', process: 'test' });
const folders: string[] = [];

afterEach(() => {
  vi.useRealTimers();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function fileWith(text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'policy-'));
  folders.push(folder);
  const policyFile = join(folder, 'policy.yaml');
  const write = (next: string | Buffer): void => writeFileSync(policyFile, next);
  write(text);
  const variables = { operators: [], approvers: ['U0ANA'], twoPersonAboveCents: 100_000, serviceZone: 'UTC' };
  return { write, config: { ...variables, policyFile } };
}

const approversIn = (source: ReturnType<typeof openPolicy>) => source.current().standard.approvers.permitted;

describe('the policy of a process', () => {
  it('comes from the environment variables if there is no file', () => {
    const { config } = fileWith('');

    expect(readPolicy({ ...config, policyFile: null }).standard.approvers.permitted).toEqual(['U0ANA']);
  });

  it('keeps the process from starting if the file is invalid or missing', () => {
    const { config } = fileWith('version: 2');

    expect(() => openPolicy(config, log)).toThrow(/POLICY_FILE: policy\.yaml:1: version: expected version: 1/);
    expect(() => openPolicy({ ...config, policyFile: '/nowhere/policy.yaml' }, log)).toThrow(ConfigError);
  });

  it('keeps the process from starting if the file is not in UTF-8: its names would match no card group', () => {
    const { write, config } = fileWith('');
    write(Buffer.from('version: 1\ngroups: [{ cards: [Zürich], approvers: [U0BEN] }]', 'latin1'));

    expect(() => openPolicy(config, log)).toThrow('POLICY_FILE: expected a readable file in UTF-8');
  });

  it('has the SHA-256 of its file, also with a byte order mark', () => {
    const text = '\uFEFFversion: 1\r\n# Zürich';
    const { config } = fileWith(text);

    expect(readPolicy(config).hash).toBe(hash('sha256', text));
  });

  it('changes with its file', () => {
    const { write, config } = fileWith('version: 1\napprovers: [U0BEN]');
    const source = openPolicy(config, log);

    expect(source.reload()).toEqual({ kind: 'unchanged' });
    write('version: 1\napprovers: [U0ZOE]');
    expect(source.reload()).toEqual({ kind: 'changing' });
    expect(source.reload()).toEqual({ kind: 'changed' });
    expect(approversIn(source)).toEqual(['U0ZOE']);
  });

  it('stays unchanged while the file is invalid', () => {
    const { write, config } = fileWith('version: 1\napprovers: [U0BEN]');
    const source = openPolicy(config, log);

    write('version: 1\napprovers: [ben]');
    expect(source.reload()).toEqual({ kind: 'changing' });
    expect(source.reload()).toMatchObject({ kind: 'invalid', problems: [expect.stringContaining('policy.yaml:2')] });
    expect(approversIn(source)).toEqual(['U0BEN']);
  });
});

it('a file that is half written changes nothing, valid or not, and is not reported', () => {
  const { write, config } = fileWith('version: 1\napprovers: [U0BEN, U0ZOE]');
  const source = openPolicy(config, log);

  for (const half of ['', 'version: 1\napprovers: [U0BEN]\n', 'version: 1\napprovers: [']) {
    write(half);
    expect(source.reload()).toEqual({ kind: 'changing' });
  }
  write('version: 1\napprovers: [U0BEN, U0ZOE]\noperators: [U0OLGA]');
  expect([source.reload(), source.reload()]).toEqual([{ kind: 'changing' }, { kind: 'changed' }]);
  expect(approversIn(source)).toEqual(['U0BEN', 'U0ZOE']);
});

it('a watch reports a valid file at the start, an invalid file once, and its repair once', async () => {
  vi.useFakeTimers();
  const { write, config } = fileWith('version: 1');
  const told: string[] = [];
  const stop = watchPolicy(openPolicy(config, log), {
    onInvalid: async ([problem = '']) => void told.push(problem),
    onValid: async () => void told.push('valid'),
    log,
  });

  await vi.advanceTimersByTimeAsync(4000);
  write('version: 2');
  await vi.advanceTimersByTimeAsync(6000);
  write('version: 1\n');
  await vi.advanceTimersByTimeAsync(6000);
  stop();
  write('version: 2');
  await vi.advanceTimersByTimeAsync(6000);

  expect(told).toEqual(['valid', expect.stringContaining('expected version: 1'), 'valid']);
});

it('a watch says each minute that a file stays invalid: ops are notified of it once a day, and of its repair by any worker', async () => {
  vi.useFakeTimers();
  const { write, config } = fileWith('version: 1');
  const onInvalid = vi.fn();
  const stop = watchPolicy(openPolicy(config, log), { onInvalid, log });

  write('version: 2');
  await vi.advanceTimersByTimeAsync(5 * 3_600_000);
  stop();

  expect(onInvalid.mock.calls.length).toBeGreaterThanOrEqual(290);
  expect(onInvalid.mock.calls.length).toBeLessThanOrEqual(300);
});

it('a watch without a file reports once that the policy is valid: the file may have been taken away because it was not', async () => {
  vi.useFakeTimers();
  const { config } = fileWith('version: 1');
  const onValid = vi.fn();
  const stop = watchPolicy(openPolicy({ ...config, policyFile: null }, log), { onValid, log });

  await vi.advanceTimersByTimeAsync(10_000);
  stop();

  expect(onValid).toHaveBeenCalledOnce();
});

it('a watch repeats a report that failed', async () => {
  vi.useFakeTimers();
  const { write, config } = fileWith('version: 1');
  const onInvalid = vi.fn().mockRejectedValueOnce(new Error('redis is unavailable')).mockResolvedValue(undefined);
  const stop = watchPolicy(openPolicy(config, log), { onInvalid, onValid: async () => {}, log });

  write('version: 2');
  await vi.advanceTimersByTimeAsync(6000);
  stop();

  expect(onInvalid).toHaveBeenCalledTimes(2);
});
