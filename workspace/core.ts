import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { createFaults, type Faults } from './faults.ts';
import type { StoredMessage } from './message.ts';
import type { WorkspaceOptions } from './options.ts';
import { createLimiter, type Limiter } from './rate-limit.ts';
import { createResponseUrls, type ResponseUrls } from './response-url.ts';
import { createSocketMode, type SocketMode } from './socket.ts';
import { type ApiCall, createIdentity, createState, type Identity, type State } from './state.ts';
import { createTriggers, type Triggers } from './trigger.ts';

/** A change that people or tests may wait for. */
export type Change =
  | { type: 'message'; kind: 'posted' | 'changed' | 'deleted'; message: StoredMessage }
  | { type: 'modal' | 'home'; user: string }
  | { type: 'channels' }
  | { type: 'reset' };

/** Shared by all parts of the workspace. */
export interface Core {
  readonly options: WorkspaceOptions;
  readonly identity: Identity;
  state: State;
  readonly calls: ApiCall[];
  readonly faults: Faults;
  readonly limiter: Limiter;
  readonly triggers: Triggers;
  readonly responseUrls: ResponseUrls;
  readonly socket: SocketMode;
  readonly changes: EventEmitter<{ change: [Change] }>;
  /** The address of this server, without a trailing slash. Known once it listens. */
  origin: string;
  appUrl: string | undefined;
  now(): number;
}

/** Joins the parts of a workspace before it listens. */
export function createCore(options: WorkspaceOptions): Core {
  const now = options.now ?? (() => Date.now());
  const identity = createIdentity(options);
  const changes = new EventEmitter<{ change: [Change] }>();
  changes.setMaxListeners(0);
  return {
    options,
    identity,
    state: createState(options, identity),
    calls: [],
    faults: createFaults(),
    limiter: createLimiter(options, now),
    triggers: createTriggers(now, options.triggerAgeMs),
    responseUrls: createResponseUrls(now),
    socket: createSocketMode(),
    changes,
    origin: '',
    appUrl: options.appUrl,
    now,
  };
}

/** A new id in Slack's format: a letter, then capitals and digits, in ascending order. */
export function nextId(core: Core, prefix: string): string {
  core.state.serial += 1;
  const tail = randomBytes(3).toString('hex').toUpperCase();
  return `${prefix}0${core.state.serial.toString(36).toUpperCase().padStart(4, '0')}${tail}`;
}

/** A new message timestamp: seconds and six digits, later than all previous ones, even if the clock stands still. */
export function nextTs(core: Core): string {
  const micros = Math.max(Math.floor(core.now() * 1000), core.state.lastTs + 1);
  core.state.lastTs = micros;
  return `${Math.floor(micros / 1_000_000)}.${String(micros % 1_000_000).padStart(6, '0')}`;
}
