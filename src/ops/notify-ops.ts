import { contentId } from '../core/content-id.ts';
import type { Log } from '../core/log.ts';
import type { Outbox } from '../outbox/outbox-store.ts';
import type { Message } from '../slack/message.ts';
import type { OpsMemory } from './issue-store.ts';

/** Trouble of the bot itself, in words for the people who run it. */
export interface Trouble {
  /** What makes it the same trouble as before: told once a day. */
  readonly cause: string;
  readonly title: string;
  readonly what: string;
  readonly means: string;
  readonly todo: string | null;
  readonly ref?: string;
}

export type TellOps = (trouble: Trouble) => Promise<void>;

interface Deps {
  readonly memory: OpsMemory;
  readonly outbox: Outbox;
  readonly channel: string;
  readonly wakeOutbox: (channel: string) => Promise<void>;
  readonly render: (trouble: Trouble, at: string) => Message;
  readonly now: () => Date;
  readonly log: Log;
}

/** Tells the ops channel that a trouble is over. */
export type TellOver = (trouble: Trouble, over: Pick<Trouble, 'what' | 'means'>) => Promise<void>;

/** A cause as it is remembered: short, however much the sender's misfit had to say. */
export function causeKey({ cause }: Pick<Trouble, 'cause'>): string {
  return contentId(`${cause.slice(0, 60)}:`, [cause]);
}

/** Tells the ops channel, once for each cause until it is over or a day has passed. */
export function createTellOps({ memory, outbox, channel, wakeOutbox, render, now, log }: Deps): TellOps {
  return async function tellOps(trouble) {
    const cause = causeKey(trouble);
    if (await memory.isKnown(cause)) return;
    const at = now().toISOString();
    log.error({ cause: trouble.cause, title: trouble.title }, 'trouble');
    const message = render(trouble, at);
    await outbox.put(channel, {
      kind: 'notice',
      id: contentId('ops_', [trouble.cause, at.slice(0, 13)]),
      message: { text: message.text, blocks: [...message.blocks] },
      requestId: null,
      urgency: 'trouble',
    });
    await wakeOutbox(channel);
    // Last, so that a crash before it tells again; the notice's own id makes that nothing.
    await memory.remember(cause);
  };
}

/** Says once that a trouble is over, if anybody had been told of it. */
export function createTellOver({ memory, outbox, channel, wakeOutbox, render, now, log }: Deps): TellOver {
  return async function tellOver(trouble, over) {
    const cause = causeKey(trouble);
    if (!(await memory.isKnown(cause))) return;
    const at = now().toISOString();
    log.info({ cause: trouble.cause, title: trouble.title }, 'trouble is over');
    const message = render({ ...trouble, ...over, todo: null }, at);
    await outbox.put(channel, {
      kind: 'notice',
      id: contentId('ops_over_', [trouble.cause, at.slice(0, 16)]),
      message: { text: message.text, blocks: [...message.blocks] },
      requestId: null,
      urgency: 'trouble',
    });
    await wakeOutbox(channel);
    await memory.forget(cause);
  };
}
