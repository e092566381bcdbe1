import type { AuditRecord } from '../../src/audit/audit.ts';

/** What was sent as a webhook. */
export interface SentEvent {
  readonly kind: string;
  /** Stands in what people see of it and of nothing else, or of nothing but its story. Null: it is not to be seen. */
  readonly mark: string | null;
  /** Mark of the first event of its purchase; null: it follows none. */
  readonly opening: string | null;
}

/** A message as people see it, with what its files say. */
export interface SeenMessage {
  readonly channel: string;
  readonly ts: string;
  readonly threadTs: string | null;
  readonly text: string;
  readonly blocks: readonly unknown[];
  readonly files: readonly string[];
  /** What Cardbell finds it by; null: it has nothing of the kind. */
  readonly ref: string | null;
}

export type ClickKind =
  | 'block'
  | 'unblock'
  | 'press'
  | 'acknowledge'
  | 'limit'
  | 'temporary'
  | 'ask'
  | 'decide'
  | 'order';

/** What somebody pressed, typed or submitted. */
export interface Click {
  /** Id of its action. */
  readonly id: string;
  readonly kind: ClickKind;
  readonly userId: string;
  readonly words: string;
  readonly acctId: number | null;
  /** By which its write can be told from every other: the new daily limit, or the name on an ordered card. */
  readonly unique: string | null;
  /** Acknowledged within the three seconds that Slack waits. */
  readonly ok: boolean;
  readonly ms: number;
  readonly atMs: number;
  /** Address of the answer; empty: it has none. */
  readonly responsePath: string;
}

/** A call of the card service that changes something. */
export interface Write {
  readonly method: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether it had its effect, also where nobody heard of it. */
  readonly isDone: boolean;
}

/** Something that Slack was asked to say to one person. */
export interface Answer {
  /** Path of the response URL; null: a message that only they see, where that could not be reached. */
  readonly path: string | null;
  /** Null where the path says who it is. */
  readonly userId: string | null;
  readonly text: string;
}

/** A card when all is over. */
export interface CardAtEnd {
  readonly acctId: number;
  readonly status: string;
  readonly dailyLimit: number | null;
  readonly weeklyLimit: number | null;
}

/** Everything that can be seen of a run from outside, and the record that Cardbell keeps. */
export interface Recording {
  readonly sent: readonly SentEvent[];
  /** What stands in Slack at the end, direct messages included. */
  readonly messages: readonly SeenMessage[];
  readonly answers: readonly Answer[];
  readonly clicks: readonly Click[];
  readonly writes: readonly Write[];
  readonly records: readonly AuditRecord[];
  /** What is wrong with the chain of the record; null: nothing. */
  readonly chainFault: string | null;
  readonly cards: readonly CardAtEnd[];
  readonly quarantined: number;
  /** When (ms) a web process died. */
  readonly webDeaths: readonly number[];
  /** Messages with events that stood in the quiet channel before its quiet hours ended. */
  readonly duringQuiet: readonly string[];
  /** Limits that the portal set and that nobody changed after it. */
  readonly portal: readonly { readonly acctId: number; readonly weeklyLimit: number }[];
  /** Cards whose limit is changed for a time, with the limit that they go back to. */
  readonly bases: readonly { readonly acctId: number; readonly dailyLimit: number }[];
  /**
   * Messages that stood in a channel while it was archived, as {@link messageKey} writes them: what was new about them and
   * the rows in their threads may stand in the fallback channel as well.
   */
  readonly archived: ReadonlySet<string>;
}

export function messageKey({ channel, ts }: { readonly channel: string; readonly ts: string }): string {
  return `${channel} ${ts}`;
}
