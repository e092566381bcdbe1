/**
 * How many examples a property is tried with. `npm test` tries few of what costs much; `npm run test:long` tries ten times as
 * many of each, and everybody may ask for more: `TEST_RUNS=100 npx vitest run test/fuzz`.
 */
export function examples(count: number): number {
  return Math.round(count * Number(process.env.TEST_RUNS ?? 1));
}
