import fc from 'fast-check';
import { declineCodes } from '../../../src/alerts/decline-reason.ts';
import { webhookKinds } from '../../../src/core/event.ts';
import { type Filter, hasHead, possibleKinds, printFilter, textFacts } from '../../../src/routing/filter.ts';

const text = fc
  .stringMatching(/^[A-Za-z0-9][A-Za-z0-9 .'&-]{0,20}[A-Za-z0-9]$/)
  .map((one) => one.replaceAll(/\s+/g, ' '));
const simple: fc.Arbitrary<Filter> = fc.oneof(
  fc.constant<Filter>({ is: 'all' }),
  fc
    .subarray([...webhookKinds], { minLength: 1 })
    .map((kinds): Filter => ({ is: 'kind', kinds: webhookKinds.filter((kind) => kinds.includes(kind)) })),
  fc.record({
    is: fc.constant('amount' as const),
    test: fc.constantFrom('over' as const, 'from' as const, 'under' as const, 'upTo' as const),
    cents: fc.integer({ min: 0, max: 99_999_999_999 }),
  }),
  fc.record({
    is: fc.constant('code' as const),
    code: fc.constantFrom(...declineCodes, 'decline.rule', 'decline.new'),
  }),
  fc.record({ is: fc.constant('text' as const), fact: fc.constantFrom(...textFacts), text }),
  fc.record({ is: fc.constant('country' as const), country: fc.constantFrom('US', 'PT', 'GB', 'NO', 'IN') }),
  fc.record({ is: fc.constant('form' as const), form: fc.constantFrom('virtual' as const, 'physical' as const) }),
);
const isAll = ({ is }: Filter): boolean => is === 'all';
/** No `all` in an `and` with what has a head. */
const isNormal = (one: Filter): boolean =>
  one.is !== 'and' || !one.filters.some(isAll) || !one.filters.some((part) => !isAll(part) && hasHead(part));
const { tree } = fc.letrec<{ tree: Filter }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'filter' },
    simple,
    tie('tree').map((filter): Filter => ({ is: 'not', filter })),
    ...(['and', 'or'] as const).map((is) =>
      fc
        .array(tie('tree'), { minLength: 2, maxLength: 4 })
        .map((filters): Filter => ({ is, filters: filters.flatMap((one) => (one.is === is ? one.filters : [one])) }))
        .filter(isNormal),
    ),
  ),
}));
/** Filters that can match something, nested to any depth. */
export const filters = tree.filter((filter) => possibleKinds(filter).length > 0 && printFilter(filter).length <= 2000);
