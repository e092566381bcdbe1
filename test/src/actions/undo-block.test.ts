import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CardApiError } from '../../../src/core/errors.ts';
import { createLock } from '../../../src/core/lock.ts';
import type { Role } from '../../../src/policy/decide-action.ts';
import { refusal, unanswered } from '../../support/card-api-errors.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  cardId,
  createActionWorld,
  type PerformWorld,
  performAction,
  verbsOf,
  verifyAction,
  type WorldDeps,
} from '../../support/perform-world.ts';
import { refusedOf } from '../../support/refused.ts';

const redis = useRedis();
const OTTO = { userId: 'U0OTTO', teamId: 'T1' };

const block = (id: string, over = {}) => ask('block', { ...byCommand, id, ...over });
const undo = ask('undo-block', { id: 'act_undo', target: { kind: 'action', actionId: 'act_first' } });

async function blocked(): Promise<PerformWorld> {
  const world = await createActionWorld(redis());
  await performAction(block('act_first'), world.deps);
  expect(world.service.status).toBe('BLOCKED');
  return world;
}

/** The card service does not take a new status. */
const failing =
  (error: CardApiError) =>
  ({ deps }: PerformWorld): WorldDeps['card'] => ({
    ...deps.card,
    async setCardStatus() {
      throw error;
    },
  });

