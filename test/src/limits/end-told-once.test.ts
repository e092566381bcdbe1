import { describe, expect, it } from 'vitest';
import { notSent } from '../../../src/card-api/errors.ts';
import type { VerbAction } from '../../../src/dispatch/verbs.ts';
import { refusal } from '../../support/card-api-errors.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  ask,
  byCommand,
  createActionWorld,
  endTemporaryChange,
  type Over,
  performAction,
} from '../../support/perform-world.ts';

const redis = useRedis();
const alertId = 'evt_0123456789abcdef';

const raiseFor = (hours: number, dollars: number, over: Over = {}): VerbAction =>
  ask('limit', {
    changeRequest: {
      goals: [limitGoal('daily', dollars * 100)],
      term: hours === 0 ? { kind: 'permanent' } : { kind: 'duration', ms: hours * 3_600_000 },
    },
    ...over,
  });

/** Sets up a raise for an hour, and collects the notifications of its end. Messages count once per id, as in Slack. */
async function raised(over: Over) {
  const direct: string[] = [];
  const updated: string[] = [];
  const world = await createActionWorld(redis(), {
    notifyDirectly: async (userId, id) => void direct.push(`${userId} ${id}`),
    updateTemporaryChange: async (id) => void updated.push(id),
  });
  const raise = raiseFor(1, 450, over);
  await performAction(raise, world.deps);
  const revert = (id: string) =>
    ask('revert', {
      ...byCommand,
      id,
      target: { kind: 'temporary-change', temporaryChangeId: raise.id },
      actor: { userId: 'U0BEN', teamId: 'T1' },
    });
  return {
    ...world,
    raise,
    revert,
    updated,
    timeIsOver: async () => await endTemporaryChange(raise.id, world.deps),
    state: async () => (await world.deps.temporaryChanges.get(raise.id))?.state,
    async told() {
      const outcomes = (await world.deps.alerts.get(alertId))?.outcomes ?? [];
      return {
        onAlert: outcomes
          .filter(({ verb }) => verb === 'restore')
          .map(({ by, text }) => `${by ?? 'its time'}: ${text}`),
        direct: [...new Set(direct.filter((id) => id.includes('temporary-change-')))],
        onRecord: (await world.stations()).filter((station) => station === 'ended').length,
      };
    },
  };
}

