import type { z } from 'zod';
import { Outcome } from '../actions/action-state.ts';
import { recordFormat } from '../core/record-store.ts';
import { type Alert, AskedBy, OrderProgress, readRepeats, TriedCard } from './alert.ts';
import { PurchaseTimeline } from './purchase-timeline.ts';

/** The fields of an alert's hash that change independently of the alert, by name. */
export type Fields = Readonly<Record<string, string>>;

/** @param flat alternating names and values. */
export function fieldsIn(flat: readonly (Buffer | string)[]): Fields {
  const fields: Record<string, string> = {};
  for (let at = 0; at < flat.length; at += 2) fields[String(flat[at])] = String(flat[at + 1]);
  return fields;
}

/** The alert without the parts that have their own fields. */
export function withoutFields(alert: Alert): Alert {
  return withFields(alert, {});
}

/** The alert with only those parts that these fields hold. */
export function withFields(alert: Alert, fields: Fields): Alert {
  const outcomes = valuesAt('outcome:', fields, Outcome).toSorted((a, b) => a.at.localeCompare(b.at));
  switch (alert.kind) {
    case 'transaction': {
      const repeats = Object.fromEntries(
        startingWith('repeats:', fields).map(([name, text]) => [name, readRepeats(text)]),
      );
      const timeline = fieldOf('timeline', fields, PurchaseTimeline);
      const newest = startingWith('newest:', fields);
      const leaders = startingWith('group:', fields);
      const { newest: _newest, leaders: _leaders, ...own } = alert;
      return {
        ...own,
        outcomes,
        repeats,
        timeline,
        ...(newest.length > 0 && { newest: Object.fromEntries(newest) }),
        ...(leaders.length > 0 && { leaders: Object.fromEntries(leaders) }),
      };
    }
    case 'card-testing': {
      const tried = valuesAt('tried:', fields, TriedCard).toSorted(
        (a, b) => a.firstAt.localeCompare(b.firstAt) || a.acctId - b.acctId,
      );
      return { ...alert, outcomes, tried };
    }
    case 'fraud-case':
      return { ...alert, outcomes };
    case 'virtual-card':
      return { ...alert, outcomes, asked: fieldOf('asked', fields, AskedBy) };
    // The others show how far a card is on its way to its holder.
    default:
      return { ...alert, outcomes, progress: fieldOf('progress', fields, OrderProgress) };
  }
}

function fieldOf<T>(name: string, fields: Fields, schema: z.ZodType<T>): T | null {
  return recordFormat(schema).readOrNull(fields[name]);
}

function valuesAt<T>(prefix: string, fields: Fields, schema: z.ZodType<T>): T[] {
  return startingWith(prefix, fields).map(([, text]) => recordFormat(schema).read(text));
}

/** The fields whose names start with `prefix`, by the rest of their names. */
function startingWith(prefix: string, fields: Fields): [name: string, text: string][] {
  return Object.entries(fields)
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, text]) => [name.slice(prefix.length), text]);
}
