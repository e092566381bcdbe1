import type { LogFn, Logger } from 'pino';

const REPEAT_MS = 10_000;
/** pino's numbers. Information is never held back: the record of what people did is repeated there. */
const [WARN, FATAL] = [40, 60];

/** What tells one cause from another besides its words. Ids and counts differ from line to line, and are left out. */
const causeFields = ['cause', 'what', 'queue', 'connection', 'code', 'slackError', 'channel', 'path', 'warning'];

interface Repeats {
  count: number;
  latest: Parameters<LogFn>;
}

/**
 * Writes a warning or an error at once, and what repeats it once in each interval, with the number of times: a Redis that
 * is full makes the same error thousands of times a second.
 */
export function createRepeatLimit(repeatMs = REPEAT_MS) {
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
  const told = causeFields.map((name) => own.get(name) ?? '');
  // Numbers in an error are ports, sizes and ids.
  return JSON.stringify([message, err.replace(/\d+/g, '#'), ...told]);
}

function counted({ count, latest }: Repeats): Parameters<LogFn> {
  const [fields, ...rest] = latest as readonly unknown[];
  const line = typeof fields === 'object' ? [{ ...fields, repeated: count }, ...rest] : [{ repeated: count }, fields];
  return line as Parameters<LogFn>;
}
