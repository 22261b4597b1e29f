import { PROTOCOLS, ROUTES, type History, type RequestMessage, type SecondMessage } from './messages.ts'

/** Length of the series in seconds. */
const HISTORY_S = 60
/** Seconds that medians cover, so that they do not change with each request. */
const WINDOW_S = 10
/** Maximum number of values per second for medians. More values would not make them more accurate. */
const MAX_SAMPLES = 200

/** Figures of the process that do not belong to a request. */
export interface Gauges {
  readonly inFlight: number
  readonly loopDelayMs: number
  readonly memoryMb: number
  readonly connections: readonly number[]
}

/** Figures of one request. */
export interface Sample {
  readonly protocol: number
  readonly row: number
  readonly isFailed: boolean
  readonly handlerUs: number | undefined
  readonly stages: RequestMessage['stages']
}

interface Second {
  readonly rates: number[]
  readonly samples: Sample[]
  readonly failed: number[]
}

/** Counts requests, and adds them up once per second. */
export class Numbers {
  #current = emptySecond()
  #seconds: Second[] = []
  #last: SecondMessage | undefined = undefined
  readonly #series: Record<keyof History, number[]> = {
    h1: [],
    h2: [],
    h3: [],
    p50: [],
    p99: [],
    failed: [],
    inFlight: [],
    loopDelay: [],
    memory: [],
  }

  /** The series of the last minute, the newest value last. */
  get history(): History {
    return this.#series
  }

  /** Figures of the last finished second. */
  get last(): SecondMessage | undefined {
    return this.#last
  }

  add(sample: Sample): void {
    const { rates, failed, samples } = this.#current
    const index = sample.protocol * ROUTES.length + sample.row
    rates[index] = (rates[index] ?? 0) + 1
    if (sample.isFailed) failed[sample.row] = (failed[sample.row] ?? 0) + 1
    if (samples.length < MAX_SAMPLES) samples.push(sample)
  }

  /** Ends the current second. */
  tick(gauges: Gauges): SecondMessage {
    this.#seconds = [...this.#seconds, this.#current].slice(-WINDOW_S)
    const { rates, failed } = this.#current
    this.#current = emptySecond()
    const samples = this.#seconds.flatMap((second) => second.samples)
    const handlers = sorted(samples.map(({ handlerUs }) => handlerUs))
    const message: SecondMessage = {
      rates,
      p50Ms: milliseconds(percentile(handlers, 0.5)),
      p99Ms: milliseconds(percentile(handlers, 0.99)),
      failed: sum(failed),
      ...gauges,
      routes: ROUTES.map((_, row) => this.#route(row, samples)),
      stages: stageMedians(samples),
    }
    this.#remember(message)
    this.#last = message
    return message
  }

  #route(row: number, samples: readonly Sample[]): readonly [number, number] {
    const took = sorted(samples.filter((sample) => sample.row === row).map(({ handlerUs }) => handlerUs))
    const requests = sum(
      this.#seconds.map(({ rates }) => sum(PROTOCOLS.map((_, p) => rates[p * ROUTES.length + row] ?? 0))),
    )
    const failed = sum(this.#seconds.map((second) => second.failed[row] ?? 0))
    const percent = requests === 0 ? 0 : (failed / requests) * 100
    return [milliseconds(percentile(took, 0.5)), Math.round(percent * 10) / 10]
  }

  #remember({ rates, p50Ms, p99Ms, failed, inFlight, loopDelayMs, memoryMb }: SecondMessage): void {
    const put = (name: keyof History, value: number): void => {
      const series = this.#series[name]
      series.push(value)
      if (series.length > HISTORY_S) series.shift()
    }
    for (const [p, name] of PROTOCOLS.entries()) put(name, sum(rates.slice(p * ROUTES.length, (p + 1) * ROUTES.length)))
    put('p50', p50Ms)
    put('p99', p99Ms)
    put('failed', failed)
    put('inFlight', inFlight)
    put('loopDelay', loopDelayMs)
    put('memory', memoryMb)
  }
}

/** Returns the value below which a given share of the sorted values lies; 0 without values. */
export function percentile(values: readonly number[], share: number): number {
  return values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0
}

function stageMedians(samples: readonly Sample[]): Record<string, number> {
  const byName = new Map<string, number[]>()
  for (const { stages } of samples) {
    let around = 0
    let inside = 0
    for (const { name, kind, fromUs, toUs } of stages) {
      if (kind === 'around') around = Math.max(around, toUs - fromUs)
      else if (kind === 'app') inside = toUs - fromUs
      if (kind === 'around') continue
      const values = byName.get(name) ?? []
      values.push(toUs - fromUs)
      byName.set(name, values)
    }
    // Middleware surrounds the handler, so its own time excludes the handler's.
    if (around > 0) byName.set('middleware', [...(byName.get('middleware') ?? []), Math.max(0, around - inside)])
  }
  return Object.fromEntries(
    ['parse', 'route', 'middleware', 'handler', 'answer', 'write'].flatMap((name) => {
      const values = byName.get(name)
      return values === undefined ? [] : [[name, Math.round(percentile(sorted(values), 0.5))]]
    }),
  )
}

function emptySecond(): Second {
  return { rates: Array.from({ length: PROTOCOLS.length * ROUTES.length }, () => 0), samples: [], failed: [] }
}

function sorted(values: readonly (number | undefined)[]): number[] {
  return values.filter((value) => value !== undefined).sort((a, b) => a - b)
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0)
}

function milliseconds(us: number): number {
  return Math.round(us) / 1000
}
