import type { KnownBlock } from '@slack/types';
import { header, outside, section } from './parts.ts';

export interface HealthFacts {
  /** Webhooks and clicks that wait to be worked on, and how long the oldest has. */
  readonly waiting: number;
  readonly oldestMs: number;
  readonly failed: readonly { readonly id: string; readonly what: string; readonly why: string }[];
  readonly failedCount: number;
  readonly quarantined: readonly { readonly id: string; readonly path: string; readonly why: string }[];
}

const LATE_MS = 10_000;
const SHOWN_MAX = 5;

/** How Cardbell itself fares, with the cause of what failed. */
export function homeHealth({ waiting, oldestMs, failed, failedCount, quarantined }: HealthFacts): KnownBlock[] {
  const isLate = oldestMs > LATE_MS;
  const lag = isLate ? `the oldest for ${Math.round(oldestMs / 1000)} seconds` : 'none of them for long';
  const isWell = !isLate && failedCount === 0 && quarantined.length === 0;

  return [
    header(isWell ? 'Cardbell is well' : 'Cardbell needs attention'),
    section(
      waiting === 0 ? 'Nothing waits to be worked on.' : `${waiting} things wait to be worked on, ${lag}.`,
      failedCount === 0 ? 'Nothing failed for good.' : `*${failedCount} things failed for good:*`,
      ...failed
        .slice(0, SHOWN_MAX)
        .map(
          ({ id, what, why }) =>
            `• ${outside(what, 40)}: ${outside(why, 150) || 'no cause given'} (${outside(id, 60)})`,
        ),
      quarantined.length === 0 ? 'Every webhook could be read.' : '*Webhooks that did not fit, the newest:*',
      ...quarantined
        .slice(0, SHOWN_MAX)
        .map(({ id, path, why }) => `• ${outside(path, 40)}: ${outside(why, 150)} (${outside(id, 60)})`),
      isWell ? null : '`npm run replay -- list` shows them all and tries them again.',
    ),
  ];
}
