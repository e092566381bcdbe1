import { setTimeout as wait } from 'node:timers/promises';
import { EnvironmentError, UsageError } from '../cli-flags.ts';
import { toCallbackTime } from '../service-time.ts';
import { certificateFaults, createSender, isAccepted, type SendOutcome } from '../webhook/sender.ts';
import { signed } from '../webhook/version.ts';
import type { TriggerArguments } from './arguments.ts';
import { CATALOGUE, type CatalogueEntry, entryOf, freshData, sampleData } from './catalogue.ts';
import { toJson, withFields } from './fields.ts';

/** Where output goes: results to one stream, remarks to the other. */
export interface Streams {
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
}

/** Prints every entry with its sample. */
export function printCatalogue({ out }: Streams): void {
  for (const entry of CATALOGUE) {
    out(`${entry.name} (to …/${entry.kind}): ${entry.about}`);
    out(`${JSON.stringify({ CallbackTime: '2026-03-02T12:31:07.5738865-05:00', Data: sampleData(entry) }, null, 2)}\n`);
  }
}

/** Sends the requested webhooks. True when the receiver accepted all of them. */
export async function trigger(asked: TriggerArguments, now: () => Date, { out, err }: Streams): Promise<boolean> {
  const entry = asked.name === undefined ? undefined : entryOf(asked.name);
  if (entry === undefined) throw new UsageError(unknownKind(asked.name));
  const url = asked.to ?? `${asked.url.replace(/\/+$/, '')}/${entry.kind}`;
  if (asked.secret === undefined && !asked.dryRun) {
    throw new EnvironmentError(
      'WEBHOOK_SHARED_SECRET: expected the shared secret of the receivers. Set it, or give it with --secret.',
    );
  }
  const send = createSender({ secret: asked.secret ?? '', version: asked.version, timeoutMs: 10_000 });
  let body = '';
  let allTaken = true;
  try {
    for (let count = 0; count < asked.times; count += 1) {
      if (count === 0 || !asked.same)
        body = toJson(bodyFor(entry, asked, now(), count, count === 0 ? err : () => {}), asked.dryRun ? 2 : 0);
      if (asked.dryRun) {
        out(body);
        continue;
      }
      const outcome = await send(url, body);
      allTaken &&= isAccepted(outcome);
      out(`${entry.name} → ${url}: ${inWords(outcome, await saidIn(outcome))}`);
    }
  } finally {
    send.close();
  }
  return allTaken;
}

function bodyFor(
  entry: CatalogueEntry,
  asked: TriggerArguments,
  at: Date,
  serial: number,
  remark: (line: string) => void,
): object {
  const sample = signed(freshData(entry, at, serial), asked.version);
  const { data, remarks } = withFields(entry.kind, sample, asked.fields);
  for (const line of remarks) remark(line);
  return { CallbackTime: toCallbackTime(at, serial), Data: data };
}

function unknownKind(name: string | undefined): string {
  const known = CATALOGUE.map((entry) => entry.name).join(', ');
  return name === undefined ? `which KIND? One of: ${known}` : `there is no kind ${name}. Known: ${known}`;
}

const ANSWER_MS = 1000;

/** What Cardbell did with an accepted webhook: it may know it already, or have kept it aside. Null: it does not say. */
async function saidIn({ said }: SendOutcome): Promise<string | null> {
  const text = await Promise.race([said, wait(ANSWER_MS, '', { ref: false })]);
  try {
    const answer: unknown = JSON.parse(text ?? '');
    const status = typeof answer === 'object' && answer !== null && 'status' in answer ? answer.status : null;
    return typeof status === 'string' && /^[\x20-\x7e]{1,100}$/.test(status) ? status : null;
  } catch {
    return null;
  }
}

/** What the receiver's answer means to the service. */
function inWords({ status, error }: SendOutcome, said: string | null): string {
  switch (status) {
    case null:
      if (error === 'ECONNREFUSED') return 'nobody listens there. Is the bot running?';
      if (certificateFaults.test(error ?? ''))
        return `its certificate does not verify for this address (${error}): use --url with the address that the outside uses`;
      return error === 'timeout'
        ? 'no answer within 10 seconds; the service would try again'
        : `no answer (${error ?? 'unknown'})`;
    case 200:
    case 201:
      return `${status}, ${said ?? 'taken'}`;
    case 400:
      return '400, the receiver could not read the body';
    case 401:
      return '401, the receiver does not trust it: is the shared secret right?';
    case 404:
      return '404, no receiver at this path';
    case 503:
      return '503, the receiver cannot keep it now; the service would try again';
    default:
      return `${status}, not taken; the service would try again`;
  }
}
