import { setTimeout as sleep } from 'node:timers/promises';
import { createSender, isAccepted } from '../../sandbox/webhook/sender.ts';
import { secrets } from '../support/people.ts';
import type { SampleWebhook } from '../support/sample-webhook.ts';
import type { Random } from './random.ts';

/** The service's retry delays. The real service gives up after the last, but this one continues. */
const RETRY_SECONDS = [15, 30, 60, 120, 3600] as const;
/** Not scaled: the service's limit of ten seconds would shrink to milliseconds, too fast for any machine. */
const TIMEOUT_MS = 3000;

/** The sending side of the card service. */
export interface Service {
  /** Sends to random web processes until the webhook is accepted. Never rejects. */
  send(webhook: SampleWebhook): Promise<void>;
  readonly counts: { attempts: number; accepted: number; retried: number; lastResort: number };
  /** Number of webhooks not accepted yet. */
  inFlight(): number;
  close(): void;
}

export function createService(options: {
  readonly urls: readonly string[];
  readonly timeScale: number;
  readonly random: Random;
}): Service {
  const { urls, timeScale, random } = options;
  const post = createSender({ secret: secrets.sharedSecret, version: '2.0.1.3', timeoutMs: TIMEOUT_MS });
  const counts = { attempts: 0, accepted: 0, retried: 0, lastResort: 0 };
  let inFlight = 0;

  return {
    counts,
    inFlight: () => inFlight,
    close: () => post.close(),
    async send({ kind, body }) {
      inFlight += 1;
      for (let attempt = 0; ; attempt += 1) {
        counts.attempts += 1;
        const outcome = await post(`${random.pick(urls)}/webhooks/${kind}`, body);
        if (isAccepted(outcome)) break;
        counts.retried += 1;
        if (attempt >= RETRY_SECONDS.length - 1) counts.lastResort += 1;
        const seconds = RETRY_SECONDS[Math.min(attempt, RETRY_SECONDS.length - 1)] ?? 15;
        await sleep((seconds * 1000) / timeScale);
      }
      counts.accepted += 1;
      inFlight -= 1;
    },
  };
}
