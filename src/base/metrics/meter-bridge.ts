import { createNoopMeter, type Meter, metrics, type Observable } from '@opentelemetry/api';
import type { Stoppable } from '../lifecycle.ts';
import { version } from '../version.ts';
import type { Figure, Sampled } from './exposition.ts';

/**
 * Tells OpenTelemetry what `/metrics` shows, under the same names, if an SDK is loaded. Nothing is counted twice: the SDK
 * reads the same numbers. Only a histogram's observations are handed on as they come, because they cannot be read.
 */
export function tellFigures(figures: readonly Figure[]): void {
  const meter = loadedMeter();
  if (meter === null) return;
  for (const { name, help: description, ...figure } of figures) {
    if (figure.kind === 'histogram') {
      const advice = { explicitBucketBoundaries: [...figure.bounds] };
      const told = meter.createHistogram(name, { description, advice });
      figure.follow({ observe: (labels, value) => told.record(value, labels) });
    } else {
      observableOf(meter, figure.kind, name, description).addCallback((result) => {
        for (const { labels, value } of figure.read()) result.observe(value, labels);
      });
    }
  }
}

/** Figures that one reading finds together, by name. */
type Readable<R> = { name: string; help: string; samples(read: R): readonly Unsure[] };
type Unsure = Pick<Sampled, 'labels'> & { value: number | null };

/** The same for gauges that are read from the ledger, until it is closed. */
export function tellGauges<R>(gauges: readonly Readable<R>[], read: () => Promise<R>): Stoppable {
  const meter = loadedMeter();
  if (meter === null) return { name: 'gauges', close() {} };
  const told = gauges.map((gauge) => ({
    ...gauge,
    instrument: observableOf(meter, 'gauge', gauge.name, gauge.help),
  }));
  const instruments = told.map(({ instrument }) => instrument);
  const observe: Parameters<Meter['addBatchObservableCallback']>[0] = async (result) => {
    const found = await read();
    for (const { samples, instrument } of told)
      for (const { labels, value } of samples(found))
        if (value !== null) result.observe(instrument, value, labels);
  };
  meter.addBatchObservableCallback(observe, instruments);
  return { name: 'gauges', close: () => meter.removeBatchObservableCallback(observe, instruments) };
}

/** Null where no SDK is loaded. */
function loadedMeter(): Meter | null {
  const meter = metrics.getMeter('carillon', version);
  return meter === createNoopMeter() ? null : meter;
}

function observableOf(
  meter: Meter,
  kind: 'counter' | 'gauge',
  name: string,
  description: string,
): Observable {
  return kind === 'counter'
    ? meter.createObservableCounter(name, { description })
    : meter.createObservableGauge(name, { description });
}
