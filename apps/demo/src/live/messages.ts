/** Short name of a protocol on the page. */
export type ProtocolName = 'h1' | 'h2' | 'h3'

/** All protocols, in the order of every list by protocol. */
export const PROTOCOLS: readonly ProtocolName[] = ['h1', 'h2', 'h3']

/** Rows on the right side of the flow, in the order of every list by route. The last two are not patterns. */
export const ROUTES: readonly string[] = [
  '/*path',
  '/api/hello/:name',
  '/api/orders/:id',
  '/api/echo',
  'other routes',
  'no route',
]

/** Demo traffic: requests that the demo sends to itself. */
export type TrafficLevel = 'off' | 'gentle' | 'busy'

/** A part of a request, in microseconds from the start of the first part. */
export interface Stage {
  readonly name: string
  /** `net`: the network; `fw`: the library; `around`: middleware; `app`: the handler. */
  readonly kind: 'net' | 'fw' | 'around' | 'app'
  readonly fromUs: number
  readonly toUs: number
}

/** A log record that a request caused. */
export interface LogLine {
  readonly level: string
  readonly atUs: number
  readonly text: string
  /** File and line, or the protocol. */
  readonly where: string
  /** Line in the source that the page shows, counted from 0. */
  readonly sourceLine?: number | undefined
}

/** One finished request. */
export interface RequestMessage {
  /** ID that is unique, even across restarts of the demo. */
  readonly id: string
  readonly protocol: ProtocolName
  readonly method: string
  readonly path: string
  readonly status: number
  readonly aborted: boolean
  /** Index in `ROUTES`. */
  readonly row: number
  /** The route pattern; empty if no route matched. */
  readonly pattern: string
  /** The visitor; `demo` and `race` for the demo's own clients. */
  readonly by: string
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number
  /** Microseconds in the library and the application, without the network. */
  readonly tookUs: number
  readonly totalUs: number
  /** The connection and the stream, such as `stream 4 of c2`. */
  readonly place: string
  /** Whether the connection was already open; `undefined` if unknown. */
  readonly isReused?: boolean | undefined
  readonly stages: readonly Stage[]
  readonly logs: readonly LogLine[]
}

/** Counts of the requests in 100 ms. Every page receives them. */
export interface CountsMessage {
  /** Protocol, route, number of requests, number of failed ones. */
  readonly counts: readonly (readonly [protocol: number, row: number, count: number, failed: number])[]
}

/** The numbers of one second. */
export interface SecondMessage {
  /** Requests by protocol and route: the rows of `h1`, then of `h2`, then of `h3`. */
  readonly rates: readonly number[]
  /** Milliseconds in the handler. */
  readonly p50Ms: number
  readonly p99Ms: number
  readonly failed: number
  readonly inFlight: number
  readonly loopDelayMs: number
  readonly memoryMb: number
  /** Open connections by protocol; empty if unknown. */
  readonly connections: readonly number[]
  /** Median and share of failed requests (percent) by route, over the last 10 s. */
  readonly routes: readonly (readonly [p50Ms: number, failedPercent: number])[]
  /** Median microseconds of the stages, over the last 10 s. */
  readonly stages: Readonly<Record<string, number>>
}

/** The series of the last minute, one value per second. */
export interface History {
  readonly h1: readonly number[]
  readonly h2: readonly number[]
  readonly h3: readonly number[]
  readonly p50: readonly number[]
  readonly p99: readonly number[]
  readonly failed: readonly number[]
  readonly inFlight: readonly number[]
  readonly loopDelay: readonly number[]
  readonly memory: readonly number[]
}

/** A handler's source code. */
export interface SourceCode {
  readonly file: string
  readonly firstLine: number
  readonly lines: readonly string[]
}

/** The first event on each stream. */
export interface WelcomeMessage {
  readonly visitor: string
  readonly isPublic: boolean
  readonly process: number
  readonly node: string
  readonly version: string
  readonly listensOn: string
  readonly protocols: readonly ProtocolName[]
  readonly traffic: TrafficLevel
  /** The parts of the demo that are enabled. */
  readonly offers: {
    readonly traffic: boolean
    readonly race: boolean
    readonly break: boolean
    readonly restart: boolean
  }
  readonly history: History
  readonly second: SecondMessage | undefined
  readonly requests: readonly RequestMessage[]
  readonly sources: Readonly<Record<string, SourceCode>>
  readonly fleet: FleetMessage | undefined
  /** The fleet's last 24 s, the newest message last. */
  readonly fleetHistory: FleetHistory
  /** The newest race of each kind. */
  readonly races: readonly RaceMessage[]
}

/** The state of one process of the fleet. */
export interface ProcessState {
  readonly pid: number
  readonly state: 'starts' | 'serves' | 'drains'
  readonly inFlight: number
}

/** Four processes that serve one port. */
export interface FleetMessage {
  /** Port of the processes; 0 until they are listening. */
  readonly port: number
  readonly processes: readonly ProcessState[]
  /** Requests per second. */
  readonly rate: number
  readonly answered: number
  readonly failed: number
  /** Number of processes already replaced; `undefined` if no restart is in progress. */
  readonly replaced?: number | undefined
}

/** The states of processes, in the order of the digits in `FleetHistory`. */
export const PROCESS_STATES: readonly ProcessState['state'][] = ['starts', 'serves', 'drains']

/** Compact fleet messages: the rate, and for each process the index of its state in `PROCESS_STATES`. */
export type FleetHistory = readonly (readonly [rate: number, states: string])[]

/** Number of messages in a `FleetHistory`: 24 s at five messages per second. */
export const FLEET_HISTORY = 120

/** A request in a race: milliseconds from the start of the race. */
export type RaceSpan = readonly [fromMs: number, toMs: number]

/** The result of one lane. */
export interface LaneResult {
  readonly name: string
  readonly totalMs: number
  readonly spans: readonly RaceSpan[]
  readonly connections: number
  /** Reason why the lane did not run. */
  readonly absent?: string | undefined
}

/** The kinds of races. */
export type RaceKind = 'files' | 'one' | 'echo'

/** The result of a race. */
export interface RaceMessage {
  readonly kind: RaceKind
  readonly lanes: readonly LaneResult[]
}

/** The faults that a visitor can cause. */
export type FaultName = 'throw' | 'sleep' | 'large' | 'garbled' | 'drip' | 'leave'

/** The response to a fault, as its client saw it. */
export interface FaultMessage {
  readonly fault: FaultName
  /** Status of the response; 0 without a response. */
  readonly status: number
  readonly reason: string
  readonly tookMs: number
  readonly sentBytes: number
  /** Whether the body contains the error message or stack trace. */
  readonly showsStack: boolean
  readonly isClosed: boolean
}

/** The events in the feed. */
export interface FeedEvents {
  welcome: WelcomeMessage
  counts: CountsMessage
  second: SecondMessage
  requests: readonly RequestMessage[]
  traffic: { readonly level: TrafficLevel }
  fleet: FleetMessage
  race: RaceMessage
}
