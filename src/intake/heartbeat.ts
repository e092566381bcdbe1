import { setTimeout as wait } from 'node:timers/promises';
import { webKeys } from '../core/keys.ts';
import type { Log } from '../core/log.ts';
import type { RedisClient } from '../core/redis.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import { inboxKeys } from './intake.ts';

const BEAT_MS = 5000;
/** Retry interval while Redis is down: the gap ends with the first beat that is stored. */
const RETRY_MS = 500;
/** A beat this late means that the process was frozen and accepted no webhooks. */
const STALL_MS = 12_000;
/** A little longer than the period that the card service can be asked about. */
const GAPS_KEPT_MS = 400 * 24 * 3600 * 1000;

const aliveSource = readScript(new URL('./alive.lua', import.meta.url));
const beatSource = readScript(new URL('./beat.lua', import.meta.url));

export type Heartbeat = ReturnType<typeof startHeartbeat>;

/**
 * Records every few seconds that webhooks are accepted and Redis takes writes. Where beats are missing, webhooks may
 * have been lost, and recovery fetches them: before a start, while Redis was down, while this process was frozen.
 *
 * Start it once the server listens. All web processes share one record, and each also knows its own gaps.
 *
 * @param options.isTaking false while webhooks are refused although Redis answers.
 */
export function startHeartbeat(
  redis: RedisClient,
  log: Log,
  {
    beatMs = BEAT_MS,
    stallMs = STALL_MS,
    isTaking = () => true,
  }: { beatMs?: number; stallMs?: number; isTaking?: () => boolean } = {},
) {
  const script = defineScript(redis, beatSource);
  const alive = defineScript(redis, aliveSource);
  const stopping = new AbortController();
  const startedAt = performance.now();
  let own = 0;
  let hasMissed = false;
  let nextCause: 'start' | 'away' | 'rewound' | '' = 'start';
  void run();

  return {
    /** A webhook was answered with 503: the next beat ends a gap, however short. */
    missed(): void {
      hasMissed = true;
      nextCause ||= 'away';
    },
    /** Redis came back with older data, or may have: anything acknowledged since its last beat may be gone. */
    lost(): void {
      nextCause = 'rewound';
    },
    stop: (): void => stopping.abort(),
  };

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const isTaken = await beat();
      await wait(isTaken ? beatMs : RETRY_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  }

  async function beat(): Promise<boolean> {
    // Not awaited: the beat itself must notice that Redis does not answer.
    alive.run([webKeys.alive], []).catch((error: unknown) => {
      log.debug({ err: error }, 'could not store that this process is alive');
    });
    // The gap continues while all webhooks are refused.
    if (!isTaking()) {
      nextCause ||= 'away';
      return false;
    }
    const cause = nextCause;
    nextCause = '';
    try {
      const keys = [webKeys.open, webKeys.since, webKeys.gaps, inboxKeys.gaps];
      const missingMs = own === 0 && hasMissed ? performance.now() - startedAt : 0;
      own = Number(await script.run(keys, [own, stallMs, cause, GAPS_KEPT_MS, missingMs]));
      return true;
    } catch (error) {
      nextCause = cause || 'away';
      log.debug({ err: error }, 'could not store the heartbeat');
      return false;
    }
  }
}
