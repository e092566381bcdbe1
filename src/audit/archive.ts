import { createHash, randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { access, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, ConfigError } from '../core/errors.ts';
import { splitLines } from '../core/split-lines.ts';

/** Consecutive records of the chain in one file. */
export interface Segment {
  /** `2026-08`: the month of its first record. */
  readonly month: string;
  /** Numbers of its first and last record. */
  readonly first: number;
  readonly last: number;
}

/** Storage for months of the audit log that are no longer in Redis. */
export type Archive = ReturnType<typeof openArchive>;

/** The files lack required content. `number`: the first affected record. */
export class ArchiveError extends AppError {
  readonly code = 'archive';
  readonly retryable = false;
  readonly number: number;

  constructor(number: number, why: string) {
    super(`record ${number} ${why}`);
    this.number = number;
  }
}

const DIGITS = 9;
const fileName = ({ month, first, last }: Segment): string =>
  `audit-${month}-${[first, last].map((number) => String(number).padStart(DIGITS, '0')).join('-')}.jsonl`;

function segmentOf(name: string): Segment | null {
  const parts = /^audit-(\d{4}-\d{2})-(\d{9,})-(\d{9,})\.jsonl$/.exec(name);
  return parts === null ? null : { month: parts[1] ?? '', first: Number(parts[2]), last: Number(parts[3]) };
}

/** Files in a folder, one per month. */
export function openArchive(folder: string) {
  async function segments(): Promise<Segment[]> {
    const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw unreadable(folder, error);
      return [];
    });
    return names.flatMap((name) => segmentOf(name) ?? []).toSorted((a, b) => a.first - b.first);
  }

  return {
    /**
     * Lines of the chain exactly as Redis had them, oldest first, from one record to another, both included.
     *
     * @throws ArchiveError when a record is missing. @throws ConfigError when the folder or a file cannot be read.
     */
    async *read(from: number, to: number): AsyncGenerator<string, void> {
      let next = from;
      for (const segment of await segments()) {
        if (next > to) return;
        if (segment.last < next || segment.first > next) continue;
        const name = fileName(segment);
        let number = segment.first;
        for await (const line of linesIn(join(folder, name))) {
          if (number > to) return;
          if (number === next) {
            yield line;
            next += 1;
          }
          number += 1;
        }
        if (number <= segment.last) throw new ArchiveError(number, `is missing: ${name} ends before it`);
      }
      if (next <= to) throw new ArchiveError(next, 'is missing: no file in AUDIT_ARCHIVE has it');
    },

    /** Checks that each file may be read, without reading it. @throws ConfigError when one may not. */
    async checkReadable(): Promise<void> {
      for (const segment of await segments()) await checkFile(join(folder, fileName(segment)));
    },

    /** The first record up to this one that no file name covers; null: all are covered. Reads no file contents. */
    async firstMissing(to: number): Promise<number | null> {
      let next = 1;
      for (const { first, last } of await segments()) if (first <= next) next = Math.max(next, last + 1);
      return next > to ? null : next;
    },

    /**
     * Writes lines to a file; the segment is known once the lines have been read. When this resolves, the file is on
     * disk, and each of its lines was read back. After a crash it may be written again.
     *
     * @throws ArchiveError when existing files hold different lines for these records. They are not changed.
     */
    async write(lines: AsyncIterable<string>, segment: () => Segment | null): Promise<void> {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await removeAbandoned(folder);
      const unfinished = join(folder, `${UNFINISHED}${randomUUID()}`);
      try {
        const written = await writeLines(unfinished, lines);
        const own = segment();
        if (own === null) return;
        const name = fileName(own);
        const other = (await segments()).find(({ first, last }) => first <= own.last && last >= own.first);
        if (other !== undefined && (fileName(other) !== name || (await digestOf(join(folder, name))) !== written))
          throw new ArchiveError(Math.max(own.first, other.first), `is in ${fileName(other)} already, in another form`);
        await rename(unfinished, join(folder, name));
        await syncFolder(folder);
        if ((await digestOf(join(folder, name))) !== written)
          throw new ArchiveError(own.first, `cannot be read back from ${name}`);
      } finally {
        await rm(unfinished, { force: true });
      }
    },
  };
}

const UNFINISHED = '.unfinished-';
const ABANDONED_MS = 24 * 3_600_000;

/** Removes unfinished files of a worker that was killed. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(UNFINISHED)) continue;
    const path = join(folder, name);
    const writtenMs = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => null,
    );
    // Files are dated by the clock of the machine.
    if (writtenMs !== null && Date.now() - writtenMs > ABANDONED_MS) await rm(path, { force: true });
  }
}

const unreadable = (path: string, { code }: NodeJS.ErrnoException): ConfigError =>
  new ConfigError([`AUDIT_ARCHIVE: ${path} cannot be read (${code})`]);

async function checkFile(path: string): Promise<void> {
  await access(path, constants.R_OK).catch((error) => Promise.reject(unreadable(path, error)));
}

/** @throws ConfigError when the file cannot be read. */
async function* linesIn(path: string): AsyncGenerator<string> {
  const input = createReadStream(path, 'utf8');
  let fault: NodeJS.ErrnoException | null = null;
  input.once('error', (error) => {
    fault = error;
  });
  try {
    yield* splitLines(input);
  } catch (error) {
    throw fault === error && fault !== null ? unreadable(path, fault) : error;
  }
}

/** @returns the digest of the lines, each quoted, so that no other lines have it. */
async function writeLines(path: string, lines: AsyncIterable<string>): Promise<string> {
  const file = await open(path, 'w', 0o600);
  const digest = createHash('sha256');
  try {
    for await (const line of lines) {
      digest.update(JSON.stringify(line));
      await file.appendFile(`${line}\n`);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return digest.digest('hex');
}

/** Of the lines as `read` returns them. */
async function digestOf(path: string): Promise<string> {
  const digest = createHash('sha256');
  for await (const line of linesIn(path)) digest.update(JSON.stringify(line));
  return digest.digest('hex');
}

/** Without this, a power failure may lose the file's directory entry. */
async function syncFolder(folder: string): Promise<void> {
  const opened = await open(folder, 'r');
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}
