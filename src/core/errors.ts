import { z } from 'zod';

/**
 * Base class of every error that Cardbell raises on purpose.
 *
 * `code` is for machines (log fields, metric labels). `retryable` says whether a retry can help. Messages name what
 * failed and where, never values: no URLs, tokens, bodies or names.
 */
export abstract class AppError extends Error {
  abstract readonly code: string;
  abstract readonly retryable: boolean;
}

/** The environment is unusable. `problems` names each bad variable and what was expected, never its value. */
export class ConfigError extends AppError {
  readonly code = 'config';
  readonly retryable = false;
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`the configuration is not usable:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

/** An authentic webhook whose JSON does not match the schema. `issues` are paths and expectations, never values. */
export class PayloadError extends AppError {
  readonly code = 'payload';
  readonly retryable = false;
  readonly issues: readonly string[];

  constructor(issues: readonly string[]) {
    super(`payload does not fit: ${issues.join('; ')}`);
    this.issues = issues;
  }
}

/** Stored data that this version cannot read; a newer one may. `what` names the fields, never values. */
export class UnreadableError extends AppError {
  readonly code = 'unreadable';
  readonly retryable = true;

  constructor(what: string) {
    super(`this version cannot read ${what}`);
  }
}

/**
 * Redis holds data that no worker has written, so it is not used. Also thrown after a key change until the old key is
 * configured too.
 */
export class ForgedError extends AppError {
  readonly code = 'forged';
  readonly retryable = true;

  constructor() {
    super('data in Redis was not written by a worker of Cardbell, or was changed afterwards');
  }
}

/** Redis is down, or did not acknowledge a write in time. Whether the write happened is unknown. */
export class StoreUnavailableError extends AppError {
  readonly code = 'store_unavailable';
  readonly retryable = true;
}

/** Others hold a lock for too long, or it is not the turn of this action. */
export class BusyError extends StoreUnavailableError {}

/** A process was frozen or too slow. Others may have taken over its work, so it did not write. */
export class TooLateError extends AppError {
  readonly code = 'too_late';
  readonly retryable = true;
}

/** Slack does not say who has which role, or the card's holder is unknown. Nothing that needs a role can be allowed. */
export class RolesUnreadError extends AppError {
  readonly code = 'roles_unread';
  readonly retryable = true;

  constructor(what = 'Slack does not say who has which role') {
    super(what);
  }
}

/** How far a failed call to the card API got. */
export type CardApiOutcome =
  /** The API answered and did not make the change. */
  | 'refused'
  /** It may have been done. Read back before retrying. */
  | 'unknown'
  /** It never left this process. */
  | 'not_sent';

export type CardApiCode =
  | 'refused'
  | 'token_dead'
  | 'rate_limited'
  | 'unavailable'
  | 'server_error'
  | 'timeout'
  | 'bad_answer';

export interface CardApiErrorDetails {
  /** Name of the client's method. */
  readonly operation: string;
  /** Absent: there was no answer. */
  readonly status?: number | null;
  readonly outcome: CardApiOutcome;
  readonly code: CardApiCode;
  /** The API's own message, masked. Absent or null: it gave none. */
  readonly apiMessage?: string | null;
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** A call to the card API that failed, or may have failed. */
export class CardApiError extends AppError {
  readonly code: CardApiCode;
  readonly operation: string;
  readonly status: number | null;
  readonly outcome: CardApiOutcome;
  readonly apiMessage: string | null;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, details: CardApiErrorDetails) {
    super(message, { cause: details.cause });
    this.code = details.code;
    this.operation = details.operation;
    this.status = details.status ?? null;
    this.outcome = details.outcome;
    this.apiMessage = details.apiMessage ?? null;
    this.retryAfterMs = details.retryAfterMs;
  }

  get retryable(): boolean {
    return this.code !== 'refused' && this.code !== 'token_dead' && this.code !== 'bad_answer';
  }
}

/** What a failed call to Slack means for the caller. */
type SlackFailure =
  /** 429: wait `retryAfterMs`. Nothing was done. */
  | 'rate_limited'
  /** Slack refused and will refuse again. */
  | 'refused'
  /** Cannot post to this channel: archived, deleted, or Cardbell is not a member. */
  | 'channel_unusable'
  /**
   * Slack refuses the token or what the app may do, or a post is refused for another reason than its content, such as by a
   * proxy. It can be done once that is repaired.
   */
  | 'app_refused'
  /** It may have been done. Check before retrying. */
  | 'unknown';

/** A failed call to Slack. `slackError` is Slack's own error code. */
export class SlackError extends AppError {
  readonly code: SlackFailure;
  readonly method: string;
  readonly slackError: string;
  readonly retryAfterMs: number | undefined;

  constructor(
    method: string,
    code: SlackFailure,
    slackError: string,
    details: { retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(`Slack answered ${slackError} to ${method}`, { cause: details.cause });
    this.method = method;
    this.code = code;
    this.slackError = slackError;
    this.retryAfterMs = details.retryAfterMs;
  }

  get retryable(): boolean {
    return this.code === 'rate_limited' || this.code === 'unknown';
  }
}

/** Stored data that does not parse or is not ours, or an error in a template. Not an outage of Redis or Slack. */
export function isFaultOfOurs(error: unknown): boolean {
  return (
    error instanceof z.ZodError ||
    error instanceof SyntaxError ||
    error instanceof TypeError ||
    error instanceof UnreadableError ||
    error instanceof ForgedError
  );
}

/** Error codes along the chain of causes. Without messages, which may contain addresses or headers. */
export function codesOf(error: unknown, depth = 0): string[] {
  if (!(error instanceof Error) || depth > 4) return [];
  const own = 'code' in error && typeof error.code === 'string' ? [error.code] : [];
  const inner = error instanceof AggregateError ? error.errors.flatMap((one) => codesOf(one, depth + 1)) : [];
  return [...new Set([...own, ...inner, ...codesOf(error.cause, depth + 1)])];
}
