import { readFileSync } from 'node:fs';
import type { RedisTarget } from '../core/redis.ts';

/** The authority that signed the certificate of Redis, in PEM. Adds to `problems` when its file cannot be read. */
export function readRedisCa(given: Readonly<Record<string, string>>, problems: string[]): string | undefined {
  const path = given['REDIS_TLS_CA_FILE'];
  if (path === undefined) return undefined;
  try {
    const pem = readFileSync(path, 'utf8');
    if (pem.includes('-----BEGIN CERTIFICATE-----')) return pem;
  } catch {
    // Said below.
  }
  problems.push('REDIS_TLS_CA_FILE: expected a readable file with certificates in PEM');
  return undefined;
}

/** Where Redis is: a server, the nodes of a cluster, or sentinels that know it by the name of a master. */
export function redisTarget(
  values: {
    readonly REDIS_URL: readonly string[];
    readonly REDIS_SENTINEL_MASTER?: string | undefined;
    readonly REDIS_SENTINEL_PASSWORD?: string | undefined;
    readonly REDIS_TLS_INSECURE: boolean;
  },
  ca: string | undefined,
): RedisTarget {
  const { REDIS_SENTINEL_MASTER: master, REDIS_SENTINEL_PASSWORD: password } = values;
  return Object.freeze({
    urls: values.REDIS_URL,
    sentinel: master === undefined ? null : { master, password },
    tls: { ca, isInsecure: values.REDIS_TLS_INSECURE },
  });
}
