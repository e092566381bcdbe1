import type { Assumptions } from '../assumptions.ts';
import { ServiceError } from '../service-error.ts';

/**
 * The limits of 2018: a total per minute, and lower ones for a few endpoints. Sliding windows.
 *
 * Uses real time, shortened by the time scale. A clock set by a test does not lift the limits.
 */
export function createRateLimit(assume: Assumptions, timeScale: number): (method: string, routePath: string) => void {
  const calls = new Map<string, number[]>();

  function count(name: string, most: number, minutes: number): void {
    const now = performance.now();
    const windowMs = (minutes * 60_000) / timeScale;
    const recent = (calls.get(name) ?? []).filter((at) => now - at < windowMs);
    calls.set(name, recent);
    if (recent.length >= most) throw new ServiceError(429, 'Usage limits exceeded');
    recent.push(now);
  }

  return (method, routePath) => {
    const name = `${method} ${routePath}`;
    const own = assume.callsOfEndpoint[name];
    if (own !== undefined) count(name, own.calls, own.minutes);
    count('all', assume.callsPerMinute, 1);
  };
}
