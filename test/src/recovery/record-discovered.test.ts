import { expect, it } from 'vitest';
import { createAudit, createAuditReader } from '../../../src/audit/audit.ts';
import type { Statement } from '../../../src/audit/audit-record.ts';
import { gapOf } from '../../../src/core/gap.ts';
import { createRecordDiscovered } from '../../../src/recovery/recover-statuses.ts';
import { toMissedStatus } from '../../../src/webhooks/card-status.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const now = (): Date => new Date('2026-11-20T12:00:00Z');
const gap = gapOf(Date.parse('2026-11-20T11:59:00Z'), now().getTime(), 'rewound');
const blocked = toMissedStatus({
  acctId: 7378,
  holder: 'Jane Doe',
  customId: null,
  card: { cardId: 1, last4: '1212', status: 'BLOCKED' },
  was: { status: 'ACTIVE', seenAt: '2026-11-20T11:00:00.000Z' },
  seenAt: now().toISOString(),
});

const byOlga: Statement = {
  at: '2026-11-20T11:59:30.000Z',
  actionId: 'act_1',
  event: 'sent',
  verb: 'block',
  actor: { userId: 'U0OLGA', teamId: 'T1' },
  roles: ['operator'],
  acctId: 7378,
  cardId: 1,
  before: 'active',
  after: 'blocked',
  reason: '',
  channel: null,
  messageTs: null,
  alertId: null,
  detail: null,
};

const newAudit = () =>
  createAudit({ redis: redis(), sign: () => '', inForce: () => ({ twoPersonAboveCents: 100_000 }) });

async function records() {
  const found = [];
  for await (const { record } of createAuditReader(redis()).read()) if (record !== null) found.push(record);
  return found;
}

const record = (): Promise<void> => createRecordDiscovered({ audit: newAudit(), now })(gap, blocked, 'ACTIVE');

it('audits a change without an audit entry as discovered, once', async () => {
  await record();
  await record();

  expect(await records()).toMatchObject([
    { event: 'discovered', actor: null, acctId: 7378, cardId: 1, before: 'active', after: 'blocked' },
  ]);
});

it('finds the entry of a change that Cardbell made, however many entries followed', async () => {
  const audit = newAudit();
  await audit.append(byOlga);
  const other = { ...byOlga, acctId: 9, at: now().toISOString() };
  for (let number = 0; number < 1001; number += 1) await audit.append({ ...other, actionId: `act_other_${number}` });

  await record();

  expect((await records()).filter(({ event }) => event === 'discovered')).toEqual([]);
});

it('does not report a change made through Cardbell as discovered', async () => {
  await newAudit().append(byOlga);
  await record();

  expect((await records()).map(({ event }) => event)).toEqual(['sent']);
});

it('an entry for another account, another status or an earlier day does not explain a change', async () => {
  const audit = newAudit();
  await audit.append({ ...byOlga, acctId: 7379 });
  await audit.append({ ...byOlga, before: 'blocked', after: 'active' });
  await audit.append({ ...byOlga, at: '2026-11-19T12:00:00.000Z' });
  await record();

  expect((await records()).at(-1)?.event).toBe('discovered');
});

it('an activation explains that the other cards of the account are closed', async () => {
  const activation = { ...byOlga, verb: 'activate', cardId: 2, before: 'inactive', after: 'active' };
  await newAudit().append(activation);
  const discovered = (cardId: number) => {
    const cards = blocked.cards.map((card) => ({ ...card, cardId, status: 'CLOSED' as const }));
    const closed = { ...blocked, id: `evt_${cardId}`, cards };
    return createRecordDiscovered({ audit: newAudit(), now })(gap, closed, 'ACTIVE');
  };

  await discovered(1);
  expect((await records()).map(({ event }) => event)).toEqual(['sent']);
  await discovered(2);
  expect((await records()).at(-1)).toMatchObject({ event: 'discovered', cardId: 2 });
});
