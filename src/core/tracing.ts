import { type Context, context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

/** OpenTelemetry traces, where the standard OTLP variables name a collector; nothing at all elsewhere. */
export interface TracingOptions {
  /** Whether OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is set; the exporter reads them itself. */
  isOn: boolean;
  /** Share of traces that begin here and are kept (OTEL_TRACES_SAMPLER_ARG); those that callers began follow their callers. */
  share: number;
  version: string;
}

let isOn = false;

/** Whether spans go anywhere: what makes them is left out otherwise. */
export const isTracing = (): boolean => isOn;

/** Starts to send spans of this process; returns what sends the rest of them. The libraries are loaded only where wanted. */
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
  // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES come last: they win.
  const given = resources.detectResources({
    detectors: [resources.resourceAttributesEnvDetector, resources.serviceNameEnvDetector],
  });
  const provider = new sdk.TracerProvider({
    resource: own.merge(given),
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

/** Runs work in a span; an error marks it and goes on. Without tracing it only runs the work. */
export function inSpan<T>(
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

/** A span for something that is over, as part of what runs now: a statement of the database. */
export function pastSpan(name: string, attributes: Record<string, string | number>, lastedMs: number): void {
  const end = Date.now();
  tracer()
    .startSpan(name, { kind: SpanKind.CLIENT, attributes, startTime: end - lastedMs })
    .end(end);
}

/** A request's span, as its caller's headers say it belongs; `go` runs what handles the request inside it. */
export function serverSpan(method: string, headers: Record<string, unknown>, go: () => void): Span {
  const parent = propagation.extract(context.active(), headers);
  const span = tracer().startSpan(method, { kind: SpanKind.SERVER }, parent);
  context.with(trace.setSpan(parent, span), go);
  return span;
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** W3C Trace Context (https://www.w3.org/TR/trace-context/), reading `traceparent`: this service calls no other one. */
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
