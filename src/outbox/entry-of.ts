import { z } from 'zod';
import { recordFormat } from '../core/record-store.ts';
import { OutboxEntry } from './entry.ts';

const format = recordFormat(OutboxEntry);

/** An entry that this version cannot read, as it is stored. */
export interface UnreadableEntry {
  readonly id: string;
  readonly entry: unknown;
}

/** A stored entry, or what is known of one that only a newer version can read. @throws SyntaxError where it is no JSON. */
export function entryOf(text: string): OutboxEntry | { readonly unreadable: UnreadableEntry } {
  try {
    return format.read(text);
  } catch (error) {
    const entry = JSON.parse(text) as { readonly id?: unknown };
    if (!(error instanceof z.ZodError) || typeof entry.id !== 'string') throw error;
    return { unreadable: { id: entry.id, entry } };
  }
}
