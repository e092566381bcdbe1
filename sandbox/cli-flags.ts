import { type ParseArgsConfig, parseArgs } from 'node:util';
import { useServiceZone } from './service-time.ts';

/** A command line that cannot be understood. The message says what to type instead. */
export class UsageError extends Error {}

/** An environment variable that cannot be used. The message names it and what was expected, never its value. */
export class EnvironmentError extends Error {}

/** EX_USAGE: the command line is wrong. */
export const EXIT_USAGE = 64;

/** Parses flags, strictly. */
export function parseFlags<T extends NonNullable<ParseArgsConfig['options']>>(args: readonly string[], options: T) {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** A numeric flag, within bounds. */
export function numberFlag(
  name: string,
  text: string | undefined,
  { least, most }: { least: number; most: number },
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < least || value > most) {
    throw new UsageError(`--${name} must be a number from ${least} to ${most}`);
  }
  return value;
}

/** A URL flag with one of the given protocols. */
export function urlFlag(name: string, text: string | undefined, protocols: readonly string[]): string | undefined {
  if (text === undefined) return undefined;
  const found = URL.canParse(text) ? new URL(text).protocol : '';
  if (!protocols.includes(found))
    throw new UsageError(`--${name} must be a URL that starts with ${protocols.join('// or ')}//`);
  return text;
}

/**
 * Writes all times of this process in the card service's zone, as Cardbell reads them. @param zone omitted: Eastern
 * time.
 */
export function useZoneOf(zone: string | undefined): void {
  if (zone === undefined || zone === '') return;
  try {
    useServiceZone(zone);
  } catch {
    throw new EnvironmentError('CARD_SERVICE_TIMEZONE: expected a time zone such as America/Chicago');
  }
}