describe('Undo', () => {
  it('lifts the person’s own block, even one requested twice', async () => {
    const world = await blocked();
    await performAction(block('act_again'), world.deps);

    await performAction(undo, world.deps);

    expect(world.writes).toEqual(['status BLOCKED', 'status ACTIVE']);
  });

  it('is not offered to holders who blocked their own card, because an approver has to unblock it', async () => {
    const world = await createActionWorld(redis());
    const link = {
      acctId,
      userId: OTTO.userId,
      provedBy: 'approver',
      by: 'U0BEN',
      at: '2026-11-20T15:00:00.000Z',
    } as const;
    await world.deps.links.link(link);

    await performAction(block('act_first', { actor: OTTO, roles: ['holder'] }), world.deps);

    expect(world.service.status).toBe('BLOCKED');
    expect(JSON.stringify(world.answers)).not.toContain('undo_block');
  });

  it('does not lift a block that someone else also wants, and names them', async () => {
    const world = await blocked();
    await performAction(block('act_other', { actor: OTTO }), world.deps);

    await performAction(undo, world.deps);

    expect(world.answers.at(-1)?.text).toMatch(/Somebody else wants this card blocked.*<@U0OTTO>.*Nothing changed/);
    expect(world.writes).toEqual(['status BLOCKED']);
    expect((await world.stations()).at(-1)).toBe('refused');
  });

  it('does not lift a block that someone else also wants, however often the person asks for it again', async () => {
    const world = await blocked();
    await performAction(block('act_other', { actor: OTTO }), world.deps);
    for (let count = 0; count < 30; count += 1) await performAction(block(`act_again${count}`), world.deps);

    await performAction(undo, world.deps);

    expect(world.answers.at(-1)?.text).toMatch(/Somebody else wants this card blocked.*<@U0OTTO>/);
    expect(world.service.status).toBe('BLOCKED');
  });

  it('tells an approver who may not undo it how to unblock the card, and others to ask an approver', async () => {
    const world = await blocked();
    const undoBy = (id: string, roles: Role[]) => performAction({ ...undo, id, actor: OTTO, roles }, world.deps);

    await undoBy('act_undo_1', ['approver', 'operator']);
    expect(world.answers.at(-1)?.text).toMatch(
      /Only the person who blocked it can undo this\. You can unblock the card: `\/card unblock \d+`\. Nothing changed\./,
    );
    await undoBy('act_undo_2', ['operator']);
    expect(world.answers.at(-1)?.text).toContain('An approver can unblock the card.');
  });

  it('that waited longer than ten minutes is refused like any other: with its card, and with what the reader can do', async () => {
    const world = await blocked();
    const askedAt = '2026-11-20T15:00:20.000Z';
    world.advance(11 * 60_000);

    await performAction({ ...undo, askedAt }, world.deps);

    expect(world.answers.at(-1)?.text).toMatch(
      /one minute only\. You can unblock the card: `\/card unblock \d+`\. Nothing changed\./,
    );
    expect(await refusedOf(world)).toMatchObject([{ verb: 'undo-block', acctId }]);
    expect(world.writes).toEqual(['status BLOCKED']);
  });

  it('is not sent if it has waited longer than ten minutes by then', async () => {
    const world = await blocked();
    const askedAt = '2026-11-20T15:00:20.000Z';
    world.advance(10 * 60_000);
    const getAccount: WorldDeps['card']['getAccount'] = async (...args) => {
      world.advance(60_000);
      return await world.deps.card.getAccount(...args);
    };

    await performAction({ ...undo, askedAt }, { ...world.deps, card: { ...world.deps.card, getAccount } });

    expect(world.answers.at(-1)?.text).toContain('one minute only');
    expect(world.writes).toEqual(['status BLOCKED']);
  });

  it('does not forget who else wants a block once the block is confirmed', async () => {
    const world = await blocked();
    await performAction(block('act_other', { actor: OTTO }), world.deps);
    world.advance(3000);
    expect(await verifyAction('act_first', world.deps)).toBeNull();
    expect(await world.stations()).toContain('confirmed');

    await performAction(undo, world.deps);

    expect(world.answers.at(-1)?.text).toMatch(/Somebody else wants this card blocked.*<@U0OTTO>/);
    expect(world.service.status).toBe('BLOCKED');
  });

  it('does not lift a later block, even one by the same person', async () => {
    const world = await blocked();
    await performAction(ask('unblock', { ...byCommand, actor: OTTO }), world.deps);
    await performAction(block('act_later'), world.deps);

    await performAction(undo, world.deps);

    expect(world.answers.at(-1)?.text).toContain('unblocked and blocked again');
    expect(world.service.status).toBe('BLOCKED');
  });

  it('pressed again says that the card was unblocked already', async () => {
    const world = await blocked();
    await performAction(undo, world.deps);

    await performAction({ ...undo, id: 'act_undo_2' }, world.deps);

    expect(world.answers.at(-1)?.text).toContain('This card was unblocked already. Nothing is left to undo.');
    expect(world.writes).toEqual(['status BLOCKED', 'status ACTIVE']);
  });

  it.each<[string, boolean]>([
    ['is tried again', false],
    ['is given up', true],
  ])('pressed again is not certain while the first one got no answer and %s', async (_how, isLastAttempt) => {
    const world = await blocked();
    const silent = { ...world.deps, card: failing(unanswered())(world), isLastAttempt };
    await performAction(undo, silent).catch(() => {});

    await performAction({ ...undo, id: 'act_undo_2' }, world.deps);

    expect(world.answers.at(-1)?.text).toBe(
      'Not certain: Undoing the block. An unblock was sent already, but the card service has not answered yet. Look at the card again in two minutes.',
    );
    expect(world.writes).toEqual(['status BLOCKED']);
  });

  it('still lifts the block after the card service has refused somebody else’s unblock', async () => {
    const world = await blocked();
    const refused = failing(refusal());
    await performAction(ask('unblock', { ...byCommand, actor: OTTO }), { ...world.deps, card: refused(world) });
    expect(world.answers.at(-1)?.text).toContain('Nothing changed');

    await performAction(undo, world.deps);

    expect(world.service.status).toBe('ACTIVE');
  });

  it('whose first attempt failed lifts the block at the second', async () => {
    const world = await blocked();
    const unsent = failing(unanswered({ outcome: 'not_sent' }));
    await expect(performAction(undo, { ...world.deps, card: unsent(world) })).rejects.toThrow(CardApiError);

    await performAction(undo, world.deps);

    expect(world.service.status).toBe('ACTIVE');
  });

  it('whose first attempt failed does not lift a block that someone else wants by the second', async () => {
    const world = await blocked();
    const unsent = failing(unanswered({ outcome: 'not_sent' }));
    await expect(performAction(undo, { ...world.deps, card: unsent(world) })).rejects.toThrow(CardApiError);
    await performAction(block('act_other', { actor: OTTO }), world.deps);

    await performAction(undo, world.deps);

    expect(world.answers.at(-1)?.text).toMatch(/Somebody else wants this card blocked.*<@U0OTTO>.*Nothing changed/);
    expect(world.service.status).toBe('BLOCKED');
  });

  it('ignores people who wanted an earlier block, before the card was active again', async () => {
    const world = await createActionWorld(redis());
    await performAction(block('act_old', { actor: OTTO }), world.deps);
    await performAction(ask('unblock', { ...byCommand, actor: OTTO }), world.deps);
    await performAction(block('act_first'), world.deps);

    await performAction(undo, world.deps);

    expect(world.service.status).toBe('ACTIVE');
  });
});

