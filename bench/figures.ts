import { readFile, writeFile } from 'node:fs/promises';
import { median, row, table } from './report.ts';

/** A figure next to its baseline. `times` is the part that carries over to other machines. */
export interface Figure {
  readonly median: number;
  readonly baseline: number;
  /** Multiple of the baseline, with the lowest and highest of all rounds. */
  readonly times: number;
  readonly least: number;
  readonly most: number;
}

export type Figures = Readonly<Record<string, Figure>>;

/** The last result in the repository, relative to the source folder. */
const lastFile = 'bench/last.json';
/** Less than this is noise, even if the rounds do not overlap. */
const NOISE = 1.1;

export function figureOf(rounds: readonly number[], baseline: readonly number[]): Figure {
  const times = rounds.map((value, round) => value / (baseline[round] ?? Number.NaN));
  return {
    median: rounded(median(rounds)),
    baseline: rounded(median(baseline)),
    times: rounded(median(times)),
    least: rounded(Math.min(...times)),
    most: rounded(Math.max(...times)),
  };
}

const rounded = (value: number): number => Number(value.toPrecision(3));

/** Prints figures next to the last result. Marks those that are worse than all of its rounds. */
export async function compareWithLast(
  figures: Figures,
  {
    json,
    save,
    title,
    note,
  }: { readonly json: boolean; readonly save: boolean; readonly title: string; readonly note: string },
): Promise<void> {
  const last = JSON.parse(await readFile(lastFile, 'utf8').catch(() => '{}')) as Figures;
  if (json) process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
  else {
    table(
      title,
      ['median', 'baseline', 'times', 'rounds', 'last', ''],
      Object.entries(figures).map(([name, figure]) =>
        row(name, [
          String(figure.median),
          String(figure.baseline),
          String(figure.times),
          `${figure.least} to ${figure.most}`,
          String(last[name]?.times ?? ''),
          verdict(figure, last[name]),
        ]),
      ),
    );
    process.stdout.write(`\n${note}\n`);
  }
  // Another benchmark keeps its figures in the same file.
  if (save) await writeFile(lastFile, `${JSON.stringify({ ...last, ...figures }, null, 2)}\n`);
}

function verdict(now: Figure, last: Figure | undefined): string {
  if (last === undefined) return '';
  if (now.times > last.most * NOISE) return 'worse';
  return now.times * NOISE < last.least ? 'better' : '';
}
