import { afterEach, describe, expect, it } from 'vitest';
import { SlackError } from '../../../src/core/errors.ts';
import { createLog } from '../../../src/core/log.ts';
import { isAsHolder, isPermitted, type Verb, verbNames } from '../../../src/dispatch/verbs.ts';
import type { Role } from '../../../src/policy/decide.ts';
import { createPermissions, policyOnRecord } from '../../../src/policy/permissions.ts';
import { policyOfVariables } from '../../../src/policy/policy.ts';
import { parsePolicy } from '../../../src/policy/policy-file.ts';
import { until } from '../../support/until.ts';

const log = createLog({ level: 'silent', process: 'test' });

describe('role and verb', () => {
  const mayAll = new Set(['claim', 'choose']);
  const mayOperators = new Set([
    ...mayAll,
    'show',
    'activate',
    'block',
    'acknowledge',
    'mute',
    'unmute',
    'mutes',
    'travel',
    'resend-virtual',
    'undo-block',
    'emergency-override',
    'revert',
    'why',
    'declines',
    'track',
  ]);
  const mayHolders = new Set([...mayAll, 'show', 'block', 'unlink', 'declines', 'track', 'recognize', 'ask']);
  const onlyHolders = new Set(['recognize', 'ask']);
  const cases = verbNames.flatMap((verb) => [
    [verb, [] as Role[], mayAll.has(verb)] as const,
    [verb, ['operator'] as Role[], mayOperators.has(verb)] as const,
    [verb, ['approver'] as Role[], !onlyHolders.has(verb)] as const,
    [verb, ['operator', 'approver'] as Role[], !onlyHolders.has(verb)] as const,
    [verb, ['holder'] as Role[], mayHolders.has(verb)] as const,
    [verb, ['holder', 'approver'] as Role[], true] as const,
  ]);

  it.each(cases)('%s by %j: %s', (verb, roles, may) => {
    expect(isPermitted(verb, roles)).toBe(may);
  });

  it.each<[Verb, Role[], boolean]>([
    ['block', ['holder'], true],
    ['block', ['holder', 'operator'], false],
    ['unlink', ['holder', 'operator'], true],
    ['unlink', ['holder', 'approver'], false],
    ['recognize', ['holder', 'approver'], true],
    ['unblock', ['holder'], false],
    ['claim', ['holder'], false],
  ])('%s by %j is for the own card only: %s', (verb, roles, isOwn) => {
    expect(isAsHolder(verb, roles)).toBe(isOwn);
  });
});

const variables = policyOfVariables({
  operators: ['U1', 'S1'],
  approvers: ['U2', 'S2'],
  twoPersonAboveCents: 100_000,
  serviceZone: 'America/New_York',
});

describe('the policy on record', () => {
  const permission = { role: 'operator', doing: 'show cards' } as const;
  const wordsOf = (text: string): string =>
    policyOnRecord({ show: { permission } }, parsePolicy(text, 'policy.yaml', variables)).words;

  it('says in one line who may do what, and where that is written', () => {
    expect(wordsOf('version: 1\noperators: [U9, U8]\napprovers: []')).toBe(
      'operators (U8 U9): show; approvers (nobody): these and ; holders, their own card: ; ' +
        'two approvers for a raise above $1,000.00; from policy.yaml',
    );
  });

  it('names the groups of cards that have rules of their own', () => {
    const groups = '[{ cards: [North, Van], approvers: [U5] }, { cards: [South], approvers: [U6] }]';

    expect(wordsOf(`version: 1\ngroups: ${groups}`)).toContain('; other rules for cards in North, Van; South; from');
  });
});

