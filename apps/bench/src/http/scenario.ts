import type { MetricKey } from '../metrics.ts'
import type { ServerSetup } from '../server-program.ts'
import type { Target } from '../targets.ts'

/** The request that a scenario repeats. */
export interface LoadRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Response that every peer must send. */
export interface ExpectedResponse {
  readonly status: number
  /** The prefix of the `content-type` value. */
  readonly type?: string
  readonly body: string | Buffer
  /** Value of `content-encoding`. */
  readonly coding?: string
  /** Whether peers encode `body` themselves, so that only the decoded bytes are equal. */
  readonly isDecoded?: boolean
}

/** Number of connections and concurrent requests. */
export interface LoadShape {
  readonly connections: number
  /** Concurrent requests per connection: pipelined on HTTP/1.1, streams on HTTP/2 and HTTP/3. Default 1. */
  readonly depth?: number
  /** Whether each connection carries a single request. */
  readonly isOnce?: boolean
}

/** Load generator of a scenario. */
export type LoadTool = 'wrk' | 'h2load' | 'h3'

/** Load for comparing servers. */
export interface HttpScenario {
  readonly name: string
  readonly title: string
  readonly tool: LoadTool
  readonly isTls?: boolean
  /** Whether servers log every request to a file. */
  readonly isLogged?: boolean
  readonly request: LoadRequest
  readonly response: ExpectedResponse
  readonly shape: LoadShape
  /** Whether the request is conditional, with the entity tag of an earlier response in `if-none-match`. */
  readonly isConditional?: boolean
  /** Contents of the served files by name. */
  readonly files?: Readonly<Record<string, Buffer>>
  readonly setup?: ServerSetup
  /** Names of the compared peers. Default: all peers of the group. */
  readonly peers?: readonly string[]
  readonly reference: string
  readonly metrics?: readonly MetricKey[]
  readonly targets: readonly Target[]
  readonly bases?: Readonly<Record<string, string>>
}

/** Returns a GET request. */
export function get(path: string, headers: Readonly<Record<string, string>> = {}): LoadRequest {
  return { method: 'GET', path, headers }
}

/** Response to `GET /` in most scenarios. */
export const HELLO: ExpectedResponse = { status: 200, type: 'text/plain', body: 'hello world' }
