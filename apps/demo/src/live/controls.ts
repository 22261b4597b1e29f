import { HttpError, type Context, type Router } from '@fw/core'
import '@fw/sse/register'
import type { Observer } from '../observe/observer.ts'
import { RateLimit } from '../guard/rate-limit.ts'
import { Visitor } from '../visitors.ts'
import type {
  FaultMessage,
  FaultName,
  FeedEvents,
  RaceKind,
  RaceMessage,
  TrafficLevel,
  WelcomeMessage,
} from './messages.ts'
import type { Feed } from './feed.ts'

/** Actions of the page's buttons. An action that is disabled is `undefined`, and its button gets 404. */
export interface Actions {
  readonly setTraffic: ((level: TrafficLevel) => Promise<void>) | undefined
  readonly race: ((kind: RaceKind) => Promise<RaceMessage>) | undefined
  readonly break: ((fault: FaultName, visitor: string) => Promise<FaultMessage>) | undefined
  readonly restart: (() => void) | undefined
}

const LEVELS: readonly TrafficLevel[] = ['off', 'gentle', 'busy']
const RACES: readonly RaceKind[] = ['files', 'one', 'echo']
const FAULTS: readonly FaultName[] = ['throw', 'sleep', 'large', 'garbled', 'drip', 'leave']

/** Milliseconds until a page reconnects. The history covers the events that a page misses in this time. */
const RETRY_MS = 1000
/** Requests per second that one visitor can send to the application. */
const TRY_PER_SECOND = 20
const BREAK_PER_SECOND = 1
/** Rates for all visitors together. A race takes about one second, and a restart about ten. */
const RACE_PER_SECOND = 1 / 5
const RESTART_PER_SECOND = 1 / 30
const EVERYBODY = 'everybody'

/** The feed, and its visitors' limits. */
export class Controls {
  readonly #feed: Feed
  readonly #actions: Actions
  readonly #welcome: (visitor: string) => WelcomeMessage
  readonly #tries = new RateLimit(TRY_PER_SECOND)
  readonly #breaks = new RateLimit(BREAK_PER_SECOND)
  readonly #races = new RateLimit(RACE_PER_SECOND)
  readonly #restarts = new RateLimit(RESTART_PER_SECOND)

  constructor(feed: Feed, actions: Actions, welcome: (visitor: string) => WelcomeMessage) {
    this.#feed = feed
    this.#actions = actions
    this.#welcome = welcome
  }

  /** Registers the event stream and the page's buttons. */
  register(app: Router): void {
    app.get('/events', async (ctx) => {
      const visitor = ctx.local(Visitor)
      const stream = await ctx.sse<FeedEvents>({ retryMs: RETRY_MS, lastEventIdParam: 'after' })
      return this.#feed.follow(stream, visitor, this.#welcome(visitor))
    })
    const live = app.group('/api/live')
    live.post('/traffic/:level', async (ctx) => {
      await available(this.#actions.setTraffic)(choice(LEVELS, ctx.params.level))
      ctx.empty()
    })
    live.post('/race/:kind', (ctx) => {
      const race = available(this.#actions.race)
      const kind = choice(RACES, ctx.params.kind)
      spend(this.#races, EVERYBODY)
      return race(kind)
    })
    live.post('/break/:fault', (ctx) => {
      const breakIt = available(this.#actions.break)
      const fault = choice(FAULTS, ctx.params.fault)
      spend(this.#breaks, ctx.local(Visitor))
      return breakIt(fault, ctx.local(Visitor))
    })
    live.post('/restart', (ctx) => {
      const restart = available(this.#actions.restart)
      spend(this.#restarts, EVERYBODY)
      restart()
      ctx.empty()
    })
  }

  /** Limits a visitor's requests to the application. The demo's clients have their own rates. */
  readonly limitTries = (ctx: Context, next: () => Promise<void>): unknown => {
    const visitor = ctx.local(Visitor)
    const isTry = ctx.path.startsWith('/api/') && visitor !== 'demo' && visitor !== 'race'
    if (isTry) spend(this.#tries, visitor)
    return next()
  }
}

function choice<T extends string>(choices: readonly T[], text: string): T {
  const found = choices.find((each) => each === text)
  if (found === undefined) throw new HttpError(404, `Choose one of ${choices.join(', ')}`)
  return found
}

function available<T>(action: T | undefined): T {
  if (action === undefined) throw new HttpError(404, 'This part of the demo is off')
  return action
}

/** @throws {HttpError} 429 with the seconds to wait */
function spend(limit: RateLimit, key: string): void {
  const waitMs = limit.take(key)
  if (waitMs === 0) return
  const seconds = Math.ceil(waitMs / 1000)
  throw new HttpError(429, `Wait ${seconds} s`, { headers: { 'retry-after': String(seconds) } })
}

/** Returns middleware that names the observed request in `server-timing`, so that a page finds its own requests. */
export function requestId({ current }: Observer) {
  return (ctx: Context, next: () => Promise<void>): unknown => {
    const id = current.get()?.id
    if (id !== undefined) ctx.responseHeaders.set('server-timing', `request;desc="${id}"`)
    return next()
  }
}
