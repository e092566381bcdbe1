import { describe } from 'vitest';

/**
 * Suites that wait most of the time, run side by side; the tests of each in order.
 *
 * Each needs a Cardbell of its own.
 */
export function sideBySide(name: string, body: () => void): void {
  describe.concurrent(name, () => {
    describe.sequential('in order', body);
  });
}
