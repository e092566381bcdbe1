import { describe, expect, it } from 'vitest';
import type { Term } from '../../../src/card-api/rule-change.ts';
import type { VerbAction } from '../../../src/dispatch/verbs.ts';
import { approvalClick, askedToPay, type Told } from '../../support/asked-for-more.ts';
import { killEverywhere } from '../../support/kill-everywhere.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  createActionWorld,
  endTemporaryChange,
  type PerformWorld,
  performAction,
  verbsOf,
  verifyAction,
} from '../../support/perform-world.ts';

const redis = useRedis();
const person = (userId: string) => ({ userId, teamId: 'T1' });
const askedAt = '2026-11-20T15:20:00.000Z';

/** Otto, an operator, takes back what Ben approved. */
const takeBack = ask('revert', {
  id: 'act_back',
  target: { kind: 'temporary-change', temporaryChangeId: 'act_ben' },
  actor: person('U0OTTO'),
  roles: ['operator'],
  askedAt,
});

/** Somebody sets the daily limit. */
const set = (cents: number, term: Term = { kind: 'permanent' }, by = 'U0ZOE', id = 'act_zoe'): VerbAction =>
  ask('limit', {
    ...byCommand,
    id,
    actor: person(by),
    changeRequest: { goals: [limitGoal('daily', cents)], term },
    askedAt,
  });

interface Promised {
  readonly world: PerformWorld;
  readonly hugo: Told;
}

async function promise(world: PerformWorld): Promise<Told> {
  const hugo = await askedToPay(world, 60_000);
  world.advance(20 * 60_000);
  await performAction(approvalClick('act_ben', 'U0BEN'), hugo.deps);
  world.advance(2000);
  await verifyAction('act_ben', hugo.deps);
  return hugo;
}

/** Hugo was told that he can pay $600.00 for an hour: the daily limit is $1,000.00 instead of $400.00. */
async function promised(): Promise<Promised> {
  const world = await createActionWorld(redis());
  const hugo = await promise(world);
  expect(hugo.told()).toEqual([expect.stringContaining('you can pay $600.00 until')]);
  return { world, hugo };
}

/** What Hugo and Ben read after that promise. */
function news({ world, hugo }: Promised): { readonly hugo: string[]; readonly ben: string[] } {
  return { hugo: hugo.told().slice(1), ben: world.direct.map(({ text }) => text) };
}

const takenBackFromHugo =
  'U0HUGO lost-act_ben: <@U0OTTO> took back what <@U0BEN> approved: daily limit $400.00 again · your card of account 7378. If you have not paid $600.00 yet, it may be declined now. Ask again, or talk to <@U0OTTO>.';
const takenBackFromBen =
  '<@U0OTTO> took back what <@U0BEN> approved: daily limit $400.00 again · Jane Doe · card of account 7378. The cardholder, <@U0HUGO>, has been told.';

