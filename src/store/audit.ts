import { hash } from 'node:crypto';
import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { auditKey } from '../keys.ts';
import { defineScript } from '../redis-script.ts';

/** One line of the record: who asked for what, what became of it, and on which grounds. */
export const AuditRecord = z.strictObject({
  /** UTC ISO 8601. */
  at: z.string(),
  actionId: z.string(),
  event: z.enum([
    'asked',
    'refused',
    'waiting',
    'approved',
    'denied',
    'sent',
    'done',
    'failed',
    'unknown',
    'unchanged',
    'ended',
    'confirmed',
    'unconfirmed',
    'overtaken',
  ]),
  verb: z.string(),
  /** Slack user and team; null when Cardbell did it by itself (the end of a temporary limit). */
  actor: z.strictObject({ userId: z.string(), teamId: z.string() }).nullable(),
  roles: z.array(z.string()),
  acctId: z.int().nullable(),
  cardId: z.int().nullable(),
  before: z.string().nullable(),
  after: z.string().nullable(),
  reason: z.string(),
  /** Message or channel that it was asked from. */
  channel: z.string().nullable(),
  messageTs: z.string().nullable(),
  alertId: z.string().nullable(),
  /** What the card API answered, or why we refused. */
  detail: z.string().nullable(),
  /** Rules in force: the amount above which two people are needed, whole cents. */
  twoPersonAboveCents: z.int(),
  /** What showed that the change is there. */
  confirmedBy: z.enum(['webhook', 'read-back']).nullish(),
  /** The webhook's event, when it was one. */
  eventId: z.string().nullish(),
});
export type AuditRecord = z.infer<typeof AuditRecord>;

export interface AuditEntry {
  readonly sequence: number;
  readonly record: AuditRecord;
  readonly previous: string;
  readonly hash: string;
}

export interface Audit {
  append(record: AuditRecord): Promise<void>;
  /** Oldest first, in pages. */
  read(options?: { fromSequence?: number }): AsyncGenerator<AuditEntry>;
}

/** Before the first record. */
export const GENESIS = '0'.repeat(64);

const appendScript = `
local last = redis.call('GET', KEYS[2]) or ARGV[1]
if last ~= ARGV[1] then return last end
redis.call('RPUSH', KEYS[1], ARGV[2])
redis.call('SET', KEYS[2], ARGV[3])
return ARGV[3]
`;

/** Each hash covers the record and the hash before it: changing or removing a record breaks every later one. */
export function chainHash(previous: string, record: AuditRecord): string {
  return hash('sha256', `${previous}\n${JSON.stringify(record)}`);
}

/** The append-only record of what people did. Kept for good; nothing of ours removes a line. */
export function createAudit(redis: Redis | Cluster): Audit {
  const script = defineScript(redis, 'cardbellAuditAppend', appendScript);
  const keys = [auditKey('chain'), auditKey('head')];
  const [chain, head] = keys as [string, string];

  return {
    async append(record) {
      const checked = AuditRecord.parse(record);
      let previous = (await redis.get(head)) ?? GENESIS;
      for (;;) {
        const own = chainHash(previous, checked);
        const line = JSON.stringify({ record: checked, previous, hash: own });
        const last = (await script.run(keys, [previous, line, own])) as string;
        if (last === own) return;
        // Somebody else appended in between: follow them.
        previous = last;
      }
    },
    async *read({ fromSequence = 0 } = {}) {
      const page = 500;
      for (let start = fromSequence; ; start += page) {
        const lines = await redis.lrange(chain, start, start + page - 1);
        for (const [index, line] of lines.entries()) {
          yield { sequence: start + index, ...(JSON.parse(line) as Omit<AuditEntry, 'sequence'>) };
        }
        if (lines.length < page) return;
      }
    },
  };
}
