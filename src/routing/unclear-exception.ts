import { type Filter, hasHead, possibleKinds, printFilter } from './filter.ts';

/** Not `except except in US`, which leaves out nothing. */
export function endsInException(filter: Filter | undefined): boolean {
  const last = filter?.is === 'and' ? filter.filters.at(-1) : filter;
  return last?.is === 'not' && last.filter.is !== 'not';
}

/**
 * `declines except in US or in Canada` leaves out both to most people, and by the precedence everything in Canada comes on
 * top. `declines except in US or shipping` is plain, because no decline is a shipment, and so is `declines except in US or
 * declines over 5000`, because nobody says “declines” again inside the exception.
 *
 * @param filters joined by “or”.
 * @param at the first that ends in an exception without parentheses; -1: none does.
 * @returns the question, with both readings as they are printed; null if nothing is unclear.
 */
export function unclearException(filters: readonly Filter[], at: number): string | null {
  const [before, ...behind] = at === -1 ? [] : filters.slice(at);
  if (before === undefined) return null;
  const parts = before.is === 'and' ? before.filters : [before];
  const kinds = possibleKinds(before);
  const denied = parts.at(-1);
  const subject = denied?.is === 'not' && !hasHead(denied.filter) ? parts.find(hasHead) : undefined;
  const isPlain = (next: Filter): boolean =>
    hasHead(next) &&
    ((subject !== undefined && isAbout(next, subject)) || !possibleKinds(next).some((kind) => kinds.includes(kind)));
  const [first] = behind;
  if (first === undefined || isPlain(first)) return null;
  const unclear = behind.filter((next) => !isPlain(next));
  const leftOut = unclear.map((next): Filter => (next.is === 'not' ? next : { is: 'not', filter: next }));
  const exception: Filter = { is: 'and', filters: [...parts, ...leftOut] };
  const both = printAny([...filters.slice(0, at), exception, ...behind.filter(isPlain)]);
  return `Does “${printFilter(first)}” belong to the exception? If so, write “${both}”. If not, write “${printAny(filters)}”.`;
}

/** Whether each of its alternatives names the same: `declines`, `spend`. */
function isAbout(filter: Filter, subject: Filter): boolean {
  if (filter.is === 'or') return filter.filters.every((part) => isAbout(part, subject));
  const parts = filter.is === 'and' ? filter.filters : [filter];
  return parts.some((part) => hasHead(part) && printFilter(part) === printFilter(subject));
}

/** With an `or` inside flattened, as it is parsed. */
function printAny(filters: readonly Filter[]): string {
  const flat = filters.flatMap((part) => (part.is === 'or' ? part.filters : [part]));
  const [only] = flat;
  return printFilter(flat.length === 1 && only !== undefined ? only : { is: 'or', filters: flat });
}
