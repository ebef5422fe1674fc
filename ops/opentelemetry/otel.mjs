// Loads OpenTelemetry's SDK before Carillon: spans and figures go to a collector, by OTLP over HTTP. Carillon itself has
// only OpenTelemetry's API. Copy this file to where Carillon runs, install what it imports next to it, and name it:
//
//   npm install @opentelemetry/{sdk-trace-node,sdk-metrics,resources}@2 \
//     @opentelemetry/exporter-{trace,metrics}-otlp-http
//   export NODE_OPTIONS="--import $PWD/otel.mjs" OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318
//   carillon up
//
// The environment holds the rest: OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, OTEL_EXPORTER_OTLP_HEADERS,
// OTEL_METRIC_EXPORT_INTERVAL (ms); for a share of the attempts OTEL_TRACES_SAMPLER=parentbased_traceidratio and
// OTEL_TRACES_SAMPLER_ARG=0.1. OTEL_SDK_DISABLED=true loads nothing.
import { metrics } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  hostDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AggregationTemporality,
  InstrumentType,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

/**
 * An attempt's spans are made by several processes, as parts of a span that is told when the attempt is over. Its id is
 * known from the start, but the SDK gives each span an id of its own: here it gets the one that was promised.
 */
class AttemptSpans extends BatchSpanProcessor {
  onEnd(span) {
    const isWhole = span.name === 'attempt' && span.instrumentationScope.name === 'carillon';
    super.onEnd(isWhole ? wholeOf(span) : span);
  }
}

function wholeOf(span) {
  const promised = span.parentSpanContext;
  return Object.create(span, {
    spanContext: { value: () => ({ ...span.spanContext(), spanId: promised.spanId }) },
    parentSpanContext: { value: undefined },
  });
}

/** Without this, the SDK repeats the last value of a gauge that is gone, such as that of a campaign that has ended. */
class Figures extends OTLPMetricExporter {
  selectAggregationTemporality(type) {
    const isGauge = type === InstrumentType.OBSERVABLE_GAUGE;
    return isGauge ? AggregationTemporality.DELTA : super.selectAggregationTemporality(type);
  }
}

if (process.env.OTEL_SDK_DISABLED !== 'true') {
  // The detector of processes would tell the command line, which may name a phone.
  const detected = detectResources({ detectors: [hostDetector, envDetector] });
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'carillon', 'process.pid': process.pid }))
    .merge(detected);
  const spanProcessors = [new AttemptSpans(new OTLPTraceExporter())];
  new NodeTracerProvider({ resource, spanProcessors }).register();

  const exportIntervalMillis = Number(process.env.OTEL_METRIC_EXPORT_INTERVAL ?? 60_000);
  const reader = new PeriodicExportingMetricReader({
    exporter: new Figures(),
    exportIntervalMillis,
    exportTimeoutMillis: Math.min(30_000, exportIntervalMillis),
  });
  metrics.setGlobalMeterProvider(new MeterProvider({ resource, readers: [reader] }));
}
