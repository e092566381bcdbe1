import { createApproversInFlight } from '../approvals/in-flight.ts';
import { openArchive } from '../audit/archive.ts';
import { createArchiveMonths } from '../audit/archive-months.ts';
import { type Audit, createAudit, createRecordSigner } from '../audit/audit.ts';
import type { Described, Statement } from '../audit/audit-record.ts';
import { createCopyHeads } from '../audit/copy-heads.ts';
import { openSink } from '../audit/sink.ts';
import { verbs } from '../dispatch/verbs.ts';
import * as auditIssue from '../ops/audit-issue.ts';
import { aloneCents } from '../policy/approval-policy.ts';
import { type Policy, sectionOf } from '../policy/policy.ts';
import { policyOnRecord } from '../policy/policy-on-record.ts';
import { remembered } from './remember-writes.ts';
import type { WithCards, WorkerContext } from './worker-context.ts';

type Deps = Pick<
  WithCards,
  'config' | 'redis' | 'redo' | 'policy' | 'hasCardGroups' | 'alerts' | 'requests' | 'factsOf' | 'permalink' | 'log'
>;

/** The audit record as the worker writes it: signed, with the policy in force, and with names next to the ids. */
export function composeAudit({ config, redis, redo, policy, hasCardGroups, permalink, log, ...stores }: Deps): Audit {
  const { sign } = createRecordSigner(config.audit.secrets);
  const { factsOf } = stores;
  const describe = describeBy(stores);
  const archive = config.audit.archive === null ? null : openArchive(config.audit.archive);
  const chain = createAudit({
    redis,
    sign,
    async inForce(statement) {
      const { acctId } = statement;
      const group = acctId === null || !hasCardGroups() ? null : (await factsOf(acctId)).group;
      return inForce(policy.current(), statement, group);
    },
    describe,
    permalink,
    log,
    archive,
  });
  return { ...chain, append: remembered(redo, chain.append) };
}

/** The rules in force for what happened to a card of a group, recorded with every entry. Orders have their own amounts. */
function inForce(policy: Policy, { verb }: Pick<Statement, 'verb'>, group: string | null) {
  const { bands, orderBands } = sectionOf(policy, group).approval;
  const alone = aloneCents({ bands: verb === 'order-virtual' ? orderBands : bands });
  return { twoPersonAboveCents: alone, policy: policyOnRecord(verbs, policy) };
}

/** Moves old months of the record to files. */
export function composeArchiveMonths(context: WorkerContext): () => Promise<void> {
  const { config, redis, audit, notifyOps, notifyResolved, now, log } = context;
  if (config.audit.archive === null) return async () => {};
  const archiveMonths = createArchiveMonths({
    redis,
    reader: audit,
    archive: openArchive(config.audit.archive),
    now,
    recordChanged: (number) => notifyOps(auditIssue.auditRecordChanged(number)),
  });
  return async () => {
    try {
      await archiveMonths();
    } catch (err) {
      log.warn({ err }, 'could not move the audit record to files; retrying');
      return await notifyOps(auditIssue.auditArchiveAway);
    }
    await notifyResolved(auditIssue.auditArchiveAway);
  };
}

/** Copies the record's heads to a place that is out of reach for anyone who can write to Redis. */
export function composeCopyHeads(context: WorkerContext): () => Promise<void> {
  const { sink, secrets } = context.config.audit;
  if (sink === null) return async () => {};
  const isSigned = createRecordSigner(secrets).verify;
  return createCopyHeads({ ...context, reader: context.audit, isSigned, sink: openSink(sink) });
}

function describeBy({ alerts, requests, factsOf }: Pick<Deps, 'alerts' | 'requests' | 'factsOf'>) {
  const approversInFlight = createApproversInFlight({ requests });
  return async (statement: Statement): Promise<Described> => {
    const { acctId, cardId, alertId } = statement;
    const alert = alertId === null ? null : await alerts.get(alertId);
    const merchant = alert?.kind === 'transaction' ? alert.event.merchant.name : null;
    const approvers = await approversInFlight(statement);
    const approved = { merchant, ...(approvers.length > 0 && { approvers }) };
    if (acctId === null) return approved;
    const { holder, last4 } = await factsOf(acctId, { cardId });
    return { holder, last4, ...approved };
  };
}
