import { SlackError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';

/** How old Slack's answer may be. */
export interface HowOld {
  /** It is not asked again for so long. 0 by default: what it says at this moment. */
  readonly knownForMs?: number;
  /** An answer of this age still counts when Slack gives no newer one. By default only when it limits how often it is asked. */
  readonly stillGoodMs?: number;
  /** After a failure it is not asked again for so long. */
  readonly silentForMs?: number;
}

/**
 * Slack limits how often it is asked: 20 times a minute for a user group, 100 times for a person. Only when it refuses does
 * an answer of the last minute count again, unless an event of Slack's has said since that something changed.
 */
const STILL_GOOD_MS = 60_000;
/**
 * For a minute after Slack refused, each answer counts for so long without asking. Otherwise several workers would use up the
 * limit on what some of them know, and leave others without any answer.
 */
const SPARED_MS = 20_000;
/** What permits something is known for seconds only, and until Slack reports a change. */
export const KNOWN_FOR_MS = 5000;
/**
 * The same of a person: ten people at work, each known to three workers, are asked about 90 times a minute. Whoever is
 * deactivated cannot click any more, so this is about what waited.
 */
export const PERSON_KNOWN_FOR_MS = 20_000;
/** How many answers, and how many failures, are kept; the oldest go first. */
const KEPT = 1000;

interface SlackAnswersDeps<T> {
  /** What is asked for, for the log. */
  readonly what: string;
  readonly ask: (id: string) => Promise<T>;
  /** Another one after each change that Slack reports: no answer from before it is used. */
  readonly version: () => Promise<string | null>;
  readonly log: Log;
  /** Milliseconds since any moment. */
  readonly now?: () => number;
}

/** What Slack says of a user group or a person, asked as seldom as its limits and the question allow. */
export function createSlackAnswers<T>(deps: SlackAnswersDeps<T>) {
  const { what, ask, log, now = () => performance.now() } = deps;
  const answers = new Map<string, { answer: T; readAt: number; version: string | null }>();
  const failures = new Map<string, { error: unknown; at: number; version: string | null }>();
  const asking = new Map<string, Promise<T>>();
  let limitedAt = Number.NEGATIVE_INFINITY;

  return {
    /** @throws SlackError when Slack does not say, and no earlier answer counts. */
    async of(id: string, { knownForMs = 0, stillGoodMs, silentForMs = 0 }: HowOld = {}): Promise<T> {
      // Read before Slack is asked, so that a change in between is noticed the next time.
      const version = await deps.version();
      const known = answers.get(id);
      const isCurrent = known?.version === version;
      const sparedMs = now() - limitedAt < STILL_GOOD_MS ? SPARED_MS : 0;
      if (known !== undefined && isCurrent && now() - known.readAt < Math.max(knownForMs, sparedMs))
        return known.answer;
      const failed = failures.get(id);
      if (failed?.version === version && now() - failed.at < silentForMs) throw failed.error;
      try {
        const answer = await askOnce(id, version);
        // Unless a newer answer came first.
        if (answers.get(id) === known) keep(answers, id, { answer, readAt: now(), version });
        failures.delete(id);
        return answer;
      } catch (error) {
        keep(failures, id, { error, at: now(), version });
        const isRateLimited = error instanceof SlackError && error.code === 'rate_limited';
        if (isRateLimited) limitedAt = now();
        const goodForMs = stillGoodMs ?? (isRateLimited && isCurrent ? STILL_GOOD_MS : 0);
        if (known === undefined || goodForMs === 0 || now() - known.readAt > goodForMs) throw error;
        log.warn({ id }, `Slack does not answer about a ${what}, its last answer still counts`);
        return known.answer;
      }
    },
  };

  /** Those who ask at the same time share one request, unless something changed in between. */
  function askOnce(id: string, version: string | null): Promise<T> {
    const request = `${id} ${version ?? ''}`;
    const asked = asking.get(request);
    if (asked !== undefined) return asked;
    const answer = ask(id).finally(() => asking.delete(request));
    asking.set(request, answer);
    return answer;
  }
}

/** The oldest goes where there are too many. */
function keep<T>(entries: Map<string, T>, id: string, entry: T): void {
  entries.delete(id);
  entries.set(id, entry);
  const [oldest] = entries.keys();
  if (entries.size > KEPT && oldest !== undefined) entries.delete(oldest);
}
