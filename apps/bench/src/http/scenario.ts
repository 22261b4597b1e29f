import type { MetricKey } from '../metrics.ts'
import type { ServerSetup } from '../server-program.ts'
import type { Target } from '../targets.ts'

/** The one request that a scenario repeats. */
export interface LoadRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** What every peer has to answer. */
export interface ExpectedResponse {
  readonly status: number
  /** What `content-type` starts with. */
  readonly type?: string
  readonly body: string | Buffer
  /** What `content-encoding` is. */
  readonly coding?: string
}

/** How the request is repeated. */
export interface LoadShape {
  readonly connections: number
  /** Requests that are sent on a connection without waiting for responses; 1 by default. Streams, on HTTP/2 and HTTP/3. */
  readonly depth?: number
  /** Whether a connection serves one request only. */
  readonly isOnce?: boolean
}

/** Which load generator a scenario needs. */
export type LoadTool = 'wrk' | 'h2load' | 'h3'

/** Something to do that servers are compared at. */
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
  /** Whether the request says that the client has what it asks for, by the entity tag of a response before. */
  readonly isConditional?: boolean
  /** Files that servers serve, by name. */
  readonly files?: Readonly<Record<string, Buffer>>
  readonly setup?: ServerSetup
  /** Names of the peers that take part; all of the group by default. */
  readonly peers?: readonly string[]
  readonly reference: string
  readonly metrics?: readonly MetricKey[]
  readonly targets: readonly Target[]
  readonly bases?: Readonly<Record<string, string>>
}

/** A request that has no body and no fields of its own. */
export function get(path: string, headers: Readonly<Record<string, string>> = {}): LoadRequest {
  return { method: 'GET', path, headers }
}

/** The response to `GET /` in most scenarios. */
export const HELLO: ExpectedResponse = { status: 200, type: 'text/plain', body: 'hello world' }
