import { type Context, context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

/** Settings of OpenTelemetry traces. Tracing is on if the standard OTLP variables name a collector. */
interface TracingOptions {
  /** Whether OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is set. The exporter reads these variables itself. */
  isOn: boolean;
  /**
   * Fraction of traces that are sampled (OTEL_TRACES_SAMPLER_ARG). If a caller has begun the trace, the caller's decision applies instead.
   */
  share: number;
  version: string;
}

let isOn = false;

/** Whether spans are exported. If not, no spans are created. */
export const isTracing = (): boolean => isOn;

/**
 * Starts the export of this process's spans. Returns a function that exports the remaining spans. The libraries are loaded only if tracing
 * is on.
 */
export async function startTracing(role: string, options: TracingOptions): Promise<() => Promise<void>> {
  if (!options.isOn) return async () => {};
  const [sdk, { OTLPTraceExporter }, { AsyncLocalStorageContextManager }, resources] = await Promise.all([
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-proto'),
    import('@opentelemetry/context-async-hooks'),
    import('@opentelemetry/resources'),
  ]);
  const own = resources.resourceFromAttributes({
    'service.name': 'energy-usage-service',
    'service.version': options.version,
    'energy.role': role,
  });
  // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES take precedence over the service's values.
  const fromEnvironment = resources.detectResources({
    detectors: [resources.resourceAttributesEnvDetector, resources.serviceNameEnvDetector],
  });
  const provider = new sdk.TracerProvider({
    resource: own.merge(fromEnvironment),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(options.share) }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(traceContext);
  isOn = true;
  return () => provider.shutdown();
}

const tracer = () => trace.getTracer('energy-usage-service');

/** Runs a function in a span, if tracing is on. An error is recorded in the span and rethrown. */
export function runInSpan<T>(
  name: string,
  attributes: Record<string, string | number>,
  work: () => Promise<T>,
): Promise<T> {
  if (!isOn) return work();
  return tracer().startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await work();
    } catch (error) {
      span.recordException(error as Error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Records a span that has already ended, as a child of the current span. */
export function recordEndedSpan(name: string, attributes: Record<string, string | number>, lastedMs: number): void {
  const end = Date.now();
  tracer()
    .startSpan(name, { kind: SpanKind.CLIENT, attributes, startTime: end - lastedMs })
    .end(end);
}

/** Runs `go`, which handles a request, in a span. The span is a child of the caller's span if the headers contain one. */
export function startServerSpan(method: string, headers: Record<string, unknown>, go: () => void): Span {
  const parent = propagation.extract(context.active(), headers);
  const span = tracer().startSpan(method, { kind: SpanKind.SERVER }, parent);
  context.with(trace.setSpan(parent, span), go);
  return span;
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** W3C Trace Context. Only `traceparent` is read, because this service calls no other traced service. */
const traceContext = {
  inject() {},
  fields: () => ['traceparent'],
  extract(parent: Context, headers: Record<string, unknown>): Context {
    const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(String(headers.traceparent ?? '')) ?? [];
    if (!/[1-9a-f]/.test(traceId) || !/[1-9a-f]/.test(spanId)) return parent;
    return trace.setSpanContext(parent, {
      traceId,
      spanId,
      traceFlags: Number.parseInt(flags, 16) & 1,
      isRemote: true,
    });
  },
};
