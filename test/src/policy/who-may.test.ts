import { describe, expect, it } from 'vitest';
import { SlackError } from '../../../src/core/errors.ts';
import { parsePolicy } from '../../../src/policy/policy-file.ts';
import { createWhoMay } from '../../../src/policy/who-may.ts';
import { variables } from './variables.ts';

describe('whom to mention', () => {
  const delegate = (whom: string, to: string) =>
    `  - { for: ${whom}, to: ${to}, from: 1970-01-01, until: 1970-01-02 }\n`;
  const whoMay = (text: string, gone: readonly string[] = [], asked: string[] = []) => {
    const policy = parsePolicy(text, 'policy.yaml', variables);
    return createWhoMay({
      policy: () => policy,
      namedDelegates: async () => [],
      rolesOf: async (userId) => ({ roles: userId === 'U0OTTO' ? [] : ['approver'], isComplete: true }),
      person: async (userId) => {
        asked.push(userId);
        if (userId === 'U0SILENT') return await new Promise<never>(() => {});
        if (userId === 'U0UNREAD') throw new SlackError('users.info', 'unknown', 'no_answer');
        return { isDeactivated: gone.includes(userId) };
      },
      now: () => new Date('1970-01-01T15:00:00Z'),
      withinMs: 20,
    })('approver');
  };

  it('includes the delegates of the members of a mentioned user group', async () => {
    const text = 'version: 1\napprovers: { mentioned: [S1], permitted: [U0ZOE] }\ndelegates:\n';
    const delegates = [delegate('U0ANA', 'U0BEN'), delegate('U0ZOE', 'U0CAL'), delegate('U0OTTO', 'U0DAN')].join('');

    expect(await whoMay(text + delegates)).toEqual(['S1', 'U0BEN']);
    expect(await whoMay(text + delegates, ['U0ANA'])).toEqual(['S1']);
    expect(await whoMay(text + delegates, ['U0BEN'])).toEqual(['S1']);
  });

  it('includes nobody whose account is deactivated, and not their delegates, as far as Slack says', async () => {
    const text = 'version: 1\napprovers: [U0ANA, U0BEN, U0UNREAD]\ndelegates:\n';
    const delegates = [delegate('U0ANA', 'U0CAL'), delegate('U0BEN', 'U0DAN'), delegate('U0BEN', 'U0EVA')].join('');

    expect(await whoMay(text + delegates, ['U0ANA', 'U0DAN'])).toEqual(['U0BEN', 'U0UNREAD', 'U0EVA']);
  });

  it('includes everybody whom the policy names if Slack does not answer in time', async () => {
    expect(await whoMay('version: 1\napprovers: [U0ANA, U0SILENT]\n', ['U0ANA'])).toEqual(['U0ANA', 'U0SILENT']);
  });

  it('asks Slack about no delegate who would not be mentioned', async () => {
    const asked: string[] = [];

    await whoMay(`version: 1\napprovers: [U0ANA]\ndelegates:\n${delegate('U0OTTO', 'U0BEN')}`, [], asked);

    expect(asked).toEqual(['U0ANA']);
  });
});
