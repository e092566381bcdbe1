import { describe, expect, it } from 'vitest';
import { temporaryChangeIdOf } from '../../../src/approvals/request.ts';
import type { VerbAction } from '../../../src/dispatch/verbs.ts';
import { REQUEST_OVERDUE_MS } from '../../../src/policy/decide-action.ts';
import { approvalRequest } from '../../../templates/approvals/approval-request.ts';
import { approvalClick, askedToPay, denial, override, type Told } from '../../support/asked-for-more.ts';
import { unanswered } from '../../support/card-api-errors.ts';
import { killEverywhere } from '../../support/kill-everywhere.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  ask,
  byCommand,
  createActionWorld,
  type PerformWorld,
  performAction,
  verifyAction,
  type WorldDeps,
} from '../../support/perform-world.ts';

const redis = useRedis();

const away = (): never => {
  throw unanswered();
};
const fault = (): never => {
  throw new Error('a fault of ours');
};

interface Asked {
  readonly world: PerformWorld;
  readonly hugo: Told;
}
async function asked(): Promise<Asked> {
  const world = await createActionWorld(redis());
  return { world, hugo: await askedToPay(world, 50_000) };
}

/** The last attempt of a click whose write fails. @param how whether the write arrives, and the error that follows it. */
async function endsUnknown(click: VerbAction, { hugo }: Asked, how: { arrives: boolean; opsIssue: () => never }) {
  const { deps } = hugo;
  let isSent = false;
  const card: WorldDeps['card'] = {
    ...deps.card,
    putSpendRules: async (...args) => {
      isSent = true;
      if (how.arrives) await deps.card.putSpendRules(...args);
      how.opsIssue();
    },
    getSpendRules: async (...args) => (isSent ? how.opsIssue() : await deps.card.getSpendRules(...args)),
  };
  await performAction(click, { ...deps, card, isLastAttempt: true }).catch(() => {});
}

async function lookUntilOver(id: string, { world, hugo }: Asked, over: Partial<WorldDeps> = {}): Promise<void> {
  for (let again: number | null = 0; again !== null; ) {
    world.advance(again);
    again = await verifyAction(id, { ...hugo.deps, ...over });
  }
}

async function shown({ world }: Asked): Promise<string> {
  const request = await world.deps.requests.get('req_ask1');
  if (request === null) return '';
  const id = temporaryChangeIdOf(request);
  const temporaryChange = id === null ? null : await world.deps.temporaryChanges.get(id);
  return JSON.stringify(approvalRequest(request, temporaryChange));
}

const clicks: readonly [string, VerbAction, 'approved' | 'overridden', string][] = [
  ['an approval', approvalClick('act_ben', 'U0BEN'), 'approved', 'U0BEN'],
  ['an emergency override', override, 'overridden', 'U0OTTO'],
];
const opsIssues: readonly [string, () => never][] = [
  ['the card service does not respond', away],
  ['Cardbell itself fails', fault],
];
const cases = clicks.flatMap(([what, click, state, by]) =>
  opsIssues.map(([when, opsIssue]) => ({ what, click, state, by, when, opsIssue })),
);

describe.each(cases)('$what whose outcome is unknown because $when', ({ click, state, by, opsIssue }) => {
  it('decides the request once the card shows the change, and notifies the holder', async () => {
    const one = await asked();
    one.world.advance(REQUEST_OVERDUE_MS);

    await endsUnknown(click, one, { arrives: true, opsIssue });
    expect(await shown(one)).toContain('I’m checking whether the change was made');
    expect(one.hugo.told()).toEqual([]);
    await lookUntilOver(click.id, one);

    expect(await one.world.deps.requests.get('req_ask1')).toMatchObject({
      state,
      decision: { by, actionId: click.id },
    });
    expect(one.hugo.told()).toEqual([
      expect.stringMatching(new RegExp(`^U0HUGO req_ask1-${state}: .*you can pay \\$500\\.00 until`)),
    ]);
    expect((await one.world.stations()).slice(-3)).toEqual(['sent', 'unknown', 'confirmed']);
    expect(await shown(one)).toContain('Goes back to');
  });

  it('leaves the request open if the card does not show the change, and informs the holder and the approvers', async () => {
    const one = await asked();
    one.world.advance(REQUEST_OVERDUE_MS);

    await endsUnknown(click, one, { arrives: false, opsIssue });
    await lookUntilOver(click.id, one);

    expect(await one.world.deps.requests.get('req_ask1')).toMatchObject({ state: 'open' });
    const did = state === 'overridden' ? 'used the emergency override' : 'approved';
    expect(one.hugo.told()).toEqual([
      expect.stringMatching(
        new RegExp(`^U0HUGO req_ask1-unconfirmed-${click.id}: <@${by}> ${did}, but .* not confirmed`),
      ),
    ]);
    expect(await shown(one)).toContain('It may still have been made');
    expect((await one.world.stations()).slice(-3)).toEqual(['sent', 'unknown', 'unconfirmed']);
  });
});

