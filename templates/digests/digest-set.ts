import { weekdayNames } from '../../src/core/calendar-words.ts';
import { commandCode } from '../../src/core/installation.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateAfter } from '../../src/slack/mrkdwn.ts';
import { escapeUntrusted, section, sentence } from '../core/blocks.ts';

export interface DigestSet {
  readonly weekday: number | null;
  readonly isMonthly: boolean;
  readonly hour: number;
  readonly minute: number;
  readonly zone: string;
  /** When the first one comes, UTC ISO 8601. */
  readonly next: string;
}

/** This channel gets a digest from now on. */
export function digestSet({ weekday, isMonthly, hour, minute, zone, next }: DigestSet): Message {
  const clock = `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
  const often = isMonthly ? 'on the first of each month' : 'every day';
  const day = weekday === null ? often : `every ${weekdayNames[weekday] ?? ''}`;
  const head = `This channel gets a digest ${day} at ${clock}, ${escapeUntrusted(zone, 40)}.`;
  return {
    text: sentence(`${head} The next one ${dateAfter('comes', next)}.`),
    blocks: [section(`*${head}*`, `The next one ${dateAfter('comes', next)}. ${commandCode('digest off')} ends it.`)],
  };
}

/** It gets none any more. */
export function digestOff(): Message {
  const text = 'This channel no longer gets a digest.';
  return { text, blocks: [section(`*${text}*`)] };
}
