import type { Json } from './json.ts';

/** Thrown by a Web API method to answer `{ ok: false, error }`, with HTTP status 200 like Slack. */
export class ApiError extends Error {
  readonly code: string;
  /** Reasons, one per error, without Slack's `[ERROR]` prefix. */
  readonly reasons: readonly string[];
  readonly extra: Json;

  constructor(code: string, reasons: readonly string[] = [], extra: Json = {}) {
    super([code, ...reasons].join('; '));
    this.name = 'ApiError';
    this.code = code;
    this.reasons = reasons;
    this.extra = extra;
  }

  /** The body that Slack sends for this error. */
  body(): Json {
    const reasons = this.reasons.length > 0 ? { errors: [...this.reasons] } : {};
    const messages = this.reasons.map((reason) => `[ERROR] ${reason}`);
    const metadata = messages.length > 0 ? { response_metadata: { messages } } : {};
    return { ok: false, error: this.code, ...reasons, ...metadata, ...this.extra };
  }
}
