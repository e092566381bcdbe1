/**
 * Waits until something holds; fails with its description when it never does. The deadline is generous.
 *
 * @param everyMs longer where a look costs much and what is waited for stays.
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string,
  deadlineMs = 60_000,
  everyMs = 15,
): Promise<void> {
  const end = performance.now() + deadlineMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`never happened within ${deadlineMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

/** Gives something that must not happen time to happen. Only where nothing tells when it could no longer happen. */
export async function settled(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
