/**
 * Number of examples per property. `npm test` tries few of the costly ones; `npm run test:properties` tries ten times as many of
 * each. Set `TEST_RUNS` for more: `TEST_RUNS=100 npx vitest run test/fuzz`.
 */
export function examples(count: number): number {
  return Math.round(count * Number(process.env.TEST_RUNS ?? 1));
}
