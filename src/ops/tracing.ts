import { type Context, context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-node';
import { BullMQOtel } from 'bullmq-otel';
import type { TraceParent, Tracer } from '../core/trace.ts';

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER } as const;

/**
 * Attributes that may leave this process. Job ids contain Slack user ids, and errors contain external text, so neither is
 * sent.
 */
const sent = ['cardbell.entries', 'bullmq.queue.name', 'bullmq.job.name', 'bullmq.job.attempts.made'];

/**
 * Sends traces as configured by the standard `OTEL_*` variables: endpoint, headers, sampler, limits. Loaded only when
 * configured, because it adds a tenth of a second to startup.
 */
export function startTracing(service: string): { readonly tracer: Tracer; stop(): Promise<void> } {
  const exporter = withoutPersonalData(new OTLPTraceExporter());
  // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override our own name.
  const named = resourceFromAttributes({ 'service.name': service });
  const resource = named.merge(detectResources({ detectors: [envDetector] }));
  const provider = new NodeTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(exporter)] });
  provider.register();
  const stop = async (): Promise<void> => {
    await provider.shutdown();
    for (const api of [trace, context, propagation]) api.disable();
  };
  return { tracer: createTracer(), stop };
}

function createTracer(): Tracer {
  const spans = trace.getTracer('cardbell');
  const contextOf = (parent: TraceParent): Context => propagation.extract(ROOT_CONTEXT, { traceparent: parent });
  return {
    queues: new BullMQOtel({ tracerName: 'bullmq' }),
    current() {
      const carrier: { traceparent?: string } = {};
      propagation.inject(context.active(), carrier);
      return carrier.traceparent;
    },
    async span(name, { kind, attributes = {}, parent, links = [] }, work) {
      const linked = links.flatMap((link) => trace.getSpanContext(contextOf(link)) ?? []);
      const options = { kind: kinds[kind], attributes, links: linked.map((spanContext) => ({ context: spanContext })) };
      const within = parent === undefined ? context.active() : contextOf(parent);
      return await spans.startActiveSpan(name, options, within, async (current) => {
        try {
          return await work();
        } catch (error) {
          current.setStatus({ code: SpanStatusCode.ERROR });
          throw error;
        } finally {
          current.end();
        }
      });
    },
  };
}

/** Also drops BullMQ's housekeeping spans: about a hundred per job. */
function withoutPersonalData(exporter: SpanExporter): SpanExporter {
  const isOurs = ({ instrumentationScope, kind }: ReadableSpan): boolean =>
    instrumentationScope.name === 'cardbell' || kind !== SpanKind.INTERNAL;
  return {
    export: (spans, done) => exporter.export(spans.filter(isOurs).map(bare), done),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  };
}

function bare(span: ReadableSpan): ReadableSpan {
  const attributes = Object.fromEntries(Object.entries(span.attributes).filter(([name]) => sent.includes(name)));
  // A span has some properties behind getters, so unreplaced properties are inherited.
  return Object.create(span, {
    attributes: { value: attributes },
    events: { value: [] },
    status: { value: { code: span.status.code } },
  }) as ReadableSpan;
}
