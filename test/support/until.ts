/**
 * Waits until the condition is true. Fails with its description after a generous deadline.
 *
 * @param everyMs time between two looks: longer where a look is expensive and the condition stays true.
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string,
  deadlineMs = 120_000,
  everyMs = 15,
): Promise<void> {
  const end = performance.now() + deadlineMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`never happened within ${deadlineMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

/** Waits for something that must not happen. Only when nothing signals that it can no longer happen. */
export async function settled(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
