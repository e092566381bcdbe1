import type { AuditRecord } from '../../src/audit/audit-record.ts';

/** An event that was sent as a webhook. */
export interface SentEvent {
  readonly kind: string;
  /** Appears only in messages about this event or its group. Null when the event must not be shown. */
  readonly mark: string | null;
  /** Mark of the first event of its purchase, or null when this is the first. */
  readonly opening: string | null;
}

/** A message as people see it, with the contents of its files. */
export interface SeenMessage {
  readonly channel: string;
  readonly ts: string;
  readonly threadTs: string | null;
  readonly text: string;
  readonly blocks: readonly unknown[];
  readonly files: readonly string[];
  /** The reference by which Cardbell finds the message, or null. */
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

/** A button press, command or form submission. */
export interface Click {
  /** Id of its action. */
  readonly id: string;
  readonly kind: ClickKind;
  readonly userId: string;
  readonly words: string;
  readonly acctId: number | null;
  /** Identifies its write: the new daily limit, or the name on an ordered card. */
  readonly unique: string | null;
  /** Acknowledged within Slack's three seconds. */
  readonly ok: boolean;
  readonly ms: number;
  readonly atMs: number;
  /** Path of the response URL, or empty. */
  readonly responsePath: string;
}

/** A call to the card service that changes something. */
export interface Write {
  readonly method: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether it took effect, even if the response was lost. */
  readonly isDone: boolean;
}

/** A message sent to Slack for one person. */
export interface Answer {
  /** Path of the response URL, or null for the ephemeral message sent when that URL was unreachable. */
  readonly path: string | null;
  /** Null when the path identifies the person. */
  readonly userId: string | null;
  readonly text: string;
}

/** A card at the end of the run. */
export interface CardAtEnd {
  readonly acctId: number;
  readonly status: string;
  readonly dailyLimit: number | null;
  readonly weeklyLimit: number | null;
}

/** Everything observable about a run from outside, and Cardbell's audit record. */
export interface Recording {
  readonly sent: readonly SentEvent[];
  /** All messages in Slack at the end, including direct messages. */
  readonly messages: readonly SeenMessage[];
  readonly answers: readonly Answer[];
  readonly clicks: readonly Click[];
  readonly writes: readonly Write[];
  readonly records: readonly AuditRecord[];
  /** What is wrong with the audit chain, or null. */
  readonly chainFault: string | null;
  readonly cards: readonly CardAtEnd[];
  readonly quarantined: number;
  /** When (ms) a web process died. */
  readonly webDeaths: readonly number[];
  /** Marks of events posted in the quiet channel before its quiet hours ended. */
  readonly duringQuiet: readonly string[];
  /** Limits set in the portal and not changed afterwards. */
  readonly portal: readonly { readonly acctId: number; readonly weeklyLimit: number }[];
  /** Cards with a temporary limit, with the limit that is restored. */
  readonly bases: readonly { readonly acctId: number; readonly dailyLimit: number }[];
  /**
   * Keys ({@link messageKey}) of messages in a channel while it was archived. Updates to them and rows in their threads may
   * also be in the fallback channel.
   */
  readonly archived: ReadonlySet<string>;
}

export function messageKey({ channel, ts }: { readonly channel: string; readonly ts: string }): string {
  return `${channel} ${ts}`;
}
