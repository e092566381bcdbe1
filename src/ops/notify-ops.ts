import { contentId } from '../core/content-id.ts';
import type { Log } from '../core/log.ts';
import type { Message } from '../slack/message.ts';
import type { OpsMemory } from './issue-store.ts';

/** Something wrong with Cardbell itself, in words for the people who run it. */
export interface OpsIssue {
  /** What makes it the same issue as before: people are notified once a day. */
  readonly cause: string;
  readonly title: string;
  readonly what: string;
  readonly means: string;
  readonly todo: string | null;
  readonly ref?: string;
}

export type NotifyOps = (opsIssue: OpsIssue) => Promise<void>;

interface Deps {
  readonly memory: OpsMemory;
  /** Posts into the ops channel; the id makes repeating it nothing. */
  readonly post: (id: string, message: Message) => Promise<void>;
  readonly render: (opsIssue: OpsIssue, isResolved: boolean, at: string) => Message;
  readonly now: () => Date;
  readonly log: Log;
}

/** Says once that an issue is resolved, if anybody had been notified of it. */
export type NotifyResolved = (opsIssue: OpsIssue, over: Pick<OpsIssue, 'what' | 'means'>) => Promise<void>;

/** A cause as it is remembered: short, however much the sender's misfit had to say. */
export function causeKey({ cause }: Pick<OpsIssue, 'cause'>): string {
  return contentId(`${cause.slice(0, 60)}:`, [cause]);
}

/** Notifies the ops channel, once for each cause until it is resolved or a day has passed. */
export function createNotifyOps({ memory, post, render, now, log }: Deps): {
  readonly notifyOps: NotifyOps;
  readonly notifyResolved: NotifyResolved;
} {
  return {
    async notifyOps(opsIssue) {
      const cause = causeKey(opsIssue);
      if (await memory.isKnown(cause)) return;
      const at = now().toISOString();
      log.error({ cause: opsIssue.cause, title: opsIssue.title }, 'ops issue');
      await post(contentId('ops_', [opsIssue.cause, at.slice(0, 13)]), render(opsIssue, false, at));
      // Last, so that a crash before it notifies again; the notice's own id makes that nothing.
      await memory.remember(cause);
    },

    async notifyResolved(opsIssue, over) {
      const cause = causeKey(opsIssue);
      if (!(await memory.isKnown(cause))) return;
      const at = now().toISOString();
      log.info({ cause: opsIssue.cause, title: opsIssue.title }, 'ops issue resolved');
      const message = render({ ...opsIssue, ...over, todo: null }, true, at);
      await post(contentId('ops_over_', [opsIssue.cause, at.slice(0, 16)]), message);
      await memory.forget(cause);
    },
  };
}
