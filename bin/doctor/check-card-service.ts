import type { WorkerConfig } from '../../src/app/config.ts';
import { createCardClient } from '../../src/card-api/client.ts';
import { AppError, CardApiError } from '../../src/core/errors.ts';
import { cardTokenDead } from '../../src/ops/issue.ts';
import type { Report } from './report.ts';

/** Whether the card API answers and accepts the token. */
export async function checkCardService(config: WorkerConfig, report: Report, timeoutMs: number): Promise<void> {
  const card = createCardClient({
    baseUrl: config.cardApiUrl,
    token: config.cardApiToken,
    authScheme: config.cardApiAuthScheme,
    assumptions: config.cardApiAssumptions,
    timezone: config.serviceZone,
    deadlineMs: timeoutMs,
    timeoutMs,
  });
  try {
    await card.ping();
    report.ok('the card API answers');
  } catch (error) {
    report.fix(`a call to the card API failed (${codeOf(error)})`, todoFor(error));
    return;
  }
  try {
    const { expiresOn } = await card.getCurrentToken();
    report.ok(expiresOn === null ? 'the token works' : `the token works until ${expiresOn}`);
  } catch (error) {
    if (error instanceof CardApiError && error.status === 404) report.note('it does not say whose token this is');
    else report.fix(`the card API does not say that the token works (${codeOf(error)})`, todoFor(error, true));
  }
}

/**
 * A token is replaced only if the service says that it does not work: Cardbell needs the former one to read what it signed.
 *
 * @param hasAnswered an earlier call reached the service, so its address is right.
 */
function todoFor(error: unknown, hasAnswered = false): string {
  const { code = null, status = null } = error instanceof CardApiError ? error : {};
  if (code === 'token_dead') return cardTokenDead.todo;
  if (hasAnswered || code === 'rate_limited' || (status !== null && (status >= 500 || code === 'timeout')))
    return 'try again; if it stays, ask whoever runs the card service';
  return 'correct CARD_API_URL: it ends with the version segment, such as /v4; check that this machine may reach it';
}

function codeOf(error: unknown): string {
  return error instanceof AppError ? error.code : 'unexpected';
}
