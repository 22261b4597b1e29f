import { createRequire } from 'node:module'
import type { Server } from '@fw/core'
import { ClientThread } from '../clients/client-thread.ts'
import type { Target } from '../clients/tasks.ts'
import { Fleet } from '../fleet/fleet.ts'
import { connectionsByProtocol } from '../observe/core-trace.ts'
import type { HandlerSources } from '../observe/handler-sources.ts'
import { Observer } from '../observe/observer.ts'
import { Collector } from './collector.ts'
import type { Actions } from './controls.ts'
import { Feed } from './feed.ts'
import type {
  FaultMessage,
  FaultName,
  RaceKind,
  RaceMessage,
  RequestMessage,
  TrafficLevel,
  WelcomeMessage,
} from './messages.ts'

/** Properties of the demo that the live view needs. */
export interface LiveSettings {
  /** Whether other machines can connect. */
  readonly isPublic: boolean
  /** Whether the demo runs its own clients. Worker processes do not. */
  readonly hasOwnClients: boolean
  readonly http3: boolean
  readonly host: string
  readonly sources: HandlerSources
  readonly server: Server
}

/**
 * Maximum number of bytes of individual requests in the first event. The feed then sends less than 30 KB in the first
 * second.
 */
const WELCOME_BYTES = 18_000

/** Milliseconds from the first page to the first race, so that the race does not slow down the page load. */
const FIRST_RACE_MS = 1500

const { version } = createRequire(import.meta.url)('@fw/core/package.json') as { version: string }

/** The page's backend: provides the events that the page shows and the actions of its buttons. */
export class Live implements Actions {
  readonly feed: Feed
  readonly observer: Observer
  readonly #collector: Collector
  readonly #settings: LiveSettings
  #clients: ClientThread | undefined
  #fleet: Fleet | undefined
  #level: TrafficLevel = 'off'
  readonly #races = new Map<RaceKind, RaceMessage>()
  #hasPages = false

  constructor(settings: LiveSettings) {
    this.#settings = settings
    this.feed = new Feed(settings.isPublic)
    this.#collector = new Collector(this.feed, () => connectionsByProtocol(settings.server.stats()))
    this.observer = new Observer(this.#collector)
  }

  /** Starts the demo's clients, which need its ports. */
  start({ level, ...target }: Target & { readonly level: TrafficLevel }): void {
    if (!this.#settings.hasOwnClients) return
    const clients = new ClientThread(target)
    this.#clients = clients
    if (this.#settings.isPublic) return
    this.#fleet = new Fleet(clients, (message) => this.feed.fleet(message))
    void this.#applyTraffic(level).catch(() => {})
  }

  get setTraffic(): Actions['setTraffic'] {
    if (this.#clients === undefined || this.#settings.isPublic) return undefined
    return (level) => this.#applyTraffic(level)
  }

  get race(): Actions['race'] {
    const clients = this.#clients
    return clients && ((kind) => this.#runRace(clients, kind))
  }

  get break(): Actions['break'] {
    return this.#clients === undefined || this.#settings.isPublic
      ? undefined
      : (fault, visitor) => this.#break(fault, visitor)
  }

  get restart(): Actions['restart'] {
    const fleet = this.#fleet
    return fleet && (() => fleet.restart())
  }

  /** Returns the first event for a page. */
  welcome(visitor: string): WelcomeMessage {
    this.#startForPages()
    const { isPublic, http3, host, sources } = this.#settings
    const { history, last } = this.#collector.numbers
    return {
      visitor,
      isPublic,
      process: process.pid,
      node: process.versions.node,
      version,
      listensOn: host,
      protocols: http3 ? ['h1', 'h2', 'h3'] : ['h1', 'h2'],
      traffic: this.#level,
      offers: {
        traffic: this.setTraffic !== undefined,
        race: this.race !== undefined,
        break: this.break !== undefined,
        restart: this.restart !== undefined,
      },
      history,
      second: last,
      requests: chosen(this.feed.visible(this.#collector.recent, visitor), visitor, WELCOME_BYTES),
      sources: sources.all,
      fleet: this.#fleet?.last,
      fleetHistory: this.#fleet?.history ?? [],
      races: [...this.#races.values()],
    }
  }

  /** Stops the clients, so that their requests do not keep the server open. */
  async closeClients(): Promise<void> {
    this.#fleet?.close()
    await this.#clients?.close()
  }

  async close(): Promise<void> {
    this.observer.close()
    this.#collector.close()
    await this.feed.close()
  }

  /** Starts the fleet and a first race when the first page opens, because only pages need them. */
  #startForPages(): void {
    if (this.#hasPages) return
    this.#hasPages = true
    this.#fleet?.start()
    if (this.#clients === undefined) return
    const clients = this.#clients
    setTimeout(() => void this.#runRace(clients, 'files').catch(() => {}), FIRST_RACE_MS).unref()
  }

  async #runRace(clients: ClientThread, kind: RaceKind): Promise<RaceMessage> {
    const result = await clients.run({ task: 'race', kind })
    this.#races.set(kind, result)
    this.feed.race(result)
    return result
  }

  async #applyTraffic(level: TrafficLevel): Promise<void> {
    this.#level = level
    await this.#clients?.run({ task: 'traffic', level })
    this.feed.traffic(level)
  }

  async #break(fault: FaultName, visitor: string): Promise<FaultMessage> {
    const { suspects } = this.#collector
    suspects.push(visitor)
    try {
      if (this.#clients === undefined) throw new Error('The clients have not started')
      return await this.#clients.run({ task: 'break', fault, visitor })
    } finally {
      suspects.splice(suspects.indexOf(visitor), 1)
    }
  }
}

/**
 * Returns the newest requests whose JSON fits into a number of bytes, the visitor's own first, in their original order.
 */
function chosen(requests: readonly RequestMessage[], visitor: string, bytes: number): readonly RequestMessage[] {
  const kept = new Set<RequestMessage>()
  let left = bytes
  const own = requests.filter(({ by }) => by === visitor)
  for (const request of [...own.toReversed(), ...requests.toReversed()]) {
    if (kept.has(request)) continue
    left -= JSON.stringify(request).length
    if (left < 0) break
    kept.add(request)
  }
  return requests.filter((request) => kept.has(request))
}
