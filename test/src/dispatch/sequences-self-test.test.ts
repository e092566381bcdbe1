import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { closeHoles, type Hole, openHole } from '../../support/sequences/holes.ts';
import { sequence, tried } from '../../support/sequences/steps.ts';

/** What each row says of what somebody once did. Where no sequence of these steps can do it, a test of its own does. */
const found: readonly { readonly row: string; readonly hole: Hole; readonly says: RegExp }[] = [
  {
    row: '1: a limit that is lowered for a time, then in the portal, is no raise back to where it was',
    hole: 'the earlier value of a temporary change counts',
    says: /^\S+ alone raised limit.*: limit [^\n]*$/s,
  },
  {
    row: '1: the same by Take back and then Put back',
    hole: 'putting back is no raise',
    says: /alone raised.*take back.*: put back [^\n]*$/s,
  },
  {
    row: '2: an approver types the old limit of their own card',
    hole: 'the earlier value of a temporary change counts',
    says: /^nobody who may wanted to raise.*: limit [^\n]*$/s,
  },
  {
    row: '3: what a holder asked for is approved by one, though the limit was lowered since',
    hole: 'approvals count for numbers that moved',
    says: /alone raised.*: ask for more .*the portal sets.*: approve [^\n]*$/s,
  },
  {
    row: '4: the same by breaking the glass',
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
    row: '7: a role is removed while no worker runs, then an unblock is done',
    hole: 'the roles of the click count',
    says: /went from BLOCKED to ACTIVE: \S+ is no approver/,
  },
  {
    row: '8: somebody silences their own card',
    hole: 'the own card can be silenced',
    says: /silenced.*their own card/,
  },
  {
    row: '9: several orders that are small one by one',
    hole: 'orders are not summed up',
    says: /alone put \d+ on new cards/,
  },
  {
    row: '11: a country is opened for a time and counts as the declined purchase',
    hole: 'what is opened for a time counts as the purchase',
    says: /alone raised international.*: allow [^\n]*$/s,
  },
  {
    row: '14: what somebody without roles wrote into the queue is done',
    hole: 'some verbs are not authorized',
    says: /who is no approver, ordered/,
  },
];

/** What no sequence of these steps can do: the test that does it. */
const elsewhere: readonly { readonly row: string; readonly file: string; readonly title: string }[] = [
  {
    row: '10: words about time that were not understood',
    file: 'test/flow/one-person.test.ts',
    title: 'is a time, not a reason, in whichever words',
  },
  {
    row: '12: a member types commands for two minutes',
    file: 'test/flow/permissions.test.ts',
    title: 'a member who types commands all the time fills neither the record nor what Slack answers about groups',
  },
  {
    row: '13: a channel is shared with another company',
    file: 'test/flow/shared-channels.test.ts',
    title: 'requests and audit lines never reach a channel that another company reads',
  },
];

const faults = new Map<Hole, string[]>();

/** What the sequences that `npm test` tries say of a hole, until it is all that the rows are about. */
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

describe('the sequences find again what the code once let people do', () => {
  afterAll(closeHoles);

  it.each(found)('row $row', async ({ hole, says }) => {
    const faults = await faultsWith(hole);
    expect(
      faults.some((fault) => says.test(fault)),
      `no sequence of ${tried.count} found it`,
    ).toBe(true);
  });

  it.each(elsewhere)('row $row: has a test of its own', ({ file, title }) => {
    expect(readFileSync(file, 'utf8')).toContain(title);
  });
});
