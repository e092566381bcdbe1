import { expect, it } from 'vitest';
import type { Term } from '../../../src/card-api/rule-change.ts';
import { loosenedFor } from '../../../src/limits/loosened-for.ts';
import { approvalPolicyOf } from '../../../src/policy/approval-policy.ts';
import { limitChange } from '../../support/limit-goals.ts';

const HOUR = 3_600_000;
const change = limitChange('daily', 40_000, 50_000);
const raised = [{ change, fromBase: change }];
const forHours = (hours: number): Term => ({ kind: 'duration', ms: hours * HOUR });
const policy = {
  ...approvalPolicyOf({ twoPersonAboveCents: 100_000 }),
  durations: { longestMs: 4 * HOUR, mayStay: false },
};

const most = 'The policy allows this for 4 hours at most.';

it.each<[string, Term, string | undefined, number, string | null, RegExp | null]>([
  ['its own time', forHours(4), undefined, 4 * HOUR, null, null],
  ['its own time, which is too long', forHours(5), undefined, 5 * HOUR, most, /at most\.$/],
  ['also the time since then', forHours(3), '2026-11-20T14:00:00.000Z', 4 * HOUR, null, null],
  [
    'also the time since then, and people read since when',
    forHours(4),
    '2026-11-20T14:00:00.000Z',
    5 * HOUR,
    most,
    /at most\. The card has been loosened since 2026-11-20T14:00:00\.000Z, and that counts\.$/,
  ],
])('a raise keeps a card loosened for %s', async (_what, term, since, lastsMs, tooLong, inFull) => {
  const loosened = await loosenedFor({ changes: raised, term }, 7378, {
    raises: { loosenedSince: async () => since },
    now: () => new Date('2026-11-20T15:00:00.000Z'),
    zone: 'America/New_York',
    policyOfCard: async () => policy,
  });

  expect(loosened).toMatchObject({ lastsMs, tooLong });
  if (inFull === null) expect(loosened.tooLongInFull).toBeNull();
  else expect(loosened.tooLongInFull).toMatch(inFull);
});
