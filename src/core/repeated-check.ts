import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisClient } from './redis.ts';

const AGAIN_MS = 500;

/** Runs checks one after the other. @param check returns whether to check again soon. */
export function createRepeatedCheck(check: () => Promise<boolean>) {
  let isChecking = false;
  /** The connection was lost and reopened during the check. */
  let isOutdated = false;
  return {
    isChecking: () => isChecking,
    isOutdated: () => isOutdated,
    start: function start(): void {
      isOutdated = isChecking;
      if (isChecking) return;
      isChecking = true;
      void check().then(async (isAgain) => {
        if (isAgain) await sleep(AGAIN_MS);
        isChecking = false;
        if (isAgain || isOutdated) start();
      });
    },
  };
}

/** How often to check for what changes in Redis without a new connection. */
const REPEAT_MS = 5000;

/** Checks every five seconds until the client is closed. */
export function checkWhileOpen(redis: RedisClient, check: () => void): void {
  const timer = setInterval(check, REPEAT_MS).unref();
  redis.on('end', () => clearInterval(timer));
}
