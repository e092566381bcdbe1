import { describe, expect, it } from 'vitest';
import type { VerbAction } from '../../../src/dispatch/verbs.ts';
import type { Role } from '../../../src/policy/decide-action.ts';
import { approvalClick, askedToPay } from '../../support/asked-for-more.ts';
import { unanswered } from '../../support/card-api-errors.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  ask,
  byCommand,
  createActionWorld,
  type PerformWorld,
  performAction,
  type WorldDeps,
} from '../../support/perform-world.ts';
import { link } from '../../support/refused.ts';

const redis = useRedis();
const person = (userId: string) => ({ userId, teamId: 'T1' });
const limit = (dollars: number): VerbAction =>
  ask('limit', {
    ...byCommand,
    id: 'act_much',
    actor: person('U0ANA'),
    changeRequest: { goals: [limitGoal('daily', dollars * 100)], term: { kind: 'permanent' } },
  });
const approve: VerbAction = ask('decide', {
  target: { kind: 'request', requestId: 'req_much', revision: 0 },
  id: 'act_ben',
  approve: true,
  actor: person('U0BEN'),
});

interface Given {
  readonly world: PerformWorld;
  /** What happens while the card service answers a read of the rules: by the number of the read since the click. */
  meanwhile: { readonly atRead: number; readonly happens: () => unknown } | null;
  readonly roles: Map<string, Role[]>;
}

async function world(): Promise<Given> {
  const roles = new Map<string, Role[]>();
  const given: { -readonly [K in keyof Given]?: Given[K] } = { meanwhile: null, roles };
  const made = await createActionWorld(redis(), {
    rolesOf: async (userId) => ({ roles: roles.get(userId) ?? ['operator', 'approver'], isComplete: true }),
  });
  made.service.rules = { IsActive: true, DailySpendLimit: 400 };
  const { getSpendRules } = made.deps.card;
  let reads = 0;
  made.deps.card.getSpendRules = async (...asked) => {
    const read = await getSpendRules(...asked);
    if (given.meanwhile == null) return read;
    reads += 1;
    if (reads === given.meanwhile.atRead) await given.meanwhile.happens();
    return read;
  };
  return Object.assign(given, { world: made }) as Given;
}

describe('an approval in whose moment somebody lost the right to give it', () => {
  it.each<[string, number, (given: Given) => unknown]>([
    ['whoever approves is removed while the rules are read first', 1, ({ roles }) => roles.set('U0BEN', [])],
    ['whoever approves is removed while the rules are read for the change', 2, ({ roles }) => roles.set('U0BEN', [])],
    ['whoever asked is removed while the rules are read for the change', 2, ({ roles }) => roles.set('U0ANA', [])],
    ['the card is linked to whoever approves', 2, (given) => link(given.world, 'U0BEN')],
    ['the card is linked to whoever asked', 2, (given) => link(given.world, 'U0ANA')],
    ['the card is blocked', 2, ({ world: { service } }) => Object.assign(service, { status: 'BLOCKED' })],
  ])('changes nothing: %s', async (_what, atRead, happens) => {
    const given = await world();
    const { deps, answers, writes } = given.world;
    await performAction(limit(2000), deps);
    given.meanwhile = { atRead, happens: () => happens(given) };

    await performAction(approve, deps);

    expect(writes).toEqual([]);
    expect(await deps.requests.get('req_much')).toMatchObject({ state: 'open' });
    expect(answers.at(-1)?.text).toMatch(/has just been|may no longer approve|needs another approver|Only approvers/i);
  });

  it('changes nothing if the two approvers became one, and says so', async () => {
    const given = await world();
    const { answers, writes, deps: plain } = given.world;
    let isDelegate = false;
    const rolesOf: WorldDeps['rolesOf'] = async (userId, options) => {
      if (userId !== 'U0ANA' || !isDelegate) return await plain.rolesOf(userId, options);
      const mayNot = (await options?.mayNot?.('U0BEN')) === true;
      return { roles: mayNot ? [] : ['approver'], isComplete: true, inPlaceOf: mayNot ? [] : ['U0BEN'] };
    };
    const deps = { ...plain, rolesOf };
    await performAction(limit(2000), deps);
    const becomesDelegate = (): void => {
      isDelegate = true;
    };
    given.meanwhile = { atRead: 2, happens: becomesDelegate };

    await performAction(approve, deps);

    expect(writes).toEqual([]);
    expect(answers.at(-1)?.text).toContain(
      'Two of the approvals now count as one: one approver stands in for the other',
    );
  });

  it('changes nothing of a card that its holder no longer holds', async () => {
    const given = await world();
    const { deps, answers, writes } = given.world;
    given.roles.set('U0HUGO', ['holder']);
    await askedToPay(given.world, 50_000);
    given.world.advance(16 * 60_000);
    given.meanwhile = { atRead: 2, happens: () => link(given.world, 'U0IDA') };

    await performAction(approvalClick('act_ben', 'U0BEN'), deps);

    expect(writes).toEqual([]);
    expect(answers.at(-1)?.text).toContain('no longer holds the card');
  });

  it.each<[string, (given: Given) => Promise<unknown>, VerbAction]>([
    ['a holder', ({ world: asked }) => askedToPay(asked, 50_000), approvalClick('act_ben', 'U0BEN')],
    [
      'an approver who asked about their own card',
      async ({ world: asked }) => {
        await link(asked, 'U0ANA');
        await performAction(limit(900), asked.deps);
        asked.advance(-16 * 60_000);
      },
      approve,
    ],
  ])('changes nothing for %s whose Slack account is deactivated', async (_who, asks, approves) => {
    const given = await world();
    const { deps, answers, writes } = given.world;
    const someone = { name: null, email: null, isBot: false, isGuest: false, isExternal: false };
    let isDeactivated = false;
    deps.person = async () => ({ ...someone, isDeactivated });
    given.roles.set('U0HUGO', ['holder']);
    await asks(given);
    given.world.advance(16 * 60_000);
    const leaves = (): void => {
      isDeactivated = true;
    };
    given.meanwhile = { atRead: 2, happens: leaves };

    await performAction(approves, deps);

    expect(writes).toEqual([]);
    expect(answers.at(-1)?.text).toContain(
      'The Slack account of whoever asked for it is deactivated. Nothing changed.',
    );
  });

  it('is made if nothing happened', async () => {
    const given = await world();
    await performAction(limit(2000), given.world.deps);

    await performAction(approve, given.world.deps);

    expect(given.world.service.rules['DailySpendLimit']).toBe(2000);
  });

  it('is not sent again if the card was blocked after an attempt whose answer was lost', async () => {
    const given = await world();
    const { deps, service } = given.world;
    await performAction(limit(2000), deps);
    const { putSpendRules } = deps.card;
    deps.card.putSpendRules = async () => {
      throw unanswered();
    };
    await performAction(approve, deps).catch(() => {});
    deps.card.putSpendRules = putSpendRules;
    service.status = 'BLOCKED';

    await performAction(approve, deps);

    expect(service.rules['DailySpendLimit']).toBe(400);
  });
});
