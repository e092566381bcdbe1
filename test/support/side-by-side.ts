import { describe } from 'vitest';

/**
 * Runs suites that mostly wait in parallel, with the tests of each in order.
 *
 * Each needs a separate Cardbell.
 */
export function sideBySide(name: string, body: () => void): void {
  describe.concurrent(name, () => {
    describe.sequential('in order', body);
  });
}
