import type { Simulation } from '../simulation.ts';
import type { Cast } from './cast.ts';

/** An event at a time of day. Returns what it did; undefined when it had no one to act. */
export interface Scene {
  /** Wall time in the story, `hh:mm`. */
  readonly time: string;
  readonly play: (on: Stage) => string | undefined;
}

/** What scenes use, and what they leave for later scenes. */
interface Stage {
  readonly simulation: Simulation;
  readonly cast: Cast;
  readonly memory: Map<string, number>;
}

/** A scene at a time of the day. */
export function at(time: string, play: Scene['play']): Scene {
  return { time, play };
}

type Purchase = Parameters<Simulation['purchase']>[0];

/** Makes a purchase and remembers its network transaction id under a name for later scenes. */
export function buy(
  { simulation, memory }: Stage,
  name: string,
  acctId: number | undefined,
  request: Omit<Purchase, 'AcctId'>,
): string | undefined {
  if (acctId === undefined) return undefined;
  const answer = simulation.purchase({ AcctId: acctId, ...request });
  if (answer.Approved) memory.set(name, answer.NetworkTransactionId);
  const what = `${request.Amount.toFixed(2)} at ${request.MerchantName}`;
  return answer.Approved ? `${what}: approved.` : `${what}: declined (${answer.MessageCode}, ${answer.Message}).`;
}

/** Settles the purchase remembered under a name. */
export function settle({ simulation, memory }: Stage, name: string, text: string): string | undefined {
  return follow(memory, name, (id) => simulation.settle({ NetworkTransactionId: id }), text);
}

/** Acts on the purchase remembered under a name, if there is one. */
export function follow(
  memory: Map<string, number>,
  name: string,
  act: (id: number) => unknown,
  text: string,
): string | undefined {
  const id = memory.get(name);
  if (id === undefined) return undefined;
  act(id);
  return text;
}
