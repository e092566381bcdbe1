import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mutantsOf } from './mutate.ts';
import { filesBelow } from './related-tests.ts';
import { NOT_DECIDING } from './targets.ts';

/** A mutant that a run may choose. */
export interface Candidate {
  readonly file: string;
  readonly line: number;
  /** The original line, trimmed. */
  readonly text: string;
  readonly what: string;
  readonly original: string;
  readonly mutated: string;
}

/** Random numbers, reproducible by seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Every mutant of these files and folders, shuffled by this seed. */
export function candidatesOf(root: string, targets: readonly string[], seed: number): Candidate[] {
  const next = random(seed);
  return targets
    .flatMap((target) => filesBelow(root, target))
    .filter((file) => !NOT_DECIDING.includes(file))
    .flatMap((file) => {
      const source = readFileSync(join(root, file), 'utf8');
      const lines = source.split('\n');
      return mutantsOf(source).map(({ start, end, to, what }) => {
        const line = source.slice(0, start).split('\n').length;
        const mutated = source.slice(0, start) + to + source.slice(end);
        return {
          order: next(),
          candidate: { file, line, text: lines[line - 1]?.trim() ?? '', what, original: source, mutated },
        };
      });
    })
    .toSorted((one, two) => one.order - two.order)
    .map(({ candidate }) => candidate);
}

/** Mutants are identified by the text of their line, because line numbers change. */
export function isSame(
  one: Pick<Candidate, 'file' | 'text' | 'what'>,
  two: Pick<Candidate, 'file' | 'text' | 'what'>,
): boolean {
  return one.file === two.file && one.text === two.text && one.what === two.what;
}
