import { z } from 'zod';
import { UnreadableError } from './errors.ts';

/** A schema, reduced to reading. */
export interface Reads<T> {
  parse(value: unknown): T;
  safeParse(
    value: unknown,
  ): { readonly success: true; readonly data: T } | { readonly success: false; readonly error: z.ZodError };
}

/**
 * Holds the fields that a newer version stored with a record and this version does not know. Copies made with `...`
 * keep it, and nothing else sees it.
 */
const unknownFields = Symbol('unknown fields');

/**
 * Reads what any version of Cardbell has stored. Keeps fields that this version does not know for {@link toStored}.
 *
 * @throws ZodError when anything else does not match.
 */
export function fromStored<T>(schema: Reads<T>, stored: unknown): T {
  let known = stored;
  const removed: { readonly path: readonly PropertyKey[]; readonly fields: Record<string, unknown> }[] = [];
  for (;;) {
    const result = schema.safeParse(known);
    if (result.success) {
      for (const { path, fields } of removed) {
        const owner = at(result.data, path);
        if (owner !== null && !Object.isFrozen(owner)) Object.assign(owner, { [unknownFields]: fields });
      }
      return result.data;
    }
    const unknown = result.error.issues.filter((issue) => issue.code === 'unrecognized_keys');
    if (unknown.length === 0) throw result.error;
    if (known === stored) known = structuredClone(stored);
    for (const { path, keys } of unknown) {
      const owner = at(known, path);
      if (owner === null) throw result.error;
      removed.push({ path, fields: Object.fromEntries(keys.map((key) => [key, owner[key]])) });
      for (const key of keys) delete owner[key];
    }
  }
}

/**
 * Like `fromStored`, for data that is set aside on its own: the error says what could not be read, and where.
 *
 * @throws UnreadableError
 */
export function fromStoredAs<T>(what: string, schema: Reads<T>, stored: unknown): T {
  try {
    return fromStored(schema, stored);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    const where = error.issues.map(({ path, code }) => `${path.map(String).join('.') || '(whole)'} ${code}`);
    throw new UnreadableError([what, ...where.slice(0, 3)].join(': '));
  }
}

/**
 * What is stored of a record: the fields of its schema, and those that a newer version had stored with it.
 *
 * @throws ZodError when it does not match: an extra field of our own is a mistake, and may be a secret.
 */
export function toStored<T>(schema: Reads<T>, record: unknown): T {
  const stored = schema.parse(record);
  restore(stored, record);
  return stored;
}

function restore(stored: unknown, record: unknown): void {
  if (!isObject(stored) || !isObject(record) || stored === record) return;
  for (const name of Object.keys(stored)) restore(stored[name], record[name]);
  const fields = record[unknownFields];
  if (isObject(fields) && !Object.isFrozen(stored)) Object.assign(stored, { ...fields, ...stored });
}

function at(value: unknown, path: readonly PropertyKey[]): Record<PropertyKey, unknown> | null {
  const found = path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value);
  return isObject(found) ? found : null;
}

function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null;
}
