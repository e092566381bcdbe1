import type { KnownBlock } from '@slack/types';
import { formatRoughly } from '../../src/core/duration.ts';
import { terminalCode } from '../../src/core/installation.ts';
import type { Health } from '../../src/ops/health.ts';
import { countOf, escapeUntrusted, header, section } from '../core/blocks.ts';

/** The health of Cardbell itself. */
export interface HealthFacts
  extends Pick<Health, 'lagMs' | 'failed' | 'quarantined' | 'isCardApiAway' | 'isOpsUnreachable'> {
  /** The number of waiting webhooks and clicks. */
  readonly waiting: number;
  /** Messages to channels that should have been posted by now, and how late the latest is. */
  readonly overdue: { readonly messages: number; readonly ms: number };
  /** The newest that failed for good or are in quarantine, with their causes. */
  readonly stuck: readonly { readonly id: string; readonly what: string; readonly cause: string }[];
  /** The variable with the token that the card service refuses; null: it refuses none. */
  readonly refusedToken: string | null;
  /** The share of Redis memory in use, and the share at which webhooks are refused (1 is everything). Null: no limit. */
  readonly memory: { readonly share: number | null; readonly refusedFrom: number };
}

/** Later than this is late. */
const LAG_MAX_MS = 10_000;
const SHOWN_MAX = 6;
/** Ops are notified when this much or less is left before webhooks are refused. */
const FILLING = 0.15;

/** What blocks alerts and actions, with causes and fixes. */
export function homeHealth(facts: HealthFacts): KnownBlock[] {
  const { waiting, lagMs, failed, quarantined, stuck, overdue, refusedToken, memory } = facts;
  const isFilling = memory.share !== null && memory.share > memory.refusedFrom - FILLING;
  const isLate = lagMs > LAG_MAX_MS;
  const isStuck = failed + quarantined > 0;
  const isOverdue = overdue.ms > LAG_MAX_MS;
  const isAway = facts.isCardApiAway || facts.isOpsUnreachable;
  const isWell = !isLate && !isOverdue && !isStuck && !isAway && refusedToken === null && !isFilling;
  const lag = isLate ? `, the oldest for ${lateness(lagMs)}` : '';

  return [
    header(isWell ? 'All systems normal' : 'Cardbell needs attention'),
    section(
      facts.isCardApiAway
        ? '*The card service is not responding.* Alerts have less detail, and card changes wait or fail.'
        : null,
      refusedToken === null
        ? null
        : `*The card service refuses Cardbell’s token.* Set a new ${refusedToken} for the worker.`,
      isFilling
        ? `*Redis is at ${percent(memory.share ?? 0)} of its memory; webhooks are refused from ${percent(memory.refusedFrom)}.* Give it more (maxmemory).`
        : null,
      facts.isOpsUnreachable ? '*Slack refuses messages in the ops channel.* The worker’s log says why.' : null,
      isOverdue
        ? `*${countOf(overdue.messages, 'message')} waiting for Slack, the most urgent ${lateness(overdue.ms)} late.*`
        : null,
      waiting > 0 ? `${countOf(waiting, 'job')} waiting${lag}.` : isOverdue ? null : 'No backlog.',
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

function lateness(ms: number): string {
  return ms < 120_000 ? countOf(Math.round(ms / 1000), 'second') : formatRoughly(ms);
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}
