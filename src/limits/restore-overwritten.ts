import { auditLine } from '../../templates/audit/audit-line.ts';
import { overwritten } from '../../templates/limits/overwritten.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import { CARRIED_OUT_WITHIN_MS } from '../actions/send-change.ts';
import type { Audit } from '../audit/audit.ts';
import { nobody } from '../audit/audit-record.ts';
import type { CallOptions } from '../card-api/call.ts';
import type { CardClient } from '../card-api/client.ts';
import { without } from '../card-api/rule.ts';
import { isLooser, reversed } from '../card-api/rule-change.ts';
import { CardApiError } from '../core/errors.ts';
import type { Lease } from '../core/lock.ts';
import type { PutRules, ReadRules } from './put-rules.ts';
import { ruleNames } from './rule-words.ts';
import { type Overwritten, overwrittenBy, type RuleWrite } from './rule-write.ts';
import { type RuleWrites, WATCHED_MS } from './rule-write-store.ts';
import { sidesOf } from './send-rules.ts';
import type { TemporaryChanges } from './temporary-change-store.ts';
import { ruleVerbOf } from './verbs.ts';

/**
 * The card service may carry out a call minutes after it failed to answer. As a call sets all rules of a card, that overwrites
 * what was set since: a limit that was lowered is high again, and nothing ends that. So what is looser than it was set is set
 * again. Of the rest, and where somebody may have set the earlier values elsewhere, people are told.
 *
 * The sweep does this, and so does each change of the account's rules before it reads them. Runs under the account's lock.
 * Idempotent.
 *
 * @param reading how long the card service may take.
 * @throws CardApiError when the card cannot be read or written.
 */
export type RestoreOverwritten = (acctId: number, lease: Lease, reading?: CallOptions) => Promise<void>;

interface Deps extends Pick<ActionTools, 'now'> {
  readonly card: Pick<CardClient, 'getAccount' | 'getSpendRules'>;
  readonly ruleWrites: Pick<RuleWrites, 'of' | 'seen' | 'close'>;
  readonly temporaryChanges: Pick<TemporaryChanges, 'get'>;
  readonly putRules: PutRules;
  readonly report: ReportOverwritten;
}

export function createRestoreOverwritten(deps: Deps): RestoreOverwritten {
  const { card, ruleWrites, report } = deps;
  return async function restoreOverwritten(acctId, lease, reading) {
    if (!(await ruleWrites.of(acctId)).some(({ isPending }) => isPending)) return;
    const { rulesetId } = await card.getAccount(acctId, reading);
    const { rules, raw } = await card.getSpendRules(acctId, reading);
    const read = { raw, readAt: performance.now() };
    const writes = await ruleWrites.seen(acctId, rules);
    // The newest first: of two tries of an action, the card shows the later one.
    for (const late of writes.filter(({ isPending }) => isPending).toReversed()) {
      const ageMs = deps.now().getTime() - Date.parse(late.sentAt);
      const again = writes.find(({ id }) => id === idOfRepair(late));
      if (again?.isMade === true) await report.record(acctId, again, 'done');
      // The rules of a card that was assigned a ruleset since are the ruleset's.
      const found = overwrittenBy(late, writes, rules);
      const changes = rulesetId === null && again?.isMade !== true ? await inForce(found.changes) : [];
      // Long after, as when no worker ran, somebody may have changed the card elsewhere.
      const isCertain = found.isCertain && ageMs < WATCHED_MS;
      const isSetAgain = changes.length > 0 && (await repair({ acctId, late, changes, isCertain, read, lease }, deps));
      if (changes.length === 0 && !late.isMade && again?.isMade !== true && ageMs < CARRIED_OUT_WITHIN_MS) continue;
      await lease.confirm();
      await ruleWrites.close(acctId, late);
      // The others are compared with what the card has now, by the next sweep.
      if (isSetAgain) return;
    }
  };

  /** Without what a temporary change had set whose end wrote nothing, because the earlier values were in effect. */
  async function inForce(changes: readonly Overwritten[]): Promise<Overwritten[]> {
    const states = await Promise.all(changes.map(async ({ id }) => (await deps.temporaryChanges.get(id))?.state));
    return changes.filter((_change, index) => (states[index] ?? 'open') === 'open');
  }
}

