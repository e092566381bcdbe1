import type { KnownBlock } from '@slack/types';
import { header, outside, section } from '../core/blocks.ts';

/** How Cardbell itself fares. */
export interface HealthFacts {
  /** Webhooks and clicks that wait to be worked on, and how long the oldest has. */
  readonly waiting: number;
  readonly lagMs: number;
  /** Jobs that failed for good, and webhooks or fetched rows that did not fit. */
  readonly failed: number;
  readonly quarantined: number;
  /** The newest of both, with their cause. */
  readonly stuck: readonly { readonly id: string; readonly what: string; readonly cause: string }[];
  readonly isCardApiAway: boolean;
  readonly isCardTokenDead: boolean;
}

const LATE_MS = 10_000;
const SHOWN_MAX = 6;

/** What stands in the way of alerts and actions, with its cause, and what to do. */
export function homeHealth(facts: HealthFacts): KnownBlock[] {
  const { waiting, lagMs, failed, quarantined, stuck, isCardApiAway, isCardTokenDead } = facts;
  const isLate = lagMs > LATE_MS;
  const isStuck = failed + quarantined > 0;
  const isWell = !isLate && !isStuck && !isCardApiAway && !isCardTokenDead;
  const lag = isLate ? `, the oldest for ${Math.round(lagMs / 1000)} seconds` : '';

  return [
    header(isWell ? 'Cardbell is well' : 'Cardbell needs attention'),
    section(
      isCardApiAway
        ? '*The card service does not answer.* Alerts go out with less; what changes cards waits or fails.'
        : null,
      isCardTokenDead ? '*The card service refuses Cardbell’s token.* Set a new CARD_API_TOKEN for the worker.' : null,
      waiting === 0 ? 'Nothing waits to be worked on.' : `${waiting} waiting to be worked on${lag}.`,
      failed === 0 ? 'Nothing failed for good.' : `*${failed} failed for good.*`,
      quarantined === 0 ? 'Every webhook could be read.' : `*${quarantined} kept aside: could not be read.*`,
      ...stuck
        .slice(0, SHOWN_MAX)
        .map(
          ({ id, what, cause }) =>
            `• ${outside(what, 40)}: ${outside(cause, 150) || 'no cause given'} (${outside(id, 60)})`,
        ),
      isStuck ? '`npm run replay -- list` shows them all and tries them again.' : null,
    ),
  ];
}
