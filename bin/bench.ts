import './unexpected-error.ts';
import { benchBytes } from '../bench/bytes.ts';
import { benchCost } from '../bench/cost.ts';
import { benchIngest } from '../bench/ingest.ts';
import { benchLatency } from '../bench/latency.ts';
import { benchMemory } from '../bench/memory.ts';
import { benchOutage } from '../bench/outage.ts';
import { benchPrograms } from '../bench/programs.ts';
import { benchRouting } from '../bench/routing.ts';
import { benchShards } from '../bench/shards.ts';
import { benchSoak } from '../bench/soak.ts';
import { benchStorm } from '../bench/storm.ts';
import { benchTraces } from '../bench/traces.ts';
import { benchWaiting } from '../bench/waiting.ts';
import { endMisused, readArguments } from './arguments.ts';

const usage = `The benchmarks: figures as shares of a baseline measured in the same run.

  npm run bench                         all but soak, which takes long and installs Debian's faketime, and outage
  npm run bench -- NAME [NAME …]        only these: cost, ingest, latency, storm, traces, memory, bytes, shards, routing,
                                        waiting, programs, soak, outage

  --full   memory continues to a million events
  --events N         how many events wait under waiting, 100000 unless given; and come under soak and outage, 30000
  --minutes N        how long outage takes, 5 unless given
  --actions N        how many actions there are under soak, 1000 unless given
  --profile FOLDER   writes a processor profile of the worker under cost
  --json   the figures of cost and routing as JSON; npm run --silent leaves out the lines of npm
  --save   keeps the figures of cost and routing in bench/last.json, which the next run is compared with

Exit code: 0 when it is done; 1 when waiting or outage lost or repeated something, or soak has left something that
SECURITY.md does not allow; 64 for a wrong command line.
`;
const all = [
  'cost',
  'ingest',
  'latency',
  'storm',
  'traces',
  'memory',
  'bytes',
  'shards',
  'routing',
  'waiting',
  'programs',
  'soak',
  'outage',
];

const flag = { type: 'boolean' } as const;
const text = { type: 'string' } as const;
const command = { name: 'bench', usage };
const { values, positionals } = readArguments(command, {
  full: flag,
  json: flag,
  save: flag,
  profile: text,
  events: text,
  actions: text,
  minutes: text,
});
for (const name of ['events', 'actions', 'minutes'] as const)
  if (!/^[1-9]\d*$/.test(values[name] ?? '1'))
    endMisused(command, `--${name}: expected a whole number above 0, not ${values[name]}`);
const unknown = positionals.find((name) => !all.includes(name));
if (unknown !== undefined) endMisused(command, `there is no benchmark ${unknown}. Expected ${all.join(', ')}`);
const wanted = (name: string): boolean => positionals.length === 0 || positionals.includes(name);
const sizes = [1_000, 10_000, 100_000, ...(values.full === true ? [1_000_000] : [])];

if (wanted('cost')) {
  const { json = false, save = false, profile = null } = values;
  await benchCost({ json, save, profile });
}
if (wanted('ingest')) await benchIngest();
if (wanted('latency')) await benchLatency();
if (wanted('storm')) await benchStorm();
if (wanted('traces')) await benchTraces();
if (wanted('memory')) await benchMemory(sizes);
if (wanted('bytes')) await benchBytes(3000);
if (wanted('shards')) await benchShards();
if (wanted('routing')) await benchRouting({ json: values.json === true, save: values.save === true });
if (wanted('waiting') && !(await benchWaiting(Number(values.events ?? 100_000)))) process.exitCode = 1;
if (wanted('programs')) await benchPrograms();
if (positionals.includes('soak')) {
  const { events = '30000', actions = '1000' } = values;
  if (!(await benchSoak({ events: Number(events), actions: Number(actions) }))) process.exitCode = 1;
}
if (positionals.includes('outage')) {
  const { events = '30000', minutes = '5' } = values;
  if (!(await benchOutage(Number(events), Number(minutes)))) process.exitCode = 1;
}
