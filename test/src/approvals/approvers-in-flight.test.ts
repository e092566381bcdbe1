import { expect, it } from 'vitest';
import { createApproversInFlight } from '../../../src/approvals/in-flight.ts';
import { createAudit } from '../../../src/audit/audit.ts';
import type { AuditRecord } from '../../../src/audit/audit-record.ts';
import type { VerbAction } from '../../../src/dispatch/verbs.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask, byCommand, createActionWorld, performAction, virtualOrder } from '../../support/perform-world.ts';

const redis = useRedis();
const by = (userId: string) => ({ actor: { userId, teamId: 'T1' } });

async function createWorld() {
  const world = await createActionWorld(redis());
  const approversInFlight = createApproversInFlight(world.deps);
  const audit = createAudit({
    redis: redis(),
    sign: () => '',
    inForce: () => ({ twoPersonAboveCents: 100_000 }),
    describe: async (statement) => ({ approvers: await approversInFlight(statement) }),
  });
  world.service.rules['MonthlySpendLimit'] = null;
  const deps = { ...world.deps, audit };
  const perform = (action: VerbAction, over: object = {}) => performAction(action, { ...deps, ...over });
  /** The approvers on record of what took effect, each list once. */
  const approvers = async (event: AuditRecord['event'] = 'done') => [
    ...new Set((await world.records()).flatMap((one) => (one.event === event ? [one.approvers?.join(' ')] : []))),
  ];
  return { world, deps, perform, approvers };
}

const tooMuch = {
  changeRequest: { goals: [limitGoal('daily', 500_000)], term: { kind: 'permanent' } },
} as const;
const approval = (requestId: string) =>
  ask('decide', { ...by('U0BEN'), id: 'act_ben', target: { kind: 'request', requestId }, approve: true });

it('both approvers of a raise are on record with it', async () => {
  const { perform, approvers } = await createWorld();
  await perform(ask('limit', { ...byCommand, ...by('U0ANA'), ...tooMuch }));

  await perform(approval('req_limit1'));

  expect(await approvers()).toEqual(['U0ANA U0BEN']);
});

it('an emergency override has no approvers, although one of two had approved the request', async () => {
  const { world, perform, approvers } = await createWorld();
  await perform(ask('limit', { ...byCommand, ...by('U0ANA'), ...tooMuch }));
  world.advance(16 * 60_000);

  const target = { kind: 'request', requestId: 'req_limit1' } as const;
  const askedAt = world.deps.now().toISOString();
  await perform(ask('emergency-override', { ...by('U0OTTO'), target, askedAt, reason: 'at the counter' }));

  expect(await world.records()).toContainEqual(
    expect.objectContaining({ event: 'done', actor: by('U0OTTO').actor, approvers: [] }),
  );
  expect(await approvers()).toEqual(['']);
});

it('both approvers of an order are on record with it, although its card does not exist yet', async () => {
  const { perform, approvers } = await createWorld();
  const { sealed } = virtualOrder;
  const target = { ...virtualOrder, sealed: JSON.stringify({ ...JSON.parse(sealed), fundCents: 500_000 }) };
  await perform(ask('order-virtual', { ...byCommand, ...by('U0ANA'), target }));

  await perform(approval('req_ordervirtual1'));

  expect(await approvers()).toEqual(['U0ANA U0BEN']);
});

it('whoever approved that many cards are blocked is on record with each block', async () => {
  const { world, deps, perform, approvers } = await createWorld();
  const acctIds = [11, 12, 13, 14, 15, 16];
  const names = acctIds.map(String);
  await perform(ask('block-all', { ...by('U0OLGA'), roles: ['operator'], acctIds, names }));

  // Six cards of the one in this world, each of which is still active.
  const card = { ...deps.card, setCardStatus: async () => {} };
  await perform(approval('req_blockall1'), { card });

  expect((await world.records()).filter(({ event }) => event === 'done')).toHaveLength(6);
  expect(await approvers()).toEqual(['U0BEN']);
});

it('what one person may do alone has no approvers', async () => {
  const { perform, approvers } = await createWorld();

  await perform(ask('limit', byCommand));
  await perform(ask('block', byCommand));

  expect(await approvers()).toEqual(['']);
});
