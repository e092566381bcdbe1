import type { Telemetry } from 'bullmq';

/** Position of a piece of work in a trace (W3C traceparent), stored with the work. Contains no personal data. */
export type TraceParent = string;

interface SpanOptions {
  readonly kind: 'server' | 'client' | 'consumer';
  /** Our own numbers and words, never text from people or the card service. */
  readonly attributes?: Readonly<Record<string, string | number>>;
  /** By default the current span. */
  readonly parent?: TraceParent | undefined;
  readonly links?: readonly TraceParent[];
}

/** Records spans. See `src/ops/tracing.ts`, which is loaded only when tracing is enabled. */
export interface Tracer {
  span<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T>;
  /** The parent to store with work that the current span starts. Undefined when there is none. */
  current(): TraceParent | undefined;
  /** Carries the trace through BullMQ. */
  readonly queues: Telemetry | undefined;
}

let tracer: Tracer = { span: (_name, _options, work) => work(), current: () => undefined, queues: undefined };

/** Enables tracing for the process. One tracer per process, as in OpenTelemetry itself. */
export function useTracer(own: Tracer): void {
  tracer = own;
}

export const span: Tracer['span'] = (name, options, work) => tracer.span(name, options, work);
export const currentTrace = (): TraceParent | undefined => tracer.current();
/** An option for BullMQ's queues and workers. */
export const queueTelemetry = (): { readonly telemetry?: Telemetry } =>
  tracer.queues === undefined ? {} : { telemetry: tracer.queues };
