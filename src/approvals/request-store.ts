import type { Cluster, Redis } from 'ioredis';
import { stateKey } from '../core/keys.ts';
import { createOpenRecordStore } from '../core/record-store.ts';
import { LimitRequest, type OpenRequest } from './request.ts';

const KEPT_SECONDS = 30 * 24 * 3600;

export interface Requests {
  save(request: LimitRequest): Promise<void>;
  get(id: string): Promise<LimitRequest | null>;
  /** Those that nobody has decided yet, oldest first. */
  open(): Promise<OpenRequest[]>;
}

/** Requests by id. Changes happen under the request's lock, so plain reads and writes do. */
export function createRequests(redis: Redis | Cluster): Requests {
  const store = createOpenRecordStore({
    redis,
    schema: LimitRequest,
    keyOf: (id) => stateKey(`request:${id}`),
    ttlSeconds: KEPT_SECONDS,
    openKey: stateKey('requests-open'),
    orderOf: ({ state, action }) => (state === 'open' ? Date.parse(action.askedAt) : null),
  });
  return {
    save: (request) => store.put(request.id, request),
    get: store.get,
    open: async () => (await store.open()).filter((request) => request.state === 'open'),
  };
}