it.each(clicks)(
  '%s with an unknown outcome makes one write and one decision when its worker is killed at any step',
  async (_what, click, state) => {
    let hugo: Told;
    const steps = await killEverywhere(
      click,
      async (world) => {
        hugo = await askedToPay(world, 50_000);
        world.advance(REQUEST_OVERDUE_MS);
        const { deps } = hugo;
        // Nothing can be read between the write and the verification.
        let isBlind = false;
        const card: WorldDeps['card'] = {
          ...deps.card,
          putSpendRules: async (...args) => {
            await deps.card.putSpendRules(...args);
            isBlind = true;
            away();
          },
          getSpendRules: async (...args) => (isBlind ? away() : await deps.card.getSpendRules(...args)),
        };
        const scheduleConfirm = async () => {
          isBlind = false;
        };
        return { ...deps, card, isLastAttempt: true, scheduleConfirm };
      },
      async (world, diedAt) => {
        expect(world.writes, diedAt).toEqual(['limit 900']);
        expect(await world.deps.requests.get('req_ask1'), diedAt).toMatchObject({
          state,
          decision: { actionId: click.id },
        });
        expect(hugo.told(), diedAt).toEqual([expect.stringContaining('you can pay $500.00 until')]);
      },
    );

    expect(steps).toBeGreaterThan(30);
  },
);

describe('while the outcome of an approval is unknown', () => {
  it('nobody can deny the request, because the change may be in effect', async () => {
    const one = await asked();
    await endsUnknown(approvalClick('act_ben', 'U0BEN'), one, { arrives: true, opsIssue: away });

    await performAction(denial('act_zoe', 'U0ZOE'), one.hugo.deps);

    expect(one.world.answers.at(-1)?.text).toMatch(/approved it just now.*Wait two minutes/);
    expect((await one.world.stations()).at(-1)).toBe('refused');
    expect((await one.world.deps.requests.get('req_ask1'))?.state).toBe('open');
  });

  it('another approval decides the request', async () => {
    const one = await asked();
    await endsUnknown(approvalClick('act_ben', 'U0BEN'), one, { arrives: false, opsIssue: away });

    await performAction(approvalClick('act_zoe', 'U0ZOE'), one.hugo.deps);
    await lookUntilOver('act_ben', one);
    await lookUntilOver('act_zoe', one);

    expect(await one.world.deps.requests.get('req_ask1')).toMatchObject({
      state: 'approved',
      decision: { by: 'U0ZOE' },
    });
    expect(one.hugo.told()).toEqual([expect.stringContaining('Approved by <@U0ZOE>: you can pay $500.00 until')]);
    expect(one.world.writes).toEqual(['limit 900']);
  });

  it('a denial after an unconfirmed approval does not claim that nothing changed', async () => {
    const one = await asked();
    await endsUnknown(approvalClick('act_ben', 'U0BEN'), one, { arrives: false, opsIssue: away });
    await lookUntilOver('act_ben', one);

    await performAction(denial('act_zoe', 'U0ZOE'), one.hugo.deps);

    expect(await shown(one)).toMatch(/Denied by .*It may still have been made/);
    expect(await shown(one)).not.toContain('Nothing changed');
    expect(one.hugo.told().at(-1)).toContain('Whether an earlier approval changed anything is not certain');
  });
});

it('does not count a failed emergency override as the one per day, even if its job was not retried', async () => {
  const one = await asked();
  one.world.advance(REQUEST_OVERDUE_MS);
  const { deps } = one.hugo;
  const readless = { ...deps, isLastAttempt: true, card: { ...deps.card, getSpendRules: async () => away() } };

  await performAction(override, readless);
  expect(one.world.answers.at(-1)?.text).toContain('Nothing changed');
  await performAction({ ...override, id: 'act_glass2' }, deps);

  expect((await deps.requests.get('req_ask1'))?.state).toBe('overridden');
});

it('that the card service accepted, but the card never shows, is not simply approved', async () => {
  const updated: string[] = [];
  const world = await createActionWorld(redis(), { updateRequest: async (id) => void updated.push(id) });
  const changeRequest = { goals: [limitGoal('daily', 200_000)], term: { kind: 'permanent' } } as const;
  await performAction(ask('limit', { ...byCommand, id: 'act_ask1', changeRequest }), world.deps);
  const card = { ...world.deps.card, putSpendRules: async () => {} };
  await performAction(approvalClick('act_ben', 'U0BEN'), { ...world.deps, card });
  const message = async () => {
    const request = await world.deps.requests.get('req_ask1');
    return request === null ? '' : JSON.stringify(approvalRequest(request));
  };
  expect(await message()).not.toContain('Not confirmed');
  updated.length = 0;

  for (let again: number | null = 0; again !== null; ) {
    world.advance(again);
    again = await verifyAction('act_ben', { ...world.deps, card });
  }

  expect(await message()).toContain('*Not confirmed* by the card service within 2 minutes. Check the card.');
  expect(await world.deps.requests.get('req_ask1')).toMatchObject({ state: 'approved', decision: { by: 'U0BEN' } });
  expect(updated).toContain('req_ask1');
});

it('verifies an undo that fails between the write and its response', async () => {
  const world = await createActionWorld(redis());
  await performAction(ask('block', { ...byCommand, id: 'act_first' }), world.deps);
  const undo = ask('undo-block', { id: 'act_undo', target: { kind: 'action', actionId: 'act_first' } });
  const setCardStatus: WorldDeps['card']['setCardStatus'] = async (...args) => {
    await world.deps.card.setCardStatus(...args);
    fault();
  };
  const broken = { ...world.deps, isLastAttempt: true, card: { ...world.deps.card, setCardStatus } };
  await performAction(undo, broken).catch(() => {});
  expect(world.answers.at(-1)?.text).toMatch(/^Not sure/);

  for (let again: number | null = 0; again !== null; ) {
    world.advance(again);
    again = await verifyAction('act_undo', world.deps);
  }

  expect((await world.stations()).slice(-2)).toEqual(['unknown', 'confirmed']);
});
