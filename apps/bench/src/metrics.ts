/** Column of the tables. */
export interface Metric {
  readonly title: string
  readonly better: 'more' | 'less'
  /** Digits after the decimal point. */
  readonly digits: number
}

export type MetricKey =
  | 'rate'
  | 'cpuMicros'
  | 'addedMicros'
  | 'p50Ms'
  | 'p99Ms'
  | 'rssMib'
  | 'callNs'
  | 'linesRate'
  | 'eventMicros'
  | 'burstMicros'
  | 'streamKib'
  | 'lookupRate'
  | 'megabytesRate'
  | 'megabytesPerCpu'
  | 'connectionKib'
  | 'allocatedBytes'
  | 'startMs'
  | 'startCpuMs'

/** All metrics, by key. */
export const METRICS: Readonly<Record<MetricKey, Metric>> = {
  rate: { title: 'requests/s', better: 'more', digits: 0 },
  cpuMicros: { title: 'CPU µs/request', better: 'less', digits: 1 },
  addedMicros: { title: 'added CPU µs', better: 'less', digits: 1 },
  p50Ms: { title: 'p50 ms', better: 'less', digits: 2 },
  p99Ms: { title: 'p99 ms', better: 'less', digits: 2 },
  callNs: { title: 'ns/call', better: 'less', digits: 1 },
  linesRate: { title: 'lines/s', better: 'more', digits: 0 },
  eventMicros: { title: 'CPU µs/event', better: 'less', digits: 2 },
  burstMicros: { title: 'CPU µs/event, bursts of 4', better: 'less', digits: 2 },
  streamKib: { title: 'KiB/stream', better: 'less', digits: 1 },
  lookupRate: { title: 'million/s', better: 'more', digits: 2 },
  megabytesRate: { title: 'MB/s', better: 'more', digits: 0 },
  megabytesPerCpu: { title: 'MB/CPU second', better: 'more', digits: 0 },
  connectionKib: { title: 'KiB/connection', better: 'less', digits: 1 },
  allocatedBytes: { title: 'bytes allocated/request', better: 'less', digits: 0 },
  startMs: { title: 'ms to first response', better: 'less', digits: 0 },
  startCpuMs: { title: 'CPU ms', better: 'less', digits: 0 },
  rssMib: { title: 'RSS MiB', better: 'less', digits: 0 },
}

/** Formats a figure for the tables and charts. */
export function formatMetric(key: MetricKey, value: number): string {
  const { digits } = METRICS[key]
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}
