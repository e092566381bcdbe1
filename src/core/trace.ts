import type { Telemetry } from 'bullmq';

/** Where in a trace a piece of work belongs (W3C traceparent), stored with it. Nobody's data. */
export type TraceParent = string;

interface SpanOptions {
  readonly kind: 'server' | 'client' | 'consumer';
  /** Numbers and words of our own, never what people or the card service wrote. */
  readonly attributes?: Readonly<Record<string, string | number>>;
  /** What it goes on with; the work around it unless given. */
  readonly parent?: TraceParent | undefined;
  /** What it is about as well. */
  readonly links?: readonly TraceParent[];
}

/** Records spans. See `src/ops/tracing.ts`, which is loaded only where tracing is wanted. */
export interface Tracer {
  span<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T>;
  /** What belongs to the work that is done now is to carry this; undefined: nothing to carry. */
  current(): TraceParent | undefined;
  /** Carries it through BullMQ. */
  readonly queues: Telemetry | undefined;
}

let tracer: Tracer = { span: (_name, _options, work) => work(), current: () => undefined, queues: undefined };

/** From now on this process records its spans. One for the whole process, as OpenTelemetry itself has it. */
export function useTracer(own: Tracer): void {
  tracer = own;
}

/** Does the work as a span of its own. */
export const span: Tracer['span'] = (name, options, work) => tracer.span(name, options, work);
export const currentTrace = (): TraceParent | undefined => tracer.current();
/** An option of BullMQ's queues and workers. */
export const queueTelemetry = (): { readonly telemetry?: Telemetry } =>
  tracer.queues === undefined ? {} : { telemetry: tracer.queues };
