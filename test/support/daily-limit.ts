import type { Redis } from 'ioredis';
import type { VerbAction } from '../../src/dispatch/verbs.ts';
import type { ChangeRequest } from '../../src/limits/change-request.ts';
import { limitGoal } from './limit-goals.ts';
import { ask, byCommand, createActionWorld, type Over, type PerformWorld, type WorldDeps } from './perform-world.ts';

export const person = (userId: string) => ({ userId, teamId: 'T1' });
/** Sets the daily limit, permanently unless said otherwise. */
export const limit = (
  id: string,
  dollars: number,
  over: Over = {},
  term: ChangeRequest['term'] = { kind: 'permanent' },
): VerbAction =>
  ask('limit', {
    ...byCommand,
    id,
    actor: person('U0ANA'),
    changeRequest: { goals: [limitGoal('daily', dollars * 100)], term },
    ...over,
  });
export const approve = (requestId: string, id: string, userId: string, revision = 0): VerbAction =>
  ask('decide', { target: { kind: 'request', requestId, revision }, id, approve: true, actor: person(userId) });
export const told = ({ answers }: PerformWorld): string => answers.at(-1)?.text ?? '';
/** Someone changes the daily limit in the card program’s portal. */
export const inPortal = ({ service }: PerformWorld, dollars: number): void => {
  service.rules = { ...service.rules, DailySpendLimit: dollars };
};
export const dailyOf = ({ service }: PerformWorld) => service.rules['DailySpendLimit'];

/** The daily limit is $400. No monthly limit interferes. */
export async function dailyWorld(redis: Redis, over: Partial<WorldDeps> = {}): Promise<PerformWorld> {
  const made = await createActionWorld(redis, over);
  made.service.rules = { IsActive: true, DailySpendLimit: 400 };
  return made;
}
