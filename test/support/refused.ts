import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import type { AuditRecord } from '../../src/audit/audit-record.ts';
import type { Verb } from '../../src/dispatch/verbs.ts';
import {
  acctId,
  ask,
  createActionWorld,
  type Over,
  type PerformWorld,
  performAction,
  policyOnRecord,
  type WorldDeps,
} from './perform-world.ts';

/** One refusal. */
export interface Refused {
  readonly verb: Verb;
  readonly when: string;
  readonly asked?: Over;
  readonly deps?: Partial<WorldDeps>;
  readonly before?: (world: PerformWorld) => unknown;
  /** The reason in the record and in the answer. */
  readonly why: RegExp;
  /** The account, if the card is known. */
  readonly isOfCard?: boolean;
}

/** A person's card. */
export const link = ({ deps }: PerformWorld, userId: string, id = acctId) =>
  deps.links.link({ acctId: id, userId, provedBy: 'approver', by: 'U0ANA', at: deps.now().toISOString() });

/** Refusals on record, oldest first. */
export async function refusedOf({ deps }: PerformWorld): Promise<AuditRecord[]> {
  const records: AuditRecord[] = [];
  for await (const { record } of deps.audit.read()) if (record?.event === 'refused') records.push(record);
  return records;
}

/** Expects an answer with the reason and that nothing changed, and one record with the reason and the policy in force. */
export async function expectRefused(redis: Redis, row: Refused): Promise<void> {
  const world = await createActionWorld(redis, row.deps);
  await row.before?.(world);
  const written = world.writes.length;
  const action = ask(row.verb, { id: 'act_refused1', ...row.asked });

  await performAction(action, world.deps);
  const [record, ...others] = await refusedOf(world);

  expect(others).toEqual([]);
  expect(record).toMatchObject({ actionId: action.id, verb: row.verb, actor: action.actor, policy: policyOnRecord });
  expect(record?.detail).toMatch(row.why);
  expect(record?.acctId).toBe(row.isOfCard === true ? acctId : null);
  expect(world.auditLines).toContain('audit-act_refused1-refused');
  expect(world.answers.at(-1)?.text).toMatch(row.why);
  expect(world.answers.at(-1)?.text).toMatch(/Nothing changed|Your click changed nothing/);
  expect(world.writes).toHaveLength(written);
}
