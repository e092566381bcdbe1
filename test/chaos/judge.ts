import { judgeClicks } from './judge-clicks.ts';
import { type EventVerdict, judgeEvents } from './judge-events.ts';
import { judgeWrites } from './judge-writes.ts';
import type { ClickKind, Recording } from './recording.ts';

export interface Verdict extends Omit<EventVerdict, 'faults'> {
  /** A description of every broken guarantee. Empty when all were kept. */
  readonly broken: readonly string[];
}

/** Judges a run by its input, the messages in Slack, the writes to the card service, and the record. */
export function judge(recording: Recording, needed: readonly ClickKind[]): Verdict {
  const { faults, ...events } = judgeEvents(recording);
  return {
    ...events,
    broken: [
      ...events.lost.map((event) => `lost: ${event}`),
      ...events.twice.map((event) => `twice: ${event}`),
      ...faults,
      ...judgeClicks(recording, needed),
      ...judgeWrites(recording),
    ],
  };
}