describe('the end of a temporary change is reported once, where the change was announced', () => {
  it('on its alert when due, however often the job runs', async () => {
    const { timeIsOver, told, updated, raise } = await raised({});

    await timeIsOver();
    await timeIsOver();
    await timeIsOver();

    expect(await told()).toEqual({
      onAlert: ['its time: Daily limit $450.00 → $400.00'],
      direct: [],
      onRecord: 1,
    });
    expect(updated, 'its own message shows the end').toContain(raise.id);
  });

  it('to the person who typed it, if no alert shows it', async () => {
    const { timeIsOver, told, raise } = await raised(byCommand);

    await timeIsOver();
    await timeIsOver();

    expect(await told()).toEqual({
      onAlert: [],
      direct: [`${raise.actor.userId} temporary-change-${raise.id}-ended`],
      onRecord: 1,
    });
  });

  it('with the name of the person who reverted it, even after two clicks, and not again when due', async () => {
    const { deps, revert, timeIsOver, told } = await raised({});

    await performAction(revert('act_back1'), deps);
    await performAction(revert('act_back1'), deps);
    await performAction(revert('act_back2'), deps);
    await timeIsOver();

    expect(await told()).toEqual({
      onAlert: ['U0BEN: Daily limit $450.00 → $400.00'],
      direct: [],
      onRecord: 1,
    });
  });

  it('not as restored if a later change superseded it: its message says so, and its job reports nothing', async () => {
    const { deps, timeIsOver, told, state, updated, raise, service } = await raised({});
    updated.length = 0;

    await performAction(raiseFor(0, 500, { ...byCommand, id: 'act_later' }), deps);
    await timeIsOver();

    expect(await state()).toBe('superseded');
    expect(service.rules['DailySpendLimit']).toBe(500);
    expect(await told()).toEqual({ onAlert: [], direct: [], onRecord: 0 });
    expect(updated).toContain(raise.id);
  });

  it('when due although the card service refused it at first, as it may do with a repeated call', async () => {
    const { deps, raise, service, told, state } = await raised(byCommand);
    const putSpendRules = async (): Promise<never> => {
      throw refusal('Conflict', { status: 409 });
    };

    expect(await endTemporaryChange(raise.id, { ...deps, card: { ...deps.card, putSpendRules } })).toBe(60_000);
    expect(await told()).toEqual({ onAlert: [], direct: [], onRecord: 0 });
    await endTemporaryChange(raise.id, deps);

    expect(service.rules['DailySpendLimit']).toBe(400);
    expect(await state()).toBe('ended');
  });

  it('to approvers and ops as well, if the card service keeps refusing it', async () => {
    const toApprovers: string[] = [];
    const toOps: string[] = [];
    const world = await raised(byCommand);
    const putSpendRules = async (): Promise<never> => {
      throw refusal('Invalid card account ID', { status: 403 });
    };
    const deps = {
      ...world.deps,
      card: { ...world.deps.card, putSpendRules },
      postToApprovals: async (_id: string, { text }: { readonly text: string }) => void toApprovers.push(text),
      notifyOps: async ({ cause }: { readonly cause: string }) => void toOps.push(cause),
    };

    for (let time = 0; time < 6; time += 1) await endTemporaryChange(world.raise.id, deps);

    expect(await world.state()).toBe('refused');
    expect(toApprovers).toEqual([expect.stringContaining('could not be put back to $400.00, so it is still $450.00')]);
    expect(toOps).toEqual([expect.stringMatching(/^not-put-back:/)]);
    expect((await world.told()).direct).toEqual([
      `${world.raise.actor.userId} temporary-change-${world.raise.id}-refused`,
    ]);
  });

  it('at once and with its own reason, if Cardbell itself cannot put it back', async () => {
    const world = await raised({});
    const putSpendRules = async (): Promise<never> => {
      throw notSent('applyChanges', 'the last spend category cannot be removed');
    };

    const deps = { ...world.deps, card: { ...world.deps.card, putSpendRules } };
    expect(await endTemporaryChange(world.raise.id, deps)).toBeNull();

    expect(await world.state()).toBe('refused');
    expect((await world.told()).onAlert).toEqual([
      expect.stringMatching(
        /^its time: Still daily limit \$450\.00\. I did not send it: the last spend category cannot be removed\.$/,
      ),
    ]);
  });

  it('only to the person who asked for it, if the account was closed meanwhile', async () => {
    const world = await raised(byCommand);
    const putSpendRules = async (): Promise<never> => {
      throw refusal('Account closed', { status: 403 });
    };
    const getAccount = async (id: number) => ({ ...(await world.deps.card.getAccount(id)), accountStatus: 'CLOSED' });
    const deps = { ...world.deps, card: { ...world.deps.card, getAccount, putSpendRules } };

    for (let time = 0; time < 6; time += 1) await endTemporaryChange(world.raise.id, deps);

    expect(await world.state()).toBe('kept');
    expect(world.opsIssues).toEqual([]);
    expect((await world.told()).direct).toEqual([
      `${world.raise.actor.userId} temporary-change-${world.raise.id}-kept`,
    ]);
  });

  it('as a question, once, if someone changed the rule in the meantime', async () => {
    const { timeIsOver, told, state, service } = await raised({});
    service.rules['DailySpendLimit'] = 600;

    await timeIsOver();
    await timeIsOver();

    const { onAlert } = await told();
    expect(await state()).toBe('asking');
    expect(onAlert).toHaveLength(1);
    expect(onAlert[0]).toMatch(/the card has another value or ruleset now: an approver has to decide/);
  });
});
