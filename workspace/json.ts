/** A JSON object whose fields have not been checked yet: everything received from outside. */
export type Json = Record<string, unknown>;

/** Whether a value is a JSON object, neither an array nor null. */
export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as a JSON object, or an empty one, so that missing fields are undefined. */
export function record(value: unknown): Json {
  return isRecord(value) ? value : {};
}

/** The JSON objects in a list. Empty when it is not a list. */
export function records(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** The value as a string, or undefined. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Removes undefined fields: Slack omits them, and `null` means something else there. */
export function compact<T extends Json>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;
}

/** Any value as text for a message to people: strings unchanged, the rest as JSON. */
export function words(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
