import { describe, expect, it } from 'vitest';
import type { VerbAction } from '../../../src/dispatch/verbs.ts';
import { createLinks } from '../../../src/holders/link-store.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import { acctId, ask, byCommand, createActionWorld, type Over, performAction } from '../../support/perform-world.ts';

const redis = useRedis();
const ANA = { userId: 'U0ANA', teamId: 'T1' };
const BEN = { userId: 'U0BEN', teamId: 'T1' };

/** A card that Ana held until `agoMs` ago and then unlinked herself. `next` has been linked to it since. */
async function afterUnlink(agoMs: number, next: string | null = null) {
  let now = Date.now() - agoMs;
  const links = createLinks(redis(), () => new Date(now));
  const link = (userId: string) =>
    links.link({ acctId, userId, provedBy: 'approver', by: BEN.userId, at: new Date(now).toISOString() });
  await link(ANA.userId);
  if (next === null) await links.unlink(acctId);
  else await link(next);
  now = Date.now();
  const world = await createActionWorld(redis(), { links });
  return { world, links, link };
}

const decide = (over: Over): VerbAction =>
  ask('decide', { approve: true, id: 'act_decide1', target: { kind: 'request', requestId: 'req_limit1' }, ...over });
const text = ({ answers }: { answers: readonly { text: string }[] }): string => answers.at(-1)?.text ?? '';

describe("one's own card", () => {
  it.each([
    ['unlinked a moment ago', 0, null],
    ['unlinked 23 hours ago', 23 * 3_600_000, null],
    ['linked to someone else in the meantime', 0, 'U0HUGO'],
  ] as const)('%s is not unblocked by its former holder', async (_when, agoMs, next) => {
    const { world } = await afterUnlink(agoMs, next);
    world.service.status = 'BLOCKED';

    await performAction(ask('unblock', { ...byCommand, actor: ANA }), world.deps);

    expect(text(world)).toContain('can’t unblock your own card');
    expect(world.writes).toEqual([]);
    expect(await world.stations()).toEqual(['refused']);
  });

  it('unlinked more than a day ago is a card like any other', async () => {
    const { world } = await afterUnlink(25 * 3_600_000);
    world.service.status = 'BLOCKED';

    await performAction(ask('unblock', { ...byCommand, actor: ANA }), world.deps);

    expect(world.writes).toEqual(['status ACTIVE']);
  });

  it("unlinked a moment ago needs another approver for a raise, and the former holder's approval does not count", async () => {
    const { world } = await afterUnlink(0);

    await performAction(ask('limit', { ...byCommand, actor: ANA }), world.deps);

    expect(world.writes).toEqual([]);
    const [request] = await world.deps.requests.open();
    expect(request).toMatchObject({ approvals: [], needed: 1, holder: null });
    await performAction(decide({ actor: ANA, id: 'act_decide2' }), world.deps);
    expect(text(world)).toContain('It is your own card');
    await performAction(decide({ actor: BEN }), world.deps);
    expect(world.writes).toEqual(['limit 450']);
  });

  it('linked after the request was made keeps its new holder from approving', async () => {
    const { world, link } = await afterUnlink(25 * 3_600_000);
    const changeRequest = {
      goals: [limitGoal('daily', 180_000)],
      term: { kind: 'permanent' },
    } as const;
    await performAction(ask('limit', { ...byCommand, actor: ANA, changeRequest }), world.deps);
    expect(await world.deps.requests.open()).toHaveLength(1);
    await link(BEN.userId);

    await performAction(decide({ actor: BEN }), world.deps);

    expect(text(world)).toContain('It is your own card');
    expect(world.writes).toEqual([]);
  });
});
