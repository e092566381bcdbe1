import { ApiError } from './api-error.ts';
import type { Json } from './json.ts';

/** A text argument. Numbers count as text, as in a form. */
export function stringArg(args: Json, name: string): string | undefined {
  const value = args[name];
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A required text argument. Without it the method answers `invalid_arguments`, or the given code. */
export function requiredArg(args: Json, name: string, code = 'invalid_arguments'): string {
  const value = stringArg(args, name);
  if (value === undefined) throw new ApiError(code, [`missing required field: ${name}`]);
  return value;
}

/** A boolean argument: `true`, `1` and their text forms mean true. */
export function booleanArg(args: Json, name: string): boolean {
  return args[name] === true || args[name] === 'true' || args[name] === 1 || args[name] === '1';
}

/** A structured argument, which forms send as JSON text. */
export function jsonArg(args: Json, name: string, code: string): unknown {
  const value = args[name];
  if (typeof value !== 'string') return value ?? undefined;
  if (value === '') return undefined;
  try {
    return JSON.parse(value);
  } catch {
    throw new ApiError(code);
  }
}

/** One page of a list and the next cursor, like Slack's cursored methods. */
export function page<T>(items: readonly T[], args: Json, most = 1000): { items: T[]; next: string } {
  const limit = Number(stringArg(args, 'limit') ?? 100);
  if (!Number.isInteger(limit) || limit < 0 || limit > most) throw new ApiError('invalid_limit');
  const cursor = stringArg(args, 'cursor');
  const start =
    cursor === undefined
      ? 0
      : Number(
          Buffer.from(cursor, 'base64url')
            .toString()
            .replace(/^next:/, ''),
        );
  if (!Number.isInteger(start) || start < 0) throw new ApiError('invalid_cursor');
  const end = start + (limit || 100);
  const next = end < items.length ? Buffer.from(`next:${end}`).toString('base64url') : '';
  return { items: items.slice(start, end), next };
}
