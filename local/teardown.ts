/** Someone asked to stop while things were still starting. */
export class InterruptedError extends Error {
  constructor() {
    super('stopped while starting');
  }
}

/** Everything to stop at the end, in reverse order of starting. */
export interface Teardown {
  /** @throws InterruptedError when teardown has already begun; the new part is stopped first. */
  add(stop: () => unknown): Promise<void>;
  /** Stops everything, once. A part that fails does not keep the others from being stopped. */
  run(): Promise<void>;
}

/** Collects what to stop. `report` is called for parts that fail to stop. */
export function createTeardown(report: (error: unknown) => void): Teardown {
  const stops: (() => unknown)[] = [];
  let running: Promise<void> | undefined;

  async function stopAll(): Promise<void> {
    for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) {
      try {
        await stop();
      } catch (error) {
        report(error);
      }
    }
  }

  return {
    async add(stop) {
      stops.push(stop);
      if (running === undefined) return;
      await running;
      await stopAll();
      throw new InterruptedError();
    },
    run: () => (running ??= stopAll()),
  };
}
