import { describe, expect, it } from 'vitest';
import type { VerbAction } from '../../../src/dispatch/verbs.ts';
import { REQUEST_MS, REQUEST_OVERDUE_MS } from '../../../src/policy/decide-action.ts';
import { approvalClick, askedToPay, denial, override, type Told } from '../../support/asked-for-more.ts';
import { killEverywhere } from '../../support/kill-everywhere.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  ask,
  byCommand,
  createActionWorld,
  type PerformWorld,
  performAction,
  verbsOf,
} from '../../support/perform-world.ts';

const redis = useRedis();
const askedAt = '2026-11-20T15:16:00.000Z';

/** Hugo only holds a card. */
function withdrawal(id = 'act_back', userId = 'U0HUGO', requestId = 'req_ask1'): VerbAction {
  const target = { kind: 'request', requestId } as const;
  return ask('withdraw', { target, id, askedAt, actor: { userId, teamId: 'T1' }, roles: ['holder'] });
}

async function asked(cents = 50_000): Promise<{ world: PerformWorld; hugo: Told; updated: string[] }> {
  const updated: string[] = [];
  const world = await createActionWorld(redis(), { updateRequest: async (id) => void updated.push(id) });
  const hugo = await askedToPay(world, cents);
  return { world, hugo, updated };
}

const stateOf = async ({ deps }: Told) => (await deps.requests.get('req_ask1'))?.state;

describe('a request withdrawn by the requester', () => {
  it('is closed and audited, its message is updated, and the requester is notified', async () => {
    const { world, hugo, updated } = await asked();

    await performAction(withdrawal(), hugo.deps);

    expect(await hugo.deps.requests.get('req_ask1')).toMatchObject({
      state: 'withdrawn',
      decision: { by: 'U0HUGO', actionId: 'act_back' },
    });
    expect(await hugo.deps.requests.open()).toEqual([]);
    expect(updated).toContain('req_ask1');
    expect((await world.records()).at(-1)).toMatchObject({
      event: 'ended',
      verb: 'withdraw',
      actor: { userId: 'U0HUGO' },
      detail: 'req_ask1: withdrawn by the person who asked',
    });
    expect(world.auditLines).toContain('audit-act_back-ended');
    expect(hugo.told()).toEqual([
      'U0HUGO req_ask1-withdrawn: You withdrew your request: $500.00 · your card of account 7378. You asked for: daily limit $900.00. Nothing changed. Nobody can approve it any more.',
    ]);
    expect(world.writes).toEqual([]);
  });

  it.each([
    ['approved', approvalClick('act_ben', 'U0BEN')],
    ['denied', denial('act_ben', 'U0BEN')],
    ['overridden', override],
    ['withdrawn again', withdrawal('act_again')],
  ])('cannot be %s afterwards', async (_what, click) => {
    const { world, hugo } = await asked();
    await performAction(withdrawal(), hugo.deps);
    world.advance(REQUEST_OVERDUE_MS + 1);

    await performAction(click, hugo.deps);

    expect(await stateOf(hugo)).toBe('withdrawn');
    expect(world.writes).toEqual([]);
    expect(await world.stations()).toEqual(['waiting', 'ended', 'refused']);
    expect(world.answers.at(-1)?.text).toMatch(/This request is (withdrawn|decided) already/);
    expect(hugo.told()).toHaveLength(1);
  });

  it('loses its approval, so that a second approval makes no change', async () => {
    const { world, hugo } = await asked(160_000);
    await performAction(approvalClick('act_ben', 'U0BEN'), hugo.deps);

    await performAction(withdrawal(), hugo.deps);
    await performAction(approvalClick('act_zoe', 'U0ZOE'), hugo.deps);

    expect(await stateOf(hugo)).toBe('withdrawn');
    expect(world.writes).toEqual([]);
  });

  it('triggers no reminders and does not expire', async () => {
    const { world, hugo } = await asked();
    await performAction(withdrawal(), hugo.deps);
    world.advance(REQUEST_MS + 1);

    expect(await verbsOf(hugo.deps).ageRequest('req_ask1')).toBeNull();
    expect(await stateOf(hugo)).toBe('withdrawn');
  });

  it('is closed, audited and reported once, wherever the worker is killed', async () => {
    let hugo: Told;
    const steps = await killEverywhere(
      withdrawal(),
      async (world) => {
        hugo = await askedToPay(world, 50_000);
        return hugo.deps;
      },
      async (world, diedAt) => {
        expect(await stateOf(hugo), diedAt).toBe('withdrawn');
        expect(await world.stations(), diedAt).toEqual(['waiting', 'ended']);
        expect(hugo.told(), diedAt).toHaveLength(1);
        expect(world.writes, diedAt).toEqual([]);
      },
    );
    expect(steps).toBeGreaterThan(5);
  });

  it('by an approver for someone else’s card notifies the approver, without claiming that others said no', async () => {
    const told: string[] = [];
    const world = await createActionWorld(redis(), {
      notifyDirectly: async (userId, _id, message) => void told.push(`${userId}: ${message.text}`),
    });
    const goals = [{ rule: { kind: 'limit', period: 'daily', category: null } as const, to: 190_000 }];
    await performAction(
      ask('limit', { ...byCommand, changeRequest: { goals, term: { kind: 'permanent' } } }),
      world.deps,
    );
    expect(await world.deps.requests.open()).toMatchObject([{ id: 'req_limit1' }]);

    await performAction(withdrawal('act_back', 'U0OLGA', 'req_limit1'), world.deps);

    expect((await world.deps.requests.get('req_limit1'))?.state).toBe('withdrawn');
    expect(told).toEqual([
      expect.stringMatching(/^U0OLGA: You withdrew your request: daily limit \$1,900\.00 · Jane Doe/),
    ]);
    expect(world.answers.map(({ text }) => text).join()).not.toMatch(/said no/);
  });
});

