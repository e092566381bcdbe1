import { auditLine } from '../../templates/audit/audit-line.ts';
import { overwritten } from '../../templates/limits/overwritten.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import { CARRIED_OUT_WITHIN_MS } from '../actions/send-change.ts';
import type { Audit } from '../audit/audit.ts';
import { nobody } from '../audit/audit-record.ts';
import type { CardClient } from '../card-api/client.ts';
import { without } from '../card-api/rule.ts';
import { changesFrom, isLooser, isMade, reversed } from '../card-api/rule-change.ts';
import { CardApiError } from '../core/errors.ts';
import type { Lease } from '../core/lock.ts';
import type { PutRules, ReadRules } from './put-rules.ts';
import { ruleNames } from './rule-words.ts';
import { type Overwritten, overwrittenBy, type RuleWrite } from './rule-write.ts';
import type { RuleWrites } from './rule-write-store.ts';
import { sidesOf } from './send-rules.ts';
import type { TemporaryChanges } from './temporary-change-store.ts';
import { ruleVerbOf } from './verbs.ts';

interface Deps extends Pick<ActionTools, 'withLock' | 'now'> {
  readonly card: Pick<CardClient, 'getAccount' | 'getSpendRules'>;
  readonly ruleWrites: Pick<RuleWrites, 'of' | 'closed'>;
  readonly temporaryChanges: Pick<TemporaryChanges, 'get'>;
  readonly putRules: PutRules;
  readonly report: ReportOverwritten;
}

/**
 * The card service may carry out a call minutes after it failed to answer. As a call sets all rules of a card, that overwrites
 * what was set since: a limit that was lowered is high again, and nothing ends that. So what is looser than it was set is set
 * again. Of the rest, people are told.
 *
 * Idempotent. While the card service does not answer, it throws CardApiError: the next sweep tries again.
 */
export function createRestoreOverwritten(deps: Deps): (acctId: number) => Promise<void> {
  const { card, ruleWrites, report } = deps;
  return async function restoreOverwritten(acctId) {
    await deps.withLock(`account:${acctId}`, async (lease) => {
      for (const { id, isPending } of await ruleWrites.of(acctId)) if (isPending) await lookAt(acctId, id, lease);
    });
  };

  async function lookAt(acctId: number, lateId: string, lease: Lease): Promise<void> {
    const writes = await ruleWrites.of(acctId);
    const late = writes.find(({ id, isPending }) => isPending && id === lateId);
    if (late === undefined) return;
    const { rulesetId } = await card.getAccount(acctId);
    const { rules, raw } = await card.getSpendRules(acctId);
    const read = { rules, raw, readAt: performance.now() };
    const again = writes.find(({ id }) => id === repairId(late));
    const isSetAgain = again !== undefined && isMade(changesFrom(rules, again.changes));
    if (isSetAgain) await report.record(acctId, again, 'done');
    // The rules of a card that was assigned a ruleset since are the ruleset's.
    const found = isSetAgain || rulesetId !== null ? [] : await inForce(overwrittenBy(late, writes, rules));
    if (found.length > 0) await restoreRules(acctId, late, found, read, lease);
    const isOver = deps.now().getTime() - Date.parse(late.sentAt) >= CARRIED_OUT_WITHIN_MS;
    if (!isSetAgain && found.length === 0 && !isOver) return;
    await lease.confirm();
    await ruleWrites.closed(acctId, late);
  }

  /** Without what a temporary change had set whose end wrote nothing, because the earlier values were in effect. */
  async function inForce(found: readonly Overwritten[]): Promise<Overwritten[]> {
    const states = await Promise.all(found.map(async ({ id }) => (await deps.temporaryChanges.get(id))?.state));
    return found.filter((_one, index) => (states[index] ?? 'open') === 'open');
  }

  async function restoreRules(
    acctId: number,
    late: RuleWrite,
    found: readonly Overwritten[],
    read: ReadRules,
    lease: Lease,
  ): Promise<void> {
    const looser = found.filter((change) => isLooser(reversed([change])));
    const isRestored = looser.length > 0 && (await setAgain(looser));
    const left = isRestored ? without(found, looser) : found;
    if (left.length > 0) await report.left(acctId, late, left);

    /** False: the card service refuses it. */
    async function setAgain(changes: readonly Overwritten[]): Promise<boolean> {
      const write = {
        id: repairId(late),
        by: null,
        changes: changes.map(({ rule, from, to }) => ({ rule, from, to })),
      };
      await report.record(acctId, write, 'sent');
      const send = await deps.putRules({ acctId, ...write, ...read });
      await lease.confirm();
      try {
        await send();
      } catch (error) {
        if (!(error instanceof CardApiError && error.code === 'refused')) throw error;
        await report.record(acctId, write, 'failed');
        return false;
      }
      await report.record(acctId, write, 'done');
      return true;
    }
  }
}

const repairId = ({ id }: Pick<RuleWrite, 'id'>): string => `again-${id}`;

/** Each is idempotent. */
interface ReportOverwritten {
  /** Of what Cardbell sets again. */
  record(acctId: number, repair: Pick<RuleWrite, 'id' | 'changes'>, event: 'sent' | 'done' | 'failed'): Promise<void>;
  /** What it does not set again, because that would loosen the card or the card service refuses it. */
  left(acctId: number, late: RuleWrite, left: readonly Overwritten[]): Promise<void>;
}

type ReportDeps = Pick<
  ActionTools,
  'factsOf' | 'postAuditLine' | 'notifyDirectly' | 'postToApprovals' | 'cardChanged' | 'now'
> & { readonly audit: Pick<Audit, 'append'> };

const OVERWRITTEN = 'the card service carried out an earlier change late, which had overwritten it';

export function createReportOverwritten(deps: ReportDeps): ReportOverwritten {
  return {
    async record(acctId, { id, changes }, event) {
      const card = await deps.factsOf(acctId);
      const [at, sides] = [deps.now().toISOString(), sidesOf(changes)];
      const what = { verb: ruleVerbOf(changes), acctId, cardId: card.cardId, ...sides, detail: OVERWRITTEN };
      await deps.audit.append({ ...nobody, at, actionId: id, event, ...what });
      if (event !== 'done') return;
      const did = `set the ${ruleNames(changes)} again of`;
      const line = auditLine({ by: null, did, card, at, ...sides, reason: null, outcome: OVERWRITTEN, ref: null });
      await deps.postAuditLine(`audit-${id}`, line);
      await deps.cardChanged(acctId);
    },
    async left(acctId, { id }, left) {
      const card = await deps.factsOf(acctId);
      const people = [...new Set(left.flatMap(({ by }) => by ?? []))];
      const message = overwritten(reversed(left), card, people);
      for (const userId of people) await deps.notifyDirectly(userId, `overwritten-${id}`, message);
      if (left.some(({ by }) => by === null)) await deps.postToApprovals(`overwritten-${id}`, message, card.group);
      await deps.cardChanged(acctId);
    },
  };
}
