import { createRecordSigner } from '../../src/audit/audit.ts';
import type { Statement } from '../../src/audit/audit-record.ts';

export const signer = createRecordSigner(['worker-secret-0123456789']);

export const statement = (actionId: string): Statement => ({
  at: '2026-03-04T15:00:00.000Z',
  actionId,
  event: 'done',
  verb: 'block',
  actor: { userId: 'U1', teamId: 'T1' },
  roles: ['operator'],
  acctId: 1,
  cardId: 2,
  before: 'active',
  after: 'blocked',
  reason: 'lost',
  channel: 'C1',
  messageTs: null,
  alertId: null,
  detail: null,
});