/** A block that the card service does not take at its first attempt, because it limits how much Cardbell sends. */
async function takenLater(world: PerformWorld, action: ReturnType<typeof block>): Promise<void> {
  const limited = failing(unanswered({ code: 'rate_limited', outcome: 'not_sent' }));
  await expect(performAction(action, { ...world.deps, card: limited(world) })).rejects.toThrow(CardApiError);
}

describe('Undo while another block is tried again', () => {
  const at = (second: number) => ({ askedAt: `2026-11-20T15:00:${String(second).padStart(2, '0')}.000Z` });

  it('does not end the block of somebody else', async () => {
    const world = await createActionWorld(redis());
    const others = block('act_other', { actor: OTTO });
    await takenLater(world, others);
    await performAction(block('act_first', at(5)), world.deps);
    await performAction({ ...undo, ...at(20) }, world.deps);

    await performAction(others, world.deps);

    expect(world.writes).toEqual(['status BLOCKED', 'status ACTIVE', 'status BLOCKED']);
  });

  it('does not lift a block that somebody else also wants, whose own got no answer', async () => {
    const world = await createActionWorld(redis());
    const lost = failing(unanswered());
    const others = block('act_other', { actor: OTTO });
    await expect(performAction(others, { ...world.deps, card: lost(world) })).rejects.toThrow(CardApiError);
    await performAction(block('act_first', at(5)), world.deps);

    await performAction({ ...undo, ...at(20) }, world.deps);

    expect(world.answers.at(-1)?.text).toMatch(/Somebody else wants this card blocked.*<@U0OTTO>/);
    expect(world.service.status).toBe('BLOCKED');
  });

  it('ends an earlier block of the same person, who wants the card to work', async () => {
    const world = await createActionWorld(redis());
    const earlier = block('act_earlier');
    await takenLater(world, earlier);
    await performAction(block('act_first', at(5)), world.deps);
    await performAction({ ...undo, ...at(20) }, world.deps);

    await performAction(earlier, world.deps);

    expect(world.writes).toEqual(['status BLOCKED', 'status ACTIVE']);
    expect(world.answers.at(-1)?.text).toContain('so I did not make yours');
  });
});

const unsure = (): never => {
  throw unanswered();
};

/** Processes a status webhook as the worker does. */
async function tellStatus({ deps }: PerformWorld, status: 'ACTIVE' | 'BLOCKED', second: number): Promise<void> {
  const callbackAt = `2026-11-20T15:00:0${second}.0000000Z`;
  const record = { eventId: `evt_status${second}`, status, callbackAt, receivedAt: callbackAt };
  await deps.history.addStatus(cardId, record);
  await deps.history.expectedAction({ acctId, id: record.eventId, callbackAt }, status);
}

