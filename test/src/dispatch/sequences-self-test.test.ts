import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { closeHoles, type Hole, openHole } from '../../support/sequences/holes.ts';
import { sequence, tried } from '../../support/sequences/steps.ts';

/** What each historical bug allowed. Rows that no sequence of these steps can reproduce have a separate test. */
const found: readonly { readonly row: string; readonly hole: Hole; readonly says: RegExp }[] = [
  {
    row: '1: restoring a limit that was lowered temporarily and then in the portal counts as no raise',
    hole: 'the earlier value of a temporary change counts',
    says: /^\S+ alone raised limit.*: limit [^\n]*$/s,
  },
  {
    row: '1: the same with Take back and then Put back',
    hole: 'putting back is no raise',
    says: /alone raised.*take back.*: put back [^\n]*$/s,
  },
  {
    row: '2: an approver types the old limit of their own card',
    hole: 'the earlier value of a temporary change counts',
    says: /^nobody who may wanted to raise.*: limit [^\n]*$/s,
  },
  {
    row: '3: one approver approves a holder’s request, though the limit was lowered since',
    hole: 'approvals count for numbers that moved',
    says: /alone raised.*: ask for more .*the portal sets.*: approve [^\n]*$/s,
  },
  {
    row: '4: the same by emergency override',
    hole: 'approvals count for numbers that moved',
    says: /alone raised.*the portal sets.*: break the glass [^\n]*$/s,
  },
  {
    row: '5: the second of two requests lowers the limit',
    hole: 'approvals count for numbers that moved',
    says: /^approving lowered/,
  },
  {
    row: '6: an approver is removed after their approval was counted',
    hole: 'whoever approved stays an approver',
    says: /alone raised.*"loses".*: approve [^\n]*$/s,
  },
  {
    row: '7: an unblock runs although the role was removed while no worker was running',
    hole: 'the roles of the click count',
    says: /went from BLOCKED to ACTIVE: \S+ is no approver/,
  },
  {
    row: '8: a holder mutes their own card',
    hole: 'the own card can be silenced',
    says: /silenced.*their own card/,
  },
  {
    row: '9: several orders that are each small',
    hole: 'orders are not summed up',
    says: /alone put \d+ on new cards/,
  },
  {
    row: '11: a country is allowed for a time, but counts only as the declined purchase',
    hole: 'what is opened for a time counts as the purchase',
    says: /alone raised international.*: allow [^\n]*$/s,
  },
  {
    row: '14: a queue entry written by someone without roles is carried out',
    hole: 'some verbs are not authorized',
    says: /who is no approver, ordered/,
  },
];

/** Rows that no sequence of these steps can reproduce, and the test that covers each. */
const elsewhere: readonly { readonly row: string; readonly file: string; readonly title: string }[] = [
  {
    row: '10: misunderstood words about time',
    file: 'test/flow/one-person.test.ts',
    title: 'is read as a duration, not a reason, in any wording',
  },
  {
    row: '12: a member types commands for two minutes',
    file: 'test/flow/permissions.test.ts',
    title: 'cannot flood the record or Slack’s user group lookups with commands',
  },
  {
    row: '13: a channel is shared with another company',
    file: 'test/flow/shared-channels.test.ts',
    title: 'never posts requests and audit lines to a channel shared with another company',
  },
];

const faults = new Map<Hole, string[]>();

/**
 * Failures that the sequences of `npm test` report with this hole open. Stops once every row of the hole is reproduced.
 */
async function faultsWith(hole: Hole): Promise<readonly string[]> {
  const known = faults.get(hole);
  if (known !== undefined) return known;
  const said: string[] = [];
  faults.set(hole, said);
  const wanted = found.filter((row) => row.hole === hole);
  const runSequence = await openHole(hole);
  const property = fc.asyncProperty(sequence, async (given) => {
    const fault = await runSequence(given).then(
      () => null,
      (error: Error) => error.message,
    );
    if (fault !== null) said.push(fault);
    return !wanted.every(({ says }) => said.some((each) => says.test(each)));
  });
  await fc.check(property, { numRuns: tried.count, seed: tried.seed, endOnFailure: true });
  return said;
}

describe('the sequences reproduce bugs that once bypassed the policy', () => {
  afterAll(closeHoles);

  it.each(found)('row $row', async ({ hole, says }) => {
    const faults = await faultsWith(hole);
    expect(
      faults.some((fault) => says.test(fault)),
      `${tried.count} sequences did not reproduce it`,
    ).toBe(true);
  });

  it.each(elsewhere)('row $row: has a dedicated test', ({ file, title }) => {
    expect(readFileSync(file, 'utf8')).toContain(title);
  });
});
