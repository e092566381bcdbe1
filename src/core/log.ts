import { type DestinationStream, type LogFn, type Logger, pino } from 'pino';
import { maskCardNumbers } from './card-number.ts';
import { withoutBareSecrets, withoutBareSecretsInJson } from './redact-text.ts';
import { version } from './version.ts';

export type Log = Logger;

/**
 * JSON lines on standard output: a static `msg`, with the facts in separate fields.
 *
 * Each call logs only what may be logged: ids, kinds, codes, durations. The redaction list and the scrubber below are a
 * second line of defense, for a field that someone adds carelessly.
 */
export function createLog(options: {
  level: string;
  process: string;
  destination?: DestinationStream;
  /** Minimum interval between warnings or errors with the same cause. */
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

/** Maximum backlog, in characters, for a slow reader of our output. Lines beyond that are dropped. */
const BACKLOG_MAX = 1_000_000;

/**
 * Standard output that never blocks, whether anyone reads it or not. pino's own destination keeps trying to write its
 * last lines when the process ends, forever if the reader is gone, and a pipe that nobody empties would block its
 * process.
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

/** Nobody reads our output any more, so there is nowhere to report this. */
function ignore(): void {}

/** An error without its other properties: SDKs attach requests, headers and bodies to errors. */
function serializeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  return {
    type: error.constructor.name,
    message: error.message,
    ...('code' in error ? { code: error.code } : {}),
    stack: error.stack,
  };
}

/**
 * An error as one line for a terminal: no stack, and no other properties. A SyntaxError quotes what it could not read.
 */
export function errorLine(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { name, message } = error;
  return error instanceof SyntaxError ? name : `${name}: ${scrub(withoutBareSecrets(message.split('\n', 1)[0] ?? ''))}`;
}

/** What a package prints, as one text. Of an error only its message: SDKs attach requests, headers and bodies to errors. */
export function printedText(parts: readonly unknown[]): string {
  return parts.map(partText).join(' ');
}

function partText(part: unknown): string {
  // Node's error if all addresses of a host refuse has no message of its own.
  if (part instanceof AggregateError && part.message === '') return part.errors.map(partText).join('; ');
  if (part instanceof Error) return part.message;
  return typeof part === 'object' && part !== null ? 'an object' : String(part);
}

/** Only separators that JSON does not use between two numbers. */
const digitRun = /\p{Nd}(?:(?: *(?:[/|*·•~\p{Dash}\p{Cf}] *){0,3}|%2[0Dd])\p{Nd}){12,}/gu;

/** Removes card numbers (by Luhn) and tokens from a complete line. It stays valid JSON. */
function scrub(line: string): string {
  return withoutBareSecretsInJson(line).replace(digitRun, (run) =>
    maskCardNumbers(run) === run ? run : run.replace(/\p{Nd}(?=(?:\P{Nd}*\p{Nd}){4})/gu, '9'),
  );
}

const REPEAT_MS = 10_000;
/** pino's level numbers. Info lines are never limited: they repeat the record of what people did. */
const [WARN, FATAL] = [40, 60];

/** Fields that distinguish causes, besides the message. Ids and counts differ from line to line and are left out. */
const causeFields = ['cause', 'what', 'queue', 'connection', 'code', 'slackError', 'channel', 'path', 'warning'];

interface Repeats {
  count: number;
  latest: Parameters<LogFn>;
}

/**
 * Writes a warning or error immediately, and its repeats once per interval with a count: a full Redis causes the same
 * error thousands of times a second.
 */
function createRepeatLimit(repeatMs = REPEAT_MS) {
  const known = new Map<string, Repeats>();

  return function logMethod(this: Logger, args: Parameters<LogFn>, method: LogFn, level: number): void {
    if (level < WARN || level >= FATAL) {
      method.apply(this, args);
      return;
    }
    const cause = `${level} ${causeOf(args)}`;
    const repeats = known.get(cause);
    if (repeats !== undefined) {
      repeats.count += 1;
      repeats.latest = args;
      return;
    }
    const write = (line: Parameters<LogFn>): void => {
      method.apply(this, line);
      const since: Repeats = { count: 0, latest: line };
      known.set(cause, since);
      setTimeout(() => {
        known.delete(cause);
        if (since.count > 0) write(counted(since));
      }, repeatMs).unref();
    };
    write(args);
  };
}

function causeOf([fields, message]: readonly unknown[]): string {
  if (typeof fields !== 'object' || fields === null) return String(fields);
  const err = 'err' in fields && fields.err instanceof Error ? fields.err.message : '';
  const own = new Map(Object.entries(fields));
  const details = causeFields.map((name) => own.get(name) ?? '');
  // Numbers in an error are ports, sizes and ids.
  return JSON.stringify([message, err.replace(/\d+/g, '#'), ...details]);
}

function counted({ count, latest }: Repeats): Parameters<LogFn> {
  const [fields, ...rest] = latest;
  const line = typeof fields === 'object' ? [{ ...fields, repeated: count }, ...rest] : [{ repeated: count }, fields];
  return line as Parameters<LogFn>;
}