describe('who has which role', () => {
  let policy = variables;
  afterEach(() => {
    policy = variables;
  });

  const create = (groupMembers: (id: string) => Promise<string[]>, now = () => 0) =>
    createPermissions({
      policy: () => policy,
      groupMembers,
      isHolder: async (id) => id === 'U7',
      log,
      now,
    });
  const members: Record<string, string[]> = { S1: ['U3'], S2: ['U4'] };

  it.each<[string, Role[]]>([
    ['U1', ['operator']],
    ['U2', ['approver']],
    ['U3', ['operator']],
    ['U4', ['approver']],
    ['U7', ['holder']],
    ['U9', []],
  ])('%s: %j', async (user, roles) => {
    const permissions = create(async (id) => members[id] ?? []);

    expect(await permissions.rolesOf(user)).toEqual({ roles, isComplete: true });
  });

  it('is what the policy says about the group of the card, or any of them where no card is meant', async () => {
    policy = parsePolicy('version: 1\ngroups: [{ cards: [North], approvers: [U5] }]', 'policy.yaml', variables);
    const permissions = create(async () => []);

    expect((await permissions.rolesOf('U5', { group: 'North' })).roles).toEqual(['approver']);
    expect((await permissions.rolesOf('U5', { group: 'South' })).roles).toEqual([]);
    expect((await permissions.rolesOf('U5')).roles).toEqual(['approver']);
    expect((await permissions.rolesOf('U2', { group: 'North' })).roles).toEqual([]);
  });

  it('is also that of whom somebody stands in for, also where that comes from a user group', async () => {
    const delegates = '[{ for: U4, to: U9, from: 1970-01-01, until: 1970-01-01 }]';
    policy = parsePolicy(`version: 1\ndelegates: ${delegates}`, 'policy.yaml', variables);
    const day = 86_400_000;

    expect(
      (
        await create(
          async (id) => members[id] ?? [],
          () => day / 2,
        ).rolesOf('U9')
      ).roles,
    ).toEqual(['approver']);
    expect(
      (
        await create(
          async (id) => members[id] ?? [],
          () => 2 * day,
        ).rolesOf('U9')
      ).roles,
    ).toEqual([]);
  });

  it('changes with the policy, without a restart', async () => {
    const permissions = create(async () => []);
    policy = parsePolicy('version: 1\napprovers: [U6]', 'policy.yaml', variables);

    expect((await permissions.rolesOf('U6')).roles).toEqual(['approver']);
    expect(permissions.whoMay('approver')).toEqual(['U6']);
  });

  it('is asked anew at every click', async () => {
    const groups = { S1: ['U3'], S2: [] as string[] };
    const permissions = create(async (id) => groups[id as 'S1']);
    await permissions.rolesOf('U3');

    groups.S1 = [];

    expect((await permissions.rolesOf('U3')).roles).toEqual([]);
  });

  it('is asked once by all who ask at the same time, and again when the group changed meanwhile', async () => {
    let calls = 0;
    const answers: ((members: string[]) => void)[] = [];
    const permissions = createPermissions({
      policy: () => policyOfVariables({ operators: ['S1'], approvers: [], twoPersonAboveCents: 0, serviceZone: 'UTC' }),
      groupMembers: async () => {
        calls += 1;
        return await new Promise<string[]>((resolve) => answers.push(resolve));
      },
      isHolder: async () => false,
      knownForMs: 10_000,
      log,
      now: () => 0,
    });
    const first = [permissions.rolesOf('U3'), permissions.rolesOf('U4')];
    await until(() => calls === 1, 'Slack is asked');
    permissions.forgetGroup('S1');
    const second = permissions.rolesOf('U3');
    await until(() => calls === 2, 'Slack is asked again');
    answers[1]?.([]);
    answers[0]?.(['U3']);
    await Promise.all(first);

    expect((await second).roles).toEqual([]);
    expect((await permissions.rolesOf('U3')).roles, 'the newer answer counts').toEqual([]);
    expect(calls).toBe(2);
  });

  it('is not guessed when Slack does not answer, but what is certain counts', async () => {
    const permissions = create(async () => {
      throw new SlackError('usergroups.users.list', 'unknown', 'no_answer');
    });

    expect(await permissions.rolesOf('U3')).toEqual({ roles: [], isComplete: false });
    expect(await permissions.rolesOf('U1')).toEqual({ roles: ['operator'], isComplete: false });
  });

  it('may be a minute old only when Slack says that it was asked too often', async () => {
    let at = 0;
    let failure: SlackError | null = null;
    const permissions = create(
      async (id) => {
        if (failure !== null) throw failure;
        return members[id] ?? [];
      },
      () => at,
    );
    await permissions.rolesOf('U3');
    failure = new SlackError('usergroups.users.list', 'rate_limited', 'ratelimited');

    expect((await permissions.rolesOf('U3')).roles).toEqual(['operator']);
    at = 60_000;
    expect((await permissions.rolesOf('U3')).roles).toEqual(['operator']);
    at = 60_001;
    expect(await permissions.rolesOf('U3')).toEqual({ roles: [], isComplete: false });
    at = 1;
    failure = new SlackError('usergroups.users.list', 'unknown', 'no_answer');
    expect(await permissions.rolesOf('U3'), 'after any other failure').toEqual({ roles: [], isComplete: false });
    failure = new SlackError('usergroups.users.list', 'rate_limited', 'ratelimited');
    permissions.forgetGroup('S1');
    expect(await permissions.rolesOf('U3')).toEqual({ roles: [], isComplete: false });
  });
});
