import { describe, expect, it } from 'vitest';
import { runCommand } from '../support/run-command.ts';

describe('two programs with one command cannot start, and', () => {
  const away = { REDIS_URL: 'redis://127.0.0.1:1' };
  const same = { PROGRAMS: 'eu', EU_SLACK_COMMAND: '/card' };
  const problem = 'EU_SLACK_COMMAND: expected another command than SLACK_COMMAND and its short forms';

  it.each(['manifest', 'backup'])('%s says so', async (name) => {
    const ended = await runCommand(name, name === 'backup' ? ['-'] : [], { ...away, ...same });

    expect(ended).toMatchObject({ code: 78, out: '', err: expect.stringContaining(problem) });
  });

  it.each([{}, { PROGRAM: 'eu' }])('the doctor says so, given %j', async (which) => {
    const { code, out } = await runCommand('doctor', [], { ...away, ...same, ...which });

    expect(code).toBe(1);
    expect(out).toContain(`FIX   ${problem}\n`);
    expect(out).not.toContain('are complete');
  });
});
