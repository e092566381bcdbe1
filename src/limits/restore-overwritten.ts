import { auditLine } from '../../templates/audit/audit-line.ts';
import { overwritten } from '../../templates/limits/overwritten.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import { CARRIED_OUT_WITHIN_MS } from '../actions/send-change.ts';
import { READ_ONCE } from '../actions/verify-action.ts';
import type { Audit } from '../audit/audit.ts';
import { nobody } from '../audit/audit-record.ts';
import type { CallOptions } from '../card-api/call.ts';
import type { CardClient } from '../card-api/client.ts';
import { orNull } from '../card-api/errors.ts';
import { without } from '../card-api/rule.ts';
import { changesFrom, isLooser, isMade, reversed } from '../card-api/rule-change.ts';
import { CardApiError, TooLateError } from '../core/errors.ts';
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
 * Idempotent. While the card cannot be read, nothing happens.
 *
 * @param reading how long to try. Default: once, as the next sweep tries it again.
 * @throws CardApiError when the card service does not answer the write; TooLateError.
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
  const ageOf = ({ sentAt }: RuleWrite): number => deps.now().getTime() - Date.parse(sentAt);
  return async function restoreOverwritten(acctId, lease, reading = READ_ONCE) {
    const pending = pendingIn(await ruleWrites.of(acctId));
    if (pending.length === 0) return;
    const account = await orNull(card.getAccount(acctId, reading));
    const read = account === null ? null : await orNull(card.getSpendRules(acctId, reading));
    if (account === null || read === null) return;
    const known = { raw: read.raw, readAt: performance.now() };
    const writes = await ruleWrites.seen(acctId, read.rules);
    const shown = pending.filter(({ isMade }) => isMade).map(idOfRepair);
    for (const late of pendingIn(writes)) {
      const again = writes.find(({ id, isMade }) => isMade && id === idOfRepair(late));
      if (again !== undefined) await report.record(acctId, again, 'done');
      const found = overwrittenBy(late, writes, read.rules);
      // The rules of a card that was assigned a ruleset since are the ruleset's.
      const changes = account.rulesetId === null && again === undefined ? await inForce(found.changes) : [];
      // Of one that the card has shown before, or long after, somebody may have changed the card elsewhere.
      const isCertain = found.isCertain && !shown.includes(idOfRepair(late)) && ageOf(late) < WATCHED_MS;
      const isSetAgain =
        changes.length > 0 && (await repair({ acctId, late, changes, isCertain, read: known, lease }, deps));
      const wasFound = again !== undefined || (changes.length > 0 && isCertain);
      if (!wasFound && ageOf(late) < CARRIED_OUT_WITHIN_MS) continue;
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

/** A single failed read must not let the next step go on from what was overwritten. */
const READ_BEFORE = { deadlineMs: 10_000 } as const;

/** The same before another step, so that nobody goes on from there. A card service that fails must not keep a raise from ending. */
export function createRestoreFirst(restoreOverwritten: RestoreOverwritten): RestoreOverwritten {
  return async function restoreFirst(acctId, lease) {
    try {
      await restoreOverwritten(acctId, lease, READ_BEFORE);
    } catch (error) {
      // The sweep tries it again.
      if (!(error instanceof CardApiError || error instanceof TooLateError)) throw error;
    }
  };
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
  if (left.length > 0) await deps.report.left(about.acctId, left);
  return isSetAgain;
}

/** @returns false: the card service refuses it. */
async function setAgain(
  looser: readonly Overwritten[],
  { acctId, late, read, lease }: Omit<Repair, 'changes' | 'isCertain'>,
  { card, putRules, report }: Deps,
): Promise<boolean> {
  const changes = looser.map(({ rule, from, to }) => ({ rule, from, to }));
  const write = { id: idOfRepair(late), by: null, changes };
  await report.record(acctId, write, 'sent');
  const { send, seen } = await putRules({ acctId, ...write, ...read });
  await lease.confirm();
  try {
    await send();
  } catch (error) {
    if (!(error instanceof CardApiError)) throw error;
    if (error.code === 'refused') {
      await report.record(acctId, write, 'failed', error.apiMessage ?? error.message);
      return false;
    }
    const now = await orNull(card.getSpendRules(acctId, READ_ONCE));
    if (now === null || !isMade(changesFrom(now.rules, changes))) throw error;
    await seen();
  }
  await report.record(acctId, write, 'done');
  return true;
}

/** The newest first: of two tries of an action, the card shows the later one. */
const pendingIn = (writes: readonly RuleWrite[]): RuleWrite[] =>
  writes.filter(({ isPending }) => isPending).toReversed();

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
  left(acctId: number, left: readonly Overwritten[]): Promise<void>;
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
    async left(acctId, left) {
      const card = await deps.factsOf(acctId);
      const by = [...new Set(left.map((change) => change.by))];
      // Once for what was set: whoever sets it again is told again.
      const id = `overwritten-${acctId}-${[...new Set(left.map((change) => change.id))].join('-')}`;
      const message = overwritten(reversed(left), card, by);
      for (const userId of by)
        if (userId === null) await deps.postToApprovals(id, message, card.group);
        else await deps.notifyDirectly(userId, id, message);
      await deps.cardChanged(acctId);
    },
  };
}
