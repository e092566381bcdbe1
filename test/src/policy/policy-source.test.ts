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
  const write = (next: string): void => writeFileSync(policyFile, next);
  write(text);
  const variables = { operators: [], approvers: ['U0ANA'], twoPersonAboveCents: 100_000, serviceZone: 'UTC' };
  return { write, config: { ...variables, policyFile } };
}

const approversIn = (source: ReturnType<typeof openPolicy>) => source.current().standard.approvers.permitted;

describe('the policy of a process', () => {
  it('is what the variables say, where there is no file', () => {
    const { config } = fileWith('');

    expect(readPolicy({ ...config, policyFile: null }).standard.approvers.permitted).toEqual(['U0ANA']);
  });

  it('stops the process from starting when the file is no policy, or is not there', () => {
    const { config } = fileWith('version: 2');

    expect(() => openPolicy(config, log)).toThrow(/policy\.yaml:1: version: expected version: 1/);
    expect(() => openPolicy({ ...config, policyFile: '/nowhere/policy.yaml' }, log)).toThrow(ConfigError);
  });

  it('changes with its file', () => {
    const { write, config } = fileWith('version: 1\napprovers: [U0BEN]');
    const source = openPolicy(config, log);

    expect(source.reload()).toEqual({ kind: 'unchanged' });
    write('version: 1\napprovers: [U0ZOE]');
    expect(source.reload()).toEqual({ kind: 'changed' });
    expect(approversIn(source)).toEqual(['U0ZOE']);
  });

  it('stays as it was while the file is no policy', () => {
    const { write, config } = fileWith('version: 1\napprovers: [U0BEN]');
    const source = openPolicy(config, log);

    write('version: 1\napprovers: [ben]');
    expect(source.reload()).toMatchObject({ kind: 'invalid', problems: [expect.stringContaining('policy.yaml:2')] });
    expect(approversIn(source)).toEqual(['U0BEN']);
  });
});

it('a watch tells once that the file cannot be used, and once that it can again', async () => {
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

  expect(told).toEqual([expect.stringContaining('expected version: 1'), 'valid']);
});

it('a watch tells again what could not be told', async () => {
  vi.useFakeTimers();
  const { write, config } = fileWith('version: 1');
  const onInvalid = vi.fn().mockRejectedValueOnce(new Error('Redis is away')).mockResolvedValue(undefined);
  const stop = watchPolicy(openPolicy(config, log), { onInvalid, onValid: async () => {}, log });

  write('version: 2');
  await vi.advanceTimersByTimeAsync(6000);
  stop();

  expect(onInvalid).toHaveBeenCalledTimes(2);
});
