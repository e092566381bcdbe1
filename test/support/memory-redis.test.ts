import type { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { createLatestChanges } from '../../src/actions/progress-store.ts';
import { createRefusalCounts } from '../../src/actions/record-limits.ts';
import { createFraudCases } from '../../src/alerts/fraud-case-store.ts';
import { createAudit } from '../../src/audit/audit.ts';
import { nobody, type Statement } from '../../src/audit/audit-record.ts';
import { createLinks } from '../../src/holders/link-store.ts';
import { openRequestOf } from './limit-requests.ts';
import { memoryRedis } from './memory-redis.ts';
import { useRedis } from './on-redis.ts';
import { ask, createActionWorld } from './perform-world.ts';

const redis = useRedis();
const at = '2026-11-20T15:00:00.000Z';
const statement: Statement = {
  ...nobody,
  at,
  actionId: 'act_1',
  event: 'asked',
  verb: 'block',
};

const calls: readonly [string, (over: Redis) => Promise<unknown>][] = [
  [
    'lists the newest members between two scores, newest first',
    async (over) => {
      for (const score of [1, 2, 3, 4, 5]) await over.zadd('scored', score, `member_${score}`);
      return [
        await over.zrevrangebyscore('scored', 4, 2, 'LIMIT', 0, 2),
        await over.zrevrangebyscore('scored', 4, 2, 'LIMIT', 1, 9),
      ];
    },
  ],
  [
    'appends each statement to the record once, in order',
    async (over) => {
      const inForce = () => ({ twoPersonAboveCents: 1, policy: { version: 'pol_1', words: '' } });
      const audit = createAudit({ redis: over, sign: () => '', inForce });
      await audit.append(statement);
      await audit.append(statement);
      await audit.append({ ...statement, event: 'done' });
      const entries = [];
      for await (const entry of audit.read()) entries.push(entry);
      return [entries, await audit.head()];
    },
  ],
  [
    'changes a record only if it is unchanged since it was read',
    async (over) => {
      const { requests } = (await createActionWorld(over)).deps;
      const request = openRequestOf();
      await requests.save(request);
      const reminded = [await requests.remind(request.id, at), await requests.remind(request.id, at)];
      await requests.addAsker(request.id, 'U0ZOE');
      return [reminded, await requests.get(request.id), await requests.open()];
    },
  ],
  [
    'gives a card to another holder and remembers the former one',
    async (over) => {
      const links = createLinks(over, () => new Date());
      for (const userId of ['U0HUGO', 'U0HANA'])
        await links.link({ acctId: 7, userId, provedBy: 'approver', by: 'U0ZOE', at });
      return [await links.ofUser('U0HANA'), await links.isHolder('U0HUGO'), await links.isHolder('U0HANA')];
    },
  ],
  [
    'takes the refusals to be recorded together, and keeps later ones',
    async (over) => {
      const counts = createRefusalCounts(over);
      const refuse = (id: string) => counts.note({ ...ask('block'), id });
      const none = await counts.take('act_1');
      for (const id of ['act_1', 'act_2', 'act_3']) await refuse(id);
      const taken = await counts.take('act_1');
      await refuse('act_4');
      const again = await counts.take('act_1');
      await counts.forget('act_1');
      return [none, taken, again, await counts.take('act_1')];
    },
  ],
  [
    'opens a fraud case for a report once',
    async (over) => {
      const cases = createFraudCases(over);
      const reported = [await cases.open(7, 'evt_case1', 'evt_a'), await cases.open(7, 'evt_case2', 'evt_b')];
      await cases.close(7, 'evt_case1');
      const again = await cases.open(7, 'evt_case2', 'evt_b');
      return [reported, again, await cases.openOf(7), await cases.ofAlert('evt_b'), await cases.ofReport('evt_case2')];
    },
  ],
  [
    'finds what was asked for later, and not at the same time',
    async (over) => {
      const latest = createLatestChanges(over);
      const unblocked = { kind: 'status', status: 'ACTIVE', cardId: 8 } as const;
      await latest.changed(7, unblocked, { id: 'act_1', verb: 'unblock', askedAt: at });
      const times = ['2026-11-20T14:59:59.999Z', at, '2026-11-20T15:00:00.001Z'];
      return await Promise.all(times.map((askedAt) => latest.isOvertaken(7, unblocked, { id: 'act_2', askedAt })));
    },
  ],
];

it.each(calls)('the in-memory Redis %s, like the real one', async (_what, call) => {
  expect(await call(memoryRedis(() => new Date()))).toEqual(await call(redis()));
});
