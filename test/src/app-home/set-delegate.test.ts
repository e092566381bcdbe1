import { describe, expect, it } from 'vitest';
import type { DelegateAction } from '../../../src/app-home/verbs.ts';
import { TooLateError } from '../../../src/core/errors.ts';
import type { WithLock } from '../../../src/core/lock.ts';
import { killEverywhere } from '../../support/kill-everywhere.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask, createActionWorld, performAction, type WorldDeps } from '../../support/perform-world.ts';

const redis = useRedis();
const delegate = { to: 'U0BEN', from: '2026-12-24', until: '2027-01-02' };
const target = { kind: 'channel', text: '' } as const;
/** Asked for in the order of the numbers in the ids. */
function naming(id: string, given: DelegateAction['delegate'] | null, roles: DelegateAction['roles'] = ['approver']) {
  const over = { id, target, roles, askedAt: `2026-11-20T15:00:00.00${id.at(-1)}Z` };
  return given === null
    ? ask('end-delegation', { ...over, delegate: null })
    : ask('delegate', { ...over, delegate: given });
}
async function worldWithAudit() {
  const lines: string[] = [];
  const postAuditLine = async (_id: string, { text }: { text: string }) => void lines.push(text);
  const made = await createActionWorld(redis(), { ownDelegates: () => ['U0BEN'], postAuditLine });
  return { ...made, audit: () => lines.join('\n') };
}
/** The direct messages that people got. The same id is one message. */
async function worldWithMessages() {
  const sent = new Map<string, string>();
  const made = await createActionWorld(redis(), {
    ownDelegates: () => ['U0BEN', 'U0CAL'],
    notifyDirectly: async (userId, id, { text }) => void sent.set(`${userId} ${id}`, text),
  });
  return { ...made, sent };
}
const world = () => createActionWorld(redis(), { ownDelegates: () => ['U0BEN', 'U0CAL'] });

