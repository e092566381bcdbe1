import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { AppError } from '../core/errors.ts';

/** Consecutive records of the chain in one file. */
export interface Segment {
  /** `2026-08`: when its first record was written. */
  readonly month: string;
  /** Numbers of its first and last record. */
  readonly first: number;
  readonly last: number;
}

/** Where months of the record are kept that are not in Redis any more. */
export interface Archive {
  /**
   * Lines of the chain as Redis had them, oldest first, from one record to another, both included.
   *
   * @throws ArchiveError where a record is missing.
   */
  read(from: number, to: number): AsyncGenerator<string, void>;
  /** The first record up to this one that no file has by its name; null: every one is there. Nothing is read. */
  firstMissing(to: number): Promise<number | null>;
  /**
   * Writes lines to a file, whose segment is known once they have been read. It is on the disk, and was read back, when
   * this resolves; after a crash it may be written again.
   *
   * @throws ArchiveError when files that are there already hold other lines for these records. They stay as they are.
   */
  write(lines: AsyncIterable<string>, segment: () => Segment | null): Promise<void>;
}

/** Files do not have what they must have. `number`: the first record that is concerned. */
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

/** Files in a folder, one a month. */
export function openArchive(folder: string): Archive {
  async function segments(): Promise<Segment[]> {
    const names = await readdir(folder);
    return names.flatMap((name) => segmentOf(name) ?? []).toSorted((a, b) => a.first - b.first);
  }

  return {
    async *read(from, to) {
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

    async firstMissing(to) {
      let next = 1;
      const all = await segments().catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
        return [];
      });
      for (const { first, last } of all) if (first <= next) next = Math.max(next, last + 1);
      return next > to ? null : next;
    },

    async write(lines, segment) {
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

/** What a worker was writing when it was killed. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(UNFINISHED)) continue;
    const path = join(folder, name);
    const writtenMs = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => null,
    );
    if (writtenMs !== null && Date.now() - writtenMs > ABANDONED_MS) await rm(path, { force: true });
  }
}

async function* linesIn(path: string): AsyncGenerator<string> {
  yield* createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY });
}

/** @returns the digest of what is on the disk now. */
async function writeLines(path: string, lines: AsyncIterable<string>): Promise<string> {
  const file = await open(path, 'w', 0o600);
  const digest = createHash('sha256');
  try {
    for await (const line of lines) {
      digest.update(`${line}\n`);
      await file.appendFile(`${line}\n`);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return digest.digest('hex');
}

async function digestOf(path: string): Promise<string> {
  const digest = createHash('sha256');
  for await (const chunk of createReadStream(path)) digest.update(chunk as Buffer);
  return digest.digest('hex');
}

/** Without it a power loss may forget the name of the file. */
async function syncFolder(folder: string): Promise<void> {
  const opened = await open(folder, 'r');
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}