interface Repair {
  readonly acctId: number;
  readonly late: RuleWrite;
  readonly changes: readonly Overwritten[];
  readonly isCertain: boolean;
  readonly read: ReadRules;
  readonly lease: Lease;
}

/** Sets again what is certain and looser by now, and tells people of the rest. @returns whether it has set anything. */
async function repair({ changes, isCertain, ...about }: Repair, deps: Deps): Promise<boolean> {
  const looser = isCertain ? changes.filter((change) => isLooser(reversed([change]))) : [];
  const isSetAgain = looser.length > 0 && (await setAgain(looser, about, deps));
  const left = isSetAgain ? without(changes, looser) : changes;
  if (left.length > 0) await deps.report.left(about.acctId, about.late, left);
  return isSetAgain;
}

/** @returns false: the card service refuses it. */
async function setAgain(
  looser: readonly Overwritten[],
  { acctId, late, read, lease }: Omit<Repair, 'changes' | 'isCertain'>,
  { putRules, report }: Deps,
): Promise<boolean> {
  const changes = looser.map(({ rule, from, to }) => ({ rule, from, to }));
  const write = { id: idOfRepair(late), by: null, changes };
  await report.record(acctId, write, 'sent');
  const { send } = await putRules({ acctId, ...write, ...read });
  await lease.confirm();
  try {
    await send();
  } catch (error) {
    if (!(error instanceof CardApiError && error.code === 'refused')) throw error;
    await report.record(acctId, write, 'failed', error.apiMessage ?? error.message);
    return false;
  }
  await report.record(acctId, write, 'done');
  return true;
}

/** Each try of an action may be carried out late. */
const idOfRepair = ({ id, sentAt }: Pick<RuleWrite, 'id' | 'sentAt'>): string => `again-${id}-${Date.parse(sentAt)}`;

/** Each is idempotent. */
interface ReportOverwritten {
  /** Of what Cardbell sets again. @param why the card service refuses it. */
  record(
    acctId: number,
    repair: Pick<RuleWrite, 'id' | 'changes'>,
    event: 'sent' | 'done' | 'failed',
    why?: string,
  ): Promise<void>;
  /** What it does not set again. */
  left(acctId: number, late: RuleWrite, left: readonly Overwritten[]): Promise<void>;
}

type ReportDeps = Pick<
  ActionTools,
  'factsOf' | 'postAuditLine' | 'notifyDirectly' | 'postToApprovals' | 'cardChanged' | 'now'
> & { readonly audit: Pick<Audit, 'append'> };

const OVERWRITTEN = 'it was back at its earlier value: an earlier call was carried out late';

export function createReportOverwritten(deps: ReportDeps): ReportOverwritten {
  return {
    async record(acctId, { id, changes }, event, why) {
      const card = await deps.factsOf(acctId);
      const [at, sides] = [deps.now().toISOString(), sidesOf(changes)];
      const detail = why === undefined ? OVERWRITTEN : `${OVERWRITTEN}. Refused: ${why}`;
      const what = { verb: ruleVerbOf(changes), acctId, cardId: card.cardId, ...sides, detail };
      await deps.audit.append({ ...nobody, at, actionId: id, event, ...what });
      if (event !== 'done') return;
      const did = `reset the ${ruleNames(changes)} of`;
      const line = auditLine({ by: null, did, card, at, ...sides, reason: null, outcome: OVERWRITTEN, ref: null });
      await deps.postAuditLine(`audit-${id}`, line);
      await deps.cardChanged(acctId);
    },
    async left(acctId, late, left) {
      const card = await deps.factsOf(acctId);
      const by = [...new Set(left.map((change) => change.by))];
      const [id, message] = [`overwritten-${acctId}-${idOfRepair(late)}`, overwritten(reversed(left), card, by)];
      for (const userId of by)
        if (userId === null) await deps.postToApprovals(id, message, card.group);
        else await deps.notifyDirectly(userId, id, message);
      await deps.cardChanged(acctId);
    },
  };
}