describe('a delegate', () => {
  it('that the policy names stays when the approver ends their own', async () => {
    const byPolicy = { for: 'U0OLGA', to: 'U0CAL', from: '2026-11-20', until: '2026-12-01' };
    const policyDelegates = (of: string) => (of === 'U0OLGA' ? [byPolicy] : []);
    const { deps, answers } = await createActionWorld(redis(), { ownDelegates: () => ['U0BEN'], policyDelegates });
    await performAction(naming('act_1', delegate), deps);
    await performAction(naming('act_2', null), deps);

    expect(answers.map(({ text }) => text)).toEqual([
      '<@U0BEN> stands in for you Dec 24, 2026 to Jan 2, 2027 (ET). By the policy, <@U0CAL> stands in for you Nov 20, 2026 to Dec 1, 2026 (ET).',
      'You have no delegate of your own. By the policy, <@U0CAL> stands in for you Nov 20, 2026 to Dec 1, 2026 (ET).',
    ]);
  });

  it('is named by an approver for some days, is audited, and is removed', async () => {
    const { deps, answers, audit, stations } = await worldWithAudit();
    const { userId } = naming('act_0', null).actor;

    await performAction(naming('act_1', delegate), deps);
    expect(await deps.delegations.of(userId)).toEqual({ for: userId, ...delegate });
    expect(answers.at(-1)?.text).toMatch(/^@?.*stands in for you Dec 24, 2026 to Jan 2, 2027 \(ET\)/);
    expect(audit()).toMatch(/named <@U0BEN> as a delegate.*no delegate → U0BEN from 2026-12-24 until 2027-01-02/);

    await performAction(naming('act_2', null), deps);
    expect(await deps.delegations.of(userId)).toBeNull();
    expect(answers.at(-1)?.text).toBe('Nobody stands in for you.');
    expect(await stations()).toEqual(['done', 'done']);
  });

  it('is ended by the person who named them, even if that is no approver any more', async () => {
    const { deps, answers, audit, stations } = await worldWithAudit();
    const { userId } = naming('act_0', null).actor;
    await performAction(naming('act_1', delegate), deps);
    const rolesOf: typeof deps.rolesOf = async () => ({ roles: [], isComplete: true });

    await performAction(naming('act_2', null, []), { ...deps, rolesOf });

    expect(await deps.delegations.of(userId)).toBeNull();
    expect(answers.at(-1)?.text).toBe('Nobody stands in for you.');
    expect(audit()).toMatch(/ended the delegation/);
    expect(await stations()).toEqual(['done', 'done']);
    await performAction(naming('act_3', delegate, []), { ...deps, rolesOf });
    expect(await deps.delegations.of(userId), 'naming one takes an approver').toBeNull();
  });

  it('that is named again, or is none to end, changes nothing, and is told nothing', async () => {
    const { deps, sent, stations, answers } = await worldWithMessages();

    await performAction(naming('act_1', null), deps);
    await performAction(naming('act_2', delegate), deps);
    await performAction(naming('act_3', delegate), deps);
    await performAction(naming('act_3', delegate), deps);

    expect(await stations()).toEqual(['unchanged', 'done', 'unchanged']);
    expect([...sent.keys()]).toEqual(['U0BEN delegate-act_2']);
    expect(answers[0]?.text).toBe('Nobody stands in for you.');
    expect(answers[2]).toEqual(answers[1]);
  });

  it('is told once who named them, until when and what it means, and once that it ended early', async () => {
    const { deps, sent } = await worldWithMessages();

    await performAction(naming('act_1', delegate), deps);
    await performAction(naming('act_1', delegate), deps);
    expect([...sent]).toEqual([
      [
        'U0BEN delegate-act_1',
        '<@U0OLGA> named you as their delegate, Dec 24, 2026 to Jan 2, 2027 (ET). In that time you may approve and change what they may, and you are mentioned with them. What you do is recorded under your name.',
      ],
    ]);

    await performAction(naming('act_2', null), deps);
    await performAction(naming('act_2', null), deps);
    expect([...sent].slice(1)).toEqual([
      ['U0BEN delegate-ended-act_2', 'You no longer stand in for <@U0OLGA>. They ended it early.'],
    ]);
  });

  it('is told that somebody else was named instead, and of other days', async () => {
    const { deps, sent } = await worldWithMessages();
    await performAction(naming('act_1', delegate), deps);

    await performAction(naming('act_2', { ...delegate, until: '2026-12-31' }), deps);
    await performAction(naming('act_3', { ...delegate, to: 'U0CAL' }), deps);

    expect([...sent].slice(1)).toEqual([
      ['U0BEN delegate-act_2', expect.stringContaining('Dec 24, 2026 to Dec 31, 2026 (ET)')],
      ['U0BEN delegate-ended-act_3', 'You no longer stand in for <@U0OLGA>. They named <@U0CAL> instead.'],
      ['U0CAL delegate-act_3', expect.stringContaining('named you as their delegate')],
    ]);
  });

  it('is not told that a delegation ended whose last day has passed, and not of one that was refused', async () => {
    const { deps, sent, advance } = await worldWithMessages();
    await performAction(naming('act_1', { ...delegate, from: '2026-11-20', until: '2026-11-20' }), deps);
    await performAction(naming('act_2', { ...delegate, to: 'U0OTTO' }), deps);
    advance(24 * 3_600_000);

    await performAction({ ...naming('act_3', null), askedAt: deps.now().toISOString() }, deps);

    expect([...sent.keys()]).toEqual(['U0BEN delegate-act_1']);
  });

  it('hears each step once, wherever the worker is killed', async () => {
    const sent = new Map<string, string[]>();
    const steps = await killEverywhere(
      naming('act_2', { ...delegate, to: 'U0CAL' }),
      async ({ deps }) => {
        sent.clear();
        const telling: WorldDeps = {
          ...deps,
          ownDelegates: () => ['U0BEN', 'U0CAL'],
          notifyDirectly: async (userId, id) => void sent.set(id, [userId]),
        };
        await performAction(naming('act_1', delegate), telling);
        return telling;
      },
      async (_world, diedAt) => {
        expect([...sent.keys()].toSorted(), diedAt).toEqual([
          'delegate-act_1',
          'delegate-act_2',
          'delegate-ended-act_2',
        ]);
      },
    );

    expect(steps).toBeGreaterThan(5);
  });

  it.each([
    [
      'not listed in the policy',
      { ...delegate, to: 'U0OTTO' },
      /doesn’t let you name this person/,
      'was not allowed to',
    ],
    [
      'for days in the past',
      { ...delegate, from: '2026-11-01', until: '2026-11-02' },
      /That date has passed/,
      'tried to',
    ],
    ['with a last day before the first', { ...delegate, until: '2026-12-23' }, /before the first/, 'tried to'],
    ['for half a year', { ...delegate, until: '2027-06-24' }, /92 days at most/, 'tried to'],
    ['oneself', { ...delegate, to: 'U0OLGA' }, /your own delegate/, 'tried to'],
  ])('%s is refused with a reason, and nothing changes', async (_who, given, why, did) => {
    const { deps, answers, audit } = await worldWithAudit();

    await performAction(naming('act_3', given), deps);

    expect(JSON.stringify(answers.at(-1))).toMatch(why);
    // No syntax helps against the policy.
    expect(JSON.stringify(answers.at(-1)).includes('/card delegate @user')).toBe(did === 'tried to');
    expect(audit()).toContain(`<@U0OLGA> ${did} name a delegate`);
    expect(await deps.delegations.all()).toEqual([]);
  });

  it.each([
    ['isDeactivated', /This person’s Slack account is deactivated\. Name somebody else\./],
    ['isBot', /A bot can’t be a delegate/],
    ['isExternal', /People of other companies can’t be delegates/],
  ])('who can do nothing (%s) is refused, although the policy lists them', async (what, why) => {
    const { deps, answers } = await worldWithAudit();
    const ben = { name: null, email: null, isBot: false, isGuest: false, isExternal: false, isDeactivated: false };

    const person = async (userId: string) => ({ ...ben, ...(userId === 'U0BEN' && { [what]: true }) });
    await performAction(naming('act_1', delegate), { ...deps, person });

    expect(JSON.stringify(answers.at(-1))).toMatch(why);
    expect(await deps.delegations.all()).toEqual([]);
  });

  it('cannot be named by someone who is an approver only as a delegate: that role is not passed on', async () => {
    const { deps, answers, audit } = await worldWithAudit();
    const { userId } = naming('act_0', null).actor;
    await performAction(naming('act_6', delegate), deps);
    const onlyStandsIn: typeof deps.rolesOf = async (who, options) =>
      (await options?.mayNot?.('U0ANA')) === true ? { roles: [], isComplete: true } : await deps.rolesOf(who, options);

    await performAction(naming('act_7', { ...delegate, until: '2027-01-03' }), { ...deps, rolesOf: onlyStandsIn });

    expect(JSON.stringify(answers.at(-1))).toMatch(
      /You are an approver only as a delegate, which cannot be passed on\./,
    );
    expect(audit()).toContain(`<@${userId}> was not allowed to name a delegate`);
    expect(await deps.delegations.of(userId), 'as it was').toMatchObject(delegate);
    await performAction(naming('act_8', null), { ...deps, rolesOf: onlyStandsIn });
    expect(await deps.delegations.of(userId), 'ended').toBeNull();
  });

  it('named for today is not refused when the job runs again tomorrow', async () => {
    const made = await world();
    const today = { to: 'U0BEN', from: '2026-11-20', until: '2026-11-20' };
    await performAction(naming('act_1', today), made.deps);
    made.advance(24 * 3_600_000);

    await performAction(naming('act_1', today), made.deps);

    expect(made.answers.map(({ text }) => text)).toEqual([made.answers[0]?.text, made.answers[0]?.text]);
    expect(await made.stations()).toEqual(['done']);
  });

  it('can be named only by approvers, and only if the policy lists someone', async () => {
    const { deps, answers } = await createActionWorld(redis());

    await performAction(naming('act_4', delegate), deps);
    expect(JSON.stringify(answers.at(-1))).toMatch(/policy lists nobody/);
    await performAction(naming('act_5', delegate, ['operator']), { ...deps, ownDelegates: () => ['U0BEN'] });
    expect(answers.at(-1)?.text).toMatch(/Only approvers may name a delegate/);
    expect(await deps.delegations.all()).toEqual([]);
  });

  it.each([
    [delegate, null],
    [null, delegate],
  ])('%j is not set again over %j, set since, when the job runs again', async (first, since) => {
    const { deps, answers, stations } = await world();
    await performAction(naming('act_1', first), deps);
    await performAction(naming('act_2', since), deps);

    await performAction(naming('act_1', first), deps);

    expect(await deps.delegations.all()).toHaveLength(since === null ? 0 : 1);
    expect(answers.at(-1)?.text).toMatch(/changed again since you asked/);
    expect(await stations()).toEqual([first === null ? 'unchanged' : 'done', 'done', 'superseded']);
  });

  it.each([
    [delegate, null],
    [null, delegate],
  ])('%j is not set over %j, asked for later while it waited', async (first, since) => {
    const { deps, answers, stations } = await world();
    await performAction(naming('act_1', since === null ? delegate : null), deps);
    await performAction(naming('act_3', since), deps);

    await performAction(naming('act_2', first), deps);

    expect(await deps.delegations.all()).toHaveLength(since === null ? 0 : 1);
    expect(answers.at(-1)?.text).toMatch(/changed again since you asked/);
    expect((await stations()).at(-1)).toBe('superseded');
  });

  it('is set by one action at a time, and not by a worker that was frozen for longer than its lock', async () => {
    const names: string[] = [];
    const withLock: WithLock = async (name, work) => {
      names.push(name);
      return await work({ confirm: () => Promise.reject(new TooLateError('someone else may own the lock')) });
    };
    const { deps } = await world();

    await expect(performAction(naming('act_1', delegate), { ...deps, withLock })).rejects.toThrow(TooLateError);

    expect(names).toEqual(['delegate:U0OLGA']);
    expect(await deps.delegations.all()).toEqual([]);
  });
});
