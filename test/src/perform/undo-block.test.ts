import { describe, expect, it } from 'vitest';
import { performAction } from '../../../src/perform-action.ts';
import { ask, byCommand, createPerformWorld, type PerformWorld } from '../../support/perform-world.ts';
import { useRedis } from '../store/on-redis.ts';

const redis = useRedis();
const OTTO = { userId: 'U0OTTO', teamId: 'T1' };

const block = (id: string, over = {}) => ask('block', { ...byCommand, id, ...over });
const undo = ask('undo_block', { id: 'act_undo', target: { kind: 'action', actionId: 'act_first' } });

async function blocked(): Promise<PerformWorld> {
  const world = await createPerformWorld(redis());
  await performAction(block('act_first'), world.deps);
  expect(world.service.status).toBe('BLOCKED');
  return world;
}

describe('Undo', () => {
  it('lifts the own block, also one that was asked for twice', async () => {
    const world = await blocked();
    await performAction(block('act_again'), world.deps);

    await performAction(undo, world.deps);

    expect(world.writes).toEqual(['status BLOCKED', 'status ACTIVE']);
  });

  it('does not lift what somebody else wants as well, and names them', async () => {
    const world = await blocked();
    await performAction(block('act_other', { actor: OTTO }), world.deps);

    await performAction(undo, world.deps);

    expect(world.answers.at(-1)?.text).toMatch(/Somebody else wants this card blocked.*<@U0OTTO>.*Nothing changed/);
    expect(world.writes).toEqual(['status BLOCKED']);
    expect((await world.stations()).at(-1)).toBe('refused');
  });

  it('does not lift a later block, whoever made it', async () => {
    const world = await blocked();
    await performAction(ask('unblock', { ...byCommand, actor: OTTO }), world.deps);
    await performAction(block('act_later'), world.deps);

    await performAction(undo, world.deps);

    expect(world.answers.at(-1)?.text).toContain('unblocked and blocked again');
    expect(world.service.status).toBe('BLOCKED');
  });

  it('of a new block counts nobody who wanted one before the card was active again', async () => {
    const world = await createPerformWorld(redis());
    await performAction(block('act_old', { actor: OTTO }), world.deps);
    await performAction(ask('unblock', { ...byCommand, actor: OTTO }), world.deps);
    await performAction(block('act_first'), world.deps);

    await performAction(undo, world.deps);

    expect(world.service.status).toBe('ACTIVE');
  });
});
