import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Approver, countApprovers, fullyCounted } from '../../../src/approvals/count-approvers.ts';
import { countApprovals } from '../../support/sequences/people.ts';

const own = (by: string): Approver => ({ by, inPlaceOf: [by] });
const delegate = (by: string, ...inPlaceOf: string[]): Approver => ({ by, inPlaceOf });
const countedBy = (approvers: readonly Approver[]): Record<string, string> =>
  Object.fromEntries([...countApprovers(approvers)].map(([whom, { by }]) => [whom, by]));

/** Different people, each an approver or a delegate of some of four approvers. */
const anyApprovers = fc
  .uniqueArray(
    fc.oneof(
      fc.constantFrom('ana', 'ben', 'cal', 'dan').map(own),
      fc.record({
        by: fc.constantFrom('hugo', 'ida', 'jo', 'kai'),
        inPlaceOf: fc.subarray(['ana', 'ben', 'cal', 'dan']),
      }),
    ),
    { selector: ({ by }) => by },
  )
  .chain((approvers) =>
    fc.record({
      approvers: fc.constant(approvers),
      reordered: fc.shuffledSubarray(approvers, { minLength: approvers.length }),
    }),
  );

describe('whose approval counts', () => {
  it('a person and all their delegates count as one', () => {
    expect(countedBy([delegate('hugo', 'ana'), delegate('ida', 'ana'), own('ana')])).toEqual({ ana: 'ana' });
    expect(countedBy([delegate('hugo', 'ana'), delegate('ida', 'ana')])).toEqual({ ana: 'hugo' });
  });

  it('a delegate of two people counts for the one who is left, and not besides both', () => {
    expect(countedBy([delegate('ida', 'ana', 'ben'), own('ana')])).toEqual({ ana: 'ana', ben: 'ida' });
    expect(countedBy([delegate('ida', 'ana', 'ben'), own('ana'), own('ben')])).toEqual({ ana: 'ana', ben: 'ben' });
    expect(countedBy([delegate('ida', 'ana', 'ben'), delegate('hugo', 'ana')])).toEqual({ ana: 'hugo', ben: 'ida' });
  });

  it('people who approve for nobody any more do not count', () => {
    expect(countedBy([delegate('hugo'), own('ana')])).toEqual({ ana: 'ana' });
  });

  it('does not depend on the order of the clicks, and is as many as possible', () => {
    fc.assert(
      fc.property(anyApprovers, ({ approvers, reordered }) => {
        const counted = countApprovers(approvers);

        expect(countApprovers(reordered).size).toBe(counted.size);
        expect(counted.size).toBe(countApprovals(approvers.map(({ inPlaceOf }) => inPlaceOf)));
        for (const { by } of approvers.filter((one) => one.inPlaceOf.includes(one.by)))
          expect(counted.get(by)?.by).toBe(by);
        for (const [whom, { inPlaceOf }] of counted) expect(inPlaceOf).toContain(whom);
        expect(new Set([...counted.values()].map(({ by }) => by)).size, 'each once').toBe(counted.size);
      }),
    );
  });
});

describe('as whom nobody else can count', () => {
  it.each<[string, Approver[], string[]]>([
    ['an approver', [own('ana')], ['ana']],
    ['the person with one delegate', [delegate('hugo', 'ana')], ['ana']],
    ['neither of two people with one delegate', [delegate('ida', 'ana', 'ben')], []],
    ['both, with two delegates', [delegate('ida', 'ana', 'ben'), delegate('hugo', 'ana')], ['ana', 'ben']],
  ])('%s', (_who, approvers, expected) => {
    expect(fullyCounted(approvers)).toEqual(expected);
  });
});
