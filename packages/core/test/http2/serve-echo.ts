import type { Exchange } from '@fw/types'
import type { Limits } from '../../src/options/limits.ts'
import { serveEngines, type RunningEngines } from '../serve-engines.ts'
import { RawClient, type RawClientOptions } from './raw-client.ts'

export interface Served extends RunningEngines {
  readonly client: RawClient
  /** Requests that reached the application, oldest first. */
  readonly exchanges: Exchange[]
}

/** Answers every request with 200, and with the body and trailers of the request. */
export async function serveEcho(limits: Partial<Limits> = {}, options: RawClientOptions = {}): Promise<Served> {
  const exchanges: Exchange[] = []
  const engines = await serveEngines((exchange) => {
    exchanges.push(exchange)
    echo(exchange)
  }, limits)
  return { ...engines, exchanges, client: await RawClient.connect(engines.port, options) }
}

function echo(exchange: Exchange): void {
  const body: Uint8Array[] = []
  exchange.body.consume({
    data: (slice) => body.push(Uint8Array.from(slice)),
    error: () => exchange.abort(),
    end(trailers) {
      exchange.start(200, [])
      for (const slice of body) exchange.write(slice)
      exchange.end(trailers)
    },
  })
}
