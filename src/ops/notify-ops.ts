import { contentId } from '../core/content-id.ts';
import type { Log } from '../core/log.ts';
import type { Outbox } from '../outbox/outbox-store.ts';
import type { Message } from '../slack/message.ts';
import type { OpsMemory } from './issue-store.ts';

/** Trouble of the bot itself, in words for the people who run it. */
export interface OpsIssue {
  /** What makes it the same trouble as before: told once a day. */
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
  readonly outbox: Outbox;
  readonly channel: string;
  readonly wakeOutbox: (channel: string) => Promise<void>;
  readonly render: (opsIssue: OpsIssue, at: string) => Message;
  readonly now: () => Date;
  readonly log: Log;
}

/** Tells the ops channel that a trouble is over. */
export type NotifyResolved = (opsIssue: OpsIssue, over: Pick<OpsIssue, 'what' | 'means'>) => Promise<void>;

/** A cause as it is remembered: short, however much the sender's misfit had to say. */
export function causeKey({ cause }: Pick<OpsIssue, 'cause'>): string {
  return contentId(`${cause.slice(0, 60)}:`, [cause]);
}

/** Tells the ops channel, once for each cause until it is over or a day has passed. */
export function createNotifyOps({ memory, outbox, channel, wakeOutbox, render, now, log }: Deps): NotifyOps {
  return async function notifyOps(opsIssue) {
    const cause = causeKey(opsIssue);
    if (await memory.isKnown(cause)) return;
    const at = now().toISOString();
    log.error({ cause: opsIssue.cause, title: opsIssue.title }, 'ops');
    const message = render(opsIssue, at);
    await outbox.put(channel, {
      kind: 'notice',
      id: contentId('ops_', [opsIssue.cause, at.slice(0, 13)]),
      message: { text: message.text, blocks: [...message.blocks] },
      priority: 'ops',
    });
    await wakeOutbox(channel);
    // Last, so that a crash before it tells again; the notice's own id makes that nothing.
    await memory.remember(cause);
  };
}

/** Says once that a trouble is over, if anybody had been told of it. */
export function createNotifyResolved({ memory, outbox, channel, wakeOutbox, render, now, log }: Deps): NotifyResolved {
  return async function notifyResolved(opsIssue, over) {
    const cause = causeKey(opsIssue);
    if (!(await memory.isKnown(cause))) return;
    const at = now().toISOString();
    log.info({ cause: opsIssue.cause, title: opsIssue.title }, 'trouble is over');
    const message = render({ ...opsIssue, ...over, todo: null }, at);
    await outbox.put(channel, {
      kind: 'notice',
      id: contentId('ops_over_', [opsIssue.cause, at.slice(0, 16)]),
      message: { text: message.text, blocks: [...message.blocks] },
      priority: 'ops',
    });
    await wakeOutbox(channel);
    await memory.forget(cause);
  };
}
