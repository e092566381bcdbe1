/**
 * Number of examples per property. `npm run test:long` tries ten times as many as `npm test`. Set `TEST_RUNS` for more:
 * `TEST_RUNS=100 npx vitest run test/fuzz`.
 */
export function examples(count: number): number {
  return Math.round(count * Number(process.env.TEST_RUNS ?? 1));
}
