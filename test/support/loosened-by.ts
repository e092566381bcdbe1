import type { Verb } from '../../src/dispatch/verbs.ts';
import { REQUEST_OVERDUE_MS } from '../../src/policy/decide-action.ts';
import { askedToPay } from './asked-for-more.ts';
import { ask, byCommand, type Over, type PerformWorld, performAction } from './perform-world.ts';

const dailyLimit = { kind: 'limit', period: 'daily', category: null } as const;
const lowered = { goals: [{ rule: dailyLimit, to: 30_000 }], term: { kind: 'duration', ms: 7 * 86_400_000 } } as const;
const onChange = { kind: 'temporary-change', temporaryChangeId: 'act_lower1' } as const;
const lower = (world: PerformWorld) =>
  performAction(ask('limit', { ...byCommand, id: 'act_lower1', changeRequest: lowered }), world.deps);

/** Sets up states in which a verb would loosen the card. All other verbs are tested on an active card. */
export const loosenedBy: Partial<Record<Verb, (world: PerformWorld) => Promise<Over>>> = {
  async unblock({ service }) {
    service.status = 'BLOCKED';
    return byCommand;
  },
  async activate({ service }) {
    service.status = 'INACTIVE';
    return byCommand;
  },
  async 'undo-block'({ deps }) {
    await performAction(ask('block', byCommand), deps);
    return { target: { kind: 'action', actionId: 'act_block1' } };
  },
  async decide(world) {
    await askedToPay(world, 50_000);
    return { target: { kind: 'request', requestId: 'req_ask1' }, approve: true };
  },
  async 'emergency-override'(world) {
    await askedToPay(world, 50_000);
    world.advance(REQUEST_OVERDUE_MS);
    return { target: { kind: 'request', requestId: 'req_ask1' }, reason: 'urgent' };
  },
  async revert(world) {
    await lower(world);
    return { target: onChange };
  },
  async 'complete-temporary-change'(world) {
    await lower(world);
    world.service.rules = { ...world.service.rules, DailySpendLimit: 200 };
    await performAction(ask('revert', { target: onChange }), world.deps);
    return { target: onChange, restore: true };
  },
};
