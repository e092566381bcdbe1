import { parseArgs } from 'node:util';
import { benchIngest } from '../bench/ingest.ts';
import { benchLatency } from '../bench/latency.ts';
import { benchMemory } from '../bench/memory.ts';
import { benchStorm } from '../bench/storm.ts';
import { benchWorker } from '../bench/worker.ts';

/** `npm run bench`: figures as shares of a baseline measured in the same run. `--full` goes to a million events. */
const { values, positionals } = parseArgs({ allowPositionals: true, options: { full: { type: 'boolean' } } });
const wanted = (name: string): boolean => positionals.length === 0 || positionals.includes(name);
const sizes = [1_000, 10_000, 100_000, ...(values.full === true ? [1_000_000] : [])];

if (wanted('ingest')) await benchIngest();
if (wanted('latency')) await benchLatency();
if (wanted('worker')) await benchWorker();
if (wanted('storm')) await benchStorm();
if (wanted('memory')) await benchMemory(sizes);
