import { h2load } from '../load/h2load.ts'
import { fetchHttp3, h3Load } from '../load/h3/h3-load.ts'
import type { LoadGenerator, LoadTarget } from '../load/load.ts'
import { wrk } from '../load/wrk.ts'
import type { ReceivedResponse } from './check-response.ts'
import { fetchHttp1 } from './fetch-http1.ts'
import { fetchHttp2 } from './fetch-http2.ts'
import type { LoadTool } from './scenario.ts'

/** Client and load generator of one version of HTTP. */
interface Tool {
  /** Sends the request once. */
  readonly fetch: (target: LoadTarget) => Promise<ReceivedResponse>
  /** Repeats the request for a number of seconds. */
  readonly load: LoadGenerator
}

export const TOOLS: Readonly<Record<LoadTool, Tool>> = {
  wrk: { fetch: fetchHttp1, load: wrk },
  h2load: { fetch: fetchHttp2, load: h2load },
  h3: { fetch: fetchHttp3, load: h3Load },
}
