import { BoundedMap } from '../core/bounded-map.ts';
import { SlackError } from '../core/errors.ts';
import { shareRunning } from '../core/join-calls.ts';
import type { Log } from '../core/log.ts';

/** How old Slack's answer may be. */
export interface HowOld {
  /** An answer is reused without a call for this long. Default 0: always call. */
  readonly knownForMs?: number;
  /** Maximum age of an answer to use when Slack returns no newer one. By default only used when Slack rate-limits. */
  readonly stillGoodMs?: number;
  /** After a failure there is no new call for this long. */
  readonly silentForMs?: number;
}

/**
 * Slack's rate limits: 20 calls a minute for user groups, 100 for people. Only when Slack rate-limits is an answer of
 * the last minute used, unless a Slack event has reported a change since.
 */
const STILL_GOOD_MS = 60_000;
/**
 * For a minute after Slack rate-limits, each answer is reused for this long. Otherwise several workers would use up the
 * limit on answers that some of them have, and leave others without any.
 */
const SPARED_MS = 20_000;
/** An answer that grants permission is reused only for seconds, and only until Slack reports a change. */
export const KNOWN_FOR_MS = 5000;
/**
 * The same for people: ten active people, each known to three workers, cause about 90 calls a minute. It affects waiting
 * actions, and the delegates of somebody who was just deactivated.
 */
export const PERSON_KNOWN_FOR_MS = 20_000;
/** Maximum number of stored answers and of stored failures. The oldest are dropped first. */
const KEPT = 1000;

interface SlackAnswersDeps<T> {
  /** What is looked up, for the log. */
  readonly what: string;
  readonly ask: (id: string) => Promise<T>;
  /** Changes after each change that Slack reports: older answers are not used. */
  readonly version: () => Promise<string | null>;
  readonly log: Log;
  /** Milliseconds on any monotonic clock. */
  readonly now?: () => number;
}

/** Slack's answers about user groups or people, with as few calls as its rate limits and the caller allow. */
export function createSlackAnswers<T>(deps: SlackAnswersDeps<T>) {
  const { what, ask, log, now = () => performance.now() } = deps;
  const answers = new BoundedMap<string, { answer: T; readAt: number; version: string | null }>(KEPT);
  const failures = new BoundedMap<string, { error: unknown; at: number; version: string | null }>(KEPT);
  /** The version only tells calls apart: no caller gets an answer from before a change. */
  const askOnce = shareRunning((id: string, _version: string | null) => ask(id));
  let limitedAt = Number.NEGATIVE_INFINITY;

  return {
    /** @throws SlackError when Slack does not answer and no earlier answer may be used. */
    async of(id: string, { knownForMs = 0, stillGoodMs, silentForMs = 0 }: HowOld = {}): Promise<T> {
      // Read before calling Slack, so that a change in between is noticed the next time.
      const version = await deps.version();
      const cached = answers.get(id);
      const isCurrent = cached?.version === version;
      const sparedMs = now() - limitedAt < STILL_GOOD_MS ? SPARED_MS : 0;
      if (cached !== undefined && isCurrent && now() - cached.readAt < Math.max(knownForMs, sparedMs))
        return cached.answer;
      const failed = failures.get(id);
      if (failed?.version === version && now() - failed.at < silentForMs) throw failed.error;
      try {
        const answer = await askOnce(id, version);
        // Unless a newer answer arrived first.
        if (answers.get(id) === cached) answers.set(id, { answer, readAt: now(), version });
        failures.delete(id);
        return answer;
      } catch (error) {
        failures.set(id, { error, at: now(), version });
        const isRateLimited = error instanceof SlackError && error.code === 'rate_limited';
        if (isRateLimited) limitedAt = now();
        const goodForMs = stillGoodMs ?? (isRateLimited && isCurrent ? STILL_GOOD_MS : 0);
        if (cached === undefined || goodForMs === 0 || now() - cached.readAt > goodForMs) throw error;
        log.warn({ id }, `Slack did not return a ${what}; using its last answer`);
        return cached.answer;
      }
    },
  };
}