describe('a withdrawal', () => {
  it('by another person is refused, and the request stays open', async () => {
    const { world, hugo } = await asked();

    await performAction(withdrawal('act_other', 'U0BEN'), hugo.deps);

    expect(await stateOf(hugo)).toBe('open');
    expect(world.answers.at(-1)?.text).toMatch(/Only the person who asked can withdraw a request/);
    expect(await world.stations()).toEqual(['waiting', 'refused']);
  });

  it('after the approval is refused, and the change stays', async () => {
    const { world, hugo } = await asked();
    await performAction(approvalClick('act_ben', 'U0BEN'), hugo.deps);

    await performAction(withdrawal(), hugo.deps);

    expect(await stateOf(hugo)).toBe('approved');
    expect(world.writes).toEqual(['limit 900']);
    expect(world.answers.at(-1)?.text).toMatch(/This request is approved already/);
  });

  it('while an approval is at the card service has to wait, like a denial', async () => {
    const { world, hugo } = await asked();
    const lost = {
      ...hugo.deps,
      card: {
        ...hugo.deps.card,
        putSpendRules: async () => {
          throw new Error('no answer');
        },
      },
    };
    await expect(performAction(approvalClick('act_ben', 'U0BEN'), lost)).rejects.toThrow('no answer');

    await performAction(withdrawal(), hugo.deps);

    expect(await stateOf(hugo)).toBe('open');
    expect(world.answers.at(-1)?.text).toMatch(/Somebody approved it just now/);
  });

  it('of a request that is too old or expired is refused with that reason', async () => {
    const { world, hugo } = await asked();
    await performAction(withdrawal('act_gone', 'U0HUGO', 'req_gone'), hugo.deps);
    expect(world.answers.at(-1)?.text).toMatch(/This request is too old/);

    world.advance(REQUEST_MS + 1);
    await performAction(withdrawal(), hugo.deps);
    expect(await stateOf(hugo)).toBe('expired');
    expect(world.answers.at(-1)?.text).toMatch(/Nobody decided within 24 hours\. The request has expired\./);
  });
});
