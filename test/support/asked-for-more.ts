import { VerbAction } from '../../src/dispatch/verbs.ts';
import type { Message } from '../../src/slack/message.ts';
import { acctId, ask, byCommand, type PerformWorld, performAction, type WorldDeps } from './perform-world.ts';

const person = (userId: string) => ({ userId, teamId: 'T1' });
const HUGO = person('U0HUGO');
/** A time after the approvers' 15 minutes. */
const askedAt = '2026-11-20T15:16:00.000Z';
const onRequest = { target: { kind: 'request', requestId: 'req_ask1' }, askedAt } as const;

/** A request of Hugo, the holder, to pay this amount within an hour. */
export const toPay = (amountCents: number): VerbAction =>
  ask('ask', {
    ...byCommand,
    actor: HUGO,
    roles: ['holder'],
    reason: 'booth',
    ask: { amountCents, term: { kind: 'duration', ms: 3_600_000 } },
  });

/** An approver's approval of that request. @param revision the revision that the person saw. */
export const approvalClick = (id: string, userId: string, revision = 0): VerbAction => {
  const target = { ...onRequest.target, revision };
  return ask('decide', { ...onRequest, target, id, approve: true, actor: person(userId) });
};
export const denial = (id: string, userId: string): VerbAction =>
  VerbAction.parse({ ...approvalClick(id, userId), approve: false });

/** An emergency override by Otto, who is not an approver. */
export const override = ask('emergency-override', {
  ...onRequest,
  id: 'act_glass1',
  actor: person('U0OTTO'),
  roles: ['operator'],
  reason: 'he stands at the counter',
});

/** Hugo’s direct messages, deduplicated by their ids. */
export interface Told {
  readonly deps: WorldDeps;
  told(): string[];
}

/** Links the card to Hugo, and records his direct messages. */
export async function linkHugo(world: PerformWorld): Promise<Told> {
  const told = new Map<string, Message>();
  const deps: WorldDeps = {
    ...world.deps,
    async notifyDirectly(userId, id, message) {
      if (userId === HUGO.userId) told.set(`${userId} ${id}`, message);
      else await world.deps.notifyDirectly(userId, id, message);
    },
  };
  const at = world.deps.now().toISOString();
  await deps.links.link({ acctId, userId: HUGO.userId, provedBy: 'approver', by: 'U0ANA', at });
  return { deps, told: () => [...told].map(([id, { text }]) => `${id}: ${text}`) };
}

/** Links the card to Hugo and performs his request. */
export async function askedToPay(world: PerformWorld, amountCents: number): Promise<Told> {
  const hugo = await linkHugo(world);
  await performAction(toPay(amountCents), hugo.deps);
  return hugo;
}
