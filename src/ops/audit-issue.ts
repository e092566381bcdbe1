import { terminalCode } from '../core/installation.ts';
import type { OpsIssue } from './notify-ops.ts';

/** What can go wrong with the audit record, its copy and its files, described like the issues in `issue.ts`. */

export const auditSinkAway: OpsIssue = {
  cause: 'audit-sink',
  title: 'The audit record cannot be copied',
  what: 'The destination in AUDIT_SINK does not accept the copy.',
  means: 'Nothing is lost: the record is complete in Redis, and will be copied once the destination accepts it again.',
  todo: 'Check the destination, and what the worker’s log says about it.',
  resolved: {
    what: 'The audit record is being copied again.',
    means: 'The copy is complete.',
  },
};

export const auditArchiveAway: OpsIssue = {
  cause: 'audit-archive',
  title: 'Old months of the audit record cannot be moved to files',
  what: 'The folder in AUDIT_ARCHIVE cannot be used, does not contain the earlier months, or has other records under the same numbers.',
  means: 'Old months stay in Redis and use its memory.',
  todo: 'Check the folder and its permissions, and what the worker’s log says about it.',
  resolved: {
    what: 'Old months of the audit record are being moved to files again.',
    means: 'The months that waited have left Redis.',
  },
};

export function auditRecordChanged(number: number): OpsIssue {
  return {
    cause: `audit-changed:${number}`,
    title: 'The audit record was altered',
    what: `Record ${number} of the audit chain is missing, was changed, or differs from its copy.`,
    means: 'Either Redis came back with older data, or someone cut off or rewrote the record.',
    todo: `Run ${terminalCode('audit -- verify')}. If Redis did not restart or fail over, find out who can write to it.`,
  };
}

export function auditRecordForged(number: number): OpsIssue {
  return {
    cause: `audit-forged:${number}`,
    title: 'The audit record has an entry that no worker wrote',
    what: `Record ${number} of the audit chain is not signed with the workers’ key.`,
    means: 'Someone else can write to Redis, or the workers have different keys.',
    todo: `Run ${terminalCode('audit -- verify')}. Compare AUDIT_KEY (or CARD_API_TOKEN) of all workers.`,
  };
}
