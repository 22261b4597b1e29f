import { once } from 'node:events'
import * as http from 'node:http'
import * as http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import {
  connect,
  eachProtocol,
  type ClientRequest,
  type ClientResponse,
  type ServerDemand,
  type TestField,
  type TestProtocol,
} from '@fw/testing'
import { afterAll, beforeAll, describe } from 'vitest'
import { toFetchHandler, toNodeHandler, type Server } from '../src/index.ts'

/** A protocol or adapter through which requests reach the routes, and its features. */
export interface Way {
  readonly protocolText: 'HTTP/1.1' | 'HTTP/2.0' | 'HTTP/3.0'
  readonly scheme: 'http' | 'https'
  /** The address that handlers receive. */
  readonly remoteAddress: string | undefined
  /** Whether fields with the same name stay separate and in order. `Headers` joins and sorts them. */
  readonly keepsFields: boolean
  /** Whether the client receives informational responses, which a `Response` cannot contain. */
  readonly informs: boolean
  /** Whether 100 (Continue) is sent when the body is read. Node.js servers send it immediately. */
  readonly continues: boolean
  /** How trailers with the same name arrive. A `Response` has no trailers. */
  readonly trailers: 'apart' | 'joined' | 'none'
  /** Whether responses are sent over a socket. The client then receives even a whole response later. */
  readonly isWire: boolean
  /** Number of concurrent responses of 1 MiB. With more, the HTTP/2 server in Node.js 26 resets all but one. */
  readonly largeAtOnce: number
}

/** The part of `ProtocolClient` that suites use. */
export interface WayClient {
  request(request: ClientRequest): Promise<ClientResponse>
  close(): Promise<void>
}

type RunningServer = Server & { readonly port: number }

const ENGINE: Way = {
  protocolText: 'HTTP/1.1',
  scheme: 'http',
  remoteAddress: '127.0.0.1',
  keepsFields: true,
  informs: true,
  continues: true,
  trailers: 'apart',
  isWire: true,
  largeAtOnce: 40,
}
const FETCH: Way = {
  ...ENGINE,
  keepsFields: false,
  informs: false,
  continues: false,
  trailers: 'none',
  isWire: false,
}

const ENGINES: Readonly<Record<TestProtocol, Way>> = {
  h1: ENGINE,
  'h1+tls': { ...ENGINE, scheme: 'https' },
  h2: { ...ENGINE, protocolText: 'HTTP/2.0', scheme: 'https' },
  h2c: { ...ENGINE, protocolText: 'HTTP/2.0' },
  h3: { ...ENGINE, protocolText: 'HTTP/3.0', scheme: 'https' },
}

/** The other ways, each with a function that opens a client. */
const OTHERS: Readonly<Record<string, readonly [way: Way, open: (server: Server) => Promise<WayClient>]>> = {
  'server.fetch': [
    { ...FETCH, remoteAddress: undefined },
    async (server) => new FetchClient((path, init) => server.fetch(path, init)),
  ],
  toFetchHandler: [
    FETCH,
    async (server) => {
      const handle = toFetchHandler(server.router())
      const peer = { remoteAddress: '127.0.0.1' }
      return new FetchClient((path, init) => handle(new Request(`http://${AUTHORITY}${path}`, init), peer))
    },
  ],
  'toNodeHandler, node:http': [
    { ...ENGINE, continues: false, trailers: 'joined' },
    (server) => behindNode('h1', http.createServer(toNodeHandler(server.router()))),
  ],
  'toNodeHandler, node:http2': [
    { ...ENGINE, protocolText: 'HTTP/2.0', continues: false, trailers: 'joined', largeAtOnce: 1 },
    (server) => behindNode('h2c', http2.createServer({ maxSessionMemory: 1000 }, toNodeHandler(server.router()))),
  ],
}

/** Runs a suite on every protocol, and through every adapter that replaces the protocol engines. */
export function everyWay(
  name: string,
  start: (demand: ServerDemand) => Promise<RunningServer>,
  suite: (client: () => WayClient, way: Way) => void,
): void {
  eachProtocol(name, start, (client, protocol) => suite(client, ENGINES[protocol]))
  describe.each(Object.entries(OTHERS))(`${name} (%s)`, (_, [way, open]) => {
    let server: RunningServer | undefined
    let client: WayClient | undefined
    beforeAll(async () => {
      server = await start({ tls: undefined, http3: false })
      client = await open(server)
    })
    afterAll(async () => {
      await client?.close()
      await server?.close()
    })
    suite(() => {
      if (client === undefined) throw new Error('everyWay: client() must be called inside a test.')
      return client
    }, way)
  })
}

async function behindNode(protocol: 'h1' | 'h2c', server: http.Server | http2.Http2Server): Promise<WayClient> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = await connect(protocol, { port: (server.address() as AddressInfo).port })
  return {
    request: (request) => client.request(request),
    async close() {
      await client.close()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The host for requests that do not use a socket. */
const AUTHORITY = '127.0.0.1:8080'

class FetchClient implements WayClient {
  readonly #fetch: (path: string, init: RequestInit) => Promise<Response>

  constructor(fetch: (path: string, init: RequestInit) => Promise<Response>) {
    this.#fetch = fetch
  }

  async request({ method, path, headers = [], body, signal }: ClientRequest): Promise<ClientResponse> {
    const abort = new AbortController()
    const fields = new Headers([
      ['host', AUTHORITY],
      ...headers.map(([name, value]): [string, string] => [name, value]),
    ])
    const response = await this.#fetch(path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: fields,
      signal: signal === undefined ? abort.signal : AbortSignal.any([signal, abort.signal]),
      ...(body === undefined ? {} : { body: bodyInit(body), duplex: 'half' }),
    })
    return {
      status: response.status,
      headers: response.headers,
      rawHeaders: Array.from(response.headers, ([name, value]): TestField => [name, value]),
      informational: [],
      body: response.body ?? ReadableStream.from<Uint8Array>([]),
      text: () => response.text(),
      bytes: () => response.bytes(),
      json: () => response.json(),
      trailers: Promise.resolve([]),
      abort: () => abort.abort(),
    }
  }

  async close(): Promise<void> {}
}

function bodyInit(
  body: NonNullable<ClientRequest['body']>,
): ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | string {
  if (typeof body === 'string') return body
  return body instanceof Uint8Array ? new Uint8Array(body) : ReadableStream.from(body)
}
