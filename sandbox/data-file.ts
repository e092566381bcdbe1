import { access, constants, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { State } from './state/state.ts';

/** The file cannot hold the state. The message says why. */
export class DataFileError extends Error {}

const list = z.array(z.looseObject({}));
const form = z.looseObject({
  business: z.looseObject({ businessAccountId: z.int() }),
  groups: list,
  rulesets: list,
  accounts: list,
  orders: list,
  purchases: list,
  rows: list,
  transfers: list,
  tokens: list,
  next: z.record(z.string(), z.int()),
  remoteDecision: z.string(),
  virtualErrors: z.array(z.array(z.string())),
} satisfies Record<keyof State, z.ZodType>);

/** Reads a saved state. Undefined when the file does not exist yet. @throws DataFileError also when it cannot be written */
export async function readDataFile(path: string): Promise<State | undefined> {
  const folder = dirname(path);
  await access(folder, constants.W_OK).catch((error: unknown) => {
    throw new DataFileError(`the data file cannot be written: ${folder} is not a folder that this user may write to`, {
      cause: error,
    });
  });
  try {
    const state: unknown = JSON.parse(await readFile(path, 'utf8'));
    form.parse(state);
    return state as State;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new DataFileError(`the data file ${path} cannot be read, or holds no state`, { cause: error });
  }
}

/** Writes the state soon after a change, and never partially: a new file replaces the old one. */
export function createDataFile(path: string, state: State, report: (error: unknown) => void) {
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    const temporary = `${path}.new`;
    await writeFile(temporary, JSON.stringify(state), { mode: 0o600 });
    await rename(temporary, path);
  }
  function writeInTurn(): Promise<void> {
    timer = undefined;
    writing = writing.then(write).catch(report);
    return writing;
  }
  return {
    changed(): void {
      timer ??= setTimeout(() => void writeInTurn(), 50);
    },
    async close(): Promise<void> {
      clearTimeout(timer);
      await writeInTurn();
    },
  };
}