describe('Undo after the card became active in another way', () => {
  it.each<[string, (world: PerformWorld) => Promise<void>]>([
    [
      'the response to an unblock was lost and it is found done',
      async ({ deps }) => {
        const setCardStatus: WorldDeps['card']['setCardStatus'] = async (...args) => {
          await deps.card.setCardStatus(...args);
          unsure();
        };
        await performAction(ask('unblock', byCommand), { ...deps, card: { ...deps.card, setCardStatus } });
      },
    ],
    [
      'the worker died after the write and the next one finds it done',
      async ({ deps }) => {
        const setCardStatus: WorldDeps['card']['setCardStatus'] = async (...args) => {
          await deps.card.setCardStatus(...args);
          throw new Error('killed');
        };
        const dying = { ...deps, card: { ...deps.card, setCardStatus } };
        await performAction(ask('unblock', byCommand), dying).catch(() => {});
        await performAction(ask('unblock', byCommand), deps);
      },
    ],
    [
      'the card could not be read at first and then shows the unblock',
      async (world) => {
        const { deps } = world;
        let isSent = false;
        const card: WorldDeps['card'] = {
          ...deps.card,
          getAccount: async (...args) => (isSent ? unsure() : await deps.card.getAccount(...args)),
          setCardStatus: async (...args) => {
            await deps.card.setCardStatus(...args);
            isSent = true;
            unsure();
          },
        };
        await performAction(ask('unblock', byCommand), { ...deps, card, isLastAttempt: true });
        for (let again: number | null = 0; again !== null; ) {
          world.advance(again);
          again = await verifyAction('act_unblock1', deps);
        }
      },
    ],
    [
      'it was unblocked outside Slack',
      async (world) => {
        await verifyAction('act_old', world.deps);
        world.advance(5000);
        await verifyAction('act_old', world.deps);
        world.service.status = 'ACTIVE';
      },
    ],
  ])('%s: ignores people who wanted the earlier block', async (_how, activate) => {
    const world = await createActionWorld(redis());
    await performAction(block('act_old', { actor: OTTO }), world.deps);
    await activate(world);
    await performAction(block('act_first'), world.deps);

    await performAction(undo, world.deps);

    expect(world.answers.at(-1)?.text).not.toContain('Somebody else');
    expect(world.service.status).toBe('ACTIVE');
  });

  it('counts people who wanted the block while the card service still shows the old status', async () => {
    const world = await createActionWorld(redis());
    await performAction(block('act_old', { actor: OTTO }), world.deps);
    // The card service shows a status that does not apply yet.
    world.service.status = 'ACTIVE';
    await performAction(block('act_first'), world.deps);

    await performAction(undo, world.deps);

    expect(world.answers.at(-1)?.text).toMatch(/Somebody else wants this card blocked.*<@U0OTTO>/);
    expect(world.service.status).toBe('BLOCKED');
  });

  it('does not lift a block made outside Slack since then', async () => {
    const world = await blocked();
    await tellStatus(world, 'BLOCKED', 1);
    await tellStatus(world, 'ACTIVE', 3);
    await tellStatus(world, 'BLOCKED', 5);

    await performAction(undo, world.deps);

    expect(world.answers.at(-1)?.text).toMatch(
      /unblocked and blocked again outside Slack.*Your click changed nothing\.$/,
    );
    expect(world.writes).toEqual(['status BLOCKED']);
    expect((await world.stations()).at(-1)).toBe('refused');
  });

  it('lifts the person’s own block, whatever the earlier statuses of the card', async () => {
    const world = await createActionWorld(redis());
    await tellStatus(world, 'BLOCKED', 1);
    await tellStatus(world, 'ACTIVE', 2);
    await performAction(block('act_first'), world.deps);
    await tellStatus(world, 'BLOCKED', 4);

    await performAction(undo, world.deps);

    expect(world.service.status).toBe('ACTIVE');
  });
});

describe('the end of its minute', () => {
  const ALERT = 'evt_0123456789abcdef';
  const onAlert = async ({ deps }: PerformWorld) =>
    (await deps.alerts.get(ALERT))?.outcomes.find(({ verb }) => verb === 'block');

  it('removes Undo from the alert', async () => {
    const world = await createActionWorld(redis());
    await performAction(ask('block', { id: 'act_first' }), world.deps);
    expect(await onAlert(world)).toMatchObject({ control: { kind: 'undo' } });

    await verbsOf(world.deps).endUndo('act_first');

    expect(await onAlert(world)).toMatchObject({ verb: 'block', control: null });
  });

  it('keeps what the card service shows of the block at that moment', async () => {
    const world = await createActionWorld(redis(), { withLock: createLock(redis()) });
    const { deps } = world;
    await performAction(ask('block', { id: 'act_first' }), deps);
    world.advance(60_000);
    const verifying: Promise<unknown>[] = [];
    const get = async (id: string) => {
      const alert = await deps.alerts.get(id);
      if (verifying.length === 0) verifying.push(verifyAction('act_first', deps));
      // Long enough for the verification to end, unless it waits for this job.
      await Promise.race([...verifying, sleep(1000)]);
      return alert;
    };

    await verbsOf({ ...deps, alerts: { ...deps.alerts, get } }).endUndo('act_first');
    await Promise.all(verifying);

    expect(await onAlert(world)).toMatchObject({ confirmation: 'confirmed', control: null });
  });
});
