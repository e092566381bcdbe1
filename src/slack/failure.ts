import webApi from '@slack/web-api';
import { SlackError } from '../core/errors.ts';
import { span } from '../core/trace.ts';

const { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError } = webApi;

/** Slack's codes for a token that will not work again. Its other codes concern the app, a channel or a message. */
export const deadTokenCodes = ['account_inactive', 'invalid_auth', 'not_authed', 'token_expired', 'token_revoked'];

/** Codes about the app in all of the workspace. Others may concern one channel or person. */
export const workspaceCodes = [
  'accesslimited',
  'enterprise_is_restricted',
  'missing_scope',
  'not_allowed_token_type',
  'org_login_required',
  'team_access_not_granted',
  'two_factor_setup_required',
];

/**
 * Codes about the token or its rights, not about the message. The message can be posted once the app is repaired.
 * https://docs.slack.dev/reference/methods/auth.test
 */
const appRefusedCodes = new Set([...deadTokenCodes, ...workspaceCodes, 'access_denied', 'no_permission']);

/**
 * The channel cannot be posted to at the moment. https://docs.slack.dev/reference/methods/chat.postMessage
 * In an archived one, `chat.update` has a code of its own. https://docs.slack.dev/reference/methods/chat.update
 */
const unusableCodes = new Set([
  'channel_not_found',
  'not_in_channel',
  'is_archived',
  'is_inactive',
  'restricted_action',
  'restricted_action_read_only_channel',
  'restricted_action_non_threadable_channel',
  'restricted_action_thread_only_channel',
  'ekm_access_denied',
  'cannot_reply_to_message',
]);

/** Slack says about these: "It's possible some aspect of the operation succeeded". */
const ambiguous = new Set(['fatal_error', 'internal_error', 'request_timeout', 'service_unavailable']);

const DEFAULT_RETRY_AFTER_MS = 1000;

/**
 * Classifies a failed call to Slack. Unless Slack clearly refused, the outcome counts as unknown: the message may
 * exist.
 */
function toSlackError(method: string, error: unknown): SlackError {
  if (error instanceof SlackError) return error;
  if (error instanceof WebAPIRateLimitedError) {
    const retryAfterMs = Math.max(error.retryAfter * 1000, DEFAULT_RETRY_AFTER_MS);
    return new SlackError(method, 'rate_limited', 'ratelimited', { retryAfterMs });
  }
  if (error instanceof WebAPIPlatformError) {
    const code = error.data.error ?? 'unknown_error';
    // The SDK makes a code of any text. A page from a proxy between us and Slack is not a response from Slack.
    if (!/^\w+$/.test(code)) return new SlackError(method, 'unknown', 'no_json');
    if (appRefusedCodes.has(code)) return new SlackError(method, 'app_refused', code);
    if (unusableCodes.has(code)) return new SlackError(method, 'channel_unusable', code);
    if (code === 'ratelimited' || code === 'rate_limited') {
      return new SlackError(method, 'rate_limited', code, { retryAfterMs: DEFAULT_RETRY_AFTER_MS });
    }
    if (ambiguous.has(code)) return new SlackError(method, 'unknown', code);
    const reason = codeWithReason(code, error.data.response_metadata?.messages);
    return new SlackError(method, isForGood(method, code) ? 'refused' : 'app_refused', reason);
  }
  if (error instanceof WebAPIHTTPError) {
    const status = error.statusCode;
    if (status >= 500 || status === 408) return new SlackError(method, 'unknown', `http_${status}`);
    return new SlackError(method, isForGood(method, '') ? 'refused' : 'app_refused', `http_${status}`);
  }
  return new SlackError(method, 'unknown', 'no_answer', { cause: error });
}

/**
 * Codes about the content of a message: `invalid_blocks`, `msg_too_long`, `no_text`, `invalid_attachments`,
 * `metadata_too_large` …
 */
const aboutContent = /block|attachment|text|metadata|argument|msg_|markdown|link|too_long|too_large|invalid_arg|json/;

/** Slack received the message but rejects its content. */
export function isAboutContent({ code, slackError }: SlackError): boolean {
  return code === 'refused' && aboutContent.test(slackError.split(' ')[0] ?? '');
}

/** A message that cannot be edited any more. Any other refusal says nothing about the message, which may still be there. */
const messageGone = new Set(['message_not_found', 'cant_update_message', 'edit_window_closed']);

/** The message that was to be edited is gone, or its channel cannot be posted to. */
export function isGone({ code, slackError }: SlackError): boolean {
  return code === 'channel_unusable' || messageGone.has(slackError.split(' ')[0] ?? '');
}

/**
 * True when a retry cannot help. A post refused for any reason except its content (a proxy's 403, a workspace that is
 * being moved, a future code) is retried, because no alert may be lost to that.
 */
function isForGood(method: string, code: string): boolean {
  return method !== 'chat.postMessage' || aboutContent.test(code);
}

/**
 * Slack's code, with the first of the reasons that it gives: which block is wrong and why. The sentence names our block and
 * contains no foreign text.
 */
export function codeWithReason(code: string, messages: readonly string[] | undefined): string {
  const [first] = messages ?? [];
  return first === undefined ? code : `${code} (${first.slice(0, 200)})`;
}

/** Slack allows us 3 s. We allow Slack longer, because a call with an unknown outcome costs a search. */
export const TIMEOUT_MS = 10_000;

/** Called for each call: `outcome` is `ok`, or the error code as the metrics show it. */
export type Measure = (method: string, outcome: string, durationMs: number) => void;

/** Codes that have another name in the metrics and in `docs/runbooks/CardbellSlackErrors.md`: dashboards may select it. */
const metricOf: Partial<Record<SlackError['code'], string>> = { app_refused: 'token_dead' };

/** Runs one call of Slack's method `method`. @throws SlackError */
export type SlackCall = <T>(method: string, run: () => Promise<T>) => Promise<T>;

export function createSlackCall(measure: Measure = () => {}): SlackCall {
  return async (method, run) => {
    const startedAt = performance.now();
    let outcome = 'ok';
    try {
      return await span(`slack ${method}`, { kind: 'client' }, run);
    } catch (thrown) {
      const error = toSlackError(method, thrown);
      outcome = metricOf[error.code] ?? error.code;
      throw error;
    } finally {
      measure(method, outcome, performance.now() - startedAt);
    }
  };
}
