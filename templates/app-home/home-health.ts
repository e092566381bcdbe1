import type { KnownBlock } from '@slack/types';
import { terminalCode } from '../../src/core/installation.ts';
import type { Health } from '../../src/ops/health.ts';
import { countOf, escapeUntrusted, header, section } from '../core/blocks.ts';

/** The health of Cardbell itself. */
export interface HealthFacts extends Pick<Health, 'lagMs' | 'failed' | 'quarantined' | 'isCardApiAway'> {
  /** The number of waiting webhooks and clicks. */
  readonly waiting: number;
  /** The newest that failed for good or are in quarantine, with their causes. */
  readonly stuck: readonly { readonly id: string; readonly what: string; readonly cause: string }[];
  /** The variable with the token that the card service refuses; null: it refuses none. */
  readonly refusedToken: string | null;
  /** The share of Redis memory in use, and the share at which webhooks are refused (1 is everything). Null: no limit. */
  readonly memory: { readonly share: number | null; readonly refusedFrom: number };
}

const LAG_MAX_MS = 10_000;
const SHOWN_MAX = 6;
/** Ops are notified when this much or less is left before webhooks are refused. */
const FILLING = 0.15;

/** What blocks alerts and actions, with causes and fixes. */
export function homeHealth(facts: HealthFacts): KnownBlock[] {
  const { waiting, lagMs, failed, quarantined, stuck, isCardApiAway, refusedToken, memory } = facts;
  const isFilling = memory.share !== null && memory.share > memory.refusedFrom - FILLING;
  const isLate = lagMs > LAG_MAX_MS;
  const isStuck = failed + quarantined > 0;
  const isWell = !isLate && !isStuck && !isCardApiAway && refusedToken === null && !isFilling;
  const lag = isLate ? `, the oldest for ${countOf(Math.round(lagMs / 1000), 'second')}` : '';

  return [
    header(isWell ? 'All systems normal' : 'Cardbell needs attention'),
    section(
      isCardApiAway
        ? '*The card service is not responding.* Alerts have less detail, and card changes wait or fail.'
        : null,
      refusedToken === null
        ? null
        : `*The card service refuses Cardbell’s token.* Set a new ${refusedToken} for the worker.`,
      isFilling
        ? `*Redis is at ${percent(memory.share ?? 0)} of its memory; webhooks are refused from ${percent(memory.refusedFrom)}.* Give it more (maxmemory).`
        : null,
      waiting === 0 ? 'No backlog.' : `${countOf(waiting, 'job')} waiting${lag}.`,
      failed === 0 ? 'No errors.' : `*${countOf(failed, 'job')} failed permanently.*`,
      quarantined === 0
        ? 'All webhooks could be read.'
        : `*${countOf(quarantined, 'webhook')} could not be read and ${quarantined === 1 ? 'is' : 'are'} in quarantine.*`,
      ...stuck
        .slice(0, SHOWN_MAX)
        .map(
          ({ id, what, cause }) =>
            `• ${escapeUntrusted(what, 40)}: ${escapeUntrusted(cause, 150) || 'no cause given'} (${escapeUntrusted(id, 60)})`,
        ),
      isStuck ? `${terminalCode('replay -- list')} shows them all, and how to try them again.` : null,
    ),
  ];
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}
