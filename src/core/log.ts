import { type DestinationStream, type Logger, pino } from 'pino';
import { maskCardNumbers } from './card-number.ts';
import { createRepeatLimit } from './log-repeats.ts';
import { version } from './version.ts';

export type Log = Logger;

/**
 * JSON lines on standard output: a static `msg`, and the facts in fields of their own.
 *
 * Each call chooses what may be logged: ids, kinds, codes, durations. The redaction list and the scrubber below are a
 * second line of defense, for a field that somebody adds without thinking.
 */
export function createLog(options: {
  level: string;
  process: string;
  destination?: DestinationStream;
  /** How often at most a warning or an error is written for the same cause. */
  repeatMs?: number;
}): Log {
  return pino(
    {
      level: options.level,
      base: { process: options.process, version },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: ['authorization', 'token', 'headers', 'body', '*.authorization', '*.token', '*.headers', '*.body'],
        censor: '[removed]',
      },
      serializers: { err: serializeError },
      hooks: { streamWrite: scrub, logMethod: createRepeatLimit(options.repeatMs) },
    },
    options.destination ?? standardOutput(),
  );
}

/** How much waits, in characters, for a reader of our output that is slow. What comes then is dropped. */
const BACKLOG_MAX = 1_000_000;

/**
 * Standard output that holds nothing up, whoever reads it or not. pino's own destination goes on trying to write its last
 * lines when the process ends, for ever where the reader is gone, and a pipe that nobody empties stops its process.
 */
function standardOutput(): DestinationStream {
  const { stdout } = process;
  stdout.off('error', ignore).on('error', ignore);
  return {
    write(line) {
      if (stdout.writable && stdout.writableLength < BACKLOG_MAX) stdout.write(line);
    },
  };
}

/** Nobody reads any more, so there is nobody to tell. */
function ignore(): void {}

interface ErrorFields {
  readonly type: string;
  readonly message: string;
  readonly code?: unknown;
  readonly stack?: string | undefined;
}

/** An error without its other properties: SDKs attach requests, headers and bodies to theirs. */
function serializeError(error: unknown): ErrorFields | { type: string } {
  if (!(error instanceof Error)) return { type: typeof error };
  return {
    type: error.constructor.name,
    message: error.message,
    ...('code' in error ? { code: error.code } : {}),
    stack: error.stack,
  };
}

const secretShapes = /xox[abeprs]-[\w-]+|xapp-[\w-]+/g;
/** Only with separators that JSON does not use between two numbers. */
const digitRun = /\p{Nd}(?:[ /|*\p{Dash}\p{Cf}]{0,3}\p{Nd}){12,}/gu;

/** Removes card numbers, by Luhn, and Slack tokens, by shape, from a complete line. It stays valid JSON. */
function scrub(line: string): string {
  return line
    .replace(secretShapes, '[removed]')
    .replace(digitRun, (run) =>
      maskCardNumbers(run) === run ? run : run.replace(/\p{Nd}(?=(?:\P{Nd}*\p{Nd}){4})/gu, '9'),
    );
}
