/** Somebody asked to stop while things were still being started. */
export class InterruptedError extends Error {
  constructor() {
    super('stopped while starting');
  }
}

/** What has to be stopped at the end, in the opposite order of how it was started. */
export interface Teardown {
  /** @throws InterruptedError when the end has come already; what was handed over is stopped first. */
  add(stop: () => unknown): Promise<void>;
  /** Stops everything, once; a part that stumbles does not keep the others from being stopped. */
  run(): Promise<void>;
}

/** Collects what to stop. `report` hears of parts that stumble. */
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
