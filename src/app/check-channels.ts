import * as opsIssue from '../ops/issue.ts';
import type { VisibilityOf } from '../routing/channel-access.ts';
import type { OpsParts } from './compose-ops.ts';
import type { WorkerBase } from './worker-base.ts';

/**
 * Tells ops at the start which of the configured channels another company reads. Before each post it is checked again;
 * this is for whoever starts Cardbell, who should not learn it from the first request.
 */
export async function checkChannels(
  { config, log }: Pick<WorkerBase, 'config' | 'log'>,
  notifyOps: OpsParts['notifyOps'],
  visibilityOf: VisibilityOf,
): Promise<void> {
  for (const channel of new Set(Object.values(config.channels))) {
    if (channel === null || (await visibilityOf(channel)) !== 'shared') continue;
    log.warn(
      { channel },
      'a configured channel is shared with another company: nothing that names people is posted there',
    );
    await notifyOps(opsIssue.channelShared(channel));
  }
}
