import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisClient } from './redis.ts';

const AGAIN_MS = 500;

/** Runs checks one after the other. @param look returns whether to check again soon. */
export function createLooking(look: () => Promise<boolean>) {
  let isLooking = false;
  /** The connection was lost and reopened during the check. */
  let isOutdated = false;
  return {
    isOutdated: () => isOutdated,
    start: function start(): void {
      isOutdated = isLooking;
      if (isLooking) return;
      isLooking = true;
      void look().then(async (isAgain) => {
        if (isAgain) await sleep(AGAIN_MS);
        isLooking = false;
        if (isAgain || isOutdated) start();
      });
    },
  };
}

/** How often to look for what changes in Redis without a new connection. */
const REPEAT_MS = 5000;

/** Looks every five seconds until the client is closed. */
export function lookWhileOpen(redis: RedisClient, look: () => void): void {
  const timer = setInterval(look, REPEAT_MS).unref();
  redis.on('end', () => clearInterval(timer));
}
