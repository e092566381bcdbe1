import { createHmac } from 'node:crypto';
import { certificateFaults, createSender } from '../../sandbox/webhook/sender.ts';
import type { WebConfig } from '../../src/app/config.ts';
import { codesOf } from '../../src/core/errors.ts';
import { webAddress } from '../web-address.ts';
import type { Report } from './report.ts';

/**
 * Whether the web process accepts webhooks and Slack's requests.
 *
 * @param publicUrl the address that the card service and Slack use; null: try only the local address.
 */
export async function checkWeb(
  config: WebConfig,
  publicUrl: string | null,
  report: Report,
  timeoutMs: number,
): Promise<void> {
  const base = publicUrl ?? webAddress({ ...config, isHttps: config.tls !== null });
  if (publicUrl === null)
    report.note(`tried at ${base} only; --url https://cards.example.com tries the address that the outside uses`);
  const send = async (path: string, init: RequestInit): Promise<Response> =>
    await fetch(`${base}${path}`, { ...init, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
  try {
    const ready = await send('/readyz', {});
    if (ready.ok) report.ok(`web is up at ${base}`);
    else report.fix(`web at ${base} is not ready (${ready.status})`, 'see /readyz on its admin port, or its log');
    await checkReceiver(config, { send, base, timeoutMs }, report);
    await checkSlackRequests(config, { send, base, timeoutMs }, report);
  } catch (error) {
    const fault = certificateFault(error);
    if (fault !== null && publicUrl === null)
      report.note(
        `web answers at ${base}, but its certificate does not verify for this address (${fault}): use --url with the address that the outside uses`,
      );
    else if (fault !== null)
      report.fix(
        `the certificate at ${base} does not verify (${fault})`,
        'renew it, and give TLS_CERT_FILE, or the TLS proxy, the whole chain; the card service and Slack verify it',
      );
    else if (publicUrl === null)
      report.note(
        `nothing answers at ${base}: if web should run on this machine, start it; otherwise run the doctor where web runs, or give it --url`,
      );
    else
      report.fix(
        `nothing answers at ${base}`,
        'check DNS, the TLS proxy and the firewall, and that web runs; the card service and Slack need this address',
      );
  }
}

/** Node's code for a certificate that does not verify. Null: another error, so perhaps nothing answers. */
function certificateFault(error: unknown): string | null {
  return codesOf(error).find((code) => certificateFaults.test(code)) ?? null;
}

/** How to reach web. */
interface Outside {
  readonly base: string;
  readonly timeoutMs: number;
  readonly send: (path: string, init: RequestInit) => Promise<Response>;
}

const WEBHOOK_VERSION = '2.0.2.0';

/** The receiver of declines of the program that is checked. */
const receiverOf = (program: string): string => `/webhooks/${program === '' ? '' : `${program}/`}decline`;

/** A body that is never a webhook: the receiver answers 400 to a sender with the right secret, and stores nothing. */
const noWebhook = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '[]' };

async function checkReceiver(
  { program, webhookSecrets, proxy }: WebConfig,
  { send, base, timeoutMs }: Outside,
  report: Report,
): Promise<void> {
  const refused = await send(receiverOf(program), noWebhook);
  if (refused.status === 401) report.ok('a webhook without the shared secret is refused');
  else
    report.fix(
      `a webhook without the shared secret was answered with ${refused.status}, not 401`,
      'check that the address is that of Cardbell and that no proxy answers for it',
    );
  for (const [index, secret] of webhookSecrets.entries()) {
    const sender = createSender({ secret, version: WEBHOOK_VERSION, timeoutMs });
    // Sent like the service does: the secret alone as Basic credential, and the body after `100 Continue`, or without it
    // after a short wait.
    const taken = await sender(`${base}${receiverOf(program)}`, noWebhook.body).finally(() => sender.close());
    const which = webhookSecrets.length === 1 ? 'the shared secret' : `shared secret ${index + 1}`;
    if (taken.status === 400) report.ok(`a webhook with ${which} gets through`);
    else if (taken.status === null && proxy !== null)
      report.note(`a webhook with ${which} was not tried: it does not go through the proxy of HTTPS_PROXY`);
    else
      report.fix(
        `a webhook with ${which} was answered with ${taken.status ?? taken.error ?? 'nothing'}`,
        'restart web with this WEBHOOK_SHARED_SECRET, and let the proxy pass the Authorization header on',
      );
  }
}

/** What Slack sends when a Request URL is entered. https://docs.slack.dev/reference/events/url_verification */
async function checkSlackRequests(
  { slackSigningSecret, slackAppToken }: WebConfig,
  { send }: Outside,
  report: Report,
): Promise<void> {
  // With both, web uses the socket.
  if (slackAppToken !== undefined || slackSigningSecret === undefined)
    return report.note('Slack is reached over Socket Mode: no address is needed');
  const body = JSON.stringify({ type: 'url_verification', token: 'doctor', challenge: 'cardbell' });
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', slackSigningSecret).update(`v0:${timestamp}:${body}`).digest('hex');
  const answer = await send('/slack/events', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': `v0=${signature}`,
    },
    body,
  });
  if (answer.ok && (await answer.text()).includes('cardbell')) {
    report.ok('a signed request of Slack gets through');
    report.note('Slack sends no events until you have verified the request URL in App Manifest of the app');
  } else
    report.fix(
      `a signed request of Slack was answered with ${answer.status}`,
      'restart web with this SLACK_SIGNING_SECRET, and check the clock of its machine',
    );
}