describe('what a holder was told they can pay', () => {
  it('is over when somebody takes it back: the holder and whoever approved it read that', async () => {
    const one = await promised();

    await performAction(takeBack, one.hugo.deps);

    expect(one.world.service.rules['DailySpendLimit']).toBe(400);
    expect(news(one)).toEqual({ hugo: [takenBackFromHugo], ben: [takenBackFromBen] });
  });

  it('is over when somebody sets a lower limit', async () => {
    const one = await promised();

    await performAction(set(10_000), one.hugo.deps);

    expect(news(one)).toEqual({
      hugo: [
        'U0HUGO lost-act_ben: <@U0ZOE> changed what <@U0BEN> approved: daily limit $100.00 permanently · your card of account 7378. If you have not paid $600.00 yet, it may be declined now. Ask again, or talk to <@U0ZOE>.',
      ],
      ben: [expect.stringContaining('changed what <@U0BEN> approved: daily limit $100.00 permanently')],
    });
  });

  it('is over when somebody sets a lower limit for less time than it was to last', async () => {
    const one = await promised();

    await performAction(set(10_000, { kind: 'duration', ms: 600_000 }), one.hugo.deps);

    expect(news(one).hugo).toEqual([
      expect.stringContaining('daily limit $100.00 for 10 minutes · your card of account 7378'),
    ]);
  });

  it('ends sooner when somebody sets the same limit for less time', async () => {
    const one = await promised();

    await performAction(set(100_000, { kind: 'duration', ms: 600_000 }), one.hugo.deps);

    expect(news(one).hugo).toEqual([
      expect.stringContaining(
        'daily limit $1,000.00 for 10 minutes · your card of account 7378. If you have not paid $600.00 yet, pay before that ends.',
      ),
    ]);
  });

  it.each([
    ['a higher limit for good', set(120_000)],
    ['a higher limit for less time', set(120_000, { kind: 'duration', ms: 600_000 })],
    ['the same limit for good', set(100_000)],
    ['the same limit for longer', set(100_000, { kind: 'duration', ms: 7_200_000 })],
  ])('stays so when somebody sets %s', async (_what, action) => {
    const one = await promised();

    await performAction(action, one.hugo.deps);

    expect(news(one)).toEqual({ hugo: [], ben: [] });
  });

  it('ends without a word when its time is over, or when it was paid', async () => {
    const late = await promised();
    late.world.advance(3_600_000);
    await endTemporaryChange('act_ben', late.hugo.deps);
    expect(news(late)).toEqual({ hugo: [], ben: [] });

    const paid = await promised();
    await verbsOf(paid.hugo.deps).endTemporaryChange('act_ben', true);
    expect(paid.world.service.rules['DailySpendLimit']).toBe(400);
    expect(news(paid)).toEqual({ hugo: [], ben: [] });
  });

  it('is taken back without a message to whoever does that, and to somebody who no longer holds the card', async () => {
    const one = await promised();
    await one.hugo.deps.links.unlink(acctId);

    await performAction({ ...takeBack, actor: person('U0BEN'), roles: ['approver'] }, one.hugo.deps);

    expect(news(one)).toEqual({ hugo: [], ben: [] });
  });
});

it.each([
  ['taken back', takeBack, takenBackFromHugo],
  ['lowered', set(10_000), 'changed what <@U0BEN> approved: daily limit $100.00 permanently'],
])('a promise that is %s is not left standing when the worker is killed at any step', async (_what, action, words) => {
  let hugo: Told;
  await killEverywhere(
    action,
    async (world) => {
      hugo = await promise(world);
      return hugo.deps;
    },
    async (_world, diedAt) => {
      expect(hugo.told().slice(1), diedAt).toEqual([expect.stringContaining(words)]);
    },
  );
});

/** What Hugo reads if something happens to what Ben approved before anything has shown it. */
async function toldIfBeforeShown(action: VerbAction): Promise<string[]> {
  const world = await createActionWorld(redis());
  const hugo = await askedToPay(world, 60_000);
  world.advance(20 * 60_000);
  await performAction(approvalClick('act_ben', 'U0BEN'), hugo.deps);
  await performAction(action, hugo.deps);

  for (let again: number | null = 0; again !== null; ) {
    world.advance(again);
    again = await verifyAction('act_ben', hugo.deps);
  }
  return hugo.told();
}

describe('a change of which nothing has shown anything', () => {
  it.each([
    ['taken back', takeBack, takenBackFromHugo],
    ['lowered', set(10_000), 'daily limit $100.00 permanently'],
    ['shortened', set(100_000, { kind: 'duration', ms: 600_000 }), 'daily limit $1,000.00 for 10 minutes'],
  ])('is not announced as approved after its holder has read that it was %s', async (_how, action, words) => {
    expect(await toldIfBeforeShown(action)).toEqual([expect.stringContaining(words)]);
  });

  it('is announced as approved if somebody has set a higher limit instead', async () => {
    expect(await toldIfBeforeShown(set(120_000))).toEqual([expect.stringContaining('Approved by <@U0BEN>')]);
  });
});
